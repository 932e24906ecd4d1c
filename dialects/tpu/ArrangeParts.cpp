//===- ArrangeParts.cpp - arranged rows as transfers of a group -----------===//

#include "dialects/tpu/ArrangeParts.h"

using namespace mlir;
using namespace weft::tpu;

/// The box of sizes `sizes` that begins at element `offset` of a tensor of
/// `dims`; std::nullopt if it leaves that.
static std::optional<Box> boxAt(int64_t offset, const Dims &sizes,
                                const Dims &dims) {
  Dims steps = denseSteps(dims);
  Box box{{}, sizes};
  for (unsigned axis = 0; axis < 4; ++axis) {
    box.offset[axis] = offset / steps[axis];
    offset %= steps[axis];
    if (box.end(axis) > dims[axis])
      return std::nullopt;
  }
  return box;
}

/// `copy` between DRAM and a tensor of `dims` in the lanes, whose part is a box
/// of whole rows.
static std::optional<ArrangePart> partOf(const StridedCopy &copy, bool isLoad,
                                         const Dims &dims) {
  if (copy.axes.size() != 4)
    return std::nullopt;
  Dims sizes, dense = denseSteps(dims);
  ArrangePart part{0, {}, isLoad ? copy.source : copy.result, {}};
  for (auto [axis, moved] : llvm::enumerate(copy.axes)) {
    int64_t inLanes = isLoad ? moved.to : moved.from;
    sizes[axis] = moved.size;
    part.steps[axis] = isLoad ? moved.from : moved.to;
    // The step of one element is never taken; 1 keeps the transfer legal.
    if (moved.size == 1)
      part.steps[axis] = std::max<int64_t>(part.steps[axis], 1);
    else if (inLanes != dense[axis] || part.steps[axis] < 1)
      return std::nullopt;
  }
  if (sizes[kAxisW] != dims[kAxisW] ||
      (sizes[kAxisW] > 1 && part.steps[kAxisW] != 1))
    return std::nullopt;
  auto box = boxAt(isLoad ? copy.result : copy.source, sizes, dims);
  if (!box)
    return std::nullopt;
  part.inLanes = *box;
  return part;
}

std::optional<SmallVector<ArrangePart>> weft::tpu::transferParts(ArrangeOp op,
                                                                 bool isLoad) {
  if (op.getInputs().size() != 1 || op.getFill())
    return std::nullopt;
  Dims lanes = dimsOf(isLoad ? op.getOutput() : op.getInputs().front());
  SmallVector<ArrangePart> parts;
  int64_t moved = 0;
  for (auto [number, copy] : llvm::enumerate(copiesOf(op))) {
    std::optional<ArrangePart> part = partOf(copy.copy, isLoad, lanes);
    if (!part)
      return std::nullopt;
    part->piece = number;
    moved += part->inLanes.elements();
    parts.push_back(*part);
  }
  // Pieces cover the result, so none has what another one has: slices may move
  // them in any order.
  if (moved != product(dimsOf(op.getOutput())))
    return std::nullopt;
  return parts;
}

SmallVector<ArrangePart> weft::tpu::partsIn(ArrangeOp op, bool isLoad,
                                            const Box &tile) {
  SmallVector<ArrangePart> all = *transferParts(op, isLoad), parts;
  for (ArrangePart part : all) {
    Box whole = part.inLanes;
    for (unsigned axis = 0; axis < 4; ++axis) {
      int64_t begin = std::max(whole.offset[axis], tile.offset[axis]),
              end = std::min(whole.end(axis), tile.end(axis));
      part.inLanes.offset[axis] = begin;
      part.inLanes.size[axis] = end - begin;
      part.offset += (begin - whole.offset[axis]) * part.steps[axis];
    }
    if (!part.inLanes.empty())
      parts.push_back(part);
  }
  return parts;
}
