//===- RowPhases.cpp - --tpu-row-phases -----------------------------------===//

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/TransferPrice.h"
#include "passes/tpu/TurnPrice.h"
#include "passes/tpu/ValueNames.h"
#include "runtime/chips/Chip.h"
#include "runtime/cycles/Cycles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUROWPHASES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Whether `slice` takes the first elements of `axis` and all of the others.
static bool cutsEndOf(SliceOp slice, unsigned axis) {
  Dims from = dimsOf(slice.getInput()), to = dimsOf(slice.getOutput());
  from[axis] = to[axis];
  auto isZero = [](int64_t offset) { return offset == 0; };
  auto isOne = [](int64_t step) { return step == 1; };
  return from == to && llvm::all_of(slice.getOffsets(), isZero) &&
         llvm::all_of(slice.getSteps(), isOne);
}

/// `value`, or what it is but for the end of `axis`.
static Value withEndOf(Value value, unsigned axis) {
  auto slice = value.getDefiningOp<SliceOp>();
  return slice && cutsEndOf(slice, axis) ? slice.getInput() : value;
}

namespace {
/// permute [0, 2, 1, 3] of blocks of rows, functions of single elements, and a
/// reshape that sees images as channels, whatever their rows.
struct Phases {
  Value blocks; ///< images and channels, blocks, rows of a block, columns
  SmallVector<Operation *, 2> functions;
  ReshapeOp seen;

  /// The rows of all blocks one below the other.
  Dims image() {
    Dims dims = dimsOf(blocks);
    int64_t images = dimsOf(seen.getOutput())[kAxisN];
    return {images, dims[kAxisN] / images, dims[kAxisC] * dims[kAxisH],
            dims[kAxisW]};
  }
};
} // namespace

/// What `turn` begins; std::nullopt if that is anything else.
static std::optional<Phases> phasesOf(PermuteOp turn, const Chip &chip) {
  if (turn.getOrder() != ArrayRef<int64_t>{0, 2, 1, 3} || turn.widens())
    return std::nullopt;
  Phases found;
  Value last = turn.getOutput();
  while (last.hasOneUse() && isElementFunction(*last.user_begin())) {
    found.functions.push_back(*last.user_begin());
    last = found.functions.back()->getResult(0);
  }
  if (last.hasOneUse())
    found.seen = dyn_cast<ReshapeOp>(*last.user_begin());
  if (!found.seen)
    return std::nullopt;
  Dims turned = dimsOf(turn.getOutput()), seen = dimsOf(found.seen.getOutput());
  if (seen[kAxisN] == turned[kAxisN] || turned[kAxisN] % seen[kAxisN] != 0 ||
      seen[kAxisN] * seen[kAxisC] != turned[kAxisN] * turned[kAxisC])
    return std::nullopt;
  found.blocks = withEndOf(turn.getInput(), kAxisH);
  if (found.image()[kAxisH] > int64_t(chip.maxShape))
    return std::nullopt;
  return found;
}

/// The image of `phases`, and rows below it if it has more.
static Value imageOf(OpBuilder &builder, Location location, Phases &phases) {
  Value source = phases.blocks;
  if (auto reshape = source.getDefiningOp<ReshapeOp>())
    source = reshape.getInput();
  Dims dims = phases.image();
  if (dimsOf(source) == dims)
    return withEndOf(source, kAxisH);
  auto type = RankedTensorType::get(dims, elementOf(source));
  return builder.create<ReshapeOp>(location, type, source);
}

namespace {
struct RowPhases : weft::tpu::impl::TpuRowPhasesBase<RowPhases> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    auto turns = llvm::to_vector(getOperation().getBody().getOps<PermuteOp>());
    if (turns.empty())
      return;
    TransferPrice price(*chip);
    for (PermuteOp turn : turns)
      if (std::optional<Phases> phases = phasesOf(turn, *chip))
        replace(turn, *phases, *chip, price);
  }

private:
  static void replace(PermuteOp turn, Phases &phases, const Chip &chip,
                      TransferPrice &price);
};
} // namespace

/// Whether loads of each channel's phases cost less than a turn within DRAM and
/// a load of what it gives.
static bool gains(PermuteOp turn, RowPhasesOp phases, const Chip &chip,
                  TransferPrice &price) {
  auto cyclesOf = [&](const Dims &dims, const Dims &steps) {
    LocalTensor tensor{dims, elementBits(elementOf(phases.getOutput())),
                       LocalLayout::Aligned};
    return price.cycles(tensor, steps, /*isLoad=*/true);
  };
  Dims whole = dimsOf(phases.getOutput()), part = whole;
  int64_t channels = dimsOf(phases.getInput())[kAxisC];
  part[kAxisC] /= channels;
  int64_t loads = cyclesOf(part, rowPhaseSteps(phases)),
          plain = cyclesOf(whole, denseSteps(whole));
  return loads < int64_t(cycles::kMostCycles) &&
         loads * channels < TurnPrice::leastInDram(chip, turn) + plain;
}

/// Erases the slices and views that lead to `value`, as far as nobody reads
/// them.
static void eraseUnread(Value value) {
  while (value.use_empty() &&
         llvm::isa_and_nonnull<SliceOp, ReshapeOp>(value.getDefiningOp())) {
    Operation *maker = value.getDefiningOp();
    value = maker->getOperand(0);
    maker->erase();
  }
}

void RowPhases::replace(PermuteOp turn, Phases &phases, const Chip &chip,
                        TransferPrice &price) {
  OpBuilder builder(phases.seen);
  Dims rows = dimsOf(turn.getOutput()), seen = dimsOf(phases.seen.getOutput());
  auto type = phases.seen.getOutput().getType().clone(
      {seen[kAxisN], seen[kAxisC], rows[kAxisH], rows[kAxisW]});
  Value image = imageOf(builder, turn.getLoc(), phases);
  auto made =
      builder.create<RowPhasesOp>(turn.getLoc(), type.clone(elementOf(image)),
                                  image, dimsOf(phases.blocks)[kAxisH]);
  if (!gains(turn, made, chip, price)) {
    made.erase();
    eraseUnread(image);
    return;
  }
  Operation *last = made;
  for (Operation *function : phases.functions) {
    Value operand = last->getResult(0);
    last = builder.clone(*function);
    last->setOperand(0, operand);
    last->getResult(0).setType(type.clone(elementOf(function->getResult(0))));
    dropName(last);
  }
  phases.seen.getInputMutable().assign(last->getResult(0));
  for (Operation *function : llvm::reverse(phases.functions))
    function->erase();
  Value blocks = turn.getInput();
  turn.erase();
  eraseUnread(blocks);
}
