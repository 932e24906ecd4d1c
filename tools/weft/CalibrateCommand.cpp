#include "tools/driver/Calibrate.h"
#include "tools/files/OutputFile.h"
#include "tools/samples/SampleFiles.h"
#include "tools/weft/CalibrationFlags.h"
#include "tools/weft/ErrorStream.h"
#include "tools/weft/ModelFlags.h"
#include "tools/weft/Program.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;

namespace {

struct CalibrateFlags {
  ModelFlags model;
  std::vector<std::string> data;
  std::string output;
  CalibrationFlags calibration;
  double timeLimitSeconds = 0;
  bool json = false;
};

} // namespace

static ExitCode calibrateModel(const CalibrateFlags &flags) {
  driver::CalibrationRun run;
  run.data = flags.data;
  if (!flags.model.cut.inputs.empty())
    run.wayToInputs = "; with --inputs a sample has arrays of these values. "
                      "Leave out --inputs: the table of the whole model is for "
                      "parts of it, too";
  run.timeLimitSeconds = flags.timeLimitSeconds;
  if (rt::Status status = applyCalibrationFlags(flags.calibration, run);
      !status)
    return reportError(status);
  if (flags.json && flags.output == "-")
    return reportError(rt::fail(rt::Code::InvalidArgument,
                                "--json and --output - both write to stdout"));
  std::vector<tools::NamedInput> read = filesOf(flags.model);
  read.push_back(
      {"the file of --preprocess", flags.calibration.preprocess.file});
  if (rt::Status status =
          tools::checkInputsKept("--output", flags.output, read);
      !status)
    return reportError(status);
  if (rt::Status status =
          samples::checkKept(flags.data, "--output", flags.output);
      !status)
    return reportError(status);
  if (rt::Status status = tools::checkOutputFile(flags.output); !status)
    return reportError(status);
  driver::Plugins plugins;
  driver::Compilation compilation(errorStream());
  if (auto exit = importModel(flags.model, plugins, compilation))
    return *exit;
  mlir::FailureOr<quantize::CalibrationTable> table =
      driver::calibrate(compilation.module(), run);
  if (failed(table))
    return reportFailure(compilation);
  std::string text = table->str();
  if (rt::Status status =
          tools::writeOutputFile(flags.output, text.data(), text.size());
      !status)
    return reportError(status);
  if (flags.output == "-")
    return ExitCode::Ok;
  if (flags.json)
    return printJson({{"output_file", flags.output},
                      {"method", table->method},
                      {"samples", table->samples},
                      {"values", table->entries().size()}});
  return printText(flags.output + ": " +
                   std::to_string(table->entries().size()) +
                   " values, method " + table->method + ", " +
                   std::to_string(table->samples) + " samples\n");
}

void cli::addCalibrateCommand(Program &program) {
  auto flags = std::make_shared<CalibrateFlags>();
  CLI::App &command = program.addCommand(
      "calibrate", "Collect the value ranges that int8 needs",
      {"weft calibrate cls.onnx --shape x=1x3x48x192 --data samples/ -o "
       "cls.table",
       "weft calibrate net.onnx --data photos/ --resize center-crop --mean "
       "123.675,116.28,103.53 --std 58.395,57.12,57.375 -o net.table"},
      [flags] { return calibrateModel(*flags); });
  addModelFlags(command, flags->model);
  command.add_option("--data", flags->data, kSamplesHelp)
      ->required()
      ->allow_extra_args(false)
      ->type_name("[NAME=]DIR");
  command
      .add_option("-o,--output", flags->output,
                  "The calibration table ('-': stdout)")
      ->required()
      ->type_name("TABLE");
  addCalibrationFlags(command, flags->calibration);
  command
      .add_option("--time-limit", flags->timeLimitSeconds,
                  "Seconds that the model may take for each sample (default: "
                  "any time)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e6));
  command.add_flag("--json", flags->json, "Print what was written as JSON");
}
