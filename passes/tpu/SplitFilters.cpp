//===- SplitFilters.cpp - --tpu-split-filters -----------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "passes/tpu/BandOps.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/ValueNames.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUSPLITFILTERS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Filters are at most this part of local memory: a load of as much takes
/// longer than what a command more costs, and leaves room for those that
/// follow.
static constexpr int64_t kPartsOfMemory = 16;

/// `count` rows of `weight` along `axis`, the outermost that is not 1, from
/// `first` on. Null if it has no bytes.
static Value rowsOf(OpBuilder &builder, Value weight, unsigned axis,
                    int64_t first, int64_t count) {
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t row = type.getNumElements() / shape[axis];
  shape[axis] = count;
  ElementsAttr part = partOfWeight(weight.getDefiningOp<WeightOp>().getValue(),
                                   type.clone(shape), first * row);
  return part ? builder.create<WeightOp>(weight.getLoc(), part) : Value();
}

/// The convolution that gives the channels of `conv` from `first` on. Null if a
/// weight has no bytes.
static ConvOp channelsOf(OpBuilder &builder, ConvOp conv, int64_t first,
                         int64_t count) {
  IRMapping mapping;
  Value filter = rowsOf(builder, conv.getFilter(), 0, first, count);
  if (!filter)
    return {};
  mapping.map(conv.getFilter(), filter);
  if (conv.getBias()) {
    Value bias = rowsOf(builder, conv.getBias(), kAxisC, first, count);
    if (!bias)
      return {};
    mapping.map(conv.getBias(), bias);
  }
  auto made = cast<ConvOp>(builder.clone(*conv, mapping));
  dropName(made);
  Dims result = dimsOf(conv.getOutput());
  result[kAxisC] = count;
  made.getOutput().setType(conv.getOutput().getType().clone(result));
  if (auto values = conv.getMultipliers())
    made.setMultipliers(values->slice(first, count));
  if (auto values = conv.getRshifts())
    made.setRshifts(values->slice(first, count));
  if (auto values = conv.getScales())
    made.setScales(values->slice(first, count));
  if (auto values = conv.getFilterZeroPoints())
    made.setFilterZeroPoints(values->slice(first, count));
  return made;
}

/// Whether `value` lies from lane 0 on where channels are joined by address.
/// Parts of what begins in another lane would each take up one more row of all
/// lanes, and so would their filters.
static bool beginsInFirstLane(Value value, const Chip &chip) {
  for (OpOperand &use : value.getUses()) {
    auto concat = dyn_cast<ConcatOp>(use.getOwner());
    if (!concat || concat.getAxis() != kAxisC)
      continue;
    int64_t before = 0;
    for (Value input : concat.getInputs().take_front(use.getOperandNumber()))
      before += dimsOf(input)[kAxisC];
    if (before % int64_t(chip.lanes) != 0)
      return false;
  }
  return true;
}

/// How many output channels a part has; none if it has all.
static std::optional<int64_t> channelsOfPart(ConvOp conv, const Chip &chip) {
  Dims filter = dimsOf(conv.getFilter());
  int64_t bytes = tensorBytes(conv.getFilter()), lanes = chip.lanes,
          partBytes = lanes * int64_t(chip.laneBytes) / kPartsOfMemory;
  auto isConstant = [](Value value) {
    return !value || value.getDefiningOp<WeightOp>();
  };
  if (bytes <= partBytes || conv.getGroup() != 1 || conv->hasAttr(kBandsAttr) ||
      !isConstant(conv.getFilter()) || !isConstant(conv.getBias()) ||
      !beginsInFirstLane(conv.getOutput(), chip))
    return std::nullopt;
  // Parts begin in lane 0, where the matrix unit puts its results.
  int64_t rounds = llvm::divideCeil(filter[0], lanes),
          parts = llvm::divideCeil(bytes, partBytes),
          count = llvm::divideCeil(rounds, parts) * lanes;
  return count < filter[0] ? std::optional(count) : std::nullopt;
}

namespace {
struct SplitFilters : weft::tpu::impl::TpuSplitFiltersBase<SplitFilters> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    for (ConvOp conv : llvm::to_vector(getOperation().getOps<ConvOp>()))
      if (std::optional<int64_t> count = channelsOfPart(conv, *chip))
        split(conv, *count);
  }

private:
  static void split(ConvOp conv, int64_t count);
};
} // namespace

void SplitFilters::split(ConvOp conv, int64_t count) {
  OpBuilder builder(conv);
  int64_t channels = dimsOf(conv.getOutput())[kAxisC];
  SmallVector<Value> parts;
  for (int64_t first = 0; first < channels; first += count) {
    ConvOp made =
        channelsOf(builder, conv, first, std::min(count, channels - first));
    if (!made)
      return;
    parts.push_back(made.getOutput());
  }
  auto joined = builder.create<ConcatOp>(
      conv.getLoc(), conv.getOutput().getType(), parts, kAxisC);
  takeName(joined, conv);
  conv.getOutput().replaceAllUsesWith(joined.getOutput());
  eraseWithWeights(conv);
}
