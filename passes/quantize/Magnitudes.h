//===- Magnitudes.h - how large values can be -------------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_MAGNITUDES_H
#define WEFT_PASSES_QUANTIZE_MAGNITUDES_H

#include "passes/quantize/ValueRanges.h"

namespace weft::quantize {

/// Bounds of magnitudes that hold whatever the input of the network: of what is
/// made of integers by products and functions that do not grow fast. Reads
/// constants, so it is asked before their bytes are released.
class Magnitudes {
public:
  /// Infinity if none is known.
  double of(mlir::Value value) { return of(value, 0); }
  /// Whether `value` and its quotient by `scale` are far from the end of f32.
  bool isFarFromEnd(mlir::Value value, float scale);

private:
  double of(mlir::Value value, int depth);
  double derived(mlir::Operation *op, int depth);

  ValueRanges constants{nullptr};
  llvm::DenseMap<mlir::Value, double> known;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_MAGNITUDES_H
