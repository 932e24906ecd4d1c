//===- RowSampler.cpp - what products read in samples ---------------------===//

#include "passes/quantize/RowSampler.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Exact.h"
#include "dialects/top/MatMul.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;
using numeric::ElementType;
using numeric::HostTensor;

/// All rows of all products together hold at most so many numbers: 512 MiB, and
/// as much again before the surplus is dropped.
static constexpr int64_t kMostValues = int64_t(1) << 27;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Weights of one result of the product `op`; 0 if no rows are taken of it.
static int64_t termsOf(Operation &op) {
  if (!isa<top::ConvOp, top::MatMulOp>(op) || op.hasAttr(top::kExactAttr) ||
      productName(&op) == "?" || !hasCalibratedName(op.getOperand(0)) ||
      !op.getOperand(1).getDefiningOp<top::ConstantOp>())
    return 0;
  ArrayRef<int64_t> weights = shapeOf(op.getOperand(1));
  if (auto conv = dyn_cast<top::ConvOp>(op))
    return conv.getGroup() == 1 && weights.size() <= 4
               ? ShapedType::getNumElements(weights.drop_front())
               : 0;
  return weights.size() == 2 && shapeOf(op.getOperand(0)).size() > 1
             ? weights.front()
             : 0;
}

RowSampler::RowSampler(func::FuncOp func, OpAccelerator *inner, int64_t most)
    : inner(inner), most(most) {
  int64_t all = 0;
  for (Operation &op : func.getBody().front())
    if (op.getNumResults() == 1)
      if (int64_t terms = termsOf(op)) {
        products[&op].terms = terms;
        all += terms;
      }
  if (all > 0)
    this->most = std::max<int64_t>(1, std::min(most, kMostValues / all));
}

/// A step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
/// number generators, 2014).
static uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

namespace {
/// Where the windows of a convolution lie; a single axis is w.
struct Windows {
  int64_t channels, height, width, outHeight, outWidth;
  int64_t kernelHeight, kernelWidth, strideHeight, strideWidth;
  int64_t dilationHeight, dilationWidth, padTop, padLeft;

  explicit Windows(top::ConvOp op) {
    ArrayRef<int64_t> in = shapeOf(op.getInput()),
                      out = shapeOf(op.getOutput()),
                      filter = shapeOf(op.getFilter()),
                      strides = op.getStrides(), dilations = op.getDilations(),
                      pads = op.getPads();
    bool isPlane = in.size() == 4;
    auto first = [&](ArrayRef<int64_t> values, int64_t ofLine) {
      return isPlane ? values[values.size() - 2] : ofLine;
    };
    channels = in[1];
    height = first(in, 1), width = in.back();
    outHeight = first(out, 1), outWidth = out.back();
    kernelHeight = first(filter, 1), kernelWidth = filter.back();
    strideHeight = first(strides, 1), strideWidth = strides.back();
    dilationHeight = first(dilations, 1), dilationWidth = dilations.back();
    padTop = isPlane ? pads[0] : 0, padLeft = isPlane ? pads[1] : pads[0];
  }

  int64_t pixels() const { return outHeight * outWidth; }

  /// Appends the window of pixel `row` of all images.
  void append(const float *input, int64_t row, std::vector<float> &to) const {
    const float *image = input + row / pixels() * channels * height * width;
    int64_t pixel = row % pixels();
    int64_t top = pixel / outWidth * strideHeight - padTop,
            left = pixel % outWidth * strideWidth - padLeft;
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < kernelHeight; ++i)
        for (int64_t j = 0; j < kernelWidth; ++j) {
          int64_t y = top + i * dilationHeight, x = left + j * dilationWidth;
          bool isInside = y >= 0 && y < height && x >= 0 && x < width;
          to.push_back(isInside ? image[(c * height + y) * width + x] : 0);
        }
  }
};
} // namespace

/// The rows of `rows` with the `most` smallest keys, by key.
static void keepSmallest(ProductRows &rows, int64_t most) {
  std::vector<size_t> order(rows.keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return rows.keys[a] < rows.keys[b];
  });
  order.resize(std::min<size_t>(order.size(), most));
  ProductRows kept;
  kept.terms = rows.terms;
  if (static_cast<int64_t>(order.size()) == most)
    kept.limit = rows.keys[order.back()];
  kept.values.reserve(order.size() * rows.terms);
  for (size_t row : order) {
    kept.keys.push_back(rows.keys[row]);
    auto begin = rows.values.begin() + row * rows.terms;
    kept.values.insert(kept.values.end(), begin, begin + rows.terms);
  }
  rows = std::move(kept);
}

void RowSampler::add(Operation *op, const HostTensor &input,
                     ProductRows &rows) {
  auto conv = dyn_cast<top::ConvOp>(op);
  std::optional<Windows> windows;
  if (conv)
    windows.emplace(conv);
  int64_t count = conv ? shapeOf(conv.getInput()).front() * windows->pixels()
                       : input.elements() / rows.terms;
  uint64_t ofSample =
      llvm::xxh3_64bits(ArrayRef(input.bytes(), input.sizeBytes()));
  // Those that cannot stay are not copied.
  std::vector<std::pair<uint64_t, int64_t>> candidates;
  for (int64_t row = 0; row < count; ++row)
    if (uint64_t key = mixed(ofSample + row); key < rows.limit)
      candidates.push_back({key, row});
  if (static_cast<int64_t>(candidates.size()) > most) {
    std::nth_element(candidates.begin(), candidates.begin() + most,
                     candidates.end());
    candidates.resize(most);
  }
  const auto *values = input.as<float>();
  for (auto [key, row] : candidates) {
    size_t begin = rows.values.size();
    if (windows)
      windows->append(values, row, rows.values);
    else
      rows.values.insert(rows.values.end(), values + row * rows.terms,
                         values + (row + 1) * rows.terms);
    // Samples may hold infinities; no weights can be learnt from such a row.
    if (std::all_of(rows.values.begin() + begin, rows.values.end(),
                    [](float value) { return std::isfinite(value); }))
      rows.keys.push_back(key);
    else
      rows.values.resize(begin);
  }
  if (rows.rows() > 2 * most)
    keepSmallest(rows, most);
}

bool RowSampler::evaluate(Operation *op, ArrayRef<const HostTensor *> operands,
                          SmallVectorImpl<HostTensor> &results) {
  if (auto found = products.find(op); found != products.end() &&
                                      operands[0]->type() == ElementType::F32 &&
                                      operands[0]->elements() > 0)
    add(op, *operands[0], found->second);
  return inner && inner->evaluate(op, operands, results);
}

const llvm::MapVector<Operation *, ProductRows> &RowSampler::rows() {
  for (auto &[op, rows] : products)
    keepSmallest(rows, most);
  return products;
}
