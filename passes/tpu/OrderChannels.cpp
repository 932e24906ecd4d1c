//===- OrderChannels.cpp - --tpu-order-channels ---------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Pool.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/ChannelNumbers.h"
#include "passes/tpu/GroupCost.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/ValueNames.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <cstring>
#include <numeric>

namespace weft::tpu {
#define GEN_PASS_DEF_TPUORDERCHANNELS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// A product with constants and what gives its channels in the order of these,
/// the last of them read in DRAM alone.
struct Layer {
  Operation *product;
  SmallVector<Operation *, 4> ops; ///< with the product, last one first
};

struct OrderChannels : weft::tpu::impl::TpuOrderChannelsBase<OrderChannels> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    GroupCost cost(*chip);
    for (Operation &op :
         llvm::make_early_inc_range(getOperation().getBody().front()))
      if (std::optional<Layer> layer = layerThatEndsIn(&op, *chip))
        if (failed(order(*layer, cost)))
          return signalPassFailure();
  }

private:
  static std::optional<Layer> layerThatEndsIn(Operation *op, const Chip &chip);
  static LogicalResult order(Layer layer, GroupCost &cost);
};
} // namespace

/// Whether `op` does the same with every channel of its one operand.
static bool treatsChannelsAlike(Operation *op) {
  return isElementFunction(op) || llvm::isa<PoolOp>(op);
}

std::optional<Layer> OrderChannels::layerThatEndsIn(Operation *op,
                                                    const Chip &chip) {
  if (!asTileable(op) || op->use_empty() ||
      llvm::any_of(op->getUsers(), asTileable))
    return std::nullopt;
  Dims dims = dimsOf(op->getResult(0));
  if (dims[kAxisC] != product(dims) || dims[kAxisC] < 2 * int64_t(chip.lanes))
    return std::nullopt;
  Layer layer;
  while (treatsChannelsAlike(op) && !op->hasAttr(kBandsAttr)) {
    layer.ops.push_back(op);
    Value operand = op->getOperand(0);
    op = operand.getDefiningOp();
    if (!op || !operand.hasOneUse())
      return std::nullopt;
  }
  auto conv = llvm::dyn_cast<ConvOp>(op);
  auto coded = llvm::dyn_cast<CodedLinearOp>(op);
  bool hasChannels =
      (conv && conv.getGroup() == 1) || (coded && !coded.getRowsInLanes());
  if (!hasChannels || op->hasAttr(kBandsAttr) ||
      !llvm::all_of(op->getOperands().drop_front(), [](Value value) {
        return value.getDefiningOp<WeightOp>() && value.hasOneUse();
      }))
    return std::nullopt;
  layer.product = op;
  layer.ops.push_back(op);
  return layer;
}

/// The constant `operand` of `op`, which has as many rows, in this order.
static LogicalResult orderRows(Operation *op, OpOperand &operand,
                               ArrayRef<int64_t> order) {
  auto weight = operand.get().getDefiningOp<WeightOp>();
  FailureOr<std::vector<char>> bytes = weightBytes(op, operand.get());
  if (failed(bytes))
    return failure();
  size_t rowBytes = bytes->size() / order.size();
  std::vector<char> ordered(bytes->size());
  for (auto [to, from] : llvm::enumerate(order))
    std::memcpy(ordered.data() + to * rowBytes, bytes->data() + from * rowBytes,
                rowBytes);
  OpBuilder builder(weight);
  operand.set(builder.create<WeightOp>(
      weight.getLoc(), weightAttr(cast<RankedTensorType>(weight.getType()),
                                  std::move(ordered))));
  if (weight->use_empty())
    weight.erase();
  return success();
}

template <typename T>
static std::vector<T> ordered(ArrayRef<T> values, ArrayRef<int64_t> order) {
  std::vector<T> result;
  for (int64_t from : order)
    result.push_back(values[from]);
  return result;
}

static LogicalResult orderConstants(Operation *product,
                                    ArrayRef<int64_t> order) {
  for (OpOperand &operand : product->getOpOperands().drop_front())
    if (failed(orderRows(product, operand, order)))
      return failure();
  if (auto conv = llvm::dyn_cast<ConvOp>(product))
    mapChannelNumbers(conv,
                      [&](auto numbers) { return ordered(numbers, order); });
  return success();
}

LogicalResult OrderChannels::order(Layer layer, GroupCost &cost) {
  Operation *last = layer.ops.front();
  Value value = last->getResult(0);
  int64_t lanes = cost.chip.lanes, channels = dimsOf(value)[kAxisC],
          rounds = channels / lanes, rest = channels % lanes;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  Location location = last->getLoc();
  auto typeOf = [&](int64_t c, int64_t w) {
    return RankedTensorType::get({1, c, 1, w}, elementOf(value));
  };
  auto rows =
      builder.create<JoinRoundsOp>(location, typeOf(lanes, rounds), value);
  auto box = [](Value stored) { return Box::whole(dimsOf(stored)); };
  std::optional<Price> join = priceOf(rows, cost.chip, box(rows.getOutput()));
  int64_t now = cost.storeOf(value, box(value)), then = now;
  if (join) {
    then = join->cycles + cost.storeOf(rows.getOutput(), box(rows.getOutput()));
    if (rest > 0)
      then += cost.storeOf(value, Box::whole({1, rest, 1, 1}));
  }
  if (then >= now || !fitsAlone(cost.chip, rows, {})) {
    rows.erase();
    return success();
  }
  SmallVector<int64_t> order(channels);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t round = 0; round < rounds; ++round)
    for (int64_t lane = 0; lane < lanes; ++lane)
      order[round * lanes + lane] = lane * rounds + round;
  if (failed(orderConstants(layer.product, order)))
    return failure();
  // Groups are runs of ops in block order, and the reshape ends them.
  Operation *part = nullptr;
  if (rest > 0)
    part = builder.create<SliceOp>(location, typeOf(rest, 1), value,
                                   ArrayRef<int64_t>{0, lanes * rounds, 0, 0},
                                   ArrayRef<int64_t>{1, 1, 1, 1});
  Operation *all = builder.create<ReshapeOp>(
      location, typeOf(lanes * rounds, 1), rows.getOutput());
  if (part)
    all = builder.create<ConcatOp>(
        location, value.getType(),
        ValueRange{all->getResult(0), part->getResult(0)}, kAxisC);
  takeName(all, last);
  llvm::for_each(layer.ops, dropName);
  value.replaceUsesWithIf(all->getResult(0), [&](OpOperand &use) {
    return use.getOwner() != rows && use.getOwner() != part;
  });
  return success();
}
