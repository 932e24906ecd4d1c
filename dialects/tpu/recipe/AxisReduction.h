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

/// Combines the elements of lines along `axis` of `src`, or with `overLanes`
/// of lines along all of c and w, of which each channel holds a piece.
class LineReduction {
public:
  LineReduction(RecipeBuilder &r, const Tile &src, unsigned axis,
                bool overLanes);

  /// dst = `src` combined, one number a channel; all channels of an image that
  /// a line lies on get the same. `src` is kept.
  void combine(ReduceKind kind, const Tile &dst, const Tile &src) const;
  /// The first half of it: each channel alone.
  void combineInLanes(ReduceKind kind, const Tile &dst, const Tile &src) const;
  /// The second half up to one channel: dst = the channels of `numbers`
  /// combined, turned into a row.
  void combineLanes(ReduceKind kind, const Tile &dst,
                    const Tile &numbers) const;

private:
  RecipeBuilder &r;
  unsigned axis;
  Tile half, row, rowHalf, whole; ///< the last three for lines over lanes
};

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_RECIPE_AXISREDUCTION_H
