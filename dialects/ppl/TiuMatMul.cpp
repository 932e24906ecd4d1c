//===- TiuMatMul.cpp - TIU matrix multiplication -------------------------===//

#include "dialects/ppl/TiuMatMul.h"
#include "dialects/ppl/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

void PplDialect::registerTiuMatMul() {
  addOperations<
#define GET_OP_LIST
#include "dialects/ppl/TiuMatMul.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/ppl/TiuMatMul.cpp.inc"

static LogicalResult expectMatrix(Operation *op, StringRef name,
                                  TensorViewType type) {
  if (!type)
    return success();
  if (type.getH() != 1)
    return op->emitOpError()
           << name << " has h = " << type.getH() << ", a matrix has h = 1";
  return expectLayout(op, name, type, {Layout::Aligned});
}

// (C3)
static LogicalResult verifyMmTypes(MmOp op, TensorViewType dst,
                                   TensorViewType lhs, TensorViewType rhs,
                                   TensorViewType bias) {
  bool is8 = isInt8(rhs) && (!lhs || isInt8(lhs));
  if (op.getRshift()) {
    bool biasFits = !bias || (isInteger(bias) && elementBytesOf(bias) == 2);
    if (!is8 || !isInt8(dst) || !biasFits)
      return op.emitOpError()
             << "rshift needs 8-bit operands and dst and a 16-bit bias; dst is "
             << dst.getElementType() << ", rhs " << rhs.getElementType();
    return expectRange(op, "rshift", int32_t(*op.getRshift()), 0, 31);
  }
  if (op.getLshift() || (op.getRelu()))
    return op.emitOpError() << "lshift and relu go with rshift";
  bool isF32 = rhs.getElementType().isF32() && dst.getElementType().isF32() &&
               (!lhs || lhs.getElementType().isF32()) &&
               (!bias || bias.getElementType().isF32());
  bool is8To32 = is8 && isInteger(dst) && elementBytesOf(dst) == 4 && !bias &&
                 !op.getAccumulate();
  if (!isF32 && !is8To32)
    return op.emitOpError()
           << "types must be f32, or 8-bit operands with a 32-bit dst and no "
              "bias; "
              "dst is "
           << dst.getElementType() << ", rhs " << rhs.getElementType();
  return success();
}

LogicalResult MmOp::verify() {
  TensorViewType dst = getDst().getType(), lhs = tensorOf(getLhs()),
                 rhs = getRhs().getType();
  TensorViewType bias = tensorOf(getBias());
  for (auto [name, type] :
       {std::pair("dst", dst), std::pair("lhs", lhs), std::pair("rhs", rhs),
        std::pair("bias", bias)}) // (C1)
    if (failed(expectMatrix(*this, name, type)))
      return failure();
  if (failed(verifyMmTypes(*this, dst, lhs, rhs, bias)))
    return failure();
  int64_t inner = getInner(); // (C2)
  if (failed(
          expectShape(*this, "rhs", rhs, {inner, dst.getC(), 1, dst.getW()})) ||
      failed(expectShape(*this, "bias", bias,
                         {1, dst.getC(), 1, dst.getW()}))) // (C4)
    return failure();
  if (!lhs)
    return success();
  int64_t rows = getTransposeLhs() ? inner : dst.getN();
  int64_t columns = getTransposeLhs() ? dst.getN() : inner;
  if (lhs.getN() != rows || lhs.getC() * lhs.getW() < columns ||
      (lhs.getC() - 1) * lhs.getW() >= columns)
    return emitOpError() << "lhs is " << lhs.getN() << " rows of " << lhs.getC()
                         << " channels of " << lhs.getW() << ", must hold "
                         << rows << " rows of " << columns << " columns";
  return success();
}

LogicalResult Mm2Op::verify() {
  TensorViewType dst = getDst().getType(), lhs = tensorOf(getLhs()),
                 rhs = tensorOf(getRhs());
  if (!lhs && !rhs) // (C4)
    return emitOpError() << "both operands are scalars";
  for (auto [name, type] :
       {std::pair("dst", dst), std::pair("lhs", lhs), std::pair("rhs", rhs)}) {
    if (failed(expectMatrix(*this, name, type)))
      return failure();
    if (type && type.getN() != 1)
      return emitOpError() << name << " has n = " << type.getN()
                           << ", must be 1";
  }
  // (C1) rows M, columns N and inner size K by the kind
  int64_t m = dst.getC(), n = dst.getW();
  Mm2Kind kind = getKind();
  int64_t k = kind == Mm2Kind::TT ? (lhs ? lhs.getC() : rhs.getW())
                                  : (lhs                   ? lhs.getW()
                                     : kind == Mm2Kind::NN ? rhs.getC()
                                                           : rhs.getW());
  SmallVector<int64_t> wantLhs = {1, m, 1, k}, wantRhs = {1, k, 1, n};
  if (kind == Mm2Kind::NT)
    wantRhs = {1, n, 1, k};
  if (kind == Mm2Kind::TT)
    wantLhs = {1, k, 1, n}, wantRhs = {1, m, 1, k};
  if (failed(expectShape(*this, "lhs", lhs, wantLhs)) ||
      failed(expectShape(*this, "rhs", rhs, wantRhs)) ||
      (isInteger(rhs ? rhs : lhs)
           ? success()
           : expectSameElements(*this, "lhs", lhs, "rhs", rhs))
          .failed())
    return failure();
  TensorViewType operand = lhs ? lhs : rhs; // (C2)
  bool is16 = operand.isFloat() && elementBytesOf(operand) == 2 &&
              (dst.getElementType() == operand.getElementType() ||
               dst.getElementType().isF32());
  bool is8 = isInt8(operand) && (!rhs || isInt8(rhs)) && isInteger(dst) &&
             elementBytesOf(dst) == 4;
  if (!is16 && !is8)
    return emitOpError() << "operands must be f16 or bf16 with dst of that "
                            "type or f32, or 8-bit with "
                            "a 32-bit dst; operands are "
                         << operand.getElementType() << ", dst "
                         << dst.getElementType();
  if (getZeroPoint() && !is8) // (C3)
    return emitOpError() << "zero_point goes with 8-bit operands";
  if (getAccumulate() && kind == Mm2Kind::NT)
    return emitOpError() << "accumulate goes with nn and tt";
  TensorViewType zero =
      getZeroPoint() ? tensorOf(getZeroPoint()) : TensorViewType();
  if (failed(expectShape(*this, "zero_point", zero,
                         {1, chipOf(*this).lanes, 1, n})))
    return failure();
  return expectLayout(*this, "zero_point", zero, {Layout::Compact});
}
