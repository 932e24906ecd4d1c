//===- AutoPrecision.h - --precision auto and expected accuracy -*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_AUTOPRECISION_H
#define WEFT_TOOLS_WEFT_AUTOPRECISION_H

#include "tools/driver/Calibrate.h"
#include "tools/driver/PrecisionChoice.h"
#include "tools/weft/Program.h"
#include "tools/weft/ScoreFlags.h"

#include <CLI/CLI.hpp>

namespace weft::cli {

/// Options of --precision auto.
struct AutoPrecisionFlags {
  double cosine = driver::AccuracyGoal::kUsualCosine, sqnr = 0;
  ScoreFlags score;
  std::string mostFloats, log, writtenTable;
  int64_t samples = 8;
  CLI::Option *cosineOption = nullptr, *sqnrOption = nullptr,
              *samplesOption = nullptr;

  /// The first one that was given; "" for none.
  std::string given() const;
};

void addAutoPrecisionFlags(CLI::App &command, AutoPrecisionFlags &flags);

/// Fails for options that do not fit each other.
rt::Status checkAutoPrecisionFlags(const AutoPrecisionFlags &flags);

/// Chooses which products of the float graph `module` are floats, with
/// `options.calibration` set; `options` becomes an int8 program with a
/// precision table. `text` and `json` get the measured programs. Every problem
/// has been printed when it fails.
ExitCode choosePrecisions(const driver::CompilationSource &source,
                          mlir::ModuleOp module,
                          const driver::CalibrationRun &run,
                          const AutoPrecisionFlags &flags,
                          driver::CompileOptions &options, std::string &text,
                          nlohmann::ordered_json &json);

/// How close the program in `bytes` is to the float model on `samples`, as text
/// and JSON; warns on stderr if it does not run them, and of outputs that are
/// far from the float model, unless the user's own goal has said what is far.
/// `areCalibrated`: the ranges are of these samples too, so others may do
/// worse.
rt::Status describeAccuracy(const std::vector<uint8_t> &bytes,
                            const driver::ReferenceSamples &samples,
                            bool areCalibrated, bool hasGoal, std::string &text,
                            nlohmann::ordered_json &json);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_AUTOPRECISION_H
