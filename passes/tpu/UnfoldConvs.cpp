//===- UnfoldConvs.cpp - --tpu-unfold-convs -------------------------------===//

#include "passes/tpu/UnfoldConvs.h"
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

/// Cycles of an op on its whole result. Of groups by the cheapest way: the
/// first multiplies with the zeros of all others.
static std::optional<int64_t> cyclesOf(Operation *op, const Chip &chip) {
  auto conv = dyn_cast<ConvOp>(op);
  Box whole = Box::whole(dimsOf(op->getResult(0)));
  return conv && conv.getGroup() > 1 ? cheapestCyclesOf(op, chip, whole)
                                     : cautiousCyclesOf(op, chip, whole);
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
  int64_t channels = conv.getInput().getType().getDimSize(kAxisC) * part.taps();
  bool isBytes = elementBytes(elementOf(conv.getInput())) == 1;
  // Groups of floats round by where their channels lie.
  return !conv.isDepthwise() && !conv.getInterleaved() &&
         (conv.getGroup() == 1 || isBytes) && part.kernel[columns] > 1 &&
         channels <= int64_t(chip.lanes) &&
         (isBytes || !isQuantized(conv.getInput())) &&
         conv.getFilter().getDefiningOp<WeightOp>();
}

namespace {
struct UnfoldChoice {
  std::optional<UnfoldedConv> made;
  SmallVector<Way, 3> ways;
  size_t taken = 0;
};
} // namespace

/// The cheapest way that saves a fifth: what slices and larger groups cost is
/// not counted here.
static UnfoldChoice cheapestWay(ConvOp conv, const Chip &chip) {
  UnfoldChoice best;
  std::optional<int64_t> asItIs = cyclesOf(conv, chip);
  int64_t least = asItIs ? *asItIs * 4 / 5 : 0;
  best.ways.push_back({"as it is", asItIs});
  for (bool columns : {false, true}) {
    if (!canUnfold(conv, columns, chip))
      continue;
    UnfoldedConv made = unfold(conv, columns);
    std::optional<int64_t> cycles = cyclesOf(made, chip);
    best.ways.push_back({columns ? "window" : "rows", cycles});
    bool isBetter = cycles && *cycles < least;
    if (isBetter) {
      least = *cycles;
      best.taken = best.ways.size() - 1;
      if (best.made)
        best.made->erase();
      best.made = made;
    } else {
      made.erase();
    }
  }
  return best;
}

std::optional<int64_t> weft::tpu::unfoldedCyclesOf(ConvOp conv,
                                                   const Chip &chip) {
  UnfoldChoice choice = cheapestWay(conv, chip);
  if (choice.made)
    choice.made->erase();
  return choice.ways[choice.taken].price;
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
    for (ConvOp conv : convs) {
      UnfoldChoice choice = cheapestWay(conv, *chip);
      if (choice.ways.size() > 1)
        addChoice(choice.made ? choice.made->conv : conv, rt::Question::Unfold,
                  choice.ways, choice.taken);
      if (choice.made)
        replace(conv, choice.made->conv);
    }
  }
};
} // namespace
