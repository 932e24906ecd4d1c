//===- TiuQuant.cpp - TIU requantize and dequantize ----------------------===//

#include "dialects/ppl/TiuQuant.h"
#include "dialects/ppl/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

void PplDialect::registerTiuQuant() {
  addOperations<
#define GET_OP_LIST
#include "dialects/ppl/TiuQuant.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/ppl/TiuQuant.cpp.inc"

// (Q1) (Q2): `given` of `count` attributes are there; K of params.
template <typename QuantOp>
static LogicalResult verifyQuant(QuantOp op, unsigned given, unsigned count,
                                 int64_t perChannel) {
  TensorViewType dst = op.getDst().getType(), src = op.getSrc().getType();
  if (failed(expectShape(op, "src", src, dst.getShape())) ||
      failed(expectLayout(op, "dst", dst, {Layout::Aligned})) ||
      failed(expectLayout(op, "src", src, {Layout::Aligned})))
    return failure();
  TensorViewType params = tensorOf(op.getParams());
  if ((params && given != 0) || (!params && given != count))
    return op.emitOpError() << "takes either params or all " << count
                            << " parameter attributes; found " << given
                            << " attributes" << (params ? " and params" : "");
  if (failed(
          expectShape(op, "params", params, {1, dst.getC(), 1, perChannel})) ||
      failed(expectLayout(op, "params", params, {Layout::Aligned})))
    return failure();
  if (params && elementBytesOf(params) != 4)
    return op.emitOpError()
           << "params are " << params.getElementType() << ", must be 32-bit";
  return success();
}

static LogicalResult expectBytes(Operation *op, StringRef name,
                                 TensorViewType type, unsigned low,
                                 unsigned high) {
  if (isInteger(type) && elementBytesOf(type) >= low &&
      elementBytesOf(type) <= high)
    return success();
  return op->emitOpError() << name << " is " << type.getElementType()
                           << ", must be an integer of " << 8 * low << " to "
                           << 8 * high << " bits";
}

LogicalResult Rq0Op::verify() {
  if (failed(verifyQuant(*this, bool(getScaleAttr()) + bool(getOffsetAttr()), 2,
                         2)) ||                                    // (C2)
      failed(expectBytes(*this, "dst", getDst().getType(), 1, 2))) // (C1)
    return failure();
  return expectBytes(*this, "src", getSrc().getType(), 2, 4);
}

LogicalResult Rq1Op::verify() {
  unsigned given = bool(getMultiplierAttr()) + bool(getShiftAttr()) +
                   bool(getZeroPointAttr());
  if (failed(verifyQuant(*this, given, 3, 3)) ||                     // (C2)
      failed(expectBytes(*this, "dst", getDst().getType(), 1, 2)) || // (C1)
      failed(expectBytes(*this, "src", getSrc().getType(), 2, 4)))
    return failure();
  if (!given)
    return success();
  if (failed(expectRange(*this, "shift", *getShift(), -64, 31))) // (C3)
    return failure();
  return expectRange(*this, "zero_point", *getZeroPoint(), INT16_MIN,
                     INT16_MAX);
}

LogicalResult Dq0Op::verify() {
  TensorViewType dst = getDst().getType();
  if (failed(verifyQuant(*this, bool(getScaleAttr()) + bool(getZeroPointAttr()),
                         2, 2))) // (C2)
    return failure();
  if (!dst.getElementType().isF32()) // (C1)
    return emitOpError() << "dst is " << dst.getElementType()
                         << ", must be f32; cast afterwards";
  if (getZeroPointAttr() &&
      failed(expectRange(*this, "zero_point", *getZeroPoint(), INT16_MIN,
                         INT16_MAX))) // (C3)
    return failure();
  return expectBytes(*this, "src", getSrc().getType(), 1, 4);
}

LogicalResult Dq1Op::verify() {
  unsigned given = bool(getMultiplierAttr()) + bool(getShiftAttr()) +
                   bool(getZeroPointAttr());
  if (failed(verifyQuant(*this, given, 3, 3)) ||                     // (C2)
      failed(expectBytes(*this, "dst", getDst().getType(), 1, 2)) || // (C1)
      failed(expectBytes(*this, "src", getSrc().getType(), 1, 2)))
    return failure();
  if (!given)
    return success();
  if (failed(expectRange(*this, "shift", *getShift(), -64, 31))) // (C3)
    return failure();
  return expectRange(*this, "zero_point", *getZeroPoint(), INT16_MIN,
                     UINT16_MAX);
}
