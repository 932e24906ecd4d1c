//===- IntegerProducts.h - products of 8-bit integers -----------*- C++ -*-===//
//
// Quantized graphs arrive as floats that stand for integers: 8-bit integers
// less a zero point, times a scale, times weights that are whole numbers
// (ConvInteger, QLinearConv) or whole numbers times a scale (between
// QuantizeLinear and DequantizeLinear). The integer unit multiplies the
// integers themselves, exactly and faster.
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_INTEGERPRODUCTS_H
#define WEFT_PASSES_QUANTIZE_INTEGERPRODUCTS_H

#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// value = scale * (integers - zeroPoint).
struct IntegerValue {
  mlir::Value integers; ///< top value, of 8-bit integers on the chip
  int64_t zeroPoint;    ///< one of them
  double scale;         ///< an f32 number > 0
};

/// A filter in 8 bits, with one scale an output channel.
struct QuantFilter {
  std::vector<int8_t> values;
  std::vector<double> scales;
  /// What is taken away from the values of each output channel; empty if
  /// nothing is. So weights of 9 bits are held in 8.
  std::vector<int32_t> zeroPoints;
};

/// The integers that `value` stands for; std::nullopt if there are none.
std::optional<IntegerValue> integersBehind(mlir::Value value,
                                           Lowering &lowering);

/// `from` as codes of its scale and zero point, as `user` reads them.
Answer<mlir::Value> codesOf(const IntegerValue &from, mlir::Operation *user,
                            Lowering &lowering);

/// The filter of a product of `input` if its numbers, the bias and the scale of
/// the input are whole; std::nullopt otherwise.
std::optional<QuantFilter> wholeFilter(const Product &product,
                                       const IntegerValue &input);

/// `filter` as it was before it was dequantized: each channel is whole numbers
/// whose range fits 8 bits times a scale, an f32 number that gives the weights
/// again if there is one. std::nullopt if a channel is not.
std::optional<QuantFilter> dequantizedFilter(const FloatConstant &filter);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_INTEGERPRODUCTS_H
