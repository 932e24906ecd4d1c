//===- RowPatterns.cpp - rows of several images, counted as one matrix ----===//
//
// Exporters write a linear layer as reshape, matrix product, sum and reshape
// (PyTorch's addmm, all of BERT in TensorFlow). A matrix has each element of a
// row in a lane of its own, images of rows a row in each lane, and with them
// agrees what stands around. So the first reshape moves down until it meets the
// second.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Unary.h"

using namespace mlir;
using namespace weft::top;

/// The images of rows that `value`, a matrix, is another view of; null if it is
/// none, or if the images have so few rows that the matrix is as good.
static Value imagesBehind(Value value) {
  constexpr int64_t kFewRows = 8;
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (!reshape || reshape.getType().getRank() != 2)
    return {};
  RankedTensorType images = reshape.getInput().getType();
  bool keepsRows = images.getRank() == 3 && images.getDimSize(1) >= kFewRows &&
                   images.getDimSize(2) == reshape.getType().getDimSize(1);
  return keepsRows ? reshape.getInput() : Value();
}

/// The type of `matrix` with its rows in the images of `images`.
static RankedTensorType inImages(Value matrix, Value images) {
  auto type = cast<RankedTensorType>(matrix.getType());
  auto from = cast<RankedTensorType>(images.getType());
  return RankedTensorType::get(
      {from.getDimSize(0), from.getDimSize(1), type.getDimSize(1)},
      type.getElementType());
}

/// `op` on `operands`, which are images of rows, and the matrix it gave.
static void moveInto(PatternRewriter &rewriter, Operation *op, Value images,
                     ArrayRef<Value> operands) {
  Operation *moved = rewriter.clone(*op);
  for (auto [number, operand] : llvm::enumerate(operands))
    moved->setOperand(number, operand);
  moved->getResult(0).setType(inImages(op->getResult(0), images));
  if (auto reduce = dyn_cast<ReduceOp>(moved))
    reduce.setAxes({2});
  replaceFused(rewriter, op,
               rewriter.create<ReshapeOp>(op->getLoc(),
                                          op->getResult(0).getType(),
                                          moved->getResult(0)));
}

/// Whether `value` is the same for all rows of a matrix.
static bool isRow(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return value.getDefiningOp<ConstantOp>() &&
         (type.getRank() < 2 ||
          (type.getRank() == 2 && type.getDimSize(0) == 1));
}

// Whether an op makes each row of its result from one of its first operand.
static bool worksByRows(MatMulOp op) {
  return op.getRhs().getType().getRank() == 2;
}
static bool worksByRows(UnaryOp) { return true; }
static bool worksByRows(ReduceOp op) {
  return op.getKeepdims() && op.getAxes() == ArrayRef<int64_t>{1};
}

namespace {

template <typename Op>
struct RowsOfImages : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value images = imagesBehind(op->getOperand(0));
    if (!images || !worksByRows(op))
      return failure();
    moveInto(rewriter, op, images, images);
    return success();
  }
};

/// Beside other images of as many rows or a constant row.
struct BinaryOfImages : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    Value images;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value behind = imagesBehind(operand);
      if (!behind && !isRow(operand))
        return failure();
      operands.push_back(behind ? behind : operand);
      if (!behind)
        continue;
      if (images && inImages(operand, images) != behind.getType())
        return failure();
      images = behind;
    }
    if (!images || op.getOutput().getType().getRank() != 2)
      return failure();
    moveInto(rewriter, op, images, operands);
    return success();
  }
};

} // namespace

void weft::top::populateRowPatterns(RewritePatternSet &patterns) {
  // Before a product of few rows becomes a convolution.
  patterns.add<RowsOfImages<MatMulOp>>(patterns.getContext(), /*benefit=*/2);
  patterns.add<RowsOfImages<UnaryOp>, RowsOfImages<ReduceOp>, BinaryOfImages>(
      patterns.getContext());
}
