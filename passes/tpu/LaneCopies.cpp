//===- LaneCopies.cpp - values that begin in two lanes --------------------===//

#include "passes/tpu/LaneCopies.h"

#include "dialects/tpu/Move.h"
#include "runtime/chips/Chip.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Searches with copies; each adds what the one before made possible.
static constexpr int kMostRounds = 4;

namespace {
/// Which of several values that contradict each other gets a copy.
enum class Blame {
  Reader,  ///< what an op reads, where it contradicts all before
  Operand, ///< what is joined, if all does not begin in lane 0 with it
};

/// A copy and the first op that reads it.
struct LaneCopy {
  MoveLanesOp copy;
  Operation *reader = nullptr;
};

/// An operand that reads a copy known before instead of `value`.
struct Rewiring {
  Operation *op = nullptr;
  unsigned operand = 0;
  Value value;
};

/// What scans have changed in the graph.
struct Changes {
  std::vector<LaneCopy> copies;
  std::vector<Rewiring> rewirings;

  bool isEmpty() const { return copies.empty() && rewirings.empty(); }
  void undo();
};

/// The lanes of the values of a group, op after op. What would contradict the
/// ops before gets a copy.
class LaneScan {
public:
  LaneScan(const Chip &chip, Blame blame, Changes &changes)
      : chip(chip), blame(blame), plan(chip.lanes), changes(changes) {}

  /// Adds `op`, with copies of operands if need be. False if these do not help.
  bool add(Operation *op);

private:
  /// A plan with the result of `op` and those of `needs` that fit; the others
  /// are left in `refused`.
  struct Trial {
    LanePlan plan;
    SmallVector<unsigned, 2> refused; ///< operands
  };
  Trial tryNeeds(TilingInterface op, ArrayRef<LaneNeed> needs);
  bool takesNeed(LanePlan &tried, TilingInterface op, ArrayRef<LaneNeed> need,
                 bool canLeaveFirstLane);
  void addValue(Value value, bool isMade);
  bool useKnownCopy(TilingInterface op, ArrayRef<LaneNeed> needs,
                    unsigned operand);
  void copyFor(Operation *op, unsigned operand);

  const Chip &chip;
  const Blame blame;
  LanePlan plan;
  DenseMap<Value, int> numbers;
  SmallVector<MoveLanesOp> known; ///< copies, in the order of the ops
  Changes &changes;
};
} // namespace

void LaneScan::addValue(Value value, bool isMade) {
  if (!numbers.contains(value))
    numbers[value] = plan.addValue(dimsOf(value)[kAxisC], isMade);
}

bool LaneScan::takesNeed(LanePlan &tried, TilingInterface op,
                         ArrayRef<LaneNeed> need, bool canLeaveFirstLane) {
  LanePlan more = tried;
  addToLanePlan(
      op, need, canLeaveFirstLane,
      [&](Value value) { return numbers.lookup(value); }, more);
  if (!more.isPossible())
    return false;
  tried = std::move(more);
  return true;
}

LaneScan::Trial LaneScan::tryNeeds(TilingInterface op,
                                   ArrayRef<LaneNeed> needs) {
  Trial trial{plan, {}};
  bool isFree = canLeaveFirstLane(chip, op);
  if (blame == Blame::Operand && llvm::isa<ConcatOp>(op) &&
      takesNeed(trial.plan, op, {}, /*canLeaveFirstLane=*/false))
    isFree = false;
  for (const LaneNeed &need : needs)
    if (!takesNeed(trial.plan, op, need, isFree))
      trial.refused.push_back(need.operand);
  return trial;
}

/// Lets `operand` be a copy that an op before has got of it, if that fits.
bool LaneScan::useKnownCopy(TilingInterface op, ArrayRef<LaneNeed> needs,
                            unsigned operand) {
  Value value = op->getOperand(operand);
  for (MoveLanesOp copy : known) {
    if (copy.getInput() != value)
      continue;
    op->setOperand(operand, copy.getOutput());
    if (!llvm::is_contained(tryNeeds(op, needs).refused, operand)) {
      changes.rewirings.push_back({op, operand, value});
      return true;
    }
    op->setOperand(operand, value);
  }
  return false;
}

void LaneScan::copyFor(Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  OpBuilder builder(op);
  Operation *maker = value.getDefiningOp();
  auto copy = builder.create<MoveLanesOp>(
      maker ? maker->getLoc() : op->getLoc(), value);
  op->setOperand(operand, copy.getOutput());
  addValue(copy.getOutput(), /*isMade=*/true);
  known.push_back(copy);
  changes.copies.push_back({copy, op});
}

bool LaneScan::add(Operation *op) {
  auto tiling = asTileable(op);
  SmallVector<LaneNeed, 2> needs = laneNeedsOf(tiling);
  addValue(op->getResult(0), !isPlacement(op));
  if (auto copy = dyn_cast<MoveLanesOp>(op))
    known.push_back(copy);
  for (Value operand : op->getOperands()) // those of ops before are known
    addValue(operand, /*isMade=*/true);
  for (unsigned operand : tryNeeds(tiling, needs).refused) {
    if (tiling.repeatsChannel(operand))
      return false;
    if (!useKnownCopy(tiling, needs, operand))
      copyFor(op, operand);
  }
  Trial trial = tryNeeds(tiling, needs);
  plan = std::move(trial.plan);
  return trial.refused.empty();
}

/// Copies for what contradicts each other from the begin of a group to the end
/// of the next one.
static Changes copyBetween(const Chip &chip, ArrayRef<Operation *> run,
                           ArrayRef<GroupChoice> choices, Blame blame) {
  Changes changes;
  for (size_t i = 0; i + 1 < choices.size(); ++i) {
    LaneScan scan(chip, blame, changes);
    for (size_t op = choices[i].begin; op < choices[i + 1].end; ++op)
      if (!scan.add(run[op]))
        break;
  }
  return changes;
}

/// The ops of `run` and `copies`, each of which stands in front of its reader.
static std::vector<Operation *> withCopies(ArrayRef<Operation *> run,
                                           ArrayRef<LaneCopy> copies) {
  DenseMap<Operation *, SmallVector<Operation *, 2>> inFront;
  for (const LaneCopy &copy : copies)
    inFront[copy.reader].push_back(copy.copy);
  std::vector<Operation *> all;
  for (Operation *op : run) {
    if (auto found = inFront.find(op); found != inFront.end())
      llvm::append_range(all, found->second);
    all.push_back(op);
  }
  return all;
}

static void drop(MoveLanesOp copy) {
  copy.getOutput().replaceAllUsesWith(copy.getInput());
  copy->erase();
}

void Changes::undo() {
  for (const Rewiring &rewiring : llvm::reverse(rewirings))
    rewiring.op->setOperand(rewiring.operand, rewiring.value);
  for (const LaneCopy &copy : llvm::reverse(copies))
    drop(copy.copy);
}

static int64_t weightOf(ArrayRef<GroupChoice> choices) {
  int64_t weight = 0;
  for (const GroupChoice &choice : choices)
    weight += choice.price.weight();
  return weight;
}

/// Takes copies into `run` and `best` if the groups weigh less with them.
static bool improve(GroupCost &cost, std::vector<Operation *> &run,
                    std::vector<GroupChoice> &best, Blame blame,
                    const GroupSearchOptions &options) {
  Changes changes = copyBetween(cost.chip, run, best, blame);
  if (changes.isEmpty())
    return false;
  std::vector<Operation *> more = withCopies(run, changes.copies);
  Operation *failed = nullptr;
  auto found = searchGroups(cost, more, options, failed);
  if (!found || weightOf(*found) >= weightOf(best)) {
    changes.undo();
    return false;
  }
  run = std::move(more);
  best = std::move(*found);
  return true;
}

std::optional<std::vector<GroupChoice>>
weft::tpu::searchWithLaneCopies(GroupCost &cost, std::vector<Operation *> &run,
                                const GroupSearchOptions &options,
                                Operation *&failed) {
  auto best = searchGroups(cost, run, options, failed);
  // Groups that have grown meet other contradictions.
  for (int round = 0; best && round < kMostRounds; ++round)
    if (!improve(cost, run, *best, Blame::Operand, options) &&
        !improve(cost, run, *best, Blame::Reader, options))
      break;
  return best;
}

/// What `value` is a copy of, after all copies of copies.
static Value sourceOf(Value value) {
  while (auto copy = value.getDefiningOp<MoveLanesOp>())
    value = copy.getInput();
  return value;
}

/// Erases copies that nobody reads, and arguments that only they read.
static void eraseDead(GroupOp group) {
  Block &body = group.getBody().front();
  SmallVector<MoveLanesOp> copies(body.getOps<MoveLanesOp>());
  for (MoveLanesOp copy : llvm::reverse(copies))
    if (copy->use_empty())
      copy->erase();
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      group->eraseOperand(i);
    }
}

/// Gives what reads a result of `group` that is only a copy of what the group
/// loads the tensor that was loaded, for a group stores what it makes.
static void dropLoadedResults(GroupOp group) {
  auto yield = llvm::cast<YieldOp>(group.getBody().front().getTerminator());
  SmallVector<Value> made;
  SmallVector<OpResult> results;
  for (auto [value, result] : llvm::zip(yield.getValues(), group.getResults()))
    if (auto argument = dyn_cast<BlockArgument>(sourceOf(value))) {
      result.replaceAllUsesWith(group.getInputs()[argument.getArgNumber()]);
    } else {
      made.push_back(value);
      results.push_back(result);
    }
  if (made.size() == group.getNumResults())
    return;
  if (made.empty())
    return group->erase();
  OpBuilder builder(group);
  auto slim = builder.create<GroupOp>(
      group.getLoc(), TypeRange(ValueRange(made)), group.getInputs(),
      group.getTilingAttr(), group.getBuffersAttr(), group.getAddressesAttr(),
      group.getKeptAttr());
  slim->setDiscardableAttrs(group->getDiscardableAttrDictionary());
  yield->setOperands(made);
  slim.getBody().takeBody(group.getBody());
  for (auto [old, result] : llvm::zip(results, slim.getResults()))
    old.replaceAllUsesWith(result);
  group->erase();
  eraseDead(slim);
}

/// Drops those that nothing needs because what wanted the other place is not in
/// the group.
static void dropNeedlessCopies(const Chip &chip, GroupOp group) {
  for (MoveLanesOp copy :
       llvm::make_early_inc_range(group.getBody().getOps<MoveLanesOp>())) {
    Value input = copy.getInput();
    SmallVector<OpOperand *> uses =
        llvm::to_vector(llvm::make_pointer_range(copy.getOutput().getUses()));
    for (OpOperand *use : uses)
      use->set(input);
    Operation *next = copy->getNextNode();
    copy->remove();
    GroupView view = viewGroup(chip, group);
    if (!view.places.empty() && placeGroup(chip, view, group.tilingOrWhole())) {
      copy->destroy();
      continue;
    }
    next->getBlock()->getOperations().insert(Block::iterator(next), copy);
    for (OpOperand *use : uses)
      use->set(copy.getOutput());
  }
}

void weft::tpu::settleLaneCopies(const Chip &chip, Block &body) {
  for (GroupOp group : llvm::make_early_inc_range(body.getOps<GroupOp>()))
    dropLoadedResults(group);
  for (GroupOp group : body.getOps<GroupOp>())
    dropNeedlessCopies(chip, group);
  // In DRAM a value has no lane.
  for (MoveLanesOp copy :
       llvm::make_early_inc_range(body.getOps<MoveLanesOp>()))
    drop(copy);
}
