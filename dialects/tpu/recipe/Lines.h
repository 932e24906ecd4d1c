//===- Lines.h - parts that recipes share -----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_LINES_H
#define WEFT_DIALECTS_TPU_RECIPE_LINES_H

#include "dialects/tpu/Tpu.h"
#include "dialects/tpu/recipe/Recipe.h"

namespace weft::tpu {

/// Terms of the exponential series after range reduction to |x| <= ln(2)/2: the
/// first one left out is below 2^-31.
inline constexpr int64_t kExpTerms = 10;

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

/// `result` with the whole of `axis` of `input`.
Box withWholeAxis(Box result, mlir::Value input, unsigned axis);

/// dst = lhs <kind> rhs: one command, floats or integers.
void combine(RecipeBuilder &r, ReduceKind kind, const Tile &dst,
             const Tile &lhs, const Tile &rhs);

/// Scratch for `combineAxis` of `src`.
Tile addHalf(RecipeBuilder &r, const Tile &src, unsigned axis);

/// dst = all elements of `src` along `axis` (n, h or w) combined: halves by
/// halves, which `half` takes. `src` is kept.
void combineAxis(RecipeBuilder &r, ReduceKind kind, const Tile &dst,
                 const Tile &src, const Tile &half, unsigned axis);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_LINES_H
