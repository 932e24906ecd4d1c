//===- Memory.cpp - pointers, loads and stores ---------------------------===//

#include "dialects/zhouyi/Memory.h"
#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Vector.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft::zhouyi;

#define WEFT_REGISTER ZhouyiDialect::registerMemory
#define WEFT_OPS "dialects/zhouyi/Memory.cpp.inc"
#include "dialects/OpDefinitions.inc"

//===----------------------------------------------------------------------===//
// zhouyi.offset
//===----------------------------------------------------------------------===//

LogicalResult OffsetOp::verify() {
  if (getSteps().size() != getIndices().size()) // (C1)
    return emitOpError() << "has " << getSteps().size() << " steps for "
                         << getIndices().size() << " indices";
  return success();
}

OpFoldResult OffsetOp::fold(FoldAdaptor) {
  if (getIndices().empty() && getAdd() == 0)
    return getSource();
  return {};
}

namespace {
/// Indices with their steps and a number: what an offset or a tail mask adds
/// up.
struct LinearSum {
  SmallVector<Value> indices;
  SmallVector<int64_t> steps;
  int64_t constant = 0;

  /// False if a sum leaves 64 bits.
  bool add(Value index, int64_t step);
};
} // namespace

bool LinearSum::add(Value index, int64_t step) {
  APInt known;
  if (matchPattern(index, m_ConstantInt(&known))) {
    int64_t product = 0;
    return !llvm::MulOverflow(known.getSExtValue(), step, product) &&
           !llvm::AddOverflow(constant, product, constant);
  }
  for (auto [have, sum] : llvm::zip(indices, steps))
    if (have == index)
      return !llvm::AddOverflow(sum, step, sum);
  indices.push_back(index);
  steps.push_back(step);
  return true;
}

namespace {
/// An offset of an offset becomes one, known indices a number, and an index
/// that is there twice one term.
struct MergeOffset : OpRewritePattern<OffsetOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OffsetOp op,
                                PatternRewriter &rewriter) const override {
    LinearSum sum;
    auto inner = op.getSource().getDefiningOp<OffsetOp>();
    for (OffsetOp part : {op, inner}) {
      if (!part)
        continue;
      if (llvm::AddOverflow(sum.constant, part.getAddAttr().getInt(),
                            sum.constant))
        return failure();
      for (auto [index, step] : llvm::zip(part.getIndices(), part.getSteps()))
        if (step != 0 && !sum.add(index, step))
          return failure();
    }
    if (!inner && sum.indices.size() == op.getIndices().size())
      return failure();
    Value source = inner ? inner.getSource() : op.getSource();
    rewriter.replaceOpWithNewOp<OffsetOp>(op, op.getType(), source, sum.indices,
                                          sum.steps, sum.constant);
    return success();
  }
};
} // namespace

void OffsetOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<MergeOffset>(context);
}

//===----------------------------------------------------------------------===//
// zhouyi.load, zhouyi.store
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccess(Operation *op, Value pointer, Type vectorType,
                                  Value mask, int64_t stride) {
  auto vector = cast<mlir::VectorType>(vectorType);
  Type element = cast<PtrType>(pointer.getType()).getElementType();
  if (vector.getElementType() != element) // (C1)
    return op->emitOpError() << "pointer is to " << element << ", vector is of "
                             << vector.getElementType()
                             << "; reinterpret the pointer or cast the vector";
  if (mask && cast<mlir::VectorType>(mask.getType()).getDimSize(0) !=
                  vector.getDimSize(0)) // (C2)
    return op->emitOpError()
           << "mask has "
           << cast<mlir::VectorType>(mask.getType()).getDimSize(0)
           << " lanes, vector has " << vector.getDimSize(0);
  if (!llvm::isInt<32>(stride)) // (C3)
    return op->emitOpError()
           << "stride is " << stride << ", must be -2147483648 to 2147483647";
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getPointer(), getType(), getMask(),
                      getStrideAttr().getInt());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, getPointer(), getValue().getType(), getMask(),
                          getStrideAttr().getInt())))
    return failure();
  if (getStrideAttr().getInt() == 0 &&
      cast<mlir::VectorType>(getValue().getType()).getDimSize(0) > 1) // (C5)
    return emitOpError() << "writes all lanes to one place; a stride of 0 is "
                            "for one lane";
  return success();
}

namespace {
/// A mask of all lanes is none.
template <class Access>
struct DropFullMask : OpRewritePattern<Access> {
  using OpRewritePattern<Access>::OpRewritePattern;

  LogicalResult matchAndRewrite(Access op,
                                PatternRewriter &rewriter) const override {
    if (uniformMask(op.getMask()) != true)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
};

/// A store of no lane is nothing.
struct DropEmptyStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    if (uniformMask(op.getMask()) != false)
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// A load of no lane is 0.
struct ZeroEmptyLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    if (uniformMask(op.getMask()) != false)
      return failure();
    auto type = cast<mlir::VectorType>(op.getType());
    // Of ui8 and the like MLIR makes no zero itself.
    std::vector<uint8_t> zero(
        size_t(type.getNumElements() * type.getElementTypeBitWidth() / 8));
    rewriter.replaceOpWithNewOp<ConstantOp>(op, denseVector(type, zero));
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFullMask<LoadOp>, ZeroEmptyLoad>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropFullMask<StoreOp>, DropEmptyStore>(context);
}
