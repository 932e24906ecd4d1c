//===- KeepValues.cpp - --tpu-keep-values ---------------------------------===//

#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/ModuleChip.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/TilingSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUKEEPVALUES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// A value that may stay in local memory between two groups.
struct Handover {
  unsigned output; ///< of the first group
  unsigned input;  ///< of the second
};

/// A group with a place for all that it has.
struct PlacedGroup {
  Tiling tiling;
  std::vector<BufferPlace> places;
  GroupPrice price;
};

/// Two groups that hand values on, placed.
struct Offer {
  PlacedGroup first, second;
  std::vector<int64_t> addresses; ///< of what is handed on
  bool wholesFirst = false;       ///< PlacementOrder

  int64_t weight() const {
    return first.price.weight() + second.price.weight();
  }
};

/// Two groups, one right behind the other, and what one hands to the other.
class Neighbours {
public:
  Neighbours(GroupCost &cost, GroupOp first, GroupOp second)
      : chip(cost.chip), cost(cost), first(first), second(second),
        before(viewGroup(chip, first)), behind(viewGroup(chip, second)) {}

  /// Has the second group keep as much as fits and pays. `handedAt` tells where
  /// the first group finds what was handed to it, and is told where the second
  /// does.
  void keep(int64_t maxOpsBetween, double leastGain,
            DenseMap<Value, int64_t> &handedAt);

private:
  void findHandovers(int64_t maxOpsBetween);
  bool isPlain(const GroupView &view, int value) const;
  GroupView viewHanding();
  std::optional<PlacedGroup> place(const GroupView &view, const Tiling &tiling,
                                   PlacementOrder order);
  SmallVector<Tiling> tilingsOf(const GroupView &view);
  std::optional<Offer> offer(const GroupView &view, ArrayRef<Tiling> tilings,
                             bool wholesFirst);
  void accept(const Offer &offer, DenseMap<Value, int64_t> &handedAt);
  std::vector<int64_t> addressesIn(const GroupView &view,
                                   const PlacedGroup &placed) const;

  const Chip &chip;
  GroupCost &cost;
  GroupOp first, second;
  GroupView before, behind;
  SmallVector<Handover> handovers;
};

struct KeepValues : weft::tpu::impl::TpuKeepValuesBase<KeepValues> {
  using TpuKeepValuesBase::TpuKeepValuesBase;

  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip || failed(checkGraph(getOperation(), *chip)))
      return signalPassFailure();
    GroupCost cost(*chip);
    DenseMap<Value, int64_t> handedAt;
    for (GroupOp group : getOperation().getBody().front().getOps<GroupOp>())
      if (GroupOp next = group.groupBehind();
          next && next.tilingOrWhole().slices() == 1)
        Neighbours(cost, group, next).keep(maxOpsBetween, leastGain, handedAt);
  }
};
} // namespace

/// Whether a value lies alone, from the first lane on.
bool Neighbours::isPlain(const GroupView &view, int value) const {
  return !view.places.empty() && !view.places[value].isShared &&
         view.places[value].home == value && view.places[value].lane == 0;
}

/// Values that one of the last ops of the first group makes and one of the
/// first ops of the second reads: else a transfer has time enough, and local
/// memory is dear.
void Neighbours::findHandovers(int64_t maxOpsBetween) {
  auto whole = planSlice(chip, behind, {1, 1, 1, 1}, {0, 0, 0, 0});
  if (!whole)
    return;
  std::vector<GroupBuffer> buffers = enumerateBuffers(chip, behind, *whole);
  for (auto [input, operand] : llvm::enumerate(second.getInputs())) {
    auto result = dyn_cast<OpResult>(operand);
    if (!result || result.getOwner() != first)
      continue;
    unsigned output = result.getResultNumber();
    int made = before.outputs[output];
    size_t maker = made - before.inputs.size();
    bool isMoved = before.storeMoves[output] || before.storedBands[output] ||
                   behind.loadMoves[input] || behind.repeated[input];
    if (isMoved || !isPlain(before, made) || !isPlain(behind, int(input)) ||
        buffers[input].tensor.dims != dimsOf(operand))
      continue;
    if (before.ops.size() - 1 - maker + firstReaderOf(behind, buffers[input]) <=
        size_t(maxOpsBetween))
      handovers.push_back({output, unsigned(input)});
  }
}

/// The first group as it is if it hands these values on.
GroupView Neighbours::viewHanding() {
  GroupView view = before;
  for (const Handover &value : handovers) {
    view.handed[value.output] = true;
    view.stored[value.output] = llvm::any_of(
        first.getResult(value.output).getUses(), [&](OpOperand &use) {
          return use.getOwner() != second ||
                 use.getOperandNumber() != value.input;
        });
  }
  return view;
}

std::optional<PlacedGroup> Neighbours::place(const GroupView &view,
                                             const Tiling &tiling,
                                             PlacementOrder order) {
  auto footprint = measureGroup(chip, view, tiling.counts, /*exact=*/true);
  if (!footprint)
    return std::nullopt;
  auto places = placeGroup(chip, view, tiling, *footprint, order);
  auto price =
      places ? cost.ofPlaced(view, *footprint, tiling, *places) : std::nullopt;
  return price ? std::optional(PlacedGroup{tiling, *places, *price})
               : std::nullopt;
}

/// What the first group may be cut into: as it is, or other slices.
SmallVector<Tiling> Neighbours::tilingsOf(const GroupView &view) {
  SmallVector<Tiling> tilings{first.tilingOrWhole()};
  if (tilings.front().slices() == 1)
    return tilings;
  GroupSearchOptions options;
  options.overlapsChannels = false; // the constants have their order
  for (bool isStreamed : {false, true}) {
    auto found = TilingSearch(cost, view, options, SliceAim::Overlap,
                              isStreamed, /*atLeast=*/2)
                     .run();
    if (auto fitting = found
                           ? placeableTiling(cost, view, found->tiling, options)
                           : std::nullopt)
      tilings.push_back(*fitting);
  }
  return tilings;
}

/// Where the first group leaves what it hands on.
std::vector<int64_t> Neighbours::addressesIn(const GroupView &view,
                                             const PlacedGroup &placed) const {
  std::vector<int64_t> addresses;
  auto slice = planSlice(chip, view, placed.tiling.counts, {0, 0, 0, 0});
  std::vector<GroupBuffer> buffers = enumerateBuffers(chip, view, *slice);
  for (const Handover &value : handovers)
    addresses.push_back(
        placed.places[handedBuffer(view, buffers, value.output)].local);
  return addresses;
}

/// Both groups with what is handed on now, the first as `view` in the cheapest
/// of `tilings`; nothing if they have no room for it.
std::optional<Offer> Neighbours::offer(const GroupView &view,
                                       ArrayRef<Tiling> tilings,
                                       bool wholesFirst) {
  PlacementOrder order = PlacementOrder::of(first);
  order.wholesFirst = wholesFirst;
  std::optional<PlacedGroup> handing;
  for (const Tiling &tiling : tilings)
    if (auto placed = place(view, tiling, order);
        placed &&
        (!handing || placed->price.weight() < handing->price.weight()))
      handing = placed;
  if (!handing)
    return std::nullopt;
  GroupView keeping = behind;
  std::vector<int64_t> addresses = addressesIn(view, *handing);
  for (auto [value, address] : llvm::zip_equal(handovers, addresses))
    keeping.keptAt[value.input] = address;
  auto kept = place(keeping, Tiling(), PlacementOrder::of(second));
  if (!kept)
    return std::nullopt;
  return Offer{*handing, *kept, addresses, wholesFirst};
}

void Neighbours::accept(const Offer &offer,
                        DenseMap<Value, int64_t> &handedAt) {
  SmallVector<int64_t> operands;
  for (auto [value, address] : llvm::zip_equal(handovers, offer.addresses)) {
    handedAt[first.getResult(value.output)] = address;
    operands.push_back(value.input);
  }
  second.setKept(operands);
  MLIRContext *context = first.getContext();
  Type i64 = IntegerType::get(context, 64);
  first->setDiscardableAttr(kCyclesAttr,
                            IntegerAttr::get(i64, offer.first.price.cycles));
  second->setDiscardableAttr(kCyclesAttr,
                             IntegerAttr::get(i64, offer.second.price.cycles));
  first.setTilingAttr(TilingAttr::get(context, offer.first.tiling));
  if (offer.wholesFirst)
    first->setDiscardableAttr(kWholesFirstAttr, UnitAttr::get(context));
}

void Neighbours::keep(int64_t maxOpsBetween, double leastGain,
                      DenseMap<Value, int64_t> &handedAt) {
  for (auto [input, operand] : llvm::enumerate(first.getInputs()))
    if (first.keeps(input))
      before.keptAt[input] = handedAt.lookup(operand);
  findHandovers(maxOpsBetween);
  if (handovers.empty())
    return;
  auto firstAlone =
      place(before, first.tilingOrWhole(), PlacementOrder::of(first));
  auto secondAlone = place(behind, Tiling(), PlacementOrder::of(second));
  if (!firstAlone || !secondAlone)
    return;
  int64_t alone = firstAlone->price.weight() + secondAlone->price.weight();
  for (; !handovers.empty(); handovers.pop_back()) {
    GroupView view = viewHanding();
    SmallVector<Tiling> tilings = tilingsOf(view);
    std::optional<Offer> best = offer(view, tilings, /*wholesFirst=*/false);
    if (first.tilingOrWhole().slices() > 1)
      if (auto other = offer(view, tilings, /*wholesFirst=*/true);
          other && (!best || other->weight() < best->weight()))
        best = other;
    if (best && double(best->weight()) <= (1 - leastGain) * double(alone))
      return accept(*best, handedAt);
  }
}
