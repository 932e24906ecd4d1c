//===- Calibrate.h - value ranges from sample inputs ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_CALIBRATE_H
#define WEFT_TOOLS_DRIVER_CALIBRATE_H

#include "passes/quantize/Calibration.h"
#include "tools/driver/Accuracy.h"
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
  quantize::CalibrationOptions options;
  /// Called after each sample with its number (from 1) and how many there are.
  std::function<void(size_t done, size_t all)> progress;
};

/// Evaluates the float graph `module` on every sample and collects the ranges
/// of its inputs and ONNX values. Reports problems; they name the file.
mlir::FailureOr<quantize::CalibrationTable>
calibrate(mlir::ModuleOp module, const CalibrationRun &run);

/// At most `most` samples of `run`, spread evenly over all of them, evaluated
/// on the float graph `module`. Reports as calibrate() does.
mlir::FailureOr<ReferenceSamples>
evaluateSamples(mlir::ModuleOp module, const CalibrationRun &run, size_t most);

/// What a search measures on, and what its result is measured on besides.
struct SplitSamples {
  ReferenceSamples search, heldBack;
};

/// The same samples for a search; and as many of the others, spread evenly,
/// where at least so many are left.
mlir::FailureOr<SplitSamples> evaluateSplitSamples(mlir::ModuleOp module,
                                                   const CalibrationRun &run,
                                                   size_t most);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CALIBRATE_H
