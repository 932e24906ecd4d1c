//===- MatMul.cpp - recipes of the MatMul family --------------------------===//

#include "dialects/tpu/MatMul.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "runtime/numeric/MatrixTranspose.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

bool LinearOp::isPackedOperand(unsigned operand) { return operand > 0; }

// A piece of the columns would read a part of each row of the filter, which
// the matrix unit cannot.
Box LinearOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), kAxisW);
}

InputNeed LinearOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), kAxisW), {}};
}

/// The filter (N, K) as the unit reads it: a row for each k.
static ConstantBytes turnedFilter(LinearOp op) {
  return [op]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<WeightBytes> raw = weightView(op, op.getFilter());
    if (failed(raw))
      return failure();
    Dims filter = dimsOf(op.getFilter());
    std::vector<char> turned(raw->bytes.size());
    int64_t bytes = elementBits(elementOf(op.getFilter())) / 8;
    if (!numeric::transposeMatrix(raw->bytes.data(), turned.data(), filter[0],
                                  filter[1], bytes))
      return failure();
    return turned;
  };
}

static void buildLinear(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<LinearOp>(operation);
  Tile result = r.result(), input = r.operand(0);
  int64_t rows = result.shape[kAxisC], columns = result.shape[kAxisW];
  Tile filter =
      r.matrix("filter", {1, input.shape[kAxisW], 1, columns},
               machineTypeOf(elementOf(op.getFilter())), turnedFilter(op));
  auto row = [&](llvm::StringRef name, ConstantBytes bytes) {
    return r.rowForEach(
        r.table(name, columns, DataType::Fp32, std::move(bytes)), rows);
  };
  bool scaled = isQuantized(op.getInput());
  bool isWide = result.type == DataType::Fp32 || (!scaled && !op.getBias());
  Tile wide = isWide ? result : r.scratch("wide", result.shape, DataType::Fp32);
  // A matrix is one image.
  auto multiply = [&](llvm::StringRef function, llvm::StringRef slot,
                      const Tile &dst) {
    for (int64_t n = 0; n < result.shape[kAxisN]; ++n)
      r.call(function, {{slot, r.part(dst, kAxisN, n, 1)},
                        {"left", r.part(input, kAxisN, n, 1)},
                        {"right", filter}});
  };
  if (scaled) {
    Tile sum = r.as(wide, DataType::Int32);
    multiply("tiu.mm2_nn", "rst", sum);
    r.cast(wide, sum);
    r.binary("tiu.fmul", wide, wide, row("scale", [op]() mutable {
               return bytesOf<float>(*op.getScales());
             }));
  } else {
    multiply("tiu.fmm2_nn", "dst", wide);
  }
  if (op.getBias())
    r.binary("tiu.fadd", wide, wide, row("bias", r.weight(2)));
  if (op.getRelu() && !isQuantized(op.getOutput()))
    r.binary("tiu.fmax", wide, wide, 0.0);
  if (!isWide)
    r.cast(result, wide);
}

ArrayRef<Alternative> LinearOp::recipes() {
  static const Alternative list[] = {{"matrix", buildLinear}};
  return list;
}

Box RowMatMulOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), kAxisW);
}

// Some rows of the result need these of the left matrix and all of the right.
InputNeed RowMatMulOp::inputNeed(unsigned operand, const Box &result) {
  Value matrix = getOperand(operand);
  Box need = withWholeAxis(result, matrix, kAxisW);
  if (dimsOf(matrix)[kAxisN] == 1)
    need = withWholeAxis(need, matrix, kAxisN);
  return {operand == 1 ? withWholeAxis(need, matrix, kAxisC) : need, {}};
}

/// The unit reads and writes matrices without gaps between rows: those of one
/// of several heads are copied.
static void buildRowMatMul(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<RowMatMulOp>(operation);
  Tile result = r.result(), left = r.operand(0), right = r.operand(1);
  llvm::StringRef function = op.getTransposed() ? "tiu.fmm2_nt" : "tiu.fmm2_nn";
  int64_t images = result.shape[kAxisN], heads = result.shape[kAxisH];
  auto multiply = [&](const Tile &dst, const Tile &lhs, const Tile &rhs) {
    r.call(function, {{"dst", dst}, {"left", lhs}, {"right", rhs}});
  };
  auto image = [&](const Tile &all, int64_t n) {
    return r.part(all, kAxisN, all.shape[kAxisN] == 1 ? 0 : n, 1);
  };
  if (heads == 1) {
    for (int64_t n = 0; n < images; ++n)
      multiply(image(result, n), image(left, n), image(right, n));
    return;
  }
  auto matrix = [&](llvm::StringRef name, const Tile &all) {
    Dims dims = {1, all.shape[kAxisC], 1, all.shape[kAxisW]};
    return r.scratch(name, dims, all.type);
  };
  Tile oneLeft = matrix("left", left), oneRight = matrix("right", right),
       product = matrix("product", result);
  for (int64_t i = 0; i < images * heads; ++i) {
    int64_t n = i % images;
    auto head = [&](const Tile &all) {
      return r.part(image(all, n), kAxisH, i / images, 1);
    };
    for (auto [one, all] : {std::pair(&oneLeft, &left), {&oneRight, &right}})
      if (n == 0 || all->shape[kAxisN] > 1)
        r.copy(*one, head(*all));
    multiply(product, oneLeft, oneRight);
    r.copy(head(result), product);
  }
}

ArrayRef<Alternative> RowMatMulOp::recipes() {
  static const Alternative list[] = {{"matrix", buildRowMatMul}};
  return list;
}
