//===- Calibrate.h - value ranges from sample inputs ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_CALIBRATE_H
#define WEFT_TOOLS_DRIVER_CALIBRATE_H

#include "passes/quantize/Calibration.h"
#include "tools/driver/ReferenceSamples.h"
#include "tools/preprocess/Preprocess.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace weft::driver {

struct CalibrationRun {
  std::vector<std::string> data; ///< folders, as in samples/SampleFiles.h
  int64_t samples = 0;           ///< the first so many by name; 0: all
  /// Of images; std::nullopt: not asked for.
  std::optional<preprocess::Options> preprocessing;
  /// It was asked for something else, too: there need not be images.
  bool mayBeArrays = false;
  /// The graph is that of the model as it is, the samples are for a program
  /// that has these steps in it (FusePreprocess.h); std::nullopt: for the
  /// graph.
  std::optional<preprocess::Options> fused;
  quantize::CalibrationOptions options;
  /// What the message of a sample without an input of the graph ends with.
  std::string wayToInputs;
  /// That each sample may take to be evaluated; 0: any time.
  double timeLimitSeconds = 0;
  /// Called after each sample with its number (from 1) and how many there are.
  std::function<void(size_t done, size_t all)> progress;
};

/// Evaluates the float graph `module` on every sample and collects the ranges
/// of its inputs and ONNX values. Reports problems; they name the file.
mlir::FailureOr<quantize::CalibrationTable>
calibrate(mlir::ModuleOp module, const CalibrationRun &run);

/// evaluateSpread() of the samples of `run`. Reports as calibrate() does.
mlir::FailureOr<ReferenceSamples>
evaluateSamples(mlir::ModuleOp module, const CalibrationRun &run, size_t most);

/// evaluateSplit() of the samples of `run`.
mlir::FailureOr<SplitSamples> evaluateSplitSamples(mlir::ModuleOp module,
                                                   const CalibrationRun &run,
                                                   size_t most);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CALIBRATE_H
