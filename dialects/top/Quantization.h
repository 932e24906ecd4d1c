//===- Quantization.h - what stands for quantized numbers -------*- C++ -*-===//
//
// QuantizeLinear, DequantizeLinear and the quantized operators arrive as chains
// of element-wise steps in f32. Who knows that a chain is one of these can keep
// the integers.
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TOP_QUANTIZATION_H
#define WEFT_DIALECTS_TOP_QUANTIZATION_H

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace weft::top {

/// result = saturate(round(input / scale) + zeroPoint), or with `multiplies`
/// input * scale: half to even, the quotient as exact as f32 has it.
struct Quantization {
  mlir::Value input;        ///< f32
  std::vector<float> scale; ///< one number, or one for each channel (axis 1)
  bool multiplies = false;
  int64_t zeroPoint = 0;
  CastOp result; ///< to an integer type, whose range saturates
  /// All of it, in order; `result` is the last.
  llvm::SmallVector<mlir::Operation *, 12> steps;

  bool isScalar() const { return scale.size() == 1; }
  mlir::Value integers() const { return CastOp(result).getOutput(); }
};

/// The quantization whose last step `cast` is, if any.
std::optional<Quantization> quantizationOf(CastOp cast);

/// value = (integers - zeroPoint) * scale, of one scale.
struct Dequantization {
  mlir::Value integers; ///< of at most 16 bits
  int64_t zeroPoint = 0;
  float scale = 1;
  CastOp cast; ///< of the integers to f32

  /// Whether equal integers stand for equal numbers.
  bool isLike(const Dequantization &other) const {
    return mlir::getElementTypeOrSelf(integers.getType()) ==
               mlir::getElementTypeOrSelf(other.integers.getType()) &&
           scale == other.scale && zeroPoint == other.zeroPoint;
  }
};

/// The dequantization that gives `value`, if any. Its scale is positive and
/// finite, the zero point a number of the type.
std::optional<Dequantization> dequantizationOf(mlir::Value value);

/// Least and greatest number of an integer type of 2 to 16 bits; std::nullopt
/// of another type.
std::optional<std::pair<int64_t, int64_t>> codeRangeOf(mlir::Type element);

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_QUANTIZATION_H
