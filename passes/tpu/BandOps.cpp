//===- BandOps.cpp - ops on bands of images, and their prices -------------===//

#include "passes/tpu/BandOps.h"

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Norm.h"
#include "dialects/tpu/Pool.h"
#include "dialects/tpu/Unary.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/ChannelNumbers.h"
#include "passes/tpu/PlaneTransfer.h"
#include "passes/tpu/UnfoldConvs.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Bytes of a filter beyond which it is not repeated for each band: layers with
/// so many weights fill the lanes.
static constexpr int64_t kMostFilterBytes = 1 << 17;

//===----------------------------------------------------------------------===//
// Ops that bands go through
//===----------------------------------------------------------------------===//

RowWindow weft::tpu::rowWindowOf(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return {(dimsOf(conv.getFilter())[kAxisH] - 1) * conv.getDilations()[0] + 1,
            conv.getStrides()[0], conv.getPads()[0]};
  if (auto pool = dyn_cast<PoolOp>(op))
    return {pool.getKernel()[0], pool.getStrides()[0], pool.getPads()[0]};
  return {};
}

SmallVector<unsigned, 2> weft::tpu::imagesOf(Operation *op) {
  SmallVector<unsigned, 2> images;
  for (OpOperand &operand : op->getOpOperands())
    if (!operand.get().getDefiningOp<WeightOp>())
      images.push_back(operand.getOperandNumber());
  return images;
}

/// Whether weight `value` beside a result of `dims` has a number for each
/// channel, or one for all.
static bool isPerChannel(Value value, const Dims &dims) {
  Dims own = dimsOf(value);
  return own[kAxisN] == 1 && own[kAxisH] == 1 && own[kAxisW] == 1 &&
         (own[kAxisC] == 1 || own[kAxisC] == dims[kAxisC]);
}

bool weft::tpu::passesBands(Operation *op) {
  if (!asTileable(op) || op->getNumResults() != 1)
    return false;
  Dims dims = dimsOf(op->getResult(0));
  SmallVector<unsigned, 2> images = imagesOf(op);
  // Above the first row that a window meets there is nothing to put zeros into.
  RowWindow rows = rowWindowOf(op);
  if (dims[kAxisN] != 1 || images.empty() || op->hasAttr(kBandsAttr) ||
      rows.top >= rows.extent)
    return false;
  // Other groups are multiplied by 0, which an infinite or NaN float of another
  // band would make NaN; codes are finite.
  if (auto conv = dyn_cast<ConvOp>(op))
    return images.size() == 1 && images[0] == 0 &&
           (conv.isDepthwise() || isQuantized(conv.getInput())) &&
           !conv.getInterleaved() && !conv.getFilterZeroPoints() &&
           tensorBytes(conv.getFilter()) <= kMostFilterBytes;
  if (auto pool = dyn_cast<PoolOp>(op)) {
    // Around the image the largest of a window is not to see zeros.
    return rows.extent < dimsOf(pool.getInput())[kAxisH] &&
           (pool.getKind() == PoolKind::Avg ||
            (rows.top == 0 &&
             rows.below(dimsOf(pool.getInput())[kAxisH], dims[kAxisH]) == 0));
  }
  if (isElementFunction(op))
    return images.size() == 1 && images[0] == 0;
  if (auto scale = dyn_cast<ScaleOp>(op))
    return images.size() == 1 && images[0] == 0;
  auto binary = dyn_cast<BinaryOp>(op);
  return binary && llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand.getDefiningOp<WeightOp>()
                      ? isPerChannel(operand, dims)
                      : dimsOf(operand) == dims;
         });
}

//===----------------------------------------------------------------------===//
// The same ops on bands
//===----------------------------------------------------------------------===//

template <typename Array>
static std::vector<typename Array::value_type> repeated(const Array &values,
                                                        int64_t count) {
  std::vector<typename Array::value_type> result;
  for (int64_t i = 0; i < count; ++i)
    result.insert(result.end(), values.begin(), values.end());
  return result;
}

Value weft::tpu::repeatWeight(OpBuilder &builder, Value weight, unsigned axis,
                              int64_t count, Purpose purpose) {
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] *= count;
  if (purpose == Purpose::Price)
    return builder.create<WeightOp>(
        weight.getLoc(),
        DenseElementsAttr::get(type.clone(shape),
                               builder.getZeroAttr(type.getElementType())));
  std::optional<std::vector<char>> bytes =
      constantBytes(weight.getDefiningOp<WeightOp>().getValue());
  if (!bytes)
    return {};
  return builder.create<WeightOp>(
      weight.getLoc(), weightAttr(type.clone(shape), repeated(*bytes, count)));
}

void weft::tpu::repeatPerChannel(ConvOp conv, int64_t count) {
  mapChannelNumbers(conv,
                    [&](auto numbers) { return repeated(numbers, count); });
}

Operation *weft::tpu::cloneForBands(OpBuilder &builder, Operation *op,
                                    ArrayRef<Value> images,
                                    RankedTensorType type, int64_t count,
                                    Purpose purpose) {
  IRMapping mapping;
  for (auto [number, image] : llvm::zip_equal(imagesOf(op), images))
    mapping.map(op->getOperand(number), image);
  SmallVector<Value> made;
  Dims dims = dimsOf(op->getResult(0));
  for (OpOperand &operand : op->getOpOperands()) {
    auto weight = operand.get().getDefiningOp<WeightOp>();
    bool isFilter = llvm::isa<ConvOp>(op) && operand.getOperandNumber() == 1;
    if (!weight || mapping.contains(weight) ||
        (!isFilter &&
         (dimsOf(weight)[kAxisC] != dims[kAxisC] || llvm::isa<LutOp>(op))))
      continue;
    Value ofBands =
        repeatWeight(builder, weight, isFilter ? 0 : 1, count, purpose);
    if (!ofBands) {
      for (Value before : made)
        before.getDefiningOp()->erase();
      return nullptr;
    }
    made.push_back(ofBands);
    mapping.map(operand.get(), ofBands);
  }
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(type);
  if (auto conv = dyn_cast<ConvOp>(clone)) {
    conv.setGroup(conv.getGroup() * count);
    repeatPerChannel(conv, count);
  }
  // The rows that are read fix how many are made; those below the image mean
  // nothing.
  RowWindow window = rowWindowOf(op);
  int64_t below =
      window.below(dimsOf(images[0])[kAxisH], type.getDimSize(kAxisH));
  auto withBottom = [&](ArrayRef<int64_t> pads) {
    return SmallVector<int64_t>{pads[0], pads[1], below, pads[3]};
  };
  if (auto conv = dyn_cast<ConvOp>(clone))
    conv.setPads(withBottom(conv.getPads()));
  if (auto pool = dyn_cast<PoolOp>(clone)) {
    pool.setPads(withBottom(pool.getPads()));
    if (pool.getKind() == PoolKind::Avg && below > 0)
      pool.setCountIncludePad(true);
  }
  return clone;
}

RankedTensorType weft::tpu::bandsType(Value image, int64_t count,
                                      int64_t rows) {
  auto type = cast<RankedTensorType>(image.getType());
  Dims dims = dimsOf(image);
  int64_t shape[] = {1, dims[kAxisC] * count, rows, dims[kAxisW]};
  return type.clone(shape);
}

void weft::tpu::eraseWithWeights(Operation *op) {
  llvm::SmallSetVector<Operation *, 4> weights;
  for (Value operand : op->getOperands())
    if (auto weight = operand.getDefiningOp<WeightOp>())
      weights.insert(weight);
  op->erase();
  for (Operation *weight : weights)
    if (weight->use_empty())
      weight->erase();
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

std::optional<int64_t> weft::tpu::bandCyclesOf(Operation *op, const Chip &chip,
                                               int64_t first, int64_t rows) {
  Dims dims = dimsOf(op->getResult(0));
  if (auto conv = dyn_cast<ConvOp>(op); conv && !conv.isDepthwise()) {
    std::optional<int64_t> cycles = unfoldedCyclesOf(conv, chip);
    if (!cycles)
      return std::nullopt;
    return *cycles * rows / dims[kAxisH];
  }
  Box box = Box::whole(dims);
  box.offset[kAxisH] = first;
  box.size[kAxisH] = rows;
  return cheapestCyclesOf(op, chip, box);
}

int64_t weft::tpu::loadCyclesOf(Value value, const Chip &chip) {
  return planeTransferCycles(value, dimsOf(value), chip, chip.rates.loadBytes);
}

int64_t weft::tpu::storeCyclesOf(Value value, const Chip &chip) {
  return planeTransferCycles(value, dimsOf(value), chip, chip.rates.storeBytes);
}

/// Cycles to bring `image` into other lanes within a group: from lane to lane,
/// or where so much of it lies in a lane that groups cut it into slices by way
/// of DRAM.
static int64_t moveCycles(Value image, const Chip &chip, int64_t count) {
  constexpr int64_t kPartOfLane = 8;
  Dims dims = dimsOf(image);
  int64_t bytes =
              Box::whole(dims).elements() * elementBits(elementOf(image)) / 8,
          lanes = std::min<int64_t>(chip.lanes, dims[kAxisC]);
  if (bytes / lanes <= int64_t(chip.laneBytes) / kPartOfLane)
    return bytes / int64_t(chip.euBytes) + count;
  return loadCyclesOf(image, chip) + storeCyclesOf(image, chip);
}

bool weft::tpu::isLoaded(Value image) {
  return !asTileable(image.getDefiningOp());
}
bool weft::tpu::isOnlyStored(Value image) {
  return llvm::none_of(image.getUsers(), asTileable);
}

int64_t weft::tpu::costOfCut(Value image, const Chip &chip, int64_t count) {
  if (!isLoaded(image))
    return moveCycles(image, chip, count);
  // What a load brings anyway takes longer by the rows that bands share.
  constexpr int64_t kSharedPart = 8;
  return loadCyclesOf(image, chip) / kSharedPart;
}

int64_t weft::tpu::costOfJoin(Value image, const Chip &chip, int64_t count) {
  return isOnlyStored(image) ? 0 : moveCycles(image, chip, count);
}
