//===- FillLanes.cpp - --tpu-fill-lanes -----------------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/PlaneTransfer.h"
#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUFILLLANES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// The longest runs of element functions, each the only reader of the one
/// before it.
static std::vector<SmallVector<Operation *, 4>> chainsOf(Block &block) {
  std::vector<SmallVector<Operation *, 4>> chains;
  DenseMap<Operation *, size_t> chainOf;
  for (Operation &op : block) {
    // Bands fill the lanes already.
    if (!isElementFunction(&op) || op.hasAttr(kBandsAttr))
      continue;
    Value operand = op.getOperand(0);
    auto before = chainOf.find(operand.getDefiningOp());
    size_t number = chains.size();
    if (before != chainOf.end() && operand.hasOneUse())
      number = before->second;
    else
      chains.emplace_back();
    chains[number].push_back(&op);
    chainOf[&op] = number;
  }
  return chains;
}

/// The elements in `lanes` lanes, in rows as long as before if they can be.
static Dims spreadDims(const Chip &chip, const Dims &dims, int64_t lanes) {
  int64_t row = Box::whole(dims).elements() / lanes;
  int64_t width =
      row % dims[kAxisW] ? largestDivisor(row, chip.maxShape) : dims[kAxisW];
  return {1, lanes, row / width, width};
}

/// Cycles of one transfer of `value` between DRAM and lanes under these sizes.
static int64_t transferCycles(Value value, const Chip &chip, const Dims &dims) {
  return planeTransferCycles(value, dims, chip, chip.rates.storeBytes);
}

/// Cycles of the functions on tensors of these sizes, in pieces where an axis
/// is longer than a command counts.
static std::optional<int64_t>
computeCycles(ArrayRef<Operation *> chain, const Chip &chip, const Dims &dims) {
  Box piece = Box::whole(dims);
  for (int64_t &size : piece.size)
    size = std::min(size, int64_t(chip.maxShape));
  double pieces = double(Box::whole(dims).elements()) / piece.elements();
  int64_t cycles = 0;
  for (Operation *op : chain) {
    std::optional<int64_t> own = cautiousCyclesOf(op, chip, piece);
    if (!own)
      return std::nullopt;
    cycles += int64_t(*own * pieces);
  }
  return cycles;
}

/// Whether no group makes `value`: neither an op that could be in one, nor what
/// it is a piece of, as an address.
static bool isOutsideOfGroups(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && asTileable(op)) {
    auto slice = dyn_cast<SliceOp>(op);
    if (slice ? sliceOffset(slice) < 0 : !llvm::isa<ReshapeOp>(op))
      return false;
    op = op->getOperand(0).getDefiningOp();
  }
  return true;
}

/// Cycles of the chain on tensors of these sizes, at whose ends lies `reshaped`
/// or not. A value that a group hands over in local memory is not moved; beside
/// a reshape it is, in its own sizes and in those of the chain.
static std::optional<int64_t> costOf(ArrayRef<Operation *> chain,
                                     const Chip &chip, const Dims &dims,
                                     bool isReshaped) {
  Value input = chain.front()->getOperand(0),
        output = chain.back()->getResult(0);
  std::optional<int64_t> cycles = computeCycles(chain, chip, dims);
  if (!cycles)
    return std::nullopt;
  // A group also loads a value once for all that read it.
  bool isHandedIn =
           !isOutsideOfGroups(input) ||
           llvm::any_of(input.getUsers(),
                        [&](Operation *user) {
                          return user != chain.front() && asTileable(user);
                        }),
       isHandedOut = llvm::any_of(output.getUsers(), asTileable);
  for (auto [value, isHanded] :
       {std::pair(input, isHandedIn), std::pair(output, isHandedOut)}) {
    if (isReshaped || !isHanded)
      *cycles += transferCycles(value, chip, dims);
    if (isReshaped && isHanded)
      *cycles += transferCycles(value, chip, dimsOf(value));
  }
  return cycles;
}

static RankedTensorType reshaped(Value value, const Dims &dims) {
  return RankedTensorType::get(dims, elementOf(value));
}

/// Puts reshapes around the chain. Where the values lie in DRAM they cost
/// nothing: a reshape lies in its source.
static void reshape(ArrayRef<Operation *> chain, const Dims &dims) {
  OpBuilder builder(chain.front());
  Value input = chain.front()->getOperand(0),
        output = chain.back()->getResult(0);
  Type outputType = output.getType();
  chain.front()->setOperand(
      0, builder.create<ReshapeOp>(chain.front()->getLoc(),
                                   reshaped(input, dims), input));
  for (Operation *op : chain)
    op->getResult(0).setType(reshaped(op->getResult(0), dims));
  builder.setInsertionPointAfter(chain.back());
  auto back =
      builder.create<ReshapeOp>(chain.back()->getLoc(), outputType, output);
  output.replaceAllUsesExcept(back, back);
}

/// Cycles to store and load what groups hand over past the chain: groups are
/// runs of ops in block order, and reshapes end them.
static int64_t costOfCuts(ArrayRef<Operation *> chain, const Chip &chip) {
  auto isOutside = [&](Operation *op) {
    return asTileable(op) && !llvm::is_contained(chain, op);
  };
  int64_t cycles = 0;
  for (Operation &op : *chain.front()->getBlock()) {
    if (&op == chain.back())
      break;
    if (!isOutside(&op) || op.getResult(0) == chain.front()->getOperand(0) ||
        isOutsideOfGroups(op.getResult(0)))
      continue;
    bool isCut = llvm::any_of(op.getUsers(), [&](Operation *user) {
      Operation *cut =
          op.isBeforeInBlock(chain.front()) ? chain.front() : chain.back();
      return isOutside(user) && cut->isBeforeInBlock(user);
    });
    if (isCut)
      cycles +=
          2 * transferCycles(op.getResult(0), chip, dimsOf(op.getResult(0)));
  }
  return cycles;
}

/// "1x64x10x640"
static std::string sizesText(const Dims &dims) {
  std::string text;
  for (int64_t size : dims)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// The sizes under which the chain costs least; its own unless others save a
/// fifth, as a group of its own has costs that are not counted here.
static Dims cheapestDims(ArrayRef<Operation *> chain, const Chip &chip) {
  Value input = chain.front()->getOperand(0);
  Dims dims = dimsOf(input), best = dims;
  int64_t total = Box::whole(dims).elements();
  if (total == 0 || input.getDefiningOp<WeightOp>())
    return dims;
  std::optional<int64_t> asItIs =
      costOf(chain, chip, dims, /*isReshaped=*/false);
  if (!asItIs)
    return dims;
  int64_t most = *asItIs * 4 / 5, least = *asItIs;
  for (int64_t wanted = chip.lanes; wanted > 1; wanted /= 2) {
    Dims spread = spreadDims(chip, dims, largestDivisor(total, wanted));
    auto cost = costOf(chain, chip, spread, /*isReshaped=*/true);
    if (cost && *cost < least) {
      best = spread;
      least = *cost;
    }
  }
  if (best == dims)
    return dims;
  if (least < most)
    least += costOfCuts(chain, chip);
  bool isWorthIt = least < most;
  addChoice(chain.front(), rt::Question::FillLanes,
            {{"as it is", *asItIs}, {sizesText(best), least}}, isWorthIt);
  return isWorthIt ? best : dims;
}

namespace {
struct FillLanes : weft::tpu::impl::TpuFillLanesBase<FillLanes> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    for (ArrayRef<Operation *> chain :
         chainsOf(getOperation().getBody().front())) {
      Dims dims = cheapestDims(chain, *chip);
      if (dims != dimsOf(chain.front()->getOperand(0)))
        reshape(chain, dims);
    }
  }
};
} // namespace
