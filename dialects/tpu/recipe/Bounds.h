//===- Bounds.h - a number that floats are no smaller than ------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_BOUNDS_H
#define WEFT_DIALECTS_TPU_RECIPE_BOUNDS_H

#include "dialects/tpu/recipe/Recipe.h"

namespace weft::tpu {

/// dst = max(number, src), dst = min(src, number) of floats. In this order a
/// NaN of `src` stays: beside one, max gives its second operand and min its
/// first (docs/numbers.md).
void atLeast(RecipeBuilder &r, const Tile &dst, const Tile &src, double number);
void atMost(RecipeBuilder &r, const Tile &dst, const Tile &src, double number);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_BOUNDS_H
