//===- ArrangePrice.cpp - what transfers of arranged rows cost ------------===//

#include "passes/tpu/ArrangePrice.h"

#include "runtime/cycles/Cycles.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

static Value inLanes(ArrangeOp op, bool isLoad) {
  return isLoad ? Value(op.getOutput()) : op.getInputs().front();
}

int64_t ArrangePrice::cycles(ArrangeOp op, bool isLoad, const Dims &tile) {
  Value lanes = inLanes(op, isLoad);
  auto [found, isNew] =
      known.try_emplace({op.getPieces().getAsOpaquePointer(),
                         lanes.getType().getAsOpaquePointer(), isLoad, tile},
                        0);
  if (!isNew)
    return found->second;
  // Most pieces are alike.
  std::map<std::pair<Dims, Dims>, int64_t> alike;
  for (const ArrangePart &part : partsIn(op, isLoad, Box::whole(tile)))
    ++alike[{part.inLanes.size, part.steps}];
  int64_t sum = 0;
  for (const auto &[part, count] : alike) {
    LocalTensor tensor{part.first, elementBits(elementOf(lanes)),
                       LocalLayout::Aligned};
    int64_t one = transfers.cycles(tensor, part.second, isLoad);
    if (one >= int64_t(cycles::kMostCycles))
      return found->second = one;
    sum += one * count;
  }
  return found->second = sum;
}

int64_t ArrangePrice::inDram(ArrangeOp op) {
  Value source = op.getInputs().front();
  int64_t elements = product(dimsOf(source)), sum = 0;
  for (OperandCopy &piece : copiesOf(op)) {
    // Most pieces are alike, and where one lies changes little.
    piece.copy.source = piece.copy.result = 0;
    int64_t one = transfers.copyCycles(
        piece.copy, elementBits(elementOf(source)), elements);
    if (one >= int64_t(cycles::kMostCycles))
      return one;
    sum += one;
  }
  return sum;
}

int64_t ArrangePrice::extra(ArrangeOp op, bool isLoad, const Dims &tile) {
  Value lanes = inLanes(op, isLoad);
  int64_t moved = cycles(op, isLoad, tile);
  if (moved >= int64_t(cycles::kMostCycles))
    return moved;
  Dims dims = dimsOf(lanes);
  LocalTensor straight{tile, elementBits(elementOf(lanes)),
                       LocalLayout::Aligned};
  int64_t plain = transfers.cycles(straight, denseSteps(dims), isLoad);
  return std::max<int64_t>(0, moved - plain) *
         (double(product(dims)) / product(tile));
}
