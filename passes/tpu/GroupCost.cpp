//===- GroupCost.cpp - what a group costs in time -------------------------===//

#include "passes/tpu/GroupCost.h"

#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/TurnPrice.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

int64_t GroupCost::loadOf(const GroupView &view, const GroupBuffer &buffer) {
  LocalTensor stored = buffer.tensor;
  bool isInput = buffer.kind == GroupBuffer::Input;
  if (isInput ? view.repeated[buffer.owner] : buffer.broadcast)
    stored.dims[kAxisC] = 1;
  auto dense = [&](const LocalTensor &tensor) {
    return std::min(kMostTransfer,
                    transfers.cycles(tensor, denseSteps(tensor.dims),
                                     /*isLoad=*/true));
  };
  if (buffer.isRounds) {
    ConstantRounds parts = roundsOf(chip, stored);
    return dense(parts.whole) +
           (parts.rest.dims[kAxisC] > 0 ? dense(parts.rest) : 0);
  }
  if (!isInput)
    return dense(stored);
  Value input = view.inputs[buffer.owner];
  int64_t straight =
      transfers.cycles(stored, denseSteps(dimsOf(input)), /*isLoad=*/true);
  auto turn = input.getDefiningOp<PermuteOp>();
  return leastWithTurn(straight, turn, stored.dims, [&] {
    return transfers.cycles(stored, loadSteps(turn), /*isLoad=*/true);
  });
}

/// Of a transfer of a tensor of `dims`, part of what `turn` turns if it is not
/// null: in its way, or with its share of the turn in DRAM.
int64_t GroupCost::leastWithTurn(int64_t straight, PermuteOp turn,
                                 const Dims &dims,
                                 function_ref<int64_t()> turned) {
  if (turn) {
    double share = double(product(dims)) / product(dimsOf(turn.getInput()));
    straight += TurnPrice::leastInDram(chip, turn) * share;
    straight = std::min(straight, turned());
  }
  return std::min(kMostTransfer, straight);
}

int64_t GroupCost::storeOf(Value value, const Box &piece) {
  LocalTensor stored{piece.size, elementBits(elementOf(value)),
                     LocalLayout::Aligned};
  int64_t straight =
      transfers.cycles(stored, denseSteps(dimsOf(value)), /*isLoad=*/false);
  PermuteOp turn;
  if (value.hasOneUse())
    turn = dyn_cast<PermuteOp>(*value.user_begin());
  return leastWithTurn(straight, turn, piece.size, [&] {
    return transfers.cycles(stored, storeSteps(turn), /*isLoad=*/false);
  });
}

int64_t GroupCost::copyInDram(Operation *op, const OperandCopy &copy) {
  Value source = op->getOperand(copy.operand);
  return std::min(
      kMostTransfer,
      transfers.copyCycles(
          copy.copy, elementBits(elementOf(source)),
          cast<RankedTensorType>(source.getType()).getNumElements()));
}

std::optional<GroupPrice> GroupCost::ofSlices(const GroupView &view,
                                              const GroupFootprint &footprint,
                                              const Dims &counts) {
  std::optional<SlicePlan> slice = planMiddleSlice(chip, view, counts);
  if (!slice)
    return std::nullopt;
  std::vector<int64_t> loads(view.ops.size()); // by the first op that reads
  int64_t again = 0;                           // for each slice
  for (auto [i, buffer] :
       llvm::enumerate(enumerateBuffers(chip, view, *slice))) {
    if (!buffer.isLoaded())
      continue;
    int64_t cycles = loadOf(view, buffer);
    size_t reader = firstReaderOf(view, buffer);
    loads[reader] += cycles;
    again += footprint.changes[i] ? cycles : 0;
  }
  TwoQueues first;
  int64_t computing = 0, stores = 0;
  for (size_t i = 0; i < view.ops.size(); ++i) {
    std::optional<Price> price =
        priceOf(view.ops[i].op, chip, slice->tiles[view.resultOf(i)]);
    if (!price)
      return std::nullopt;
    first.load(loads[i]);
    first.compute(price->cycles);
    computing += price->cycles;
  }
  for (auto [output, piece] : llvm::zip(view.outputs, slice->stores))
    stores += storeOf(view.value(output), piece);
  int64_t slices = product(counts);
  GroupPrice price = first.end(0, 0);
  price.cycles += (slices - 1) * std::max(computing, again + stores) + stores;
  price.moving += (slices - 1) * again + slices * stores;
  return price;
}
