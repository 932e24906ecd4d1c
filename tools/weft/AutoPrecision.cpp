#include "tools/weft/AutoPrecision.h"

#include "passes/quantize/PrecisionTable.h"
#include "runtime/profile/Profile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/TextTable.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <thread>
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

Result<std::string>
cli::writeTemporary(const std::string &text,
                    std::optional<tools::TemporaryFile> &file) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("weft", "table", path))
    return rt::fail(Code::IoError,
                    "cannot make a temporary file: " + error.message());
  file.emplace(std::string(path));
  WEFT_TRY(tools::writeOutputFile(file->path(), text.data(), text.size()));
  return file->path();
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static quantize::PrecisionTable
tableOf(const std::vector<driver::ProductChoice> &products,
        const std::vector<bool> &isFloat) {
  quantize::PrecisionTable table;
  for (size_t i = 0; i < products.size(); ++i)
    if (isFloat[i])
      table.entries.push_back({products[i].name, quantize::Precision::F16});
  return table;
}

static Result<std::vector<uint8_t>>
compileOnce(const CompilationSource &source,
            const driver::CompileOptions &options) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  auto failure = [&] {
    return rt::fail(Code::Internal,
                    "a mix of precisions does not compile: " + problems);
  };
  auto compilation = std::make_unique<driver::Compilation>(stream);
  compilation->use(source.plugins);
  if (failed(compilation->import(source.model, source.shapes, source.bindings,
                                 source.fused)) ||
      failed(compilation->lower(options, driver::Stage::Ppl)))
    return failure();
  driver::StageSet stages;
  if (failed(stages.add(std::move(compilation))))
    return failure();
  mlir::FailureOr<codegen::PackedFile> file = stages.pack(options);
  if (failed(file))
    return failure();
  return file->bytes();
}

static Result<MixedProgram>
measureOnce(const CompilationSource &source, driver::CompileOptions options,
            const std::vector<driver::ProductChoice> &products,
            const std::vector<bool> &isFloat,
            const driver::ReferenceSamples &samples) {
  std::optional<tools::TemporaryFile> file;
  Result<std::string> path =
      writeTemporary(tableOf(products, isFloat).str(), file);
  if (!path)
    return path.status();
  options.precisionTable = *path;
  Result<std::vector<uint8_t>> bytes = compileOnce(source, options);
  if (!bytes)
    return bytes.status();
  Result<rt::Bmodel> model = rt::Bmodel::load(*std::move(bytes), "the bmodel");
  if (!model)
    return model.status();
  Result<profile::Profile> profile =
      profile::profileStage(*model, model->nets().front().stages.front());
  if (!profile)
    return profile.status();
  Result<driver::Accuracy> accuracy = driver::measureAccuracy(*model, samples);
  if (!accuracy)
    return accuracy.status();
  return MixedProgram{isFloat, double(profile->totalCycles),
                      *std::move(accuracy)};
}

static std::string formatted(const char *format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

static std::string decibels(double value) {
  return std::isinf(value) ? "exact" : formatted("%.1f dB", value);
}

/// Share of the multiplications that are floats, depthwise ones apart.
static double floatShare(const std::vector<driver::ProductChoice> &products,
                         const MixedProgram &program) {
  double all = 0, floats = 0;
  for (size_t i = 0; i < products.size(); ++i) {
    all += double(products[i].products);
    floats += program.isFloat[i] ? double(products[i].products) : 0;
  }
  return all > 0 ? floats / all : 0;
}

static size_t floatsOf(const MixedProgram &program) {
  return std::count(program.isFloat.begin(), program.isFloat.end(), true);
}

static std::string
paretoText(const driver::PrecisionSearch::Found &found,
           const std::vector<driver::ProductChoice> &products) {
  TextTable table("lrrrrr");
  table.addRow(
      {"", "cycles", "cosine", "signal/noise", "float products", "of all"});
  for (size_t i = 0; i < found.pareto.size(); ++i) {
    const MixedProgram &program = found.pareto[i];
    table.addRow({found.chosen == i ? "chosen" : "",
                  std::to_string(int64_t(program.cycles)),
                  formatted("%.5f", program.accuracy.cosine()),
                  decibels(program.accuracy.sqnr()),
                  std::to_string(floatsOf(program)) + " of " +
                      std::to_string(products.size()),
                  formatted("%.1f %%", 100 * floatShare(products, program))});
  }
  return "precisions (predicted cycles; the worst output on the samples):\n" +
         table.text();
}

static Json accuracyJson(const driver::Accuracy &accuracy) {
  Json outputs = Json::array();
  for (const driver::OutputAccuracy &output : accuracy.outputs) {
    Json one{{"name", output.name},
             {"cosine", output.cosine},
             {"worst_cosine", output.worstCosine}};
    // JSON has no infinity.
    one["sqnr_db"] = output.errorRatio > 0 ? Json(output.sqnr()) : Json();
    outputs.push_back(std::move(one));
  }
  return outputs;
}

static Json paretoJson(const driver::PrecisionSearch::Found &found,
                       const std::vector<driver::ProductChoice> &products) {
  Json rows = Json::array();
  for (size_t i = 0; i < found.pareto.size(); ++i) {
    const MixedProgram &program = found.pareto[i];
    Json names = Json::array();
    for (size_t p = 0; p < products.size(); ++p)
      if (program.isFloat[p])
        names.push_back(products[p].name);
    rows.push_back({{"chosen", found.chosen == i},
                    {"cycles", program.cycles},
                    {"outputs", accuracyJson(program.accuracy)},
                    {"float_products", std::move(names)},
                    {"float_share", floatShare(products, program)}});
  }
  return rows;
}

ExitCode cli::choosePrecisions(const CompilationSource &source,
                               mlir::ModuleOp module,
                               const driver::CalibrationRun &run,
                               const AutoPrecisionFlags &flags,
                               driver::CompileOptions &options,
                               std::optional<tools::TemporaryFile> &table,
                               std::string &text, Json &json) {
  options.precision = "int8";
  mlir::FailureOr<driver::ReferenceSamples> samples =
      driver::evaluateSamples(module, run, flags.samples);
  if (failed(samples))
    return ExitCode::UserError; // printed
  driver::PrecisionSearch search;
  search.products = driver::productsOf(module);
  if (flags.sqnrOption->count())
    search.goal.sqnr = flags.sqnr;
  else
    search.goal.cosine = flags.cosine;
  search.measure = [&](const std::vector<bool> &isFloat) {
    return measureOnce(source, options, search.products, isFloat, *samples);
  };
  // Each holds a program and its emulator; kernels of plugins are the user's
  // code and run one at a time.
  constexpr unsigned kMostThreads = 8;
  search.threads =
      !source.plugins.importOperators().empty()
          ? 1
          : std::min(kMostThreads,
                     std::max(1u, std::thread::hardware_concurrency()));
  if (isatty(STDERR_FILENO))
    search.progress = [](size_t done, size_t all) {
      std::fprintf(stderr, "\rsearching: %zu of about %zu programs", done, all);
    };
  Result<driver::PrecisionSearch::Found> found = search.run();
  if (search.progress)
    std::fprintf(stderr, "\n");
  if (!found)
    return reportError(found.status());
  text = paretoText(*found, search.products);
  json["pareto"] = paretoJson(*found, search.products);
  if (!found->chosen) {
    const driver::Accuracy &best = found->floats;
    return reportError(rt::fail(
        Code::InvalidArgument,
        source.model +
            ": no mix of int8 and f16 products reaches the goal on " +
            std::to_string(samples->inputs.size()) +
            " samples; with all products in f16 the worst output has cosine " +
            formatted("%.5f", best.cosine()) + ", " + decibels(best.sqnr()) +
            "; lower the goal, or take --precision f32"));
  }
  const MixedProgram &chosen = found->pareto[*found->chosen];
  std::string yaml =
      tableOf(search.products, chosen.isFloat)
          .str("weft convert --precision auto: " +
               std::to_string(int64_t(chosen.cycles)) + " cycles, cosine " +
               formatted("%.5f", chosen.accuracy.cosine()));
  Result<std::string> path = writeTemporary(yaml, table);
  if (!path)
    return reportError(path.status());
  options.precisionTable = *path;
  if (!flags.writtenTable.empty())
    if (rt::Status status = tools::writeOutputFile(flags.writtenTable,
                                                   yaml.data(), yaml.size());
        !status)
      return reportError(status);
  return ExitCode::Ok;
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
                  decibels(output.sqnr())});
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
  json["accuracy"] = accuracyJson(*accuracy);
  return rt::Status::ok();
}
