//===- StackRows.cpp - --tpu-stack-rows -----------------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Resize.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/BandOps.h"
#include "passes/tpu/Passes.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUSTACKROWS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// How many rows are tried at once.
static constexpr int64_t kCounts[] = {2, 3, 4, 8};

namespace {
/// A convolution of several rows at once, and its rows in turn.
struct StackedConv {
  ConvOp conv;
  ChannelsToRowsOp rows;
};
} // namespace

/// Whether the lanes hold `count` rows of the result as channels.
static bool canStack(ConvOp conv, int64_t count, const Chip &chip) {
  Dims result = dimsOf(conv.getOutput());
  auto isConstant = [](Value value) {
    return !value || value.getDefiningOp<WeightOp>();
  };
  // Rows that take several commands to be moved begin at whole rows of EUs.
  bool isNarrow = result[kAxisW] * int64_t(chip.euBytes) <= chip.maxShape;
  return isQuantized(conv.getInput()) && !conv.isDepthwise() &&
         conv.getGroup() == 1 && !conv->hasAttr(kBandsAttr) &&
         !conv.getFilterZeroPoints() && isConstant(conv.getFilter()) &&
         isConstant(conv.getBias()) && conv.getDilations()[0] == 1 &&
         result[kAxisN] == 1 && isNarrow &&
         result[kAxisC] * count <= int64_t(chip.lanes) &&
         result[kAxisH] > count;
}

/// The filters once for each row, lower by the stride each time. For a price
/// zeros. Null if a filter has no bytes.
static Value stackedFilter(OpBuilder &builder, ConvOp conv, int64_t count,
                           Purpose purpose) {
  RankedTensorType type = conv.getFilter().getType();
  Dims dims = dimsOf(conv.getFilter());
  int64_t stride = conv.getStrides()[0],
          high = dims[kAxisH] + (count - 1) * stride;
  RankedTensorType stacked =
      type.clone({dims[0] * count, dims[1], high, dims[kAxisW]});
  Location location = conv.getFilter().getLoc();
  if (purpose == Purpose::Price)
    return builder.create<WeightOp>(
        location, DenseElementsAttr::get(
                      stacked, builder.getZeroAttr(type.getElementType())));
  std::optional<std::vector<char>> bytes =
      constantBytes(conv.getFilter().getDefiningOp<WeightOp>().getValue());
  if (!bytes)
    return {};
  size_t window = bytes->size() / size_t(dims[0] * dims[1]),
         row = window / size_t(dims[kAxisH]);
  std::vector<char> result(row * high * dims[0] * dims[1] * count, 0);
  char *to = result.data();
  for (int64_t i = 0; i < count; ++i)
    for (int64_t plane = 0; plane < dims[0] * dims[1];
         ++plane, to += row * high)
      std::copy_n(bytes->data() + plane * window, window,
                  to + i * stride * row);
  return builder.create<WeightOp>(location,
                                  weightAttr(stacked, std::move(result)));
}

/// Null if a weight has no bytes.
static StackedConv stack(ConvOp conv, int64_t count, Purpose purpose) {
  OpBuilder builder(conv);
  Value filter = stackedFilter(builder, conv, count, purpose);
  if (!filter)
    return {};
  StackedConv made;
  IRMapping mapping;
  mapping.map(conv.getFilter(), filter);
  if (conv.getBias()) {
    Value bias = repeatWeight(builder, conv.getBias(), kAxisC, count, purpose);
    if (!bias) {
      filter.getDefiningOp()->erase();
      return {};
    }
    mapping.map(conv.getBias(), bias);
  }
  made.conv = cast<ConvOp>(builder.clone(*conv, mapping));
  Dims result = dimsOf(conv.getOutput());
  int64_t rows = llvm::divideCeil(result[kAxisH], count);
  made.conv.getOutput().setType(conv.getOutput().getType().clone(
      {1, result[kAxisC] * count, rows, result[kAxisW]}));
  repeatPerChannel(made.conv, count);
  made.conv.setStrides({conv.getStrides()[0] * count, conv.getStrides()[1]});
  RowWindow window = rowWindowOf(made.conv);
  SmallVector<int64_t> pads(conv.getPads());
  pads[2] = window.below(dimsOf(conv.getInput())[kAxisH], rows);
  made.conv.setPads(pads);
  // The name is that of the whole result.
  made.conv->setDiscardableAttrs(DictionaryAttr::get(conv.getContext()));
  made.rows = builder.create<ChannelsToRowsOp>(
      conv.getLoc(), conv.getOutput().getType(), made.conv.getOutput());
  made.rows->setDiscardableAttrs(conv->getDiscardableAttrDictionary());
  return made;
}

static void erase(StackedConv made) {
  eraseWithWeights(made.rows);
  eraseWithWeights(made.conv);
}

static std::optional<int64_t> wholeCyclesOf(Operation *op, const Chip &chip) {
  return cheapestCyclesOf(op, chip, Box::whole(dimsOf(op->getResult(0))));
}

static std::optional<int64_t> cyclesOf(StackedConv made, const Chip &chip) {
  std::optional<int64_t> conv = wholeCyclesOf(made.conv, chip),
                         rows = wholeCyclesOf(made.rows, chip);
  if (!conv || !rows || !fitsAlone(chip, made.conv, {}) ||
      !fitsAlone(chip, made.rows, {}))
    return std::nullopt;
  return *conv + *rows;
}

/// Stacks rows where it saves a tenth: what slices and larger groups cost is
/// not counted here.
static void stackCheapest(ConvOp conv, const Chip &chip) {
  SmallVector<Way, 4> ways;
  int64_t taken = 0, least = 0;
  size_t number = 0;
  for (int64_t count : kCounts) {
    if (!canStack(conv, count, chip))
      continue;
    if (ways.empty()) {
      std::optional<int64_t> asItIs = wholeCyclesOf(conv, chip);
      ways.push_back({"as it is", asItIs});
      least = asItIs ? *asItIs * 9 / 10 : 0;
    }
    StackedConv made = stack(conv, count, Purpose::Price);
    std::optional<int64_t> cycles = cyclesOf(made, chip);
    erase(made);
    ways.push_back({std::to_string(count) + " rows", cycles});
    if (cycles && *cycles < least) {
      least = *cycles;
      taken = count;
      number = ways.size() - 1;
    }
  }
  if (ways.empty())
    return;
  StackedConv made =
      taken ? stack(conv, taken, Purpose::Program) : StackedConv();
  addChoice(made.conv ? made.conv : conv, rt::Question::StackRows, ways,
            made.conv ? number : 0);
  if (!made.rows)
    return;
  conv.getOutput().replaceAllUsesWith(made.rows.getOutput());
  eraseWithWeights(conv);
}

namespace {
struct StackRows : weft::tpu::impl::TpuStackRowsBase<StackRows> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    for (ConvOp conv : llvm::to_vector(getOperation().getOps<ConvOp>()))
      stackCheapest(conv, *chip);
  }
};
} // namespace
