//===- UnfoldConvs.cpp - --tpu-unfold-convs -------------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/Passes.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUUNFOLDCONVS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// A window over h and w, as ops have it.
struct MovingWindow {
  SmallVector<int64_t, 2> kernel, strides, dilations;
  SmallVector<int64_t, 4> pads;

  explicit MovingWindow(ConvOp conv)
      : strides(conv.getStrides()), dilations(conv.getDilations()),
        pads(conv.getPads()) {
    Dims filter = dimsOf(conv.getFilter());
    kernel = {filter[kAxisH], filter[kAxisW]};
  }

  int64_t taps() const { return kernel[0] * kernel[1]; }

  /// Of one element along an axis that is not wanted.
  MovingWindow along(bool rows, bool columns) const {
    MovingWindow part = *this;
    for (unsigned axis : {0, 1})
      if (!(axis ? columns : rows)) {
        part.kernel[axis] = part.strides[axis] = part.dilations[axis] = 1;
        part.pads[axis] = part.pads[axis + 2] = 0;
      }
    return part;
  }

  /// Places of the window along `axis` (0 or 1) of `size` elements.
  int64_t outputSize(unsigned axis, int64_t size) const {
    return windowOutputSize(size, kernel[axis], strides[axis], pads[axis],
                            pads[axis + 2], dilations[axis]);
  }
};

/// A convolution of the unfolded input of another, with the same result.
struct UnfoldedConv {
  UnfoldOp input;
  WeightOp filter;
  ConvOp conv;

  void erase() {
    conv.erase();
    filter.erase();
    input.erase();
  }
};
} // namespace

/// The rows of the window as channels, or with `columns` all of its elements:
/// so the elements of the filter keep their order.
static UnfoldedConv unfold(ConvOp conv, bool columns) {
  OpBuilder builder(conv);
  MovingWindow window(conv), first = window.along(true, columns),
                             rest = window.along(false, !columns);
  RankedTensorType input = conv.getInput().getType(),
                   filter = conv.getFilter().getType();
  int64_t unfolded[] = {input.getDimSize(kAxisN),
                        input.getDimSize(kAxisC) * first.taps(),
                        first.outputSize(0, input.getDimSize(kAxisH)),
                        first.outputSize(1, input.getDimSize(kAxisW))};
  int64_t seen[] = {filter.getDimSize(0), filter.getDimSize(1) * first.taps(),
                    rest.kernel[0], rest.kernel[1]};
  auto weight = conv.getFilter().getDefiningOp<WeightOp>();
  UnfoldedConv made;
  made.input = builder.create<UnfoldOp>(
      conv.getLoc(), input.clone(unfolded), conv.getInput(), first.kernel,
      first.strides, first.pads, first.dilations);
  made.filter = builder.create<WeightOp>(
      weight.getLoc(), reshapedWeight(weight.getValue(), filter.clone(seen)));
  made.conv = cast<ConvOp>(builder.clone(*conv));
  made.conv.getInputMutable().assign(made.input);
  made.conv.getFilterMutable().assign(made.filter);
  made.conv.setStrides(rest.strides);
  made.conv.setPads(rest.pads);
  made.conv.setDilations(rest.dilations);
  return made;
}

/// Cycles of an op on its whole result.
static std::optional<int64_t> cyclesOf(Operation *op, const Chip &chip) {
  return cautiousCyclesOf(op, chip, Box::whole(dimsOf(op->getResult(0))));
}

/// Cycles of both ops; std::nullopt if one has none or fits no way.
static std::optional<int64_t> cyclesOf(const UnfoldedConv &made,
                                       const Chip &chip) {
  std::optional<int64_t> first = cyclesOf(made.input, chip),
                         second = cyclesOf(made.conv, chip);
  if (!first || !second || !fitsAlone(chip, made.input, {}) ||
      !fitsAlone(chip, made.conv, {}))
    return std::nullopt;
  return *first + *second;
}

/// Whether the channels of the unfolded input fit the lanes; more of them fill
/// the machine as they are.
static bool canUnfold(ConvOp conv, bool columns, const Chip &chip) {
  MovingWindow part = MovingWindow(conv).along(true, columns);
  int64_t channels = conv.getFilter().getType().getDimSize(1) * part.taps();
  bool isBytes = elementBytes(elementOf(conv.getInput())) == 1;
  return conv.getGroup() == 1 && part.kernel[columns] > 1 &&
         channels <= int64_t(chip.lanes) &&
         (isBytes || !isQuantized(conv.getInput())) &&
         conv.getFilter().getDefiningOp<WeightOp>();
}

/// The cheapest way that saves a fifth: what slices and larger groups cost is
/// not counted here.
static std::optional<UnfoldedConv> cheapestWay(ConvOp conv, const Chip &chip) {
  std::optional<UnfoldedConv> best;
  std::optional<int64_t> asItIs = cyclesOf(conv, chip);
  int64_t least = asItIs ? *asItIs * 4 / 5 : 0;
  SmallVector<Way, 3> ways{{"as it is", asItIs}};
  size_t taken = 0;
  for (bool columns : {false, true}) {
    if (!canUnfold(conv, columns, chip))
      continue;
    UnfoldedConv made = unfold(conv, columns);
    std::optional<int64_t> cycles = cyclesOf(made, chip);
    ways.push_back({columns ? "window" : "rows", cycles});
    bool isBetter = cycles && *cycles < least;
    if (isBetter) {
      least = *cycles;
      taken = ways.size() - 1;
      if (best)
        best->erase();
      best = made;
    } else {
      made.erase();
    }
  }
  if (ways.size() > 1)
    addChoice(best ? best->conv : conv, rt::Question::Unfold, ways, taken);
  return best;
}

/// `made` takes the place of `conv`.
static void replace(ConvOp conv, ConvOp made) {
  auto filter = conv.getFilter().getDefiningOp<WeightOp>();
  conv.replaceAllUsesWith(made.getOutput());
  conv.erase();
  if (filter->use_empty())
    filter.erase();
}

namespace {
struct UnfoldConvs : weft::tpu::impl::TpuUnfoldConvsBase<UnfoldConvs> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    SmallVector<ConvOp> convs(getOperation().getOps<ConvOp>());
    for (ConvOp conv : convs)
      if (std::optional<UnfoldedConv> best = cheapestWay(conv, *chip))
        replace(conv, best->conv);
  }
};
} // namespace
