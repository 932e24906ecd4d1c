//===- Pipeline.cpp - transfers and computations of a loop overlap -------===//

#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"
#include "dialects/ppl/Round.h"
#include "passes/ppl/Accesses.h"
#include "passes/ppl/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

namespace weft::ppl {
#define GEN_PASS_DEF_PPLPIPELINE
#include "passes/ppl/Passes.h.inc"
} // namespace weft::ppl

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace {
/// An op of a round with its stage (PPL 3.4): the engine changes from one stage
/// to the next along every tensor.
struct StagedOp {
  Operation *op;
  unsigned stage;
};
using Round = SmallVector<StagedOp>;

/// The rounds of one loop.
class Loop {
public:
  Loop(ArrayRef<RoundOp> roundOps, const Chip &chip);

  unsigned lastStage() const { return last; }
  /// A reason why the rounds cannot overlap, or none; tensors that all rounds
  /// share get a copy a round first, where that keeps the meaning.
  std::optional<std::string> obstacle(OpBuilder &builder);
  /// Moves the ops before the first round in their new order.
  void emitOverlapped();
  void emitSerial();

private:
  void stage(RoundOp round);
  bool isPrivatizable(Value root) const;
  void privatize(Value root, OpBuilder &builder);
  /// The first pair that would change places and must not.
  std::optional<std::pair<TensorAccess, TensorAccess>> conflict() const;
  bool changesPlaces(size_t round, unsigned stage, size_t laterRound,
                     unsigned laterStage) const;

  SmallVector<RoundOp> roundOps;
  const Chip &chip;
  SmallVector<Round> rounds;
  unsigned last = 0;
  /// Whether a step starts with the loads for later rounds. Then a buffer that
  /// is loaded and those that the other stages still use are alive together,
  /// so that none of them gets the place of another.
  bool earlyStagesFirst = true;
};
} // namespace

Loop::Loop(ArrayRef<RoundOp> ops, const Chip &chip)
    : roundOps(ops.begin(), ops.end()), chip(chip) {
  for (RoundOp round : roundOps)
    stage(round);
}

/// Whether two functions must keep their order because of memory that both
/// touch.
static bool mustKeepOrder(ArrayRef<TensorAccess> earlier,
                          ArrayRef<TensorAccess> later, const Chip &chip) {
  for (const TensorAccess &x : earlier)
    for (const TensorAccess &y : later)
      if ((x.writes || y.writes) && mayOverlap(x.tensor, y.tensor, chip))
        return true;
  return false;
}

void Loop::stage(RoundOp round) {
  struct Earlier {
    catalog::Unit unit;
    unsigned stage;
    SmallVector<TensorAccess> accesses;
  };
  SmallVector<Earlier> before;
  Round &ops = rounds.emplace_back();
  unsigned lowest = 0, highest = 0; // of ops behind a barrier, of all
  for (Operation &op : round.getBody().front()) {
    if (mlir::isa<BarrierOp>(op)) {
      lowest = highest;
      continue;
    }
    FunctionOp function(&op);
    Earlier now{function.function().unit, lowest, accessesOf(function)};
    for (const Earlier &other : before) {
      // The manual's rule goes by tensors, read or written; memory that two
      // tensors share, and global memory, must keep its order, too.
      bool sharesLocal = llvm::any_of(now.accesses, [&](const auto &x) {
        return cast<TensorViewType>(x.root.getType()).isLocal() &&
               llvm::any_of(other.accesses,
                            [&](const auto &y) { return x.root == y.root; });
      });
      if (sharesLocal || mustKeepOrder(other.accesses, now.accesses, chip))
        now.stage =
            std::max(now.stage, other.stage + (other.unit == now.unit ? 0 : 1));
    }
    ops.push_back({&op, now.stage});
    highest = std::max(highest, now.stage);
    before.push_back(std::move(now));
  }
  last = std::max(last, highest);
}

bool Loop::changesPlaces(size_t round, unsigned stage, size_t laterRound,
                         unsigned laterStage) const {
  size_t step = round + stage, laterStep = laterRound + laterStage;
  return step > laterStep || (step == laterStep && earlyStagesFirst);
}

std::optional<std::pair<TensorAccess, TensorAccess>> Loop::conflict() const {
  for (size_t i = 0; i < rounds.size(); ++i)
    for (size_t later = i + 1; later <= i + last && later < rounds.size();
         ++later)
      for (const StagedOp &a : rounds[i])
        for (const StagedOp &b : rounds[later]) {
          if (a.stage == b.stage || !changesPlaces(i, a.stage, later, b.stage))
            continue;
          for (const TensorAccess &x : accessesOf(FunctionOp(a.op)))
            for (const TensorAccess &y : accessesOf(FunctionOp(b.op))) {
              if ((x.writes || y.writes) &&
                  mayOverlap(x.tensor, y.tensor, chip))
                return std::pair(x, y);
            }
        }
  return std::nullopt;
}

bool Loop::isPrivatizable(Value root) const {
  auto alloc = root.getDefiningOp<AllocOp>();
  if (!alloc || alloc.getSingle())
    return false;
  // Every round writes all of it before it reads, and nobody else uses it.
  SmallVector<Value> views{root};
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      if (auto view = dyn_cast<ViewOp>(user)) {
        views.push_back(view.getTensor());
        continue;
      }
      auto round = user->getParentOfType<RoundOp>();
      if (!round || !llvm::is_contained(roundOps, round))
        return false;
    }
  for (const Round &round : rounds)
    for (const StagedOp &staged : round) {
      bool touches = false, covers = false;
      for (const TensorAccess &access : accessesOf(FunctionOp(staged.op))) {
        if (access.root != root)
          continue;
        if (access.reads) // before it writes, whatever the order of its slots
          return false;
        touches = true;
        covers |= access.coversRoot;
      }
      if (touches && !covers)
        return false;
      if (touches)
        break; // what follows in this round sees this round's values
    }
  return true;
}

// Views of the root are few; each round gets its own of those that it uses.
void Loop::privatize(Value root, OpBuilder &builder) {
  builder.setInsertionPoint(roundOps.front());
  for (size_t i = 1; i < rounds.size(); ++i) {
    IRMapping mapping;
    std::function<Value(Value)> copyOf = [&](Value value) -> Value {
      if (Value known = mapping.lookupOrNull(value))
        return known;
      Operation *op = value.getDefiningOp();
      if (auto view = dyn_cast<ViewOp>(op))
        copyOf(view.getSource());
      builder.clone(*op, mapping);
      return mapping.lookup(value);
    };
    for (const StagedOp &staged : rounds[i])
      for (OpOperand &operand : staged.op->getOpOperands())
        if (rootOf(operand.get()) == root)
          operand.set(copyOf(operand.get()));
  }
}

std::optional<std::string> Loop::obstacle(OpBuilder &builder) {
  while (auto pair = conflict()) {
    Value root = pair->first.root;
    if (root == pair->second.root && isPrivatizable(root)) {
      privatize(root, builder);
      continue;
    }
    if (earlyStagesFirst) {
      earlyStagesFirst = false;
      continue;
    }
    auto type = cast<TensorViewType>(root.getType());
    if (type.isLocal())
      return "a local tensor carries a value from one round to the next, or "
             "from before the loop, across stages; make it inside the loop";
    return "a round reads or overwrites global memory that an earlier round "
           "writes in a later stage";
  }
  return std::nullopt;
}

void Loop::emitOverlapped() {
  Operation *before = roundOps.front();
  for (size_t step = 0; step < rounds.size() + last; ++step)
    for (unsigned i = 0; i <= last; ++i) {
      unsigned stage = earlyStagesFirst ? i : last - i;
      if (step < stage || step - stage >= rounds.size())
        continue;
      for (const StagedOp &staged : rounds[step - stage])
        if (staged.stage == stage)
          staged.op->moveBefore(before);
    }
}

void Loop::emitSerial() {
  Operation *before = roundOps.front();
  for (const Round &round : rounds)
    for (const StagedOp &staged : round)
      staged.op->moveBefore(before);
}

// Tensors of a round are made before it; they do not separate rounds.
static bool followsDirectly(Operation *first, Operation *second) {
  Operation *op = first->getNextNode();
  while (op != second && mlir::isa<AllocOp, ViewOp, GlobalOp, LocalOp>(op))
    op = op->getNextNode();
  return op == second;
}

using LoopRounds = SmallVector<RoundOp, 1>;

/// The rounds of each loop, in order.
static std::vector<LoopRounds> loopsOf(NetOp net) {
  std::vector<LoopRounds> loops;
  for (RoundOp round : net.getBody().getOps<RoundOp>()) {
    bool goesOn = !loops.empty() &&
                  loops.back().back().getLoop() == round.getLoop() &&
                  followsDirectly(loops.back().back(), round);
    if (!goesOn)
      loops.emplace_back();
    loops.back().push_back(round);
  }
  return loops;
}

bool weft::ppl::hasLoopOfOneRound(NetOp net) {
  return llvm::any_of(loopsOf(net), [](const LoopRounds &rounds) {
    return rounds.size() == 1;
  });
}

namespace {
struct Pipeline : weft::ppl::impl::PplPipelineBase<Pipeline> {
  using PplPipelineBase::PplPipelineBase;

  void runOnOperation() override {
    NetOp net = getOperation();
    const Chip &chip = chipOf(net);
    OpBuilder builder(net);
    for (ArrayRef<RoundOp> loopOps : loopsOf(net)) {
      overlap(loopOps, chip, builder);
      for (RoundOp round : loopOps)
        round.erase();
    }
  }

  void overlap(ArrayRef<RoundOp> loopOps, const Chip &chip,
               OpBuilder &builder) {
    hoistTensors(loopOps);
    Loop loop(loopOps, chip);
    if (serial || loop.lastStage() == 0)
      return loop.emitSerial();
    if (serialSingles && loopOps.size() == 1) {
      RoundOp(loopOps.front()).emitWarning()
          << "the loop has one round, whose tensors only fit in the order that "
             "is written; smaller blocks make rounds that overlap";
      return loop.emitSerial();
    }
    if (std::optional<std::string> why = loop.obstacle(builder)) {
      RoundOp(loopOps.front()).emitWarning()
          << "the loop stays serial: " << *why;
      return loop.emitSerial();
    }
    loop.emitOverlapped();
  }

  // What rounds use is made before the first one.
  static void hoistTensors(ArrayRef<RoundOp> loopOps) {
    Operation *front = RoundOp(loopOps.front());
    for (RoundOp round : loopOps.drop_front()) {
      SmallVector<Operation *> tensors;
      for (Operation *op = round->getPrevNode(); op && !mlir::isa<RoundOp>(op);
           op = op->getPrevNode())
        tensors.push_back(op);
      for (Operation *op : llvm::reverse(tensors))
        op->moveBefore(front);
    }
  }
};
} // namespace
