//===- ChipRefusal.cpp - what a chip cannot run ---------------------------===//

#include "passes/tpu/ChipRefusal.h"

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Pool.h"
#include "passes/tpu/GroupSearch.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// The first of `values` above `limit`.
static std::optional<int64_t> firstAbove(int64_t limit,
                                         ArrayRef<int64_t> values) {
  const int64_t *found =
      llvm::find_if(values, [&](int64_t value) { return value > limit; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

/// Steps of a window that one command has. A slice at the border of the tensor
/// has its padding, others less.
static std::optional<Refusal>
windowRefusal(Operation *op, ArrayRef<int64_t> pads, ArrayRef<int64_t> strides,
              ArrayRef<int64_t> dilations, const Chip &chip) {
  int64_t limit = chip.maxWindowStep;
  if (auto pad = firstAbove(limit, pads))
    return Refusal(
        op, inWords("padding of ", *pad, ", the machine pads up to ", limit),
        "join the input with zeros by a Concat and pad less here");
  if (auto stride = firstAbove(limit, strides))
    return Refusal(op,
                   inWords("stride of ", *stride, ", must be at most ", limit),
                   "use a divisor of it and take every n-th result by a Slice");
  if (auto dilation = firstAbove(limit, dilations))
    return Refusal(
        op, inWords("dilation of ", *dilation, ", must be at most ", limit),
        "use a smaller one");
  return std::nullopt;
}

/// Copies within DRAM.
static std::optional<Refusal> copyRefusal(Operation *op, const Chip &chip) {
  int64_t commands = 0;
  unsigned bytes = 0;
  for (const OperandCopy &copy : copiesOf(op)) {
    bytes = elementBytes(elementOf(op->getOperand(copy.operand)));
    commands += copyCommands(chip, bytes, copy.copy);
    if (commands > kMaxCopyCommands)
      return Refusal(op,
                     inWords("a movement of elements that takes more than ",
                             kMaxCopyCommands, " DMA commands"),
                     "make the tensor smaller, or reorder fewer axes at a "
                     "time");
  }
  return std::nullopt;
}

/// Each product of two matrices is a command at least. So many take a second to
/// encode; more of them are so small that the host is as fast.
static constexpr int64_t kMostProducts = 1 << 15;

static std::optional<Refusal> productRefusal(MatMulOp op) {
  Dims dims = dimsOf(op.getOutput());
  int64_t products = dims[kAxisN] * dims[kAxisC];
  if (products <= kMostProducts)
    return std::nullopt;
  return Refusal(op,
                 inWords(products,
                         " products of matrices in one layer, must "
                         "be at most ",
                         kMostProducts),
                 "use a smaller batch");
}

/// Limits of the commands that `op` becomes.
static std::optional<Refusal> commandRefusal(Operation *op, const Chip &chip) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return windowRefusal(op, conv.getPads(), conv.getStrides(),
                         conv.getDilations(), chip);
  if (auto unfold = dyn_cast<UnfoldOp>(op))
    return windowRefusal(op, unfold.getPads(), unfold.getStrides(),
                         unfold.getDilations(), chip);
  if (auto pool = dyn_cast<PoolOp>(op))
    return windowRefusal(op, pool.getPads(), pool.getStrides(), {}, chip);
  if (auto binary = dyn_cast<BinaryOp>(op);
      binary && binary.getKind() == BinaryKind::Div &&
      llvm::isa<FloatType>(elementOf(binary.getOutput())) &&
      !elementOf(binary.getOutput()).isF32())
    return Refusal(op, "16-bit division", "keep this layer in f32");
  if (auto product = dyn_cast<MatMulOp>(op))
    return productRefusal(product);
  return copyRefusal(op, chip);
}

/// What an op of a layer group needs besides its commands.
static std::optional<Refusal> groupRefusal(TilingInterface op,
                                           const Chip &chip) {
  for (OpOperand &operand : op->getOpOperands())
    if (op.isPackedOperand(operand.getOperandNumber()) &&
        !operand.get().getDefiningOp<WeightOp>())
      return Refusal(op, "filter, bias or table that is not a constant",
                     "make it an initializer");
  // What does not fit stays in DRAM if it can be there.
  if (!staysInDram(op) && !fitsAlone(chip, op, {}))
    return Refusal(op,
                   inWords("one slice of this layer does not fit the local "
                           "memory of ",
                           chip.laneBytes, " bytes a lane"),
                   "make the layer smaller");
  return std::nullopt;
}

std::optional<Refusal> tpu::refusalOf(Operation *op, const Chip &chip) {
  if (!givesHostTensors(*op))
    for (Value result : op->getResults())
      if (auto refusal = tensorRefusal(op->getLoc(), result, chip))
        return refusal;
  if (auto refusal = commandRefusal(op, chip))
    return refusal;
  TilingInterface tiling = asTileable(op);
  return tiling ? groupRefusal(tiling, chip) : std::nullopt;
}
