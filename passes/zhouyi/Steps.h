//===- Steps.h - comparisons without a compare ------------------*- C++ -*-===//

#ifndef WEFT_PASSES_ZHOUYI_STEPS_H
#define WEFT_PASSES_ZHOUYI_STEPS_H

#include "passes/zhouyi/Code.h"

namespace weft::zhouyi {

/// x > 0 ? 1 : 0 of f32; NaN for NaN. The smallest number times 2^254 is above
/// 1, and no positive one becomes 0.
inline mlir::Value stepOf(Code &code, mlir::Value x) {
  mlir::Value large = code.numberLike(x, 0x1p127);
  return code.clip(code.vmul(code.vmul(x, large), large), 0.0, 1.0);
}

/// The nearest integer, less 1 where it lies above x. Beyond 2^24 every f32 is
/// an integer.
inline mlir::Value floorOf(Code &code, mlir::Value x) {
  mlir::Value near = code.clip(x, -0x1p24, 0x1p24);
  mlir::Value above = stepOf(code, code.vsub(code.vrint(near), near));
  return code.vsub(code.vrint(x), above);
}

/// x of f32, 0 where it is NaN or an infinity: those are the bits from
/// 0x7f800000 on, without the sign.
inline mlir::Value finiteOf(Code &code, mlir::Value x) {
  mlir::Value bits = code.bits(code.vabs(x), code.u32());
  mlir::Value above = code.vsub(
      bits, code.integerNumber(code.u32(), lanesOf(x), 0x7f7fffff), true);
  mlir::Value one = code.integerNumber(code.u32(), lanesOf(x), 1);
  mlir::Value keep = code.vsub(
      one,
      code.clip(above, code.integerNumber(code.u32(), lanesOf(x), 0), one));
  return code.bits(code.vmul(code.bits(x, code.u32()), keep), code.f32());
}

/// -floor(-x); a difference from -0 turns the sign of zeros, too.
inline mlir::Value ceilOf(Code &code, mlir::Value x) {
  mlir::Value zero = code.numberLike(x, -0.0);
  return code.vsub(zero, floorOf(code, code.vsub(zero, x)));
}

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_STEPS_H
