//===- WideProducts.cpp - which small products stay in f32 ----------------===//

#include "passes/quantize/WideProducts.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Softmax.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

namespace {
struct Size {
  int64_t weights = 0, products = 0;
  /// Multiplications that take as long as what f32 needs besides.
  int64_t besides = 0;
};
} // namespace

bool quantize::isDepthwise(top::ConvOp op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  int64_t group = op.getGroupAttr().getInt();
  return group > 1 && group == filter[0] && filter[1] == 1;
}

static int64_t elementCountOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

int64_t quantize::laneProducts(int64_t pixels, int64_t weights,
                               int64_t channels, int64_t lanes) {
  constexpr int64_t kFewLanes = 4; // a quarter at least counts as busy
  channels = std::max<int64_t>(1, channels);
  return pixels * (weights / channels) *
         std::max<int64_t>(channels,
                           llvm::alignTo(channels, lanes) / kFewLanes);
}

/// The same for a result of so many channels, each by a filter.
static int64_t productsFor(Value result, Value filter, int64_t channels,
                           int64_t lanes) {
  return laneProducts(elementCountOf(result) / std::max<int64_t>(1, channels),
                      elementCountOf(filter), channels, lanes);
}

/// Pixels of an image of rank 3 or more; 0 of anything else.
static int64_t pixelsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() < 3)
    return 0;
  int64_t pixels = 1;
  for (int64_t size : type.getShape().drop_front(2))
    pixels *= size;
  return pixels;
}

bool quantize::spreadsOverImages(Value value) {
  constexpr int kMostSteps = 9;
  SmallVector<Value> reached{value};
  llvm::DenseSet<Operation *> seen;
  for (int step = 0; step < kMostSteps && !reached.empty(); ++step) {
    SmallVector<Value> next;
    for (Value from : reached)
      for (Operation *user : from.getUsers()) {
        if (user->getNumResults() != 1 || !seen.insert(user).second)
          continue;
        int64_t pixels = pixelsOf(user->getResult(0));
        if (llvm::isa<top::BinaryOp>(user) && pixels > 1)
          return true;
        if (pixels == 1)
          next.push_back(user->getResult(0));
      }
    reached = std::move(next);
  }
  return false;
}

bool quantize::isExpectation(top::ConvOp op) {
  constexpr int64_t kMostNumbers = 64;
  auto softmax = op.getInput().getDefiningOp<top::SoftmaxOp>();
  auto filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  auto isAll = [](ArrayRef<int64_t> numbers, int64_t wanted) {
    return llvm::all_of(numbers, [=](int64_t n) { return n == wanted; });
  };
  // Of one image: of several the softmax lies along rows.
  auto input = cast<RankedTensorType>(op.getInput().getType());
  return softmax && softmax->hasOneUse() && softmax.getAxis() == 1 &&
         input.getDimSize(0) == 1 && filter.size() == 4 && filter[0] == 1 &&
         filter[1] <= kMostNumbers && isAll(filter.drop_front(2), 1) &&
         isAll(op.getStrides(), 1) && isAll(op.getPads(), 0) &&
         op.getFilter().getDefiningOp<top::ConstantOp>();
}

bool quantize::isFloatAmongCodes(top::ConvOp op) {
  return isDepthwise(op) || isExpectation(op) ||
         (pixelsOf(op.getInput()) == 1 && pixelsOf(op.getOutput()) == 1 &&
          spreadsOverImages(op.getOutput()));
}

/// Of a product with constant weights; none of others and of depthwise ones,
/// which have a bound of their own.
static Size sizeOf(Operation &op, int64_t lanes) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  auto isConstant = [](Value value) {
    return value.getDefiningOp<top::ConstantOp>() != nullptr;
  };
  // A way through DRAM takes about so many multiplications in f32.
  constexpr int64_t kTurn = int64_t(1) << 20;
  Value filter, result = op.getNumResults() ? op.getResult(0) : Value();
  int64_t channels = 1; // of the result; each filter gives one
  bool turns = false;   // rows lie in lanes, in f32 only channels do
  if (auto conv = dyn_cast<top::ConvOp>(op)) {
    filter = conv.getFilter();
    channels = shapeOf(filter)[0];
    if (isDepthwise(conv))
      return {};
  } else if (auto product = dyn_cast<top::MatMulOp>(op)) {
    filter = product.getRhs();
    if (shapeOf(filter).size() != 2)
      return {};
    channels = shapeOf(filter)[1];
    turns = shapeOf(product.getLhs()).size() > 2 ||
            shapeOf(product.getLhs()).front() > 1;
  }
  if (!filter || !isConstant(filter))
    return {};
  return {elementCountOf(filter), productsFor(result, filter, channels, lanes),
          turns ? 2 * kTurn : 0};
}

/// The largest size up to which all of `bySize`, what those of a size take
/// together, take `total` at most; `most` if all do.
static int64_t mostWithin(const std::map<int64_t, int64_t> &bySize,
                          int64_t total, int64_t most) {
  for (auto [size, taken] : bySize) {
    total -= taken;
    if (total < 0)
      return size - 1;
  }
  return most;
}

int64_t quantize::mostWideDepthwise(func::FuncOp func, int64_t total,
                                    bool isInt8) {
  std::map<int64_t, int64_t> bySize;
  for (auto conv : func.getOps<top::ConvOp>()) {
    if (!isDepthwise(conv))
      continue;
    auto filter = cast<RankedTensorType>(conv.getFilter().getType());
    int64_t size =
        productsFor(conv.getOutput(), conv.getFilter(), filter.getDimSize(0),
                    /*lanes=*/1);
    bySize[size] += size;
  }
  int64_t most = mostWithin(bySize, total, INT64_MAX);
  return isInt8 && most < INT64_MAX ? 0 : most;
}

int64_t quantize::mostWideProducts(func::FuncOp func,
                                   const WideLimits &limits) {
  constexpr int64_t kShare = 16;
  std::map<int64_t, int64_t> bySize;
  int64_t all = 0;
  for (Operation &op : func.getBody().front()) {
    Size size = sizeOf(op, limits.lanes);
    all += size.products;
    if (size.weights <= limits.weights && size.products <= limits.products)
      bySize[size.products] += size.products + size.besides;
  }
  return mostWithin(bySize, std::max(limits.total, all / kShare),
                    limits.products);
}
