//===- TiuSpecial.cpp - TIU special functions and moves ------------------===//

#include "dialects/ppl/TiuSpecial.h"
#include "dialects/ppl/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

void PplDialect::registerTiuSpecial() {
  addOperations<
#define GET_OP_LIST
#include "dialects/ppl/TiuSpecial.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/ppl/TiuSpecial.cpp.inc"

// dst and src are aligned and of one shape.
static LogicalResult verifyAlignedPair(Operation *op, TensorViewType dst,
                                       TensorViewType src) {
  if (failed(expectShape(op, "src", src, dst.getShape())) ||
      failed(expectLayout(op, "dst", dst, {Layout::Aligned})))
    return failure();
  return expectLayout(op, "src", src, {Layout::Aligned});
}

static LogicalResult expectFloat(Operation *op, StringRef name,
                                 TensorViewType type) {
  if (type.isFloat())
    return success();
  return op->emitOpError() << name << " is " << type.getElementType()
                           << ", must be a float";
}

// A table that lies in every lane: 1 x lanes x 1 x K.
static LogicalResult verifyLaneTable(Operation *op, StringRef name,
                                     TensorViewType table) {
  int64_t lanes = chipOf(op).lanes;
  if (failed(expectShape(op, name, table, {1, lanes, 1, table.getW()})))
    return failure();
  return expectLayout(op, name, table, {Layout::Aligned, Layout::Compact});
}

LogicalResult TaylorOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  TensorViewType table = getCoefficients().getType();
  if (failed(expectFloat(*this, "dst", dst)) ||
      failed(verifyAlignedPair(*this, dst, src)) ||                // (C2)
      failed(expectSameElements(*this, "dst", dst, "src", src)) || // (C1)
      failed(expectSameElements(*this, "dst", dst, "coefficients", table)) ||
      failed(verifyLaneTable(*this, "coefficients", table))) // (C3)
    return failure();
  return expectRange(*this, "count", int32_t(getCount()), 2,
                     table.getW()); // (C4)
}

LogicalResult RsqrtOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (failed(expectFloat(*this, "dst", dst)) ||
      failed(expectSameElements(*this, "dst", dst, "src", src)) || // (C1)
      failed(verifyAlignedPair(*this, dst, src)))                  // (C2)
    return failure();
  return expectRange(*this, "iterations", int32_t(getIterations()), 1,
                     4); // (C3)
}

LogicalResult NormOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (failed(expectFloat(*this, "src", src)) ||
      failed(verifyAlignedPair(*this, dst, src)))
    return failure();
  bool fits = dst.isFloat() ? dst.getElementType() == src.getElementType()
                            : elementBytesOf(dst) == elementBytesOf(src);
  if (!fits) // (C1)
    return emitOpError() << "dst is " << dst.getElementType() << ", must be "
                         << src.getElementType()
                         << " or an integer of its width";
  return success();
}

LogicalResult LookupOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType(),
                 table = getTable().getType();
  if (!isInteger(src) || isSigned(src) || elementBytesOf(src) > 2) // (C1)
    return emitOpError() << "src is " << src.getElementType()
                         << ", must be ui8 or ui16; a signed index needs a "
                            "view as unsigned and a "
                            "rotated table";
  if (failed(expectSameElements(*this, "dst", dst, "table", table)) ||
      failed(verifyAlignedPair(*this, dst, src)) ||   // (C2)
      failed(verifyLaneTable(*this, "table", table))) // (C3)
    return failure();
  return expectRange(*this, "h * w", dst.getH() * dst.getW(), 1, 65535); // (C4)
}

LogicalResult TransposeOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (elementBytesOf(dst) != elementBytesOf(src)) // (C1)
    return emitOpError() << "element sizes differ: dst has "
                         << dst.getElementType() << ", src has "
                         << src.getElementType();
  if (failed(expectShape(
          *this, "dst", dst,
          {src.getN(), src.getW(), src.getH(), src.getC()})) ||   // (C2)
      failed(expectLayout(*this, "src", src, {Layout::Aligned}))) // (C3)
    return failure();
  return expectLayout(
      *this, "dst", dst,
      {getKind() == TransposeKind::CW ? Layout::LineAligned : Layout::Aligned});
}

LogicalResult LaneBroadcastOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (failed(expectSameElements(*this, "dst", dst, "src", src)) || // (C1)
      failed(expectShape(*this, "src", src,
                         {dst.getN(), 1, dst.getH(), dst.getW()})) || // (C2)
      failed(expectRange(*this, "channels of dst", dst.getC(), 1,
                         chipOf(*this).lanes))) // (C3)
    return failure();
  if (src.isGlobal())
    return emitOpError()
           << "src is in global memory, which the TIU does not reach; use "
              "ppl.gdma.broadcast";
  if (src.isStatic()) {
    if (dst.getN() != 1 || dst.getH() != 1)
      return emitOpError() << "from static memory n and h must be 1, found "
                           << dst.getN() << " and " << dst.getH();
    if (failed(expectLayout(*this, "src", src, {Layout::Continuous}))) // (C4)
      return failure();
    return expectLayout(*this, "dst", dst, {Layout::Aligned, Layout::Compact});
  }
  if (failed(expectLayout(*this, "src", src, {Layout::Aligned})))
    return failure();
  return expectLayout(*this, "dst", dst, {Layout::Aligned});
}

LogicalResult LaneCopyOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (failed(expectSameElements(*this, "dst", dst, "src", src))) // (C1)
    return failure();
  return verifyAlignedPair(*this, dst, src); // (C2)
}
