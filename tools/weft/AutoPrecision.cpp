#include "tools/weft/AutoPrecision.h"

#include "tools/files/OutputFile.h"
#include "tools/weft/TextTable.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using driver::MixedProgram;
using rt::Code;
using rt::Result;
using Json = nlohmann::ordered_json;

bool AutoPrecisionFlags::isGiven() const {
  return cosineOption->count() || sqnrOption->count() ||
         samplesOption->count() || !writtenTable.empty();
}

void cli::addAutoPrecisionFlags(CLI::App &command, AutoPrecisionFlags &flags) {
  flags.cosineOption =
      command
          .add_option("--target-cosine", flags.cosine,
                      "With auto: the cosine that every output must reach, "
                      "mean of the samples")
          ->check(CLI::Range(0.0, 1.0))
          ->capture_default_str()
          ->type_name("C");
  flags.sqnrOption =
      command
          .add_option("--target-sqnr", flags.sqnr,
                      "With auto: the signal to noise that every output must "
                      "reach, in dB; in place of --target-cosine")
          ->check(CLI::Range(0.0, 200.0))
          ->excludes(flags.cosineOption)
          ->type_name("DB");
  flags.samplesOption =
      command
          .add_option("--search-samples", flags.samples,
                      "With auto: measure on so many samples, spread over "
                      "those of --calibration-data")
          ->check(CLI::Range(int64_t(1), int64_t(1) << 20))
          ->capture_default_str()
          ->type_name("N");
  command
      .add_option("--write-precision-table", flags.writtenTable,
                  "With auto: write the chosen precisions, for "
                  "--precision-table")
      ->type_name("FILE");
}

static std::string formatted(const char *format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

static size_t floatsOf(const MixedProgram &program) {
  return std::count(program.isFloat.begin(), program.isFloat.end(), true);
}

static std::string paretoText(const driver::PrecisionChoice &choice) {
  TextTable table("lrrrrr");
  table.addRow(
      {"", "cycles", "cosine", "signal/noise", "float products", "of all"});
  for (size_t i = 0; i < choice.found.pareto.size(); ++i) {
    const MixedProgram &program = choice.found.pareto[i];
    table.addRow({choice.found.chosen == i ? "chosen" : "",
                  std::to_string(int64_t(program.cycles)),
                  formatted("%.5f", program.accuracy.cosine()),
                  driver::decibels(program.accuracy.sqnr()),
                  std::to_string(floatsOf(program)) + " of " +
                      std::to_string(choice.products.size()),
                  formatted("%.1f %%", 100 * choice.floatShare(program))});
  }
  return "precisions (predicted cycles; the worst output on the samples):\n" +
         table.text();
}

/// That no mix reaches the goal.
static ExitCode reportMiss(const std::string &model, size_t samples,
                           const driver::Accuracy &floats) {
  return reportError(rt::fail(
      Code::InvalidArgument,
      model + ": no mix of int8 and f16 products reaches the goal on " +
          std::to_string(samples) +
          " samples; with all products in f16 the worst output has cosine " +
          formatted("%.5f", floats.cosine()) + ", " +
          driver::decibels(floats.sqnr()) +
          "; lower the goal, or take --precision f32"));
}

ExitCode cli::choosePrecisions(const driver::CompilationSource &source,
                               mlir::ModuleOp module,
                               const driver::CalibrationRun &run,
                               const AutoPrecisionFlags &flags,
                               driver::CompileOptions &options,
                               std::string &text, Json &json) {
  options.precision = "int8";
  mlir::FailureOr<driver::ReferenceSamples> samples =
      driver::evaluateSamples(module, run, flags.samples);
  if (failed(samples))
    return ExitCode::UserError; // printed
  driver::AutoPrecision wanted;
  if (flags.sqnrOption->count())
    wanted.goal.sqnr = flags.sqnr;
  else
    wanted.goal.cosine = flags.cosine;
  if (isatty(STDERR_FILENO))
    wanted.progress = [](size_t done, size_t all) {
      std::fprintf(stderr, "\rsearching: %zu of about %zu programs", done, all);
    };
  Result<driver::PrecisionChoice> choice =
      driver::choosePrecisions(source, module, options, *samples, wanted);
  if (wanted.progress)
    std::fprintf(stderr, "\n");
  if (!choice)
    return reportError(choice.status());
  text = paretoText(*choice);
  json["pareto"] = choice->json();
  const driver::PrecisionSearch::Found &found = choice->found;
  if (!found.chosen)
    return reportMiss(source.model, samples->inputs.size(), found.floats);
  options.precisionTable = choice->yaml(found.pareto[*found.chosen]);
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
                                 std::string &text, Json &json) {
  // Below, users see the difference (docs/status.md).
  constexpr double kFar = 0.99;
  Result<rt::Bmodel> model = rt::Bmodel::load(bytes, "the bmodel");
  if (!model)
    return model.status();
  Result<driver::Accuracy> accuracy = driver::measureAccuracy(*model, samples);
  if (!accuracy)
    return accuracy.status();
  TextTable table("lrrr");
  table.addRow({"output", "cosine", "worst", "signal/noise"});
  for (const driver::OutputAccuracy &output : accuracy->outputs) {
    table.addRow({shortened(output.name, 40), formatted("%.5f", output.cosine),
                  formatted("%.5f", output.worstCosine),
                  driver::decibels(output.sqnr())});
    if (output.cosine < kFar)
      std::fprintf(
          stderr,
          "weft: warning: output '%s' has a cosine of %.4f with the "
          "float model on the samples; --precision auto can give floats "
          "to the products that need them, or take f16\n",
          output.name.c_str(), output.cosine);
  }
  text += "expected accuracy, on " + std::to_string(samples.inputs.size()) +
          " samples:\n" + table.text();
  json["accuracy"] = driver::accuracyJson(*accuracy);
  return rt::Status::ok();
}
