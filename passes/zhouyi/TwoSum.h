//===- TwoSum.h - sums with twice the digits --------------------*- C++ -*-===//

#ifndef WEFT_PASSES_ZHOUYI_TWOSUM_H
#define WEFT_PASSES_ZHOUYI_TWOSUM_H

#include "passes/zhouyi/Steps.h"

namespace weft::zhouyi {

/// A sum of f32 as the rounded sum and what rounding has lost (Knuth).
struct TwoSum {
  mlir::Value high, low;

  static TwoSum zero(Code &code, int64_t lanes) {
    mlir::Value zero = code.number(code.f32(), lanes, 0);
    return {zero, zero};
  }
  TwoSum plus(Code &code, mlir::Value x) const {
    mlir::Value sum = code.vadd(high, x);
    mlir::Value part = code.vsub(sum, high);
    mlir::Value lost =
        code.vadd(code.vsub(high, code.vsub(sum, part)), code.vsub(x, part));
    return {sum, code.vadd(low, lost)};
  }
  /// The sum as one f32. Where it has become infinite or NaN, `high` says so
  /// and `low` means nothing.
  mlir::Value value(Code &code) const {
    return code.vadd(high, finiteOf(code, low));
  }
  /// The sum times a number, rounded once but for the last bits of `low`.
  mlir::Value times(Code &code, double factor) const {
    mlir::Value f = code.numberLike(high, factor);
    mlir::Value sum = value(code);
    mlir::Value rest = code.vsub(finiteOf(code, low), code.vsub(sum, high));
    mlir::Value product = code.vmul(sum, f);
    mlir::Value negative = code.vsub(code.numberLike(high, 0), product);
    mlir::Value lost = code.fma(code.fma(negative, sum, f), rest, f);
    return code.vadd(product, finiteOf(code, lost));
  }
};

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_TWOSUM_H
