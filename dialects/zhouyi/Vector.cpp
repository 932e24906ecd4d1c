//===- Vector.cpp - vectors beside the functions -------------------------===//

#include "dialects/zhouyi/Vector.h"
#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Function.h"
#include "runtime/zhouyi/Cast.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft::zhouyi;

#define WEFT_REGISTER ZhouyiDialect::registerVector
#define WEFT_OPS "dialects/zhouyi/Vector.cpp.inc"
#include "dialects/OpDefinitions.inc"

//===----------------------------------------------------------------------===//
// zhouyi.constant
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (!mlir::isa<DenseElementsAttr>(getValue())) // (C1)
    return emitOpError() << "value must be dense";
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// zhouyi.tail_mask
//===----------------------------------------------------------------------===//

LogicalResult TailMaskOp::verify() {
  if (getSteps().size() != getIndices().size()) // (C1)
    return emitOpError() << "has " << getSteps().size() << " steps for "
                         << getIndices().size() << " indices";
  return success();
}

OpFoldResult TailMaskOp::fold(FoldAdaptor adaptor) {
  int64_t count = getLimitAttr().getInt();
  for (auto [attribute, step] : llvm::zip(adaptor.getIndices(), getSteps())) {
    auto index = dyn_cast_if_present<IntegerAttr>(attribute);
    int64_t product = 0;
    if (!index || llvm::MulOverflow(index.getInt(), step, product) ||
        llvm::SubOverflow(count, product, count))
      return {};
  }
  auto type = cast<mlir::VectorType>(getType());
  std::vector<uint8_t> lanes;
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane)
    lanes.push_back(lane < count);
  return denseMask(lanes, getContext());
}

namespace {
/// The indices that are known go into the limit.
struct FoldIndices : OpRewritePattern<TailMaskOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TailMaskOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> indices;
    SmallVector<int64_t> steps;
    int64_t limit = op.getLimitAttr().getInt();
    for (auto [index, step] : llvm::zip(op.getIndices(), op.getSteps())) {
      APInt known;
      int64_t product = 0;
      if (matchPattern(index, m_ConstantInt(&known))) {
        if (llvm::MulOverflow(known.getSExtValue(), step, product) ||
            llvm::SubOverflow(limit, product, limit))
          return failure();
      } else if (step != 0) {
        indices.push_back(index);
        steps.push_back(step);
      }
    }
    if (indices.size() == op.getIndices().size())
      return failure();
    rewriter.replaceOpWithNewOp<TailMaskOp>(op, op.getType(), indices, steps,
                                            limit);
    return success();
  }
};
} // namespace

void TailMaskOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<FoldIndices>(context);
}

//===----------------------------------------------------------------------===//
// zhouyi.reinterpret
//===----------------------------------------------------------------------===//

static int64_t bitsOf(Type type) {
  auto vector = cast<mlir::VectorType>(type);
  return vector.getDimSize(0) * vector.getElementTypeBitWidth();
}

LogicalResult ReinterpretOp::verify() {
  Type from = getSource().getType(), to = getType();
  bool arePointers = mlir::isa<PtrType>(from) && mlir::isa<PtrType>(to);
  bool areVectors =
      mlir::isa<mlir::VectorType>(from) && mlir::isa<mlir::VectorType>(to);
  if (arePointers || (areVectors && bitsOf(from) == bitsOf(to))) // (C1)
    return success();
  return emitOpError() << "from " << from << " to " << to
                       << "; both must be pointers, or vectors with as many "
                          "bits";
}

OpFoldResult ReinterpretOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReinterpretOp>()) {
    // Bits that went another way and came back.
    if (inner.getSource().getType() == getType())
      return inner.getSource();
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getSource());
  auto type = dyn_cast<mlir::VectorType>(getType());
  if (!value || !type)
    return {};
  return denseVector(type, bytesOf(value));
}

//===----------------------------------------------------------------------===//
// zhouyi.cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  auto from = cast<mlir::VectorType>(getSource().getType());
  auto to = cast<mlir::VectorType>(getType());
  if (from.getDimSize(0) != to.getDimSize(0)) // (C1)
    return emitOpError() << "from " << from.getDimSize(0) << " lanes to "
                         << to.getDimSize(0) << "; must have as many lanes";
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getSource());
  if (!value)
    return {};
  catalog::VectorType from = *vectorTypeOf(getSource().getType());
  catalog::VectorType to = *vectorTypeOf(getType());
  std::vector<uint8_t> source = bytesOf(value), result(to.bytes());
  castOf(from.type, to.type)(source.data(), result.data(), to.lanes);
  return denseVector(cast<mlir::VectorType>(getType()), result);
}
