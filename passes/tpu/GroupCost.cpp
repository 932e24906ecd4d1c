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
  struct Load {
    size_t buffer;
    size_t reader; ///< the first op that reads it
    int64_t cycles;
  };
  std::vector<Load> loads;        ///< by reader
  std::vector<int64_t> computing; ///< by op
  std::vector<int64_t> stores;    ///< by op
  int64_t again = 0;              ///< loads that each slice has for itself

  int64_t allStores() const {
    return std::accumulate(stores.begin(), stores.end(), int64_t(0));
  }
  int64_t allComputing() const {
    return std::accumulate(computing.begin(), computing.end(), int64_t(0));
  }
};

std::optional<GroupCost::SliceCosts>
GroupCost::ofSlice(const GroupView &view, const GroupFootprint &footprint,
                   const SlicePlan &slice) {
  SliceCosts costs;
  for (auto [i, buffer] :
       llvm::enumerate(enumerateBuffers(chip, view, slice))) {
    if (!buffer.isLoaded())
      continue;
    int64_t cycles = loadOf(view, buffer);
    costs.loads.push_back({i, firstReaderOf(view, buffer), cycles});
    costs.again += footprint.changes[i] ? cycles : 0;
  }
  llvm::stable_sort(costs.loads,
                    [](const SliceCosts::Load &a, const SliceCosts::Load &b) {
                      return a.reader < b.reader;
                    });
  for (size_t i = 0; i < view.ops.size(); ++i) {
    std::optional<Price> price =
        priceOf(view.ops[i].op, chip, slice.tiles[view.resultOf(i)]);
    if (!price)
      return std::nullopt;
    costs.computing.push_back(price->cycles);
  }
  costs.stores.resize(view.ops.size());
  for (auto [i, output] : llvm::enumerate(view.outputs)) {
    size_t op = output - view.inputs.size();
    const Box &piece = slice.stores[i];
    if (view.stored[i])
      costs.stores[op] += storeOf(view.value(output), piece);
    if (view.handed[i] && piece != Box::whole(dimsOf(view.value(output))))
      costs.computing[op] += handOverOf(view.value(output), piece);
  }
  return costs;
}

/// Of a copy of `piece` of `value` to the whole.
int64_t GroupCost::handOverOf(Value value, const Box &piece) const {
  LocalTensor moved{piece.size, elementBits(elementOf(value)),
                    LocalLayout::Aligned};
  return bytesPerLane(chip, moved) / int64_t(chip.euBytes);
}

namespace {
/// The two engines at work on slices each of which runs as a group of one does.
class StreamedSlices {
public:
  StreamedSlices(const GroupFootprint &footprint, ArrayRef<BufferPlace> places)
      : buffers(footprint.buffers), places(places) {}

  void load(size_t buffer, int64_t cycles) {
    dma = std::max(dma, tiu) + cycles; // its room is free from now on
    moving += cycles;
    ready[buffer] = dma;
  }
  void waitFor(size_t buffer) { tiu = std::max(tiu, ready[buffer]); }
  void compute(size_t op, int64_t cycles);
  void store(size_t op, int64_t cycles);
  GroupPrice now() const { return {std::max(tiu, dma), moving}; }

private:
  struct Store {
    int64_t begin, end, done;
  };
  bool isWrittenBy(size_t buffer, size_t op) const {
    return !buffers[buffer].isLoaded() && size_t(buffers[buffer].owner) == op;
  }

  const std::vector<GroupBuffer> &buffers;
  ArrayRef<BufferPlace> places;
  int64_t tiu = 0, dma = 0, moving = 0;
  DenseMap<size_t, int64_t> ready; ///< by buffer
  std::vector<Store> stores;       ///< whose bytes nothing has overwritten
};
} // namespace

/// What it writes must have been stored.
void StreamedSlices::compute(size_t op, int64_t cycles) {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (isWrittenBy(i, op))
      llvm::erase_if(stores, [&](const Store &store) {
        bool meets = places[i].local < store.end &&
                     store.begin < places[i].local + places[i].bytes;
        tiu = meets ? std::max(tiu, store.done) : tiu;
        return meets;
      });
  tiu += cycles;
}

void StreamedSlices::store(size_t op, int64_t cycles) {
  dma = std::max(dma, tiu) + cycles;
  moving += cycles;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].kind == GroupBuffer::Result && isWrittenBy(i, op))
      stores.push_back(
          {places[i].local, places[i].local + places[i].bytes, dma});
}

/// Of `count` slices like `slice`.
GroupPrice GroupCost::ofStreamed(const GroupFootprint &footprint,
                                 const SliceCosts &slice,
                                 ArrayRef<BufferPlace> places, int64_t count) {
  constexpr int64_t kLooked = 4; // slices, the last two of which are alike
  int64_t ops = int64_t(slice.computing.size()),
          looked = std::min(count, kLooked);
  StreamedSlices engines(footprint, places);
  auto load = [&](int64_t number, int64_t step) {
    for (const SliceCosts::Load &one : slice.loads) {
      const BufferPlace &place = places[one.buffer];
      if (std::min(place.load, ops - 1) == step && (number == 0 || !place.held))
        engines.load(one.buffer, one.cycles);
    }
  };
  std::vector<GroupPrice> ends; // of slices
  for (int64_t step = 0; step <= looked; ++step) {
    for (int64_t op = 0; op < ops; ++op) {
      if (step > 0) {
        load(step - 1, op);
        // Now, as the load for the slice behind this one may follow.
        for (const SliceCosts::Load &one : slice.loads)
          if (int64_t(one.reader) == op)
            engines.waitFor(one.buffer);
      }
      if (step < looked)
        load(step, op - ops);
      if (step == 0)
        continue;
      engines.compute(op, slice.computing[op]);
      if (slice.stores[op] > 0)
        engines.store(op, slice.stores[op]);
    }
    if (step > 0)
      ends.push_back(engines.now());
  }
  GroupPrice price = ends.back();
  if (count > looked) {
    // The last one brings nothing for a next one.
    const GroupPrice &before = ends[looked - 3], &after = ends[looked - 2];
    price.cycles += (count - looked) * (after.cycles - before.cycles);
    price.moving += (count - looked) * (after.moving - before.moving);
  }
  return price;
}

std::optional<GroupPrice> GroupCost::ofPlaced(const GroupView &view,
                                              const GroupFootprint &footprint,
                                              const Tiling &tiling,
                                              ArrayRef<BufferPlace> places) {
  if (tiling.isPipelined())
    return ofSlices(view, footprint, tiling);
  auto slice = planMiddleSlice(chip, view, tiling.counts);
  auto costs = slice ? ofSlice(view, footprint, *slice) : std::nullopt;
  return costs ? std::optional(ofStreamed(footprint, *costs, places,
                                          product(tiling.counts)))
               : std::nullopt;
}

std::optional<GroupPrice> GroupCost::ofSlices(const GroupView &view,
                                              const GroupFootprint &footprint,
                                              const Tiling &tiling) {
  if (tiling.isStreamed) {
    auto places = placeGroup(chip, view, tiling, footprint);
    return places ? ofPlaced(view, footprint, tiling, *places) : std::nullopt;
  }
  const Dims &counts = tiling.counts;
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
  size_t next = 0;
  for (auto [op, computing] : llvm::enumerate(first->computing)) {
    for (; next < first->loads.size() && first->loads[next].reader == op;
         ++next)
      queues.load(first->loads[next].cycles);
    queues.compute(computing);
  }
  int64_t more = product(counts) - 1, computing = middle->allComputing(),
          stores = middle->allStores();
  GroupPrice price = queues.end(0, 0);
  price.cycles +=
      more * std::max(computing, middle->again + stores) + first->allStores();
  price.moving += more * (middle->again + stores) + first->allStores();
  return price;
}
