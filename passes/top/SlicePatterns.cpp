//===- SlicePatterns.cpp - parts taken before tensors are moved -----------===//
//
// Exporters write queries, keys and values of an attention as one product that
// is turned as a whole and then cut. Cut first, each part is turned in the way
// that its reader wants.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Move.h"

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

} // namespace

void weft::top::populateSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<SliceBeforeTranspose, SliceBeforeReshape>(patterns.getContext());
}
