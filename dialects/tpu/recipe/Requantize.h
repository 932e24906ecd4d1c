//===- Requantize.h - integers by a multiplier and a shift ------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_REQUANTIZE_H
#define WEFT_DIALECTS_TPU_RECIPE_REQUANTIZE_H

#include "dialects/tpu/recipe/Recipe.h"

namespace weft::tpu {

/// dst = saturate(round(src * multiplier / 2^rshift) + zeroPoint).
struct Requantization {
  int32_t multiplier = 1;
  int64_t rshift = 0;
  numeric::Rounding rounding = numeric::Rounding::HalfUp;
  int64_t zeroPoint = 0;
};

/// By rq1, which reads integers of 16 or 32 bits.
void buildRq1(RecipeBuilder &r, const Tile &dst, const Tile &src,
              const Requantization &by);

/// Whether one product can do it: operands and result are signed, or none is.
bool isScaledProduct(mlir::Value from, mlir::Value to, int64_t multiplier);

/// The same by one product, which saturates and reads integers of any size;
/// the zero point must be 0.
void buildScaledProduct(RecipeBuilder &r, const Tile &dst, const Tile &src,
                        Requantization by);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_REQUANTIZE_H
