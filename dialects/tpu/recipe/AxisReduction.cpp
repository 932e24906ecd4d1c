//===- AxisReduction.cpp - combining the elements of an axis --------------===//

#include "dialects/tpu/recipe/AxisReduction.h"

#include "dialects/tpu/GroupPlan.h"

#include <utility>

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

Box weft::tpu::withWholeAxis(Box result, mlir::Value input, unsigned axis) {
  result.offset[axis] = 0;
  result.size[axis] = dimsOf(input)[axis];
  return result;
}

void weft::tpu::combine(RecipeBuilder &r, ReduceKind kind, const Tile &dst,
                        const Tile &lhs, const Tile &rhs) {
  static constexpr llvm::StringLiteral floats[] = {"tiu.fadd", "tiu.fmul",
                                                   "tiu.fmax", "tiu.fmin"},
                                       integers[] = {"tiu.add", "tiu.mul",
                                                     "tiu.max", "tiu.min"};
  auto index = static_cast<unsigned>(kind);
  r.binary(catalog::isFloat(dst.type) ? floats[index] : integers[index], dst,
           lhs, rhs);
}

Tile weft::tpu::addHalf(RecipeBuilder &r, const Tile &src, unsigned axis) {
  // Views of it have strides in elements, of at most 16 bits: narrow elements
  // take room as if they were wide, so that no lane holds more than 65535 of
  // them.
  Dims dims = src.shape;
  if (catalog::bitsOf(src.type) == 32)
    dims[axis] = (dims[axis] + 1) / 2;
  return r.as(r.scratch("half", dims, DataType::Fp32), src.type, dims);
}

void weft::tpu::combineAxis(RecipeBuilder &r, ReduceKind kind, const Tile &dst,
                            const Tile &src, const Tile &half, unsigned axis) {
  int64_t size = src.shape[axis];
  if (size == 1)
    return r.copy(dst, src);
  // Element i meets element i + ceil(size / 2); of an odd number the middle one
  // waits.
  for (Tile rest = src; size > 1; rest = half) {
    int64_t pairs = size / 2, left = size - pairs;
    Tile target = left == 1 ? dst : r.part(half, axis, 0, pairs);
    combine(r, kind, target, r.part(rest, axis, 0, pairs),
            r.part(rest, axis, left, pairs));
    if (left > pairs && size == src.shape[axis])
      r.copy(r.part(half, axis, pairs, 1), r.part(src, axis, pairs, 1));
    size = left;
  }
}

LineReduction::LineReduction(RecipeBuilder &r, const Tile &src, unsigned axis,
                             bool overLanes)
    : r(r), axis(axis), half(addHalf(r, src, axis)) {
  if (!overLanes)
    return;
  Dims turned = src.shape, one = src.shape;
  turned[axis] = one[axis] = one[kAxisC] = 1;
  turned[kAxisW] = std::exchange(turned[kAxisC], 1);
  row = r.scratch("row of lanes", turned, src.type);
  rowHalf = addHalf(r, row, kAxisW);
  whole = r.scratch("whole line", one, src.type);
}

void LineReduction::combine(ReduceKind kind, const Tile &dst,
                            const Tile &src) const {
  combineInLanes(kind, dst, src);
  if (!row)
    return;
  combineLanes(kind, whole, dst);
  r.repeatChannel(dst, whole);
}

void LineReduction::combineInLanes(ReduceKind kind, const Tile &dst,
                                   const Tile &src) const {
  combineAxis(r, kind, dst, src, half, axis);
}

void LineReduction::combineLanes(ReduceKind kind, const Tile &dst,
                                 const Tile &numbers) const {
  r.call("tiu.transpose_wc", {{"dst", row}, {"src", numbers}});
  combineAxis(r, kind, dst, row, rowHalf, kAxisW);
}
