//===- LoadBound.cpp - which products wait for their weights --------------===//

#include "passes/quantize/LoadBound.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "passes/quantize/WideProducts.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

namespace {
/// Cycles of one product in 16 bits.
struct Cost {
  Operation *op;
  int64_t loads, computes;
};
} // namespace

static int64_t divideCeil(int64_t a, int64_t b) { return (a + b - 1) / b; }

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Cycles to load `weights`; none if they are computed.
static int64_t loadsOf(Value weights, const Chip &chip) {
  return weights.getDefiningOp<top::ConstantOp>()
             ? cast<RankedTensorType>(weights.getType()).getNumElements() * 2 /
                   chip.rates.loadBytes
             : 0;
}

/// A row or a column of the result a lane, whatever is faster (docs/cycles.md).
static int64_t matrixCycles(int64_t rows, int64_t columns, int64_t inner,
                            const Chip &chip) {
  int64_t lanes = chip.lanes, results = chip.rates.packedResults;
  return std::min(divideCeil(rows, lanes) * divideCeil(columns, results),
                  divideCeil(columns, lanes) * divideCeil(rows, results)) *
         divideCeil(inner * 2, chip.euBytes);
}

static Cost costOf(top::MatMulOp op, const Chip &chip) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  int64_t inner = lhs.back(), columns = rhs.size() > 1 ? rhs.back() : 1,
          elements = cast<RankedTensorType>(op.getType()).getNumElements();
  // Of all matrices together, if one right side is for all.
  int64_t rows = lhs.size() == 1  ? 1
                 : rhs.size() > 2 ? lhs[lhs.size() - 2]
                                  : elements / columns;
  return {op, loadsOf(op.getRhs(), chip),
          elements / (rows * columns) *
              matrixCycles(rows, columns, inner, chip)};
}

static Cost costOf(top::ConvOp op, const Chip &chip) {
  ArrayRef<int64_t> filter = shapeOf(op.getFilter()),
                    result = shapeOf(op.getOutput());
  int64_t taps = 1, pixels = 1;
  for (int64_t size : filter.drop_front(2))
    taps *= size;
  for (int64_t size : result.drop_front(2))
    pixels *= size;
  int64_t rounds = divideCeil(result[1], chip.lanes);
  if (isDepthwise(op)) // at most: large ones are in 16 bits
    return {op, 0,
            result[0] * rounds * divideCeil(pixels * 4, chip.euBytes) * taps};
  return {op, loadsOf(op.getFilter(), chip),
          result[0] * rounds * divideCeil(pixels, chip.rates.packedResults) *
              divideCeil(filter[1] * 2, chip.euBytes) * taps};
}

llvm::DenseSet<Operation *> weft::quantize::findLoadBound(func::FuncOp func,
                                                          const Chip &chip) {
  // About as many products as a group has on either side.
  constexpr size_t kNeighbours = 4;
  auto isStatic = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() && type.getNumElements() > 0;
  };
  SmallVector<Cost> costs;
  for (Operation &op : func.getBody().front()) {
    if (!llvm::all_of(op.getOperands(), isStatic) ||
        !llvm::all_of(op.getResults(), isStatic))
      continue;
    if (auto product = dyn_cast<top::MatMulOp>(op))
      costs.push_back(costOf(product, chip));
    else if (auto conv = dyn_cast<top::ConvOp>(op))
      costs.push_back(costOf(conv, chip));
  }
  llvm::DenseSet<Operation *> found;
  for (size_t i = 0; i < costs.size(); ++i) {
    size_t first = i < kNeighbours ? 0 : i - kNeighbours,
           end = std::min(costs.size(), i + kNeighbours + 1);
    int64_t loads = 0, computes = 0;
    for (const Cost &cost : ArrayRef(costs).slice(first, end - first)) {
      loads += cost.loads;
      computes += cost.computes;
    }
    if (loads > computes)
      found.insert(costs[i].op);
  }
  return found;
}
