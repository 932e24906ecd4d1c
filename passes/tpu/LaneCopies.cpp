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

/// The lanes of the values of a group, op after op. What would contradict the
/// ops before gets a copy.
class LaneScan {
public:
  LaneScan(const Chip &chip, Blame blame, std::vector<LaneCopy> &copies)
      : chip(chip), blame(blame), plan(chip.lanes), copies(copies) {}

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
  std::vector<LaneCopy> &copies; ///< made so far
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
  for (Operation *user : value.getUsers()) {
    auto copy = dyn_cast<MoveLanesOp>(user);
    if (!copy || !numbers.contains(copy.getOutput()))
      continue;
    op->setOperand(operand, copy.getOutput());
    if (!llvm::is_contained(tryNeeds(op, needs).refused, operand))
      return true;
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
  copies.push_back({copy, op});
}

bool LaneScan::add(Operation *op) {
  auto tiling = asTileable(op);
  SmallVector<LaneNeed, 2> needs = laneNeedsOf(tiling);
  addValue(op->getResult(0), !isPlacement(op));
  for (Value operand : op->getOperands()) // those of ops before are known
    addValue(operand, /*isMade=*/true);
  for (unsigned operand : tryNeeds(tiling, needs).refused) {
    // The step from image to image depends on the lane.
    if (dimsOf(op->getOperand(operand))[kAxisN] != 1 ||
        tiling.repeatsChannel(operand))
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
static std::vector<LaneCopy> copyBetween(const Chip &chip,
                                         ArrayRef<Operation *> run,
                                         ArrayRef<GroupChoice> choices,
                                         Blame blame) {
  std::vector<LaneCopy> copies;
  for (size_t i = 0; i + 1 < choices.size(); ++i) {
    LaneScan scan(chip, blame, copies);
    for (size_t op = choices[i].begin; op < choices[i + 1].end; ++op)
      if (!scan.add(run[op]))
        break;
  }
  return copies;
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
  std::vector<LaneCopy> copies = copyBetween(cost.chip, run, best, blame);
  if (copies.empty())
    return false;
  std::vector<Operation *> more = withCopies(run, copies);
  Operation *failed = nullptr;
  auto found = searchGroups(cost, more, options, failed);
  if (!found || weightOf(*found) >= weightOf(best)) {
    for (const LaneCopy &copy : copies)
      drop(copy.copy);
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

SmallVector<Operation *> weft::tpu::settleCopies(ArrayRef<Operation *> ops) {
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  SmallVector<Operation *> settled;
  for (Operation *op : ops) {
    auto copy = dyn_cast<MoveLanesOp>(op);
    if (copy && !inside.contains(copy.getInput().getDefiningOp())) {
      copy.getOutput().replaceUsesWithIf(copy.getInput(), [&](OpOperand &use) {
        return !inside.contains(use.getOwner());
      });
      if (copy->use_empty()) {
        copy->erase();
        continue;
      }
    }
    settled.push_back(op);
  }
  return settled;
}

void weft::tpu::dropNeedlessCopies(const Chip &chip, GroupOp group) {
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
    if (!view.places.empty() &&
        placeGroup(chip, view, group.getTiling()->getCounts())) {
      copy->destroy();
      continue;
    }
    next->getBlock()->getOperations().insert(Block::iterator(next), copy);
    for (OpOperand *use : uses)
      use->set(copy.getOutput());
  }
}
