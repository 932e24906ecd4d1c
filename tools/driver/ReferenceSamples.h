//===- ReferenceSamples.h - what the float graph gives ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_REFERENCESAMPLES_H
#define WEFT_TOOLS_DRIVER_REFERENCESAMPLES_H

#include "tools/driver/Accuracy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <functional>

namespace weft::driver {

/// Inputs of a model by number, from files or from memory.
struct SampleSource {
  size_t count = 0;
  /// Reports problems.
  std::function<mlir::FailureOr<NamedTensors>(size_t sample)> read;
  std::function<std::string(size_t sample)> name = nullptr; ///< its files
};

/// At most `most` samples, spread evenly over all of them, evaluated on the
/// float graph `module`. Reports problems.
mlir::FailureOr<ReferenceSamples>
evaluateSpread(mlir::ModuleOp module, const SampleSource &samples, size_t most);

/// What a search measures on, and what its result is measured on besides.
struct SplitSamples {
  ReferenceSamples search, heldBack;
};

/// The same samples for a search; and as many of the others, spread evenly,
/// where at least so many are left.
mlir::FailureOr<SplitSamples>
evaluateSplit(mlir::ModuleOp module, const SampleSource &samples, size_t most);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_REFERENCESAMPLES_H
