//===- MatMul.cpp - ONNX rows of the MatMul family ------------------------===//

#include "dialects/top/MatMul.h"

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Einsum.h"
#include "frontend/onnx/Microsoft.h"
#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Quantize.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::UnaryKind;

/// MatMul-1..13.
static LogicalResult importMatMul(NodeImporter &n) {
  FailureOr<Value> lhs = n.operand(0), rhs = n.operand(1);
  if (failed(lhs) || failed(rhs))
    return failure();
  return n.setOutput(n.create<top::MatMulOp>(*lhs, *rhs));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// Operand `i` of Gemm, transposed if the flag `name` says so.
static FailureOr<Value> gemmOperand(NodeImporter &n, unsigned i,
                                    StringRef name) {
  FailureOr<Value> value = n.operand(i);
  FailureOr<bool> transposed = n.flagAttribute(name, false);
  if (failed(value) || failed(transposed))
    return failure();
  if (int64_t rank = n.typeOf(*value).getRank(); rank != 2) {
    n.error() << "input " << i << " has rank " << rank << ", must have 2";
    return failure();
  }
  Compose c(n);
  Value result = *transposed ? c.transpose(*value, {1, 0}) : *value;
  if (!result)
    return failure();
  return result;
}

/// `value` times a float factor; of integers the product is truncated.
static Value scaled(Compose &c, Value value, double factor) {
  if (!value || factor == 1)
    return value;
  Type element = c.elementOf(value);
  if (isa<FloatType>(element))
    return c.mul(value, factor);
  Value wide = c.cast(value, c.n.builder.getF32Type());
  return c.cast(wide ? c.mul(wide, factor) : Value(), element);
}

/// Gemm-7..13: alpha * A' * B' + beta * C.
static LogicalResult importGemm(NodeImporter &n) {
  FailureOr<Value> lhs = gemmOperand(n, 0, "transA");
  FailureOr<Value> rhs = gemmOperand(n, 1, "transB");
  FailureOr<double> alpha = n.floatAttribute("alpha", 1);
  FailureOr<double> beta = n.floatAttribute("beta", 1);
  if (failed(lhs) || failed(rhs) || failed(alpha) || failed(beta))
    return failure();
  Compose c(n);
  Value product = scaled(c, c.matmul(*lhs, *rhs), *alpha);
  Value addend = n.optionalOperand(2);
  if (!product || !addend || *beta == 0)
    return c.finish(product);
  // C may broadcast to the product, not the other way round.
  ArrayRef<int64_t> shape = c.shapeOf(product);
  auto broadcast = top::broadcastShapes(shape, c.shapeOf(addend));
  if (!broadcast || ArrayRef<int64_t>(*broadcast) != shape)
    return n.error() << "input C has the shape "
                     << formatShape(c.shapeOf(addend))
                     << ", which does not broadcast to " << formatShape(shape);
  Value scaledAddend = scaled(c, addend, *beta);
  return c.finish(scaledAddend ? c.add(product, scaledAddend) : Value());
}

//===----------------------------------------------------------------------===//
// Products of quantized matrices
//===----------------------------------------------------------------------===//

/// A zero point or scale as `element` beside the matrices of an operand: a
/// scalar, or one number a row (`alongRows`) or column.
static Value besideMatrix(Compose &c, Value value, Type element,
                          bool alongRows) {
  if (!value)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(value));
  int64_t count = NodeImporter::typeOf(value).getNumElements();
  if (count == 1)
    shape.clear();
  else if (shape.size() == 1 && alongRows)
    shape.push_back(1);
  return c.cast(c.reshape(value, shape), element);
}

static bool isZero(Value value) {
  std::optional<SmallVector<int64_t>> numbers = constantIntsOf(value);
  return numbers && llvm::all_of(*numbers, [](int64_t n) { return n == 0; });
}

/// (a - aZero) * (b - bZero) in i32, as products of 8 bits: a*b - aZero *
/// sums of b's columns - bZero * sums of a's rows + inner * aZero * bZero. All
/// of it may wrap, the result is exact. Zero points may be null.
static Value integerProduct(Compose &c, Value a, Value b, Value aZero,
                            Value bZero) {
  Type i32 = c.n.builder.getI32Type(), i8 = c.n.builder.getIntegerType(8);
  int64_t rows = c.shapeOf(a).size() == 1 ? 0 : 1, inner = c.shapeOf(a).back();
  bool isColumn = c.shapeOf(b).size() == 1;
  // With a vector on one side its axis is added for the corrections, too.
  if (!rows)
    a = c.reshape(a, {1, inner});
  if (isColumn)
    b = c.reshape(b, {c.shapeOf(b)[0], 1});
  Value product = c.matmul(a, b);
  Value left = aZero && !isZero(aZero) ? besideMatrix(c, aZero, i32, true)
                                       : Value(),
        right = bZero && !isZero(bZero) ? besideMatrix(c, bZero, i32, false)
                                        : Value();
  if (left)
    product = c.sub(product,
                    c.mul(left, c.matmul(c.numbers(1.0, {1, inner}, i8), b)));
  if (right)
    product = c.sub(product,
                    c.mul(right, c.matmul(a, c.numbers(1.0, {inner, 1}, i8))));
  if (left && right)
    product =
        c.add(product, c.mul(c.mul(left, right), static_cast<double>(inner)));
  if (!product)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(product));
  if (isColumn)
    shape.pop_back();
  if (!rows)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return c.reshape(product, shape);
}

/// Fails unless the value is of 8-bit integers of rank >= 1.
static LogicalResult checkNarrow(NodeImporter &n, Value value, unsigned i) {
  RankedTensorType type = n.typeOf(value);
  if (type.getElementType().isInteger(8) && type.getRank() >= 1)
    return success();
  return n.error() << "input " << i << " is of type " << type
                   << ", must be a matrix of 8-bit integers";
}

/// MatMulInteger-10.
static LogicalResult importMatMulInteger(NodeImporter &n) {
  FailureOr<Value> a = n.operand(0), b = n.operand(1);
  if (failed(a) || failed(b) || failed(checkNarrow(n, *a, 0)) ||
      failed(checkNarrow(n, *b, 1)))
    return failure();
  Compose c(n);
  return c.finish(
      integerProduct(c, *a, *b, n.optionalOperand(2), n.optionalOperand(3)));
}

/// QLinearMatMul-10, -21: the product of the numbers behind two quantized
/// matrices, quantized again.
static LogicalResult importQLinearMatMul(NodeImporter &n) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < 8; ++i) {
    FailureOr<Value> operand = n.operand(i);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  auto [a, b, zero] = std::tuple(operands[0], operands[3], operands[7]);
  if (failed(checkNarrow(n, a, 0)) || failed(checkNarrow(n, b, 3)))
    return failure();
  Compose c(n);
  Type result = c.elementOf(zero), f32 = n.builder.getF32Type();
  if (!result.isInteger(8))
    return n.unsupported() << "a result of type " << result
                           << "; use int8 or uint8";
  Value product =
      c.cast(integerProduct(c, a, b, operands[2], operands[5]), f32);
  Value scale = c.mul(besideMatrix(c, operands[1], f32, true),
                      besideMatrix(c, operands[4], f32, false));
  scale = c.binary(top::BinaryKind::Div, scale,
                   besideMatrix(c, operands[6], f32, true));
  Value rounded = c.unary(UnaryKind::Round, c.mul(product, scale));
  rounded = c.add(rounded, besideMatrix(c, zero, f32, true));
  bool isSigned = !result.isUnsignedInteger();
  return c.finish(c.cast(
      rounded ? c.clamp(rounded, isSigned ? -128 : 0, isSigned ? 127 : 255)
              : Value(),
      result));
}

/// QGemm of com.microsoft: alpha * A' * B' + C on the integers behind quantized
/// matrices (C is int32 in the scale of their product), then quantized by the
/// scale and zero point of the result or, without them, real.
LogicalResult weft::onnx::importQGemm(NodeImporter &n) {
  FailureOr<Value> a = gemmOperand(n, 0, "transA"),
                   b = gemmOperand(n, 3, "transB"), scaleA = n.operand(1),
                   scaleB = n.operand(4);
  FailureOr<double> alpha = n.floatAttribute("alpha", 1);
  if (failed(a) || failed(b) || failed(scaleA) || failed(scaleB) ||
      failed(alpha) || failed(checkNarrow(n, *a, 0)) ||
      failed(checkNarrow(n, *b, 3)))
    return failure();
  Compose c(n);
  Type f32 = n.builder.getF32Type();
  Value sum =
      integerProduct(c, *a, *b, n.optionalOperand(2), n.optionalOperand(5));
  if (Value addend = n.optionalOperand(6))
    sum = sum ? c.add(sum, addend) : Value();
  Value factor = c.mul(besideMatrix(c, *scaleA, f32, true), *alpha);
  factor = c.mul(factor, besideMatrix(c, *scaleB, f32, false));
  Value scale = n.optionalOperand(7), zero = n.optionalOperand(8);
  if (!scale || !sum)
    return c.finish(sum ? c.mul(c.cast(sum, f32), factor) : Value());
  factor =
      c.binary(top::BinaryKind::Div, factor, besideMatrix(c, scale, f32, true));
  Value moved = c.unary(UnaryKind::Round, c.mul(c.cast(sum, f32), factor));
  Type result = zero ? c.elementOf(zero) : c.elementOf(*a);
  if (zero)
    moved = c.add(moved, besideMatrix(c, zero, f32, true));
  bool isUnsigned = result.isUnsignedInteger();
  return c.finish(c.cast(
      c.clamp(moved, isUnsigned ? 0 : -128, isUnsigned ? 255 : 127), result));
}

/// The product of the integers `a` and `b` times both scales, and a bias or
/// null: f32.
static LogicalResult finishReal(Compose &c, Value a, Value b, Value scaleA,
                                Value scaleB, Value aZero, Value bZero,
                                Value bias) {
  if (!a || failed(checkNarrow(c.n, b, 1)))
    return failure();
  Type f32 = c.n.builder.getF32Type();
  Value factor = c.mul(besideMatrix(c, scaleA, f32, true),
                       besideMatrix(c, scaleB, f32, false));
  Value real =
      c.mul(c.cast(integerProduct(c, a, b, aZero, bZero), f32), factor);
  return c.finish(bias ? c.add(real, bias) : real);
}

/// MatMulIntegerToFloat: A, B, their scales, their zero points, bias.
LogicalResult weft::onnx::importMatMulToFloat(NodeImporter &n) {
  FailureOr<Value> a = n.operand(0), b = n.operand(1), scaleA = n.operand(2),
                   scaleB = n.operand(3);
  if (failed(a) || failed(b) || failed(scaleA) || failed(scaleB) ||
      failed(checkNarrow(n, *a, 0)))
    return failure();
  Compose c(n);
  return finishReal(c, *a, *b, *scaleA, *scaleB, n.optionalOperand(4),
                    n.optionalOperand(5), n.optionalOperand(6));
}

/// DynamicQuantizeMatMul: A in f32, B, its scale, its zero point, bias.
LogicalResult weft::onnx::importDynamicQuantizeMatMul(NodeImporter &n) {
  FailureOr<Value> a = n.operand(0), b = n.operand(1), scale = n.operand(2);
  if (failed(a) || failed(b) || failed(scale))
    return failure();
  Compose c(n);
  DynamicallyQuantized from = quantizeDynamically(c, *a);
  return finishReal(c, from.values, *b, from.scale, *scale, from.zeroPoint,
                    n.optionalOperand(3), n.optionalOperand(4));
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// Det-11, -22. Up to 4x4 by minors: those of the last rows for each choice of
/// columns, one row more at a time. Larger matrices need pivots.
static LogicalResult importDet(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  int64_t rank = type.getRank(), size = rank ? type.getShape().back() : 0;
  if (rank < 2 || type.getDimSize(rank - 2) != size ||
      !isa<FloatType>(type.getElementType()))
    return n.error() << "input 0 is of type " << type
                     << ", must have square matrices of floats";
  Compose c(n);
  SmallVector<int64_t> shape(type.getShape().drop_back(2));
  constexpr int64_t kLargestUnrolled = 4;
  Type result = type.clone(shape);
  if (size == 0 || size > kLargestUnrolled)
    return c.finishHost("det", *input, {}, result);
  auto entry = [&](int64_t row, int64_t column) {
    Value line = c.sliceAxis(*input, rank - 2, row, 1);
    return c.reshape(c.sliceAxis(line, rank - 1, column, 1), shape);
  };
  // minors[set]: the determinant of the last rows and the columns of `set`.
  std::vector<Value> minors(size_t(1) << size);
  for (int64_t column = 0; column < size; ++column)
    minors[size_t(1) << column] = entry(size - 1, column);
  for (int64_t rows = 2; rows <= size; ++rows)
    for (size_t set = 0; set < minors.size(); ++set) {
      if (llvm::popcount(set) != rows)
        continue;
      bool negative = false;
      for (int64_t column = 0; column < size; ++column) {
        size_t bit = size_t(1) << column;
        if (!(set & bit))
          continue;
        Value product = c.mul(entry(size - rows, column), minors[set & ~bit]);
        minors[set] = !minors[set] ? product
                      : negative   ? c.sub(minors[set], product)
                                   : c.add(minors[set], product);
        if (!minors[set])
          return failure();
        negative = !negative;
      }
    }
  return c.finish(minors.back());
}

void weft::onnx::registerMatMulRows(OpRegistry &registry) {
  registry.add("MatMul",
               {{"Det", 11, kLastOpset, importDet},
                {"Einsum", 12, kLastOpset, importEinsum},
                {"Gemm", 7, kLastOpset, importGemm},
                {"MatMul", 1, kLastOpset, importMatMul},
                {"MatMulInteger", 10, kLastOpset, importMatMulInteger},
                {"QLinearMatMul", 10, kLastOpset, importQLinearMatMul,
                 "8-bit integers"}});
}
