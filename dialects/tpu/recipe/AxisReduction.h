//===- AxisReduction.h - combining the elements of an axis ------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_RECIPE_AXISREDUCTION_H
#define WEFT_DIALECTS_TPU_RECIPE_AXISREDUCTION_H

#include "dialects/tpu/Tpu.h"
#include "dialects/tpu/recipe/Recipe.h"

namespace weft::tpu {

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

#endif // WEFT_DIALECTS_TPU_RECIPE_AXISREDUCTION_H
