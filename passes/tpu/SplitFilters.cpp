//===- SplitFilters.cpp - --tpu-split-filters -----------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "passes/tpu/BandOps.h"
#include "passes/tpu/ChannelNumbers.h"
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

/// Filters of a part are about this part of local memory: a load of as much
/// takes longer than what a command more costs, and leaves room for those that
/// follow.
static constexpr int64_t kPartsOfMemory = 16;

/// Whether `value` lies from lane 0 on where its readers join channels by
/// address. Parts of what begins in another lane would each take up one more
/// row of all lanes, and so would their filters.
static bool beginsInFirstLane(Value value, const Chip &chip) {
  for (OpOperand &use : value.getUses()) {
    auto concat = dyn_cast<ConcatOp>(use.getOwner());
    std::optional<int64_t> channel;
    if (concat)
      channel = concat.channelInResult(use.getOperandNumber());
    if (channel && *channel % int64_t(chip.lanes) != 0)
      return false;
  }
  return true;
}

/// How many output channels a part has; none if it has all.
static std::optional<int64_t> channelsOfPart(ConvOp conv, const Chip &chip) {
  Dims filter = dimsOf(conv.getFilter());
  int64_t bytes = tensorBytes(conv.getFilter()), lanes = chip.lanes,
          partBytes = lanes * int64_t(chip.laneBytes) / kPartsOfMemory;
  auto isReadable = [](Value value) {
    auto weight = value.getDefiningOp<WeightOp>();
    return weight && hasBytes(weight.getValue());
  };
  // One filter of one channel is a depthwise convolution, which has other
  // recipes than the whole.
  if (bytes <= partBytes || conv.getGroup() != 1 || filter[kAxisC] == 1 ||
      conv->hasAttr(kBandsAttr) || !isReadable(conv.getFilter()) ||
      (conv.getBias() && !isReadable(conv.getBias())) ||
      !beginsInFirstLane(conv.getOutput(), chip))
    return std::nullopt;
  // Parts begin in lane 0, where the matrix unit puts its results: they have
  // whole rounds over the lanes, as equally many as can be.
  int64_t rounds = llvm::divideCeil(filter[0], lanes),
          most = std::max<int64_t>(1, rounds * partBytes / bytes),
          parts = llvm::divideCeil(rounds, most),
          count = llvm::divideCeil(rounds, parts) * lanes;
  return count < filter[0] ? std::optional(count) : std::nullopt;
}

/// The weight behind `weight` in parts of `count` rows along `axis`, the
/// outermost that is not 1.
static SmallVector<Value> partsOf(OpBuilder &builder, Value weight,
                                  unsigned axis, int64_t count) {
  SmallVector<Value> parts;
  for (ElementsAttr part :
       partsOfWeight(weight.getDefiningOp<WeightOp>().getValue(), axis, count))
    parts.push_back(builder.create<WeightOp>(weight.getLoc(), part));
  return parts;
}

/// The convolution that gives the channels of `conv` from `first` on.
static ConvOp channelsOf(OpBuilder &builder, ConvOp conv, int64_t first,
                         Value filter, Value bias) {
  IRMapping mapping;
  mapping.map(conv.getFilter(), filter);
  if (bias)
    mapping.map(conv.getBias(), bias);
  auto made = cast<ConvOp>(builder.clone(*conv, mapping));
  dropName(made);
  Dims result = dimsOf(conv.getOutput());
  int64_t count = dimsOf(filter)[0];
  result[kAxisC] = count;
  made.getOutput().setType(conv.getOutput().getType().clone(result));
  mapChannelNumbers(
      made, [&](auto numbers) { return numbers.slice(first, count).vec(); });
  return made;
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
  SmallVector<Value> filters = partsOf(builder, conv.getFilter(), 0, count),
                     biases, parts;
  if (conv.getBias())
    biases = partsOf(builder, conv.getBias(), kAxisC, count);
  for (auto [i, filter] : llvm::enumerate(filters))
    parts.push_back(channelsOf(builder, conv, i * count, filter,
                               biases.empty() ? Value() : biases[i])
                        .getOutput());
  auto joined = builder.create<ConcatOp>(
      conv.getLoc(), conv.getOutput().getType(), parts, kAxisC);
  takeName(joined, conv);
  conv.getOutput().replaceAllUsesWith(joined.getOutput());
  eraseWithWeights(conv);
}
