//===- Lines.h - parts that recipes share -----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_LINES_H
#define WEFT_DIALECTS_TPU_RECIPE_LINES_H

#include "dialects/tpu/recipe/Recipe.h"

namespace weft::tpu {

/// Scratch of an f32 exponential: tiles of its shape, and the coefficients of
/// the series, a row in every lane.
struct ExpScratch {
  Tile power, rest, product, series;
};
ExpScratch addExpScratch(RecipeBuilder &r, const Dims &dims);

/// f32 exponential of `source` into `target`, both aligned and of the shape of
/// the scratch; they may be one tile. Within 2 ulp for -87.3 <= x <= 88.3;
/// arguments outside are clamped to that range.
void buildExp(RecipeBuilder &r, const Tile &target, const Tile &source,
              const ExpScratch &scratch);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_LINES_H
