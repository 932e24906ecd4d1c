//===- IntegerProducts.h - products of 8-bit integers -----------*- C++ -*-===//
//
// ConvInteger and QLinearConv arrive as convolutions of floats that are whole
// numbers: 8-bit integers less a zero point, times weights less theirs. The
// integer unit multiplies the integers themselves, exactly and faster.
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_INTEGERPRODUCTS_H
#define WEFT_PASSES_QUANTIZE_INTEGERPRODUCTS_H

#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// What the integer unit multiplies instead of floats.
struct IntegerProduct {
  mlir::Value input;          ///< top value, of 8-bit integers
  int64_t zeroPoint;          ///< what the product reads less; one of them
  std::vector<int8_t> filter; ///< in the order of the product's
};

/// The integers behind `product`, if there are such and f32 holds every sum of
/// products; std::nullopt otherwise.
std::optional<IntegerProduct> integerProductOf(const Product &product,
                                               Lowering &lowering);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_INTEGERPRODUCTS_H
