#include "tools/weft/AutoPrecision.h"

#include "tools/driver/ExpectedAccuracy.h"
#include "tools/files/OutputFile.h"
#include "tools/files/TemporaryFile.h"
#include "tools/weft/TextTable.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using driver::MixedProgram;
using rt::Code;
using rt::Result;
using Json = nlohmann::ordered_json;

std::string AutoPrecisionFlags::given() const {
  for (const CLI::Option *option : {cosineOption, sqnrOption, samplesOption})
    if (option->count())
      return option->get_name();
  if (std::string name = score.given(); !name.empty())
    return name;
  for (const auto &[name, value] : {std::pair("--max-float-macs", &mostFloats),
                                    {"--resume", &log},
                                    {"--write-precision-table", &writtenTable}})
    if (!value->empty())
      return name;
  return "";
}

static void addGoalFlags(CLI::App &command, AutoPrecisionFlags &flags) {
  flags.cosineOption =
      command
          .add_option("--target-cosine", flags.cosine,
                      "With auto: the cosine that every output must reach, "
                      "mean of the samples")
          ->capture_default_str()
          ->type_name("C");
  flags.sqnrOption =
      command
          .add_option("--target-sqnr", flags.sqnr,
                      "With auto: the signal to noise that every output must "
                      "reach, in dB; in place of --target-cosine")
          ->excludes(flags.cosineOption)
          ->type_name("DB");
  flags.score.addTo(command, "With auto: ", "the path of a bmodel",
                    "the number that must be reached, in place of "
                    "--target-cosine");
  flags.score.targetOption()
      ->excludes(flags.cosineOption)
      ->excludes(flags.sqnrOption);
}

void cli::addAutoPrecisionFlags(CLI::App &command, AutoPrecisionFlags &flags) {
  addGoalFlags(command, flags);
  command
      .add_option("--max-float-macs", flags.mostFloats,
                  "With auto: floats for at most this share of the "
                  "multiplications; the most accurate mix within it if none "
                  "reaches the goal")
      ->type_name("P%");
  flags.samplesOption =
      command
          .add_option("--search-samples", flags.samples,
                      "With auto: measure on so many samples, spread over "
                      "those of --calibration-data; what is found is measured "
                      "on as many others, if there are")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
          ->capture_default_str()
          ->type_name("N");
  command
      .add_option("--resume", flags.log,
                  "With auto: keep what was measured in this file, and go on "
                  "with it if it is there")
      ->type_name("FILE");
  command
      .add_option("--write-precision-table", flags.writtenTable,
                  "With auto: write the chosen precisions, for "
                  "--precision-table")
      ->type_name("FILE");
}

/// A share from "10%" or "0.1"; std::nullopt for others.
static std::optional<double> shareOf(llvm::StringRef text) {
  bool isPercent = text.consume_back("%");
  double value = 0;
  if (text.trim().getAsDouble(value) ||
      !(value >= 0 && value <= (isPercent ? 100 : 1)))
    return std::nullopt;
  return isPercent ? value / 100 : value;
}

rt::Status cli::checkAutoPrecisionFlags(const AutoPrecisionFlags &flags) {
  // CLI11's ranges let NaN pass.
  if (!(flags.cosine >= 0 && flags.cosine <= 1))
    return rt::failf(Code::InvalidArgument,
                     "--target-cosine is %g, must be from 0 to 1",
                     flags.cosine);
  if (!(flags.sqnr >= 0 && flags.sqnr <= 200))
    return rt::failf(Code::InvalidArgument,
                     "--target-sqnr is %g, must be from 0 to 200", flags.sqnr);
  if (flags.score.isAsked() != flags.score.target().has_value())
    return rt::fail(Code::InvalidArgument,
                    "--score COMMAND and --target-score X belong together; "
                    "give both or none");
  WEFT_TRY(flags.score.check());
  if (!flags.mostFloats.empty() && !shareOf(flags.mostFloats))
    return rt::fail(Code::InvalidArgument,
                    "--max-float-macs is '" + flags.mostFloats +
                        "', must be a share of all, as 10% or 0.1");
  return rt::Status::ok();
}

static std::string formatted(const char *format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

static std::string formatted(const char *format, int digits, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, digits, value);
  return text;
}

static size_t floatsOf(const MixedProgram &program) {
  return std::count(program.isFloat.begin(), program.isFloat.end(), true);
}

static std::string paretoText(const driver::PrecisionChoice &choice) {
  const std::vector<MixedProgram> &rows = choice.found.pareto;
  bool hasScores =
      std::any_of(rows.begin(), rows.end(),
                  [](const MixedProgram &row) { return row.score; });
  TextTable table(hasScores ? "llrrrrrr" : "llrrrrr");
  std::vector<std::string> head = {"",       "program",      "cycles",
                                   "cosine", "signal/noise", "float products",
                                   "of all"};
  if (hasScores)
    head.push_back("score");
  table.addRow(head);
  std::vector<double> cosines, sqnrs;
  for (const MixedProgram &row : rows) {
    cosines.push_back(row.accuracy.cosine());
    sqnrs.push_back(row.accuracy.sqnr());
  }
  const int cosineDigits = driver::digitsToTell(cosines, choice.goal.cosine, 5),
            sqnrDigits = driver::digitsToTell(sqnrs, choice.goal.sqnr, 1);
  for (size_t i = 0; i < rows.size(); ++i) {
    const MixedProgram &program = rows[i];
    std::vector<std::string> cells = {
        choice.found.chosen == i ? "chosen" : "",
        driver::stringifyKind(program.kind),
        std::to_string(int64_t(program.cycles)),
        formatted("%.*f", cosineDigits, cosines[i]),
        driver::decibels(sqnrs[i], sqnrDigits),
        std::to_string(floatsOf(program)) + " of " +
            std::to_string(choice.products.size()),
        formatted("%.1f %%", 100 * program.floatShare)};
    if (hasScores)
      cells.push_back(program.score ? formatted("%g", *program.score) : "-");
    table.addRow(cells);
  }
  return "precisions (predicted cycles; the worst output on " +
         std::to_string(choice.samples) +
         " samples; share of all multiplications):\n" + table.text();
}

/// On samples that the search has not seen; warns if the goal is missed there.
static std::string heldBackText(const driver::PrecisionChoice &choice,
                                const driver::AccuracyGoal &goal) {
  if (!choice.heldBack)
    return "";
  MixedProgram program = *choice.chosen();
  program.accuracy = *choice.heldBack; // a score needs no samples
  std::string text = "on " + std::to_string(choice.heldBackSamples) +
                     " others, held back, the worst output has " +
                     driver::accuracyText(program.accuracy, goal);
  if (choice.found.isGoalRaised)
    text += " (the goal was set higher, as a cheaper program misses it there)";
  if (choice.found.isGoalMet && !goal.isMetBy(program))
    reportWarning("the goal is met on the samples of the search, but " + text +
                  "; search on more samples or aim higher");
  return text + "\n";
}

/// A bar on a terminal; else a line at every tenth.
static void showProgress(size_t done, size_t all) {
  if (!isatty(STDERR_FILENO)) {
    if (done == 1 || done * 10 / all != (done - 1) * 10 / all)
      std::fprintf(stderr, "searching: %zu of about %zu programs\n", done, all);
    return;
  }
  constexpr size_t kWidth = 30;
  std::string bar(kWidth * std::min(done, all) / std::max<size_t>(1, all), '#');
  bar.resize(kWidth, '.');
  std::fprintf(stderr, "\rsearching [%s] %zu of about %zu programs ",
               bar.c_str(), done, all);
}

static driver::AutoPrecision wantedBy(const AutoPrecisionFlags &flags) {
  driver::AutoPrecision wanted;
  if (flags.score.isAsked())
    wanted.goal.score = *flags.score.target();
  else if (flags.sqnrOption->count())
    wanted.goal.sqnr = flags.sqnr;
  else
    wanted.goal.cosine = flags.cosine;
  if (!flags.mostFloats.empty())
    wanted.mostFloats = shareOf(flags.mostFloats);
  wanted.log = flags.log;
  wanted.scoreName = flags.score.commandText();
  wanted.progress = showProgress;
  wanted.score =
      [&flags](const std::vector<uint8_t> &bmodel) -> Result<double> {
    Result<std::unique_ptr<tools::TemporaryFile>> file =
        tools::TemporaryFile::make("weft-candidate", ".bmodel");
    if (!file)
      return file.status();
    const std::string &path = (*file)->path();
    WEFT_TRY(tools::writeOutputFile(path, bmodel.data(), bmodel.size()));
    return flags.score.scoreOf(path);
  };
  return wanted;
}

ExitCode cli::choosePrecisions(const driver::CompilationSource &source,
                               mlir::ModuleOp module,
                               const driver::CalibrationRun &run,
                               const AutoPrecisionFlags &flags,
                               driver::CompileOptions &options,
                               std::string &text, Json &json) {
  options.precision = "int8";
  mlir::FailureOr<driver::SplitSamples> samples =
      driver::evaluateSplitSamples(module, run, flags.samples);
  if (failed(samples))
    return ExitCode::UserError; // printed
  driver::AutoPrecision wanted = wantedBy(flags);
  Result<driver::PrecisionChoice> choice = driver::choosePrecisions(
      source, module, options, samples->search, samples->heldBack, wanted);
  if (isatty(STDERR_FILENO))
    std::fprintf(stderr, "\n");
  if (!choice)
    return reportError(choice.status());
  text = paretoText(*choice) + heldBackText(*choice, wanted.goal);
  json.update(choice->json());
  std::string miss = driver::missOf(*choice, wanted);
  if (!choice->chosen())
    return reportError(
        rt::fail(Code::InvalidArgument, source.model + ": " + miss));
  if (!miss.empty())
    reportWarning(source.model + ": " + miss);
  options.precisionTable = choice->yaml(*choice->chosen());
  if (flags.writtenTable.empty())
    return ExitCode::Ok;
  rt::Status written =
      tools::writeOutputFile(flags.writtenTable, options.precisionTable.data(),
                             options.precisionTable.size());
  return written ? ExitCode::Ok : reportError(written);
}

//===----------------------------------------------------------------------===//
// Expected accuracy
//===----------------------------------------------------------------------===//

rt::Status cli::describeAccuracy(const std::vector<uint8_t> &bytes,
                                 const driver::ReferenceSamples &samples,
                                 bool areCalibrated, bool hasGoal,
                                 std::string &text, Json &json) {
  Result<driver::ExpectedAccuracy> expected =
      driver::expectAccuracy(bytes, samples);
  if (!expected)
    return expected.status();
  if (!hasGoal || !expected->accuracy)
    for (const std::string &line : expected->warnings)
      reportWarning(line);
  if (!expected->accuracy)
    return {};
  TextTable table("lrrr");
  table.addRow({"output", "cosine", "worst", "signal/noise"});
  for (const driver::OutputAccuracy &output : expected->accuracy->outputs)
    table.addRow(
        {(output.partOf.empty() ? "" : "  ") + shortened(output.name, 40),
         formatted("%.5f", output.cosine),
         formatted("%.5f", output.worstCosine),
         driver::decibels(output.sqnr())});
  text += "expected accuracy, on " + std::to_string(expected->samples) +
          (expected->samples == 1 ? " sample" : " samples") +
          (areCalibrated ? " that the ranges are chosen on, too (others may do "
                           "worse):\n"
                         : ":\n") +
          table.text();
  json["accuracy_samples"] = expected->samples;
  json["accuracy_samples_calibrated"] = areCalibrated;
  json["accuracy"] = driver::accuracyJson(*expected->accuracy);
  return {};
}
