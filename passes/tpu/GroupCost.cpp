//===- GroupCost.cpp - what a group costs in time -------------------------===//

#include "passes/tpu/GroupCost.h"

#include "dialects/tpu/ArrangeParts.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/TurnPrice.h"
#include "runtime/chips/Chip.h"

#include <numeric>

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
  if (auto phases = input.getDefiningOp<RowPhasesOp>()) {
    int64_t cycles = 0;
    for (const RowPhasesPart &part : partsOf(phases, Box::whole(stored.dims))) {
      stored.dims = part.inPhases.size;
      cycles +=
          transfers.cycles(stored, rowPhaseSteps(phases), /*isLoad=*/true);
    }
    return std::min(kMostTransfer, cycles);
  }
  if (auto arrange = input.getDefiningOp<ArrangeOp>();
      arrange && transferParts(arrange, /*isLoad=*/true))
    return arranged.cycles(arrange, /*isLoad=*/true, stored.dims);
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
  if (turn && !turn.widens()) {
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
  Operation *reader = value.hasOneUse() ? *value.user_begin() : nullptr;
  if (auto arrange = dyn_cast_or_null<ArrangeOp>(reader);
      arrange && transferParts(arrange, /*isLoad=*/false))
    return arranged.cycles(arrange, /*isLoad=*/false, piece.size);
  auto turn = dyn_cast_or_null<PermuteOp>(reader);
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

/// The cycles of one slice.
struct GroupCost::SliceCosts {
  std::vector<int64_t> loads;     ///< by the first op that reads
  std::vector<int64_t> computing; ///< by op
  int64_t again = 0;              ///< loads that each slice has for itself
  int64_t stores = 0;
};

std::optional<GroupCost::SliceCosts>
GroupCost::ofSlice(const GroupView &view, const GroupFootprint &footprint,
                   const SlicePlan &slice) {
  SliceCosts costs;
  costs.loads.resize(view.ops.size());
  for (auto [i, buffer] :
       llvm::enumerate(enumerateBuffers(chip, view, slice))) {
    if (!buffer.isLoaded())
      continue;
    int64_t cycles = loadOf(view, buffer);
    costs.loads[firstReaderOf(view, buffer)] += cycles;
    costs.again += footprint.changes[i] ? cycles : 0;
  }
  for (size_t i = 0; i < view.ops.size(); ++i) {
    std::optional<Price> price =
        priceOf(view.ops[i].op, chip, slice.tiles[view.resultOf(i)]);
    if (!price)
      return std::nullopt;
    costs.computing.push_back(price->cycles);
  }
  for (auto [output, piece] : llvm::zip(view.outputs, slice.stores))
    costs.stores += storeOf(view.value(output), piece);
  return costs;
}

std::optional<GroupPrice> GroupCost::ofSlices(const GroupView &view,
                                              const GroupFootprint &footprint,
                                              const Dims &counts) {
  auto costsOf = [&](std::optional<SlicePlan> slice) {
    return slice ? ofSlice(view, footprint, *slice) : std::nullopt;
  };
  std::optional<SliceCosts> middle =
      costsOf(planMiddleSlice(chip, view, counts));
  // Slices of channels are whole rounds over the lanes but for the last.
  std::optional<SliceCosts> first =
      counts[kAxisC] > 1 ? costsOf(planSlice(chip, view, counts, {0, 0, 0, 0}))
                         : middle;
  if (!middle || !first)
    return std::nullopt;
  TwoQueues queues;
  for (auto [load, computing] : llvm::zip(first->loads, first->computing)) {
    queues.load(load);
    queues.compute(computing);
  }
  int64_t more = product(counts) - 1,
          computing = std::accumulate(middle->computing.begin(),
                                      middle->computing.end(), int64_t(0));
  GroupPrice price = queues.end(0, 0);
  price.cycles += more * std::max(computing, middle->again + middle->stores) +
                  first->stores;
  price.moving += more * (middle->again + middle->stores) + first->stores;
  return price;
}
