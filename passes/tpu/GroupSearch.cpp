//===- GroupSearch.cpp - which consecutive ops to group -------------------===//

#include "passes/tpu/GroupSearch.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/recipe/Price.h"
#include "runtime/chips/Chip.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
struct TilingChoice {
  Dims counts{1, 1, 1, 1};
  GroupPrice price;
};

/// Walks tilings of one group along one family after the other and keeps the
/// cheapest with more than one slice that fits. `atLeast` skips those with
/// fewer slices (a group that needed four slices will not need fewer with one
/// op more).
class TilingSearch {
public:
  TilingSearch(GroupCost &cost, const GroupView &view,
               const GroupSearchOptions &options, int64_t atLeast)
      : chip(cost.chip), view(view), groupCost(cost), options(options),
        atLeast(atLeast) {
    limits = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
    for (int output : view.outputs) {
      Dims dims = dimsOf(view.value(output));
      int64_t lanes = chip.lanes;
      dims[kAxisC] = (dims[kAxisC] + lanes - 1) / lanes;
      for (unsigned axis = 0; axis < 4; ++axis)
        limits[axis] = std::min(limits[axis], dims[axis]);
    }
  }

  std::optional<TilingChoice> run() {
    Dims whole{1, 1, 1, 1};
    walk(whole, kAxisN);
    Dims batches = whole;
    batches[kAxisN] = limits[kAxisN]; // finer cuts start from single batches
    refine(batches);
    if (!best) // an op may want its n whole
      refine(whole);
    return best;
  }

private:
  /// Cuts beyond `base`: along one axis where that is enough.
  void refine(const Dims &base) {
    walk(base, kAxisH);
    walk(base, kAxisC);
    if (best)
      return;
    walk(base, kAxisW); // an op may want its h whole
    Dims rows = base;
    rows[kAxisH] = limits[kAxisH];
    walk(rows, kAxisW);
    for (int64_t c = 2; c <= limits[kAxisC] && !best; c *= 2) {
      Dims channels = base;
      channels[kAxisC] = c;
      walk(channels, kAxisH);
      walk(channels, kAxisW);
      channels[kAxisH] = limits[kAxisH];
      walk(channels, kAxisW);
    }
  }

  /// Tries more and more slices along `axis` until the group fits.
  void walk(Dims counts, unsigned axis) {
    for (int64_t count = 1; count <= limits[axis];
         count = std::max(count + 1, std::min(count * 3 / 2, limits[axis]))) {
      counts[axis] = count;
      int64_t slices = product(counts);
      if (slices > options.maxSlices)
        return;
      if (slices < 2 || slices < atLeast)
        continue;
      if (tryCounts(counts))
        return;
    }
  }

  bool tryCounts(const Dims &counts) {
    std::optional<GroupFootprint> footprint =
        measureGroup(chip, view, counts, /*exact=*/false);
    if (!footprint)
      return false;
    // Computing everything twice is never worth the bytes it saves.
    if (footprint->computed > 2 * footprint->wholeElements)
      return false;
    if (peakBytes(liveRanges(view, *footprint, /*sliced=*/true, 0)) >
        static_cast<int64_t>(chip.laneBytes))
      return false;
    auto price = groupCost.ofSlices(view, *footprint, counts);
    if (!price)
      return false;
    if (!best || price->weight() < best->price.weight())
      best = TilingChoice{counts, *price};
    return true;
  }

  const Chip &chip;
  const GroupView &view;
  GroupCost &groupCost;
  const GroupSearchOptions &options;
  int64_t atLeast;
  Dims limits;
  std::optional<TilingChoice> best;
};

/// What one op adds to a group that runs in one slice.
struct OpNumbers {
  int64_t resultLane = 0, scratchLane = 0, constantLane = 0; ///< bytes a lane
  /// Cycles of the result's store, the constants' load, the op itself.
  int64_t store = 0, constantLoad = 0, cycles = 0;
  unsigned uses = 0;
  int64_t channels = 0;
  bool isPlacement = false; ///< in local memory
  /// Of an op that alone is no group; -1 of others.
  int64_t costInDram = -1;
  bool canLeaveFirstLane = false;
  /// Asked once: an operand of a concatenation counts those before it.
  SmallVector<LaneNeed, 2> laneNeeds;
  /// (value number in the run: its ops' results, then values from outside;
  /// bytes a lane, cycles of loading what the op reads and all of it, channels,
  /// whether no op of the group may give it)
  struct Operand {
    int value;
    int64_t lane, load, wholeLoad, channels;
    bool isLoaded;
  };
  SmallVector<Operand, 3> operands;
};

/// Bytes a lane that a growing group of one slice takes at each of its steps.
class GrowingGroup {
public:
  /// Without placements in the run every value has a room of its own.
  GrowingGroup(const Chip &chip, bool hasPlacements)
      : chip(chip), hasPlacements(hasPlacements), plan(chip.lanes) {}

  void addStep() { live.push_back(0); }
  bool fits() const { return stepsAbove == 0 && plan.isPossible(); }
  bool holds(int value) const { return numbers.contains(value); }
  /// Bytes that live in steps [from, to].
  void take(size_t from, size_t to, int64_t bytes);
  void addValue(int value, int64_t channels, bool isMade, size_t from,
                size_t to, int64_t bytes);
  /// `value` lives up to step `last`.
  void keep(int value, size_t last);
  /// The op of the step `last`, whose values have been added.
  void relate(TilingInterface op, const OpNumbers &numbersOfOp,
              const DenseMap<Value, int> &valueNumbers, size_t last);

private:
  struct Life {
    size_t first, last;
    int64_t bytes, rowBytes;
  };
  int roomOf(int value) {
    return hasPlacements ? plan.roomOf(numbers[value]) : value;
  }

  const Chip &chip;
  const bool hasPlacements;
  LanePlan plan;
  DenseMap<int, int> numbers; ///< of values, in the plan if there is one
  DenseMap<int, Life> rooms;
  std::vector<int64_t> live;
  size_t stepsAbove = 0; ///< with more than there is
};

/// The interval dynamic program over one run.
class RunSearch {
public:
  RunSearch(GroupCost &cost, ArrayRef<Operation *> run,
            const GroupSearchOptions &options)
      : chip(cost.chip), run(run), options(options), cost(cost) {
    collectNumbers();
  }

  std::optional<std::vector<GroupChoice>> solve(Operation *&failed);

private:
  void collectNumbers();
  void extendOneSlice(size_t begin);
  void extendSliced(size_t begin, size_t firstEnd);
  void relax(size_t begin, size_t end, const Dims &counts,
             const GroupPrice &price);
  bool appendChecked(size_t begin, size_t end, Dims counts,
                     std::vector<GroupChoice> &choices, Operation *&failed);
  void weighAgain(std::vector<GroupChoice> &choices);
  GroupPrice priceOf(const GroupChoice &choice);

  struct Best {
    int64_t cost = std::numeric_limits<int64_t>::max();
    size_t begin = 0;
    Dims counts{1, 1, 1, 1};
  };
  const Chip &chip;
  ArrayRef<Operation *> run;
  const GroupSearchOptions &options;
  GroupCost &cost;
  std::vector<OpNumbers> numbers;
  /// Results of the run by the number of their op, then values from outside.
  DenseMap<Value, int> valueNumbers;
  bool hasPlacements = false;
  std::vector<Best> best; ///< best[e]: cheapest cover of [0, e)
  /// Groups in several slices by their begin; these are dear to weigh.
  std::vector<std::vector<WeighedGroup>> slicedGroups;
  /// Where to note those in one slice, when they are weighed once more.
  std::vector<WeighedGroup> *wholeGroups = nullptr;
};
} // namespace

void GrowingGroup::take(size_t from, size_t to, int64_t bytes) {
  int64_t capacity = chip.laneBytes;
  for (size_t step = from; step <= to; ++step) {
    stepsAbove -= live[step] > capacity;
    stepsAbove += (live[step] += bytes) > capacity;
  }
}

void GrowingGroup::addValue(int value, int64_t channels, bool isMade,
                            size_t from, size_t to, int64_t bytes) {
  int64_t lanes = chip.lanes,
          rows = std::max<int64_t>(1, (channels + lanes - 1) / lanes);
  numbers[value] = hasPlacements ? plan.addValue(channels, isMade) : value;
  rooms[roomOf(value)] = {from, to, bytes, bytes / rows};
  take(from, to, bytes);
}

void GrowingGroup::keep(int value, size_t last) {
  Life &life = rooms[roomOf(value)];
  if (last <= life.last)
    return;
  take(life.last + 1, last, life.bytes);
  life.last = last;
}

void GrowingGroup::relate(TilingInterface op, const OpNumbers &numbersOfOp,
                          const DenseMap<Value, int> &valueNumbers,
                          size_t last) {
  if (!hasPlacements)
    return;
  int result = valueNumbers.lookup(op->getResult(0));
  SmallVector<int, 4> values{result};
  for (const OpNumbers::Operand &operand : numbersOfOp.operands)
    values.push_back(operand.value);
  Life whole{last, last, 0, 0};
  if (numbersOfOp.isPlacement)
    for (int value : values) {
      auto it = rooms.find(roomOf(value));
      if (it == rooms.end())
        continue; // an operand that is given twice
      Life &life = it->second;
      take(life.first, life.last, -life.bytes);
      whole.first = std::min(whole.first, life.first);
      whole.rowBytes = std::max(whole.rowBytes, life.rowBytes);
      rooms.erase(it);
    }
  addToLanePlan(
      op, numbersOfOp.laneNeeds, numbersOfOp.canLeaveFirstLane,
      [&](Value value) { return numbers.lookup(valueNumbers.lookup(value)); },
      plan);
  if (!numbersOfOp.isPlacement)
    return;
  int number = numbers[result];
  int64_t lanes = chip.lanes;
  whole.bytes =
      (plan.channelsOfRoom(number) + lanes - 1) / lanes * whole.rowBytes;
  rooms[roomOf(result)] = whole;
  take(whole.first, whole.last, whole.bytes);
}

/// What an op that stays in DRAM costs there: nothing where an address does,
/// else a copy of what has its place elsewhere.
static int64_t costInDram(Operation *op, GroupCost &cost) {
  if (llvm::isa<MoveLanesOp, ReshapeOp>(op))
    return 0;
  if (auto slice = dyn_cast<SliceOp>(op))
    return sliceOffset(slice) >= 0 ? 0
                                   : cost.copyInDram(op, copiesOf(op).front());
  auto concat = llvm::cast<ConcatOp>(op);
  auto isJoined = [&](Value value) {
    return pieceOffset(concat.getOutput(), concat.getAxis(), 0) >= 0 &&
           value.getDefiningOp() &&
           llvm::all_of(value.getUsers(), [&](Operation *user) {
             return user == op || !llvm::isa<ConcatOp>(user);
           });
  };
  int64_t cycles = 0;
  for (const OperandCopy &copy : copiesOf(op))
    if (!isJoined(op->getOperand(copy.operand)))
      cycles += cost.copyInDram(op, copy);
  return cycles;
}

void RunSearch::collectNumbers() {
  for (size_t i = 0; i < run.size(); ++i)
    valueNumbers[run[i]->getResult(0)] = static_cast<int>(i);
  numbers.resize(run.size());
  for (size_t i = 0; i < run.size(); ++i) {
    GroupView view = viewOps(chip, run[i]);
    OpNumbers &op = numbers[i];
    TilingInterface tiling = asTileable(run[i]);
    op.channels = dimsOf(run[i]->getResult(0))[kAxisC];
    op.canLeaveFirstLane = canLeaveFirstLane(chip, tiling);
    op.laneNeeds = laneNeedsOf(tiling);
    op.isPlacement = isPlacement(run[i]);
    hasPlacements |= op.isPlacement;
    if (staysInDram(run[i]))
      op.costInDram = costInDram(run[i], cost);
    SlicePlan slice;
    if (auto plan = planSlice(chip, view, {1, 1, 1, 1}, {0, 0, 0, 0})) {
      slice = std::move(*plan);
      if (auto price =
              tpu::priceOf(run[i], chip, slice.tiles[view.resultOf(0)]))
        op.cycles = price->cycles;
    } else {
      slice.tiles.assign(view.valueCount(), Box());
    }
    for (const GroupBuffer &buffer : enumerateBuffers(chip, view, slice)) {
      switch (buffer.kind) {
      case GroupBuffer::Input: {
        Value value = view.inputs[buffer.owner];
        int number =
            valueNumbers.try_emplace(value, valueNumbers.size()).first->second;
        GroupBuffer whole = buffer;
        whole.tensor.dims = dimsOf(value);
        int64_t wholeLoad = cost.loadOf(view, whole);
        op.operands.push_back({number, bytesPerLane(chip, buffer.tensor),
                               cost.loadOf(view, buffer), wholeLoad,
                               buffer.tensor.dims[kAxisC],
                               view.repeated[buffer.owner]});
        break;
      }
      case GroupBuffer::Result:
        op.resultLane = bytesPerLane(chip, buffer.tensor);
        op.store =
            cost.storeOf(run[i]->getResult(0), Box::whole(buffer.tensor.dims));
        break;
      case GroupBuffer::Constant:
        op.constantLane += buffer.bytes;
        op.constantLoad += cost.loadOf(view, buffer);
        break;
      default:
        op.scratchLane += buffer.bytes;
      }
    }
    // Uses by distinct ops; an op that reads a value twice is one user.
    SmallVector<Operation *> users;
    for (Operation *user : run[i]->getResult(0).getUsers())
      if (!llvm::is_contained(users, user))
        users.push_back(user);
    op.uses = users.size();
  }
}

void RunSearch::relax(size_t begin, size_t end, const Dims &counts,
                      const GroupPrice &price) {
  if (counts != Dims{1, 1, 1, 1})
    slicedGroups[begin].push_back({end, counts, price});
  else if (wholeGroups)
    wholeGroups->push_back({end, counts, price});
  if (best[begin].cost == std::numeric_limits<int64_t>::max())
    return;
  int64_t total = best[begin].cost + price.weight();
  if (total < best[end].cost)
    best[end] = {total, begin, counts};
}

/// All groups [begin, end) that run in one slice; numbers are kept up to date
/// while `end` grows.
void RunSearch::extendOneSlice(size_t begin) {
  GrowingGroup group(chip, hasPlacements);
  DenseMap<int, unsigned> usesLeft; // of results
  TwoQueues queues;
  DenseMap<int, int64_t> loads; // cycles, by value
  int64_t stores = 0;
  size_t limit =
      std::min(run.size(), begin + static_cast<size_t>(options.maxOps));
  size_t end = begin;
  DenseSet<int> placed, repeated; // see findPlaces of a GroupView
  auto isMadeHere = [&](const OpNumbers::Operand &operand) {
    return operand.value >= static_cast<int>(begin) &&
           operand.value < static_cast<int>(run.size());
  };
  while (end < limit && group.fits()) {
    const OpNumbers &op = numbers[end];
    size_t step = end - begin;
    if (llvm::any_of(op.operands, [&](const OpNumbers::Operand &operand) {
          if (op.isPlacement)
            placed.insert(operand.value);
          if (operand.isLoaded)
            repeated.insert(operand.value);
          return (operand.isLoaded && isMadeHere(operand)) ||
                 (placed.contains(operand.value) &&
                  repeated.contains(operand.value));
        }))
      break; // with more ops it stays impossible
    group.addStep();
    group.take(step, step, op.constantLane + op.scratchLane);
    group.addValue(end, op.channels, !op.isPlacement, step, step,
                   op.resultLane);
    usesLeft[end] = op.uses;
    for (const OpNumbers::Operand &operand : op.operands) {
      if (!isMadeHere(operand)) { // those who read parts may read all
        int64_t &loaded = loads[operand.value];
        int64_t more = std::max<int64_t>(
            0, std::min(operand.load, operand.wholeLoad - loaded));
        queues.load(more);
        loaded += more;
      }
      if (!group.holds(operand.value)) {
        group.addValue(operand.value, operand.channels, /*isMade=*/true, step,
                       step, operand.lane);
        continue;
      }
      group.keep(operand.value, step);
      auto it = usesLeft.find(operand.value);
      if (it != usesLeft.end() && --it->second == 0)
        stores -= numbers[operand.value].store;
    }
    group.relate(asTileable(run[end]), op, valueNumbers, step);
    queues.load(op.constantLoad);
    queues.compute(op.cycles);
    int64_t lastStore = op.uses ? op.store : 0;
    stores += lastStore;
    ++end;
    if (group.fits())
      relax(begin, end, {1, 1, 1, 1}, queues.end(stores, lastStore));
  }
  if (numbers[begin].costInDram >= 0)
    relax(begin, begin + 1, {1, 1, 1, 1},
          {numbers[begin].costInDram, numbers[begin].costInDram});
  if (!group.fits() && !wholeGroups)
    extendSliced(begin, end);
}

/// Groups that are too big for one slice, starting with [begin, firstEnd).
void RunSearch::extendSliced(size_t begin, size_t firstEnd) {
  size_t limit =
      std::min(run.size(), begin + static_cast<size_t>(options.maxSlicedOps));
  int64_t atLeast = 2;
  int misses = 0;
  for (size_t end = firstEnd; end <= limit && misses < 3; ++end) {
    GroupView view = viewOps(chip, run.slice(begin, end - begin));
    if (view.places.empty())
      return; // with more ops it stays impossible
    std::optional<TilingChoice> choice =
        TilingSearch(cost, view, options, atLeast).run();
    if (!choice) {
      ++misses; // an op may only look bad until its consumer joins (a residual
                // branch)
      continue;
    }
    misses = 0;
    atLeast = product(choice->counts);
    relax(begin, end, choice->counts, choice->price);
  }
}

/// `counts`, or more slices if need be, under which the group really can be
/// placed.
static std::optional<Dims> placeableCounts(GroupCost &cost,
                                           const GroupView &view, Dims counts,
                                           const GroupSearchOptions &options) {
  while (!placeGroup(cost.chip, view, counts)) {
    std::optional<TilingChoice> next =
        TilingSearch(cost, view, options, product(counts) + 1).run();
    if (!next)
      return std::nullopt;
    counts = next->counts;
  }
  return counts;
}

bool weft::tpu::fitsAlone(const Chip &chip, Operation *op,
                          const GroupSearchOptions &options) {
  GroupView view = viewOps(chip, op);
  if (view.outputs.empty()) // of a plan, which nobody reads yet
    view.outputs.push_back(view.resultOf(0));
  GroupCost cost(chip);
  return placeableCounts(cost, view, {1, 1, 1, 1}, options).has_value();
}

/// Adds [begin, end) if it can really be placed, with more slices or cut in two
/// if need be.
bool RunSearch::appendChecked(size_t begin, size_t end, Dims counts,
                              std::vector<GroupChoice> &choices,
                              Operation *&failed) {
  GroupView view = viewOps(chip, run.slice(begin, end - begin));
  if (auto placeable = placeableCounts(cost, view, counts, options)) {
    choices.push_back({begin, end, *placeable, {}, {}});
    return true;
  }
  if (end - begin == 1) {
    failed = run[begin];
    return false;
  }
  size_t middle = begin + (end - begin) / 2;
  return appendChecked(begin, middle, {1, 1, 1, 1}, choices, failed) &&
         appendChecked(middle, end, {1, 1, 1, 1}, choices, failed);
}

/// Collects the groups that begin where chosen ones do. Those in one slice are
/// weighed once more: noting all of a long run during the search would take
/// more memory than the search, for a few that are wanted.
void RunSearch::weighAgain(std::vector<GroupChoice> &choices) {
  for (GroupChoice &choice : choices) {
    wholeGroups = &choice.weighed;
    extendOneSlice(choice.begin);
    llvm::append_range(choice.weighed, slicedGroups[choice.begin]);
    choice.price = priceOf(choice);
  }
  wholeGroups = nullptr;
}

/// Of a group that placement cut into more slices it is computed once more.
GroupPrice RunSearch::priceOf(const GroupChoice &choice) {
  for (const WeighedGroup &group : choice.weighed)
    if (group.end == choice.end && group.counts == choice.counts)
      return group.price;
  GroupView view =
      viewOps(chip, run.slice(choice.begin, choice.end - choice.begin));
  auto footprint = measureGroup(chip, view, choice.counts, /*exact=*/false);
  if (!footprint)
    return {};
  return cost.ofSlices(view, *footprint, choice.counts).value_or(GroupPrice());
}

std::optional<std::vector<GroupChoice>> RunSearch::solve(Operation *&failed) {
  best.assign(run.size() + 1, Best());
  slicedGroups.resize(run.size());
  best[0].cost = 0;
  for (size_t begin = 0; begin < run.size(); ++begin) {
    extendOneSlice(begin);
    // An op that fits no way at all still gets a group, which the check below
    // will then refuse with its name.
    if (best[begin + 1].cost == std::numeric_limits<int64_t>::max())
      relax(begin, begin + 1, {1, 1, 1, 1},
            {std::numeric_limits<int32_t>::max(), 0});
  }
  std::vector<Best> cuts;
  std::vector<size_t> ends;
  for (size_t end = run.size(); end > 0; end = best[end].begin) {
    cuts.push_back(best[end]);
    ends.push_back(end);
  }
  std::vector<GroupChoice> choices;
  for (size_t i = cuts.size(); i-- > 0;)
    if (!appendChecked(cuts[i].begin, ends[i], cuts[i].counts, choices, failed))
      return std::nullopt;
  weighAgain(choices);
  return choices;
}

std::optional<std::vector<GroupChoice>>
weft::tpu::searchGroups(GroupCost &cost, ArrayRef<Operation *> run,
                        const GroupSearchOptions &options, Operation *&failed) {
  return RunSearch(cost, run, options).solve(failed);
}
