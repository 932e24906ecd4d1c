//===- GroupSearch.cpp - which consecutive ops to group -------------------===//

#include "passes/tpu/GroupSearch.h"
#include "passes/tpu/TilingSearch.h"

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
/// What one op adds to a group that runs in one slice.
struct OpNumbers {
  int64_t resultLane = 0, scratchLane = 0, constantLane = 0; ///< bytes a lane
  /// Cycles of the result's store, the constants' load, the op itself.
  int64_t store = 0, constantLoad = 0, cycles = 0;
  bool isPossible = true; ///< alone, sliced this way
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
  /// whether no op of the group may give it, whether slices read different
  /// parts)
  struct Operand {
    int value;
    int64_t lane, load, wholeLoad, channels;
    bool isLoaded, changes;
  };
  SmallVector<Operand, 3> operands;
};

/// Bytes a lane that a growing group takes at each of the steps of a slice.
class GrowingGroup {
public:
  /// Without placements in the run every value has a room of its own.
  GrowingGroup(const Chip &chip, bool hasPlacements)
      : chip(chip), hasPlacements(hasPlacements), plan(chip.lanes) {}

  void addStep() { live.push_back(0); }
  int64_t peak() const { return *std::max_element(live.begin(), live.end()); }
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

/// How far groups in one kind of slices go from an op.
struct Reach {
  size_t end = 0;         ///< the first end that there is none for
  bool lacksRoom = false; ///< for want of room
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
  OpNumbers numbersOf(Operation *op, const Dims &counts);
  void extend(size_t begin);
  Reach extendImages(size_t begin, int64_t count);
  void findSliced(size_t begin, size_t firstEnd, SliceAim aim);
  bool findOverlap(size_t begin);
  void findCover();
  std::vector<size_t> endsOfCover() const;
  void relax(size_t begin, size_t end, const Tiling &tiling,
             const GroupPrice &price);
  bool appendChecked(size_t begin, size_t end, Tiling tiling,
                     std::vector<GroupChoice> &choices, Operation *&failed);
  void weighAgain(std::vector<GroupChoice> &choices);
  GroupPrice priceOf(const GroupChoice &choice);

  struct Best {
    int64_t cost = std::numeric_limits<int64_t>::max();
    size_t begin = 0;
    Tiling tiling;
  };
  const Chip &chip;
  ArrayRef<Operation *> run;
  const GroupSearchOptions &options;
  GroupCost &cost;
  std::vector<OpNumbers> whole;
  /// Per op the images of its result, and if these are several and apart what
  /// it adds to a group whose slices are images.
  std::vector<int64_t> images;
  std::vector<OpNumbers> numbersOfImage;
  /// Results of the run by the number of their op, then values from outside.
  DenseMap<Value, int> valueNumbers;
  bool hasPlacements = false;
  std::vector<Best> best; ///< best[e]: cheapest cover of [0, e)
  /// Pipelined groups by their begin, and what for; these are dear to weigh.
  std::vector<std::vector<WeighedGroup>> slicedGroups;
  std::vector<std::optional<SliceAim>> slicedFor;
  /// Where to note all, when they are weighed once more.
  std::vector<WeighedGroup> *noted = nullptr;
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

/// What an op that stays in DRAM costs there: nothing where an address does or
/// the transfer of a group, else a copy of what has its place elsewhere.
static int64_t costInDram(Operation *op, GroupCost &cost) {
  // Only a group that begins with the view lets its load make the phases.
  if (auto phases = op->getOperand(0).getDefiningOp<RowPhasesOp>();
      phases && llvm::isa<ReshapeOp>(op))
    return cost.copyInDram(phases, copiesOf(phases).front());
  if (llvm::isa<FromBandsOp, MoveLanesOp, ReshapeOp, ToBandsOp>(op))
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

/// How many images `op` makes, each of the same one of its operands; 1 if it
/// does otherwise.
static int64_t imagesOf(Operation *op) {
  auto tiling = llvm::cast<TilingInterface>(op);
  Box last = Box::whole(dimsOf(op->getResult(0)));
  int64_t images = last.size[kAxisN];
  last.offset[kAxisN] = images - 1;
  last.size[kAxisN] = 1;
  if (tiling.computedBox(last) != last)
    return 1;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    if (tiling.isPackedOperand(i))
      continue;
    int64_t given = dimsOf(op->getOperand(i))[kAxisN];
    Box need = tiling.inputNeed(i, last).box;
    if ((given != 1 && given != images) || need.size[kAxisN] != 1 ||
        need.offset[kAxisN] != given - 1)
      return 1;
  }
  return images;
}

/// What `op` adds to a group under `counts`.
OpNumbers RunSearch::numbersOf(Operation *operation, const Dims &counts) {
  GroupView view = viewOps(chip, operation);
  OpNumbers op;
  TilingInterface tiling = asTileable(operation);
  op.channels = dimsOf(operation->getResult(0))[kAxisC];
  op.canLeaveFirstLane = canLeaveFirstLane(chip, tiling);
  op.laneNeeds = laneNeedsOf(tiling);
  op.isPlacement = isPlacement(operation);
  if (staysInDram(operation))
    op.costInDram = costInDram(operation, cost);
  SlicePlan slice;
  if (auto plan = planSlice(chip, view, counts, {0, 0, 0, 0})) {
    slice = std::move(*plan);
    if (auto price =
            tpu::priceOf(operation, chip, slice.tiles[view.resultOf(0)]))
      op.cycles = price->cycles;
  } else {
    op.isPossible = false;
    slice.tiles.assign(view.valueCount(), Box());
  }
  for (const GroupBuffer &buffer : enumerateBuffers(chip, view, slice)) {
    switch (buffer.kind) {
    case GroupBuffer::Input: {
      Value value = view.inputs[buffer.owner];
      int number =
          valueNumbers.try_emplace(value, valueNumbers.size()).first->second;
      GroupBuffer all = buffer;
      all.tensor.dims = dimsOf(value);
      bool changes = counts[kAxisN] > 1 && all.tensor.dims[kAxisN] > 1;
      if (changes)
        all.tensor.dims[kAxisN] = 1;
      int64_t wholeLoad = cost.loadOf(view, all);
      op.operands.push_back({number, bytesPerLane(chip, buffer.tensor),
                             cost.loadOf(view, buffer), wholeLoad,
                             buffer.tensor.dims[kAxisC],
                             view.repeated[buffer.owner], changes});
      break;
    }
    case GroupBuffer::Result:
      op.resultLane = bytesPerLane(chip, buffer.tensor);
      op.store =
          cost.storeOf(operation->getResult(0), Box::whole(buffer.tensor.dims));
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
  for (Operation *user : operation->getResult(0).getUsers())
    if (!llvm::is_contained(users, user))
      users.push_back(user);
  op.uses = users.size();
  return op;
}

void RunSearch::collectNumbers() {
  for (size_t i = 0; i < run.size(); ++i)
    valueNumbers[run[i]->getResult(0)] = static_cast<int>(i);
  for (Operation *op : run) {
    whole.push_back(numbersOf(op, {1, 1, 1, 1}));
    hasPlacements |= whole.back().isPlacement;
    int64_t count = imagesOf(op);
    images.push_back(count <= options.maxSlices ? count : 1);
    numbersOfImage.push_back(images.back() > 1
                                 ? numbersOf(op, {images.back(), 1, 1, 1})
                                 : OpNumbers());
  }
}

void RunSearch::relax(size_t begin, size_t end, const Tiling &tiling,
                      const GroupPrice &price) {
  if (noted)
    noted->push_back({end, tiling, price});
  if (best[begin].cost == std::numeric_limits<int64_t>::max())
    return;
  int64_t total = best[begin].cost + price.weight();
  if (total < best[end].cost)
    best[end] = {total, begin, tiling};
}

namespace {
/// The cycles of a growing group whose slices are alike.
class SliceCycles {
public:
  /// The op of the next step loads `cycles` of value `value`, which it or an op
  /// before reads as well; each slice another part if `changes`.
  void load(int value, int64_t cycles, bool changes) {
    queues.load(cycles);
    Read &read = reads.try_emplace(value, Read{0, computing, 0}).first->second;
    read.load += changes ? cycles : 0;
    inputs += changes ? cycles : 0;
  }
  /// It also reads constants, of `lane` bytes a lane.
  void loadConstants(int64_t cycles, int64_t lane) {
    queues.load(cycles);
    constants += cycles;
    constantLane += lane;
  }
  void compute(int64_t cycles, ArrayRef<OpNumbers::Operand> operands) {
    queues.compute(cycles);
    computing += cycles;
    for (const OpNumbers::Operand &operand : operands)
      if (auto read = reads.find(operand.value); read != reads.end())
        read->second.end = computing;
  }

  /// Of `count` slices if `room` bytes a lane are left for what is held.
  GroupPrice end(int64_t count, int64_t room, int64_t lastStore) const {
    GroupPrice price = queues.end(stores, lastStore);
    if (count == 1)
      return price;
    int64_t again = inputs;
    if (room < constantLane)
      again += int64_t(double(constants) * (1 - double(room) / constantLane));
    int64_t slice = std::max(computing, again + stores);
    // A load takes the place of what ops of the slice before have read.
    for (const auto &[value, read] : reads)
      slice = std::max(slice, read.load + read.end - read.begin +
                                  (read.end == computing ? lastStore : 0));
    price.cycles += (count - 1) * slice;
    price.moving += (count - 1) * (again + stores);
    return price;
  }

  int64_t stores = 0; ///< of a slice

private:
  /// Of a value, in each slice: its load, and between which of the computing
  /// cycles ops read it.
  struct Read {
    int64_t load, begin, end;
  };
  TwoQueues queues; ///< of the first slice
  int64_t computing = 0;
  int64_t inputs = 0, constants = 0; ///< loads of each further slice
  int64_t constantLane = 0;          ///< bytes a lane of what `constants` loads
  DenseMap<int, Read> reads;
};
} // namespace

/// All groups [begin, end) whose slices are one of `count` images each, or if
/// that is 1 all that there are; numbers are kept up to date while `end` grows.
Reach RunSearch::extendImages(size_t begin, int64_t count) {
  const std::vector<OpNumbers> &numbers = count > 1 ? numbersOfImage : whole;
  Tiling tiling{{count, 1, 1, 1}, /*isStreamed=*/count > 1};
  GrowingGroup group(chip, hasPlacements);
  DenseMap<int, unsigned> usesLeft; // of results
  SliceCycles cycles;
  DenseMap<int, int64_t> loads; // cycles, by value
  size_t limit =
      std::min(run.size(), begin + static_cast<size_t>(options.maxOps));
  size_t end = begin;
  DenseSet<int> placed, repeated; // see findPlaces of a GroupView
  DenseSet<int> unreadMoves;      // results of strayBandMove() if it ended here
  auto isMadeHere = [&](const OpNumbers::Operand &operand) {
    return operand.value >= static_cast<int>(begin) &&
           operand.value < static_cast<int>(run.size());
  };
  while (end < limit && group.fits()) {
    const OpNumbers &op = numbers[end];
    size_t step = end - begin;
    if (count > 1 && images[end] != count)
      return {end + 1, false};
    if (!op.isPossible)
      return {end + 1, true};
    if (llvm::any_of(op.operands, [&](const OpNumbers::Operand &operand) {
          if (op.isPlacement)
            placed.insert(operand.value);
          if (operand.isLoaded)
            repeated.insert(operand.value);
          return (operand.isLoaded && isMadeHere(operand)) ||
                 (placed.contains(operand.value) &&
                  repeated.contains(operand.value));
        }))
      return {end + 1, false}; // with more ops it stays impossible
    bool isBandMove = llvm::isa<ToBandsOp, FromBandsOp>(run[end]);
    for (const OpNumbers::Operand &operand : op.operands) {
      if (isBandMove && !isMadeHere(operand))
        return {end + 1, false}; // a transfer does it
      unreadMoves.erase(operand.value);
    }
    if (isBandMove)
      unreadMoves.insert(static_cast<int>(end));
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
        cycles.load(operand.value, more, operand.changes);
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
        cycles.stores -= numbers[operand.value].store;
    }
    group.relate(asTileable(run[end]), op, valueNumbers, step);
    cycles.loadConstants(op.constantLoad, op.constantLane);
    cycles.compute(op.cycles, op.operands);
    int64_t lastStore = op.uses ? op.store : 0;
    cycles.stores += lastStore;
    ++end;
    if (group.fits() && unreadMoves.empty())
      relax(
          begin, end, tiling,
          cycles.end(count, int64_t(chip.laneBytes) - group.peak(), lastStore));
  }
  return {group.fits() ? end + 1 : end, !group.fits()};
}

/// All groups that start with `begin`.
void RunSearch::extend(size_t begin) {
  Reach streamed;
  if (images[begin] > 1)
    streamed = extendImages(begin, images[begin]);
  Reach inOne = extendImages(begin, 1);
  int64_t inDram = whole[begin].costInDram;
  if (inDram >= 0)
    relax(begin, begin + 1, {}, {inDram, inDram});
  // What streamed slices hold need not be cut further, which is dear to weigh.
  auto longest = begin + static_cast<size_t>(options.maxSlicedOps);
  if (inOne.lacksRoom && streamed.end <= longest && !slicedFor[begin] && !noted)
    findSliced(begin, inOne.end, SliceAim::Fit);
  for (const WeighedGroup &group : slicedGroups[begin])
    relax(begin, group.end, group.tiling, group.price);
}

/// The first of `ops` that cuts bands of what is not made by them or makes an
/// image or bands that they do not read: in a group of them it would be a
/// transfer. Their number if there is none.
static size_t strayBandMove(ArrayRef<Operation *> ops) {
  for (auto [i, op] : llvm::enumerate(ops))
    if (llvm::isa<ToBandsOp, FromBandsOp>(op) &&
        (!llvm::is_contained(ops, op->getOperand(0).getDefiningOp()) ||
         llvm::none_of(op->getUsers(), [&](Operation *user) {
           return llvm::is_contained(ops, user);
         })))
      return i;
  return ops.size();
}

/// Pipelined groups from `begin` on, the shortest of them up to `firstEnd`.
void RunSearch::findSliced(size_t begin, size_t firstEnd, SliceAim aim) {
  slicedFor[begin] = aim;
  int64_t longest =
      aim == SliceAim::Overlap ? options.maxOverlapOps() : options.maxSlicedOps;
  size_t limit = std::min(run.size(), begin + static_cast<size_t>(longest));
  int64_t atLeast[] = {2, 2}; // pipelined, streamed
  int misses = 0;
  for (size_t end = firstEnd; end <= limit && misses < 3; ++end) {
    if (strayBandMove(run.slice(begin, end - begin)) < end - begin)
      continue;
    GroupView view = viewOps(chip, run.slice(begin, end - begin));
    if (view.places.empty())
      return; // with more ops it stays impossible
    std::optional<TilingChoice> choice;
    for (bool isStreamed : {false, true}) {
      auto found = TilingSearch(cost, view, options, aim, isStreamed,
                                atLeast[isStreamed])
                       .run();
      if (found && aim == SliceAim::Fit)
        atLeast[isStreamed] = found->tiling.slices();
      if (found && (!choice || found->price.weight() < choice->price.weight()))
        choice = found;
    }
    if (!choice) {
      ++misses; // an op may only look bad until its consumer joins (a residual
                // branch)
      continue;
    }
    misses = 0;
    slicedGroups[begin].push_back({end, choice->tiling, choice->price});
  }
}

bool weft::tpu::fitsAlone(const Chip &chip, Operation *op,
                          const GroupSearchOptions &options) {
  GroupView view = viewOps(chip, op);
  if (view.outputs.empty()) // of a plan, which nobody reads yet
    view.addOutput(view.resultOf(0));
  GroupCost cost(chip);
  return placeableTiling(cost, view, {}, options).has_value();
}

/// Adds [begin, end) if it can really be placed, with more slices or cut in two
/// if need be.
bool RunSearch::appendChecked(size_t begin, size_t end, Tiling tiling,
                              std::vector<GroupChoice> &choices,
                              Operation *&failed) {
  size_t stray = begin + strayBandMove(run.slice(begin, end - begin));
  if (end - begin > 1 && stray < end) // cut at it, not in the middle
    return (stray == begin ||
            appendChecked(begin, stray, {}, choices, failed)) &&
           appendChecked(stray, stray + 1, {}, choices, failed) &&
           (stray + 1 == end ||
            appendChecked(stray + 1, end, {}, choices, failed));
  GroupView view = viewOps(chip, run.slice(begin, end - begin));
  if (auto placeable = placeableTiling(cost, view, tiling, options)) {
    choices.push_back({begin, end, *placeable, {}, {}});
    return true;
  }
  if (end - begin == 1 && tiling.streamsImages())
    return appendChecked(begin, end, {}, choices, failed);
  if (end - begin == 1) {
    failed = run[begin];
    return false;
  }
  size_t middle = begin + (end - begin) / 2;
  Tiling half = tiling.streamsImages() ? tiling : Tiling();
  return appendChecked(begin, middle, half, choices, failed) &&
         appendChecked(middle, end, half, choices, failed);
}

/// Collects the groups that begin where chosen ones do. They are weighed once
/// more: noting all of a long run during the search would take more memory than
/// the search, for a few that are wanted.
void RunSearch::weighAgain(std::vector<GroupChoice> &choices) {
  for (GroupChoice &choice : choices) {
    noted = &choice.weighed;
    extend(choice.begin);
    choice.price = priceOf(choice);
  }
  noted = nullptr;
}

/// Of a group that placement cut into more slices it is computed once more.
GroupPrice RunSearch::priceOf(const GroupChoice &choice) {
  for (const WeighedGroup &group : choice.weighed)
    if (group.end == choice.end && group.tiling == choice.tiling)
      return group.price;
  GroupView view =
      viewOps(chip, run.slice(choice.begin, choice.end - choice.begin));
  auto footprint =
      measureGroup(chip, view, choice.tiling.counts, /*exact=*/false);
  if (!footprint)
    return {};
  return cost.ofSlices(view, *footprint, choice.tiling).value_or(GroupPrice());
}

/// Whether there are groups from `begin` on whose slices may overlap better
/// than what was known.
bool RunSearch::findOverlap(size_t begin) {
  if (images[begin] > 1 || slicedFor[begin] == SliceAim::Overlap)
    return false;
  size_t known = slicedGroups[begin].size();
  findSliced(begin, begin + 1, SliceAim::Overlap);
  return slicedGroups[begin].size() > known;
}

/// The cheapest cover of the run by the groups that are known so far.
void RunSearch::findCover() {
  best.assign(run.size() + 1, Best());
  best[0].cost = 0;
  for (size_t begin = 0; begin < run.size(); ++begin) {
    extend(begin);
    // An op that fits no way at all still gets a group, which the check below
    // will then refuse with its name.
    if (best[begin + 1].cost == std::numeric_limits<int64_t>::max())
      relax(begin, begin + 1, {}, {std::numeric_limits<int32_t>::max(), 0});
  }
}

/// The ends of its groups; each begins at `best[end].begin`.
std::vector<size_t> RunSearch::endsOfCover() const {
  std::vector<size_t> ends;
  for (size_t end = run.size(); end > 0; end = best[end].begin)
    ends.push_back(end);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

std::optional<std::vector<GroupChoice>> RunSearch::solve(Operation *&failed) {
  slicedGroups.resize(run.size());
  slicedFor.resize(run.size());
  findCover();
  // Slices also let engines work side by side, but to weigh them from every op
  // on would take longer than all the rest, so only groups of a cover are
  // asked.
  constexpr int kCovers = 4;
  for (int i = 1; i < kCovers; ++i) {
    bool hasMore = false;
    for (size_t end : endsOfCover())
      hasMore |= findOverlap(best[end].begin);
    if (!hasMore)
      break;
    findCover();
  }
  std::vector<GroupChoice> choices;
  for (size_t end : endsOfCover())
    if (!appendChecked(best[end].begin, end, best[end].tiling, choices, failed))
      return std::nullopt;
  weighAgain(choices);
  return choices;
}

std::optional<std::vector<GroupChoice>>
weft::tpu::searchGroups(GroupCost &cost, ArrayRef<Operation *> run,
                        const GroupSearchOptions &options, Operation *&failed) {
  return RunSearch(cost, run, options).solve(failed);
}
