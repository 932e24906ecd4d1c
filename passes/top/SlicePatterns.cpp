//===- SlicePatterns.cpp - parts taken before tensors are moved -----------===//
//
// Exporters write queries, keys and values of an attention as one product that
// is turned as a whole and then cut. Cut first, each part is turned in the way
// that its reader wants; and if its columns are cut apart, each part is a
// product of its own, which no move has to take out of another.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Exact.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Part.h"

using namespace mlir;
using namespace weft::top;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Value createSlice(PatternRewriter &rewriter, Location location,
                         Value input, ArrayRef<int64_t> starts,
                         ArrayRef<int64_t> steps, ArrayRef<int64_t> shape) {
  Type element = cast<RankedTensorType>(input.getType()).getElementType();
  return rewriter.create<SliceOp>(
      location, RankedTensorType::get(shape, element), input, starts, steps);
}

/// Whether `op` takes whole rows but for some of their columns, one beside the
/// other.
static bool takesColumns(SliceOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getOutput());
  return !from.empty() && from.drop_back() == to.drop_back() &&
         llvm::all_of(op.getSteps(), [](int64_t step) { return step == 1; });
}

/// Whether all that is read of `whole` are columns, none of them twice.
static bool isCutApart(Value whole) {
  SmallVector<std::pair<int64_t, int64_t>> parts; // begin, end
  for (Operation *user : whole.getUsers()) {
    auto op = dyn_cast<SliceOp>(user);
    if (!op || !takesColumns(op))
      return false;
    int64_t begin = op.getStarts().back();
    parts.push_back({begin, begin + shapeOf(op.getOutput()).back()});
  }
  llvm::sort(parts);
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i].first < parts[i - 1].second)
      return false;
  return true;
}

/// The columns of a constant that `op` takes of what is made with it; the
/// constant itself if it has one for all.
static Value columnsOf(PatternRewriter &rewriter, Value constant, SliceOp op) {
  SmallVector<int64_t> shape(shapeOf(constant));
  if (shape.empty() || shape.back() == 1)
    return constant;
  SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
  starts.back() = op.getStarts().back();
  shape.back() = shapeOf(op.getOutput()).back();
  return createSlice(rewriter, op.getLoc(), constant, starts, steps, shape);
}

/// Says on `part`, the columns that `op` takes of what `whole` gives, which
/// ONNX value they are of.
static void namePart(OpBuilder &builder, Operation *part, Operation *whole,
                     SliceOp op) {
  auto name = whole->getAttrOfType<StringAttr>(kValueAttr);
  int64_t begin = op.getStarts().back();
  if (!name) { // a part itself
    name = whole->getAttrOfType<StringAttr>(kPartOfAttr);
    if (auto columns = whole->getAttrOfType<DenseI64ArrayAttr>(kColumnsAttr))
      begin += columns[0];
  }
  if (!name)
    return;
  part->setAttr(kPartOfAttr, name);
  part->setAttr(kColumnsAttr,
                builder.getDenseI64ArrayAttr(
                    {begin, begin + shapeOf(op.getOutput()).back()}));
}

/// What `op` takes of `value`.
static Value cutOf(PatternRewriter &rewriter, Value value, SliceOp op) {
  return createSlice(rewriter, op.getLoc(), value, op.getStarts(),
                     op.getSteps(), shapeOf(op.getOutput()));
}

namespace {

/// slice(transpose(x)) -> transpose(slice(x)), if nothing else reads the
/// turned whole.
struct SliceBeforeTranspose : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto turn = op.getInput().getDefiningOp<TransposeOp>();
    if (!turn || !llvm::all_of(turn->getUsers(), llvm::IsaPred<SliceOp>))
      return failure();
    size_t rank = turn.getPerm().size();
    SmallVector<int64_t> starts(rank), steps(rank), shape(rank);
    for (auto [to, from] : llvm::enumerate(turn.getPerm())) {
      starts[from] = op.getStarts()[to];
      steps[from] = op.getSteps()[to];
      shape[from] = shapeOf(op.getOutput())[to];
    }
    Value part = createSlice(rewriter, op.getLoc(), turn.getInput(), starts,
                             steps, shape);
    Location location = rewriter.getFusedLoc({turn.getLoc(), op.getLoc()});
    replaceFused(rewriter, op,
                 rewriter.create<TransposeOp>(location, op.getType(), part,
                                              turn.getPerm()));
    return success();
  }
};

/// slice(reshape(x)) -> reshape(slice(x)) where what is cut is an axis of x, or
/// the outermost of those that an axis was split into.
struct SliceBeforeReshape : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return failure();
    ArrayRef<int64_t> from = shapeOf(reshape.getInput()),
                      whole = shapeOf(reshape.getOutput()),
                      part = shapeOf(op.getOutput());
    SmallVector<int64_t> starts(from.size(), 0), steps(from.size(), 1),
        shape(from);
    if (!mapCuts(op, from, whole, part, starts, steps, shape))
      return failure();
    Value cut = createSlice(rewriter, op.getLoc(), reshape.getInput(), starts,
                            steps, shape);
    replaceFused(rewriter, op,
                 rewriter.create<ReshapeOp>(op.getLoc(), op.getType(), cut));
    return success();
  }

private:
  /// Goes along both shapes by runs of axes that hold equally many elements.
  static bool mapCuts(SliceOp op, ArrayRef<int64_t> from,
                      ArrayRef<int64_t> whole, ArrayRef<int64_t> part,
                      MutableArrayRef<int64_t> starts,
                      MutableArrayRef<int64_t> steps,
                      MutableArrayRef<int64_t> shape) {
    size_t i = 0, j = 0;
    while (i < from.size() || j < whole.size()) {
      size_t firstFrom = i, firstTo = j;
      int64_t left = i < from.size() ? from[i++] : 1,
              right = j < whole.size() ? whole[j++] : 1;
      while (left != right) {
        if (left < right && i < from.size())
          left *= from[i++];
        else if (right < left && j < whole.size())
          right *= whole[j++];
        else
          return false;
      }
      size_t cut = j; // of this run, if anything
      int64_t before = 1, inner = 1;
      for (size_t axis = firstTo; axis < j; ++axis) {
        bool isCut = whole[axis] != part[axis] || op.getSteps()[axis] != 1;
        if (isCut && cut != j)
          return false;
        if (isCut)
          cut = axis;
        else
          (cut == j ? before : inner) *= whole[axis];
      }
      if (cut == j)
        continue;
      if (i - firstFrom != 1 || before != 1 ||
          (op.getSteps()[cut] != 1 && inner != 1))
        return false;
      starts[firstFrom] = op.getStarts()[cut] * inner;
      steps[firstFrom] = op.getSteps()[cut];
      shape[firstFrom] = part[cut] * inner;
    }
    return true;
  }
};

/// slice(f(x, constant)) -> f(slice(x), slice(constant)) of columns.
struct SliceBeforeConstantRow : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto binary = op.getInput().getDefiningOp<BinaryOp>();
    if (!binary || binary->hasAttr(kExactAttr) || !isCutApart(op.getInput()))
      return failure();
    for (unsigned number : {0, 1}) {
      Value whole = binary->getOperand(number),
            constant = binary->getOperand(1 - number);
      if (!constant.getDefiningOp<ConstantOp>() ||
          whole.getType() != binary.getType())
        continue;
      SmallVector<Value, 2> operands(2);
      operands[number] = cutOf(rewriter, whole, op);
      operands[1 - number] = columnsOf(rewriter, constant, op);
      Location location = rewriter.getFusedLoc({binary.getLoc(), op.getLoc()});
      auto part = rewriter.create<BinaryOp>(
          location, op.getType(), binary.getKind(), operands[0], operands[1]);
      namePart(rewriter, part, binary, op);
      replaceFused(rewriter, op, part);
      return success();
    }
    return failure();
  }
};

/// slice(matmul(x, constant)) -> matmul(x, slice(constant)) of columns, where
/// rows fill the lanes: columns, behind each other in a lane, are not worth
/// more together. Unless they are very few.
struct SliceBeforeProduct : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t kFewRows = 8, kFewColumns = 16;
    auto product = op.getInput().getDefiningOp<MatMulOp>();
    if (!product || product.getType().getRank() < 2 || becomesConv(product) ||
        product->hasAttr(kExactAttr) ||
        product.getRhs().getType().getRank() != 2 ||
        !product.getRhs().getDefiningOp<ConstantOp>() ||
        !isCutApart(op.getInput()))
      return failure();
    ArrayRef<int64_t> shape = shapeOf(op.getOutput());
    if (ShapedType::getNumElements(shape.drop_back()) < kFewRows ||
        shape.back() < kFewColumns)
      return failure();
    Value columns = columnsOf(rewriter, product.getRhs(), op);
    Location location = rewriter.getFusedLoc({product.getLoc(), op.getLoc()});
    auto part = rewriter.create<MatMulOp>(location, op.getType(),
                                          product.getLhs(), columns);
    namePart(rewriter, part, product, op);
    replaceFused(rewriter, op, part);
    return success();
  }
};

} // namespace

void weft::top::populateSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<SliceBeforeTranspose, SliceBeforeReshape, SliceBeforeConstantRow,
               SliceBeforeProduct>(patterns.getContext());
}
