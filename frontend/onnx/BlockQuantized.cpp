//===- BlockQuantized.cpp - matrices in blocks of few bits ----------------===//
//
// com.microsoft has matrices whose rows are blocks of packed codes, each block
// with a scale and a zero point: number = (code - zero point) * scale. They
// become constants of f32, in which the lowering finds the codes again
// (passes/quantize/WeightCodes.h), and are multiplied as any other.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Constant.h"
#include "frontend/onnx/Import.h"
#include "frontend/onnx/Microsoft.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

namespace {
/// A matrix of `columns` columns of `inner` numbers, each column in blocks.
struct BlockMatrix {
  int64_t inner = 0, columns = 0, bits = 4, blockSize = 0;
  std::vector<char> codes;         ///< packed, whole blocks
  SmallVector<double> scales;      ///< columns x blocks
  SmallVector<double> zeros;       ///< the same; empty: half of the levels
  SmallVector<int64_t> blockOfRow; ///< empty: neighbours

  int64_t blocks() const { return llvm::divideCeil(inner, blockSize); }
  double number(int64_t column, int64_t row) const;
};
} // namespace

/// Number `i` of those packed from the lowest bits of each byte on.
static uint8_t unpack(ArrayRef<char> bytes, int64_t i, int64_t bits) {
  int64_t perByte = 8 / bits;
  auto byte = static_cast<uint8_t>(bytes[i / perByte]);
  return byte >> (i % perByte * bits) & ((1 << bits) - 1);
}

double BlockMatrix::number(int64_t column, int64_t row) const {
  int64_t block = blockOfRow.empty() ? row / blockSize : blockOfRow[row],
          at = column * blocks() + block;
  double zero = zeros.empty() ? 1 << (bits - 1) : zeros[at];
  uint8_t code = unpack(codes, column * blocks() * blockSize + row, bits);
  return (code - zero) * scales[at];
}

/// The constant that operand `i` is, of `count` elements.
template <typename List>
static FailureOr<List> constantOperand(NodeImporter &n, unsigned i,
                                       StringRef what, int64_t count,
                                       std::optional<List> (*read)(Value)) {
  FailureOr<Value> value = n.operand(i);
  if (failed(value))
    return failure();
  std::optional<List> list = read(*value);
  if (!list)
    return n.unsupported() << what << " is computed; it must be constant";
  if (static_cast<int64_t>(list->size()) != count)
    return n.error() << what << " has " << list->size()
                     << " elements, must have " << count;
  return std::move(*list);
}

static LogicalResult readZeros(NodeImporter &n, BlockMatrix &matrix) {
  constexpr unsigned kZeros = 3;
  Value operand = n.optionalOperand(kZeros);
  if (!operand)
    return success();
  int64_t blocks = matrix.blocks();
  if (!n.typeOf(operand).getElementType().isUnsignedInteger(8)) {
    auto zeros = constantOperand(n, kZeros, "zero_points",
                                 matrix.columns * blocks, constantNumbersOf);
    if (failed(zeros))
      return failure();
    matrix.zeros = std::move(*zeros);
    return success();
  }
  int64_t rowBytes = llvm::divideCeil(blocks * matrix.bits, 8);
  auto packed = constantOperand(n, kZeros, "zero_points",
                                matrix.columns * rowBytes, constantBytesOf);
  if (failed(packed))
    return failure();
  for (int64_t column = 0; column < matrix.columns; ++column)
    for (int64_t block = 0; block < blocks; ++block)
      matrix.zeros.push_back(unpack(
          ArrayRef(*packed).drop_front(column * rowBytes), block, matrix.bits));
  return success();
}

static LogicalResult readBlockOfRow(NodeImporter &n, BlockMatrix &matrix) {
  constexpr unsigned kIndex = 4;
  if (!n.optionalOperand(kIndex))
    return success();
  if (n.optionalOperand(3))
    return n.unsupported() << "g_idx beside zero_points, for which ONNX "
                              "Runtime's CPU gives other numbers than its "
                              "documentation; export without act-order";
  auto index =
      constantOperand(n, kIndex, "g_idx", matrix.inner, constantIntsOf);
  if (failed(index))
    return failure();
  for (int64_t block : *index)
    if (block < 0 || block >= matrix.blocks())
      return n.error() << "g_idx has " << block << ", must be from 0 to "
                       << matrix.blocks() - 1;
  matrix.blockOfRow = std::move(*index);
  return success();
}

static FailureOr<BlockMatrix> readMatrix(NodeImporter &n) {
  FailureOr<int64_t> inner = n.intAttribute("K", 0, 1, kMaxElements),
                     columns = n.intAttribute("N", 0, 1, kMaxElements),
                     bits = n.intAttribute("bits", 4, 2, 8),
                     size = n.intAttribute("block_size", 0, 16, kMaxElements);
  if (failed(inner) || failed(columns) || failed(bits) || failed(size))
    return failure();
  if (*bits != 2 && *bits != 4 && *bits != 8)
    return n.error() << "bits is " << *bits << ", must be 2, 4 or 8";
  if (!llvm::isPowerOf2_64(*size))
    return n.error() << "block_size is " << *size << ", must be a power of two";
  BlockMatrix matrix{*inner, *columns, *bits, *size, {}, {}, {}, {}};
  if (*columns > kMaxElements / (matrix.blocks() * *size))
    return n.error() << "K is " << *inner << " and N " << *columns
                     << ", more elements than a tensor may have";
  int64_t scaleCount = *columns * matrix.blocks();
  auto codes = constantOperand(n, 1, "B", scaleCount * *size * *bits / 8,
                               constantBytesOf);
  auto scales = constantOperand(n, 2, "scales", scaleCount, constantNumbersOf);
  if (failed(codes) || failed(scales))
    return failure();
  matrix.codes = std::move(*codes);
  matrix.scales = std::move(*scales);
  if (failed(readZeros(n, matrix)) || failed(readBlockOfRow(n, matrix)))
    return failure();
  return matrix;
}

/// K x N, in f32.
static Value constantOf(NodeImporter &n, const BlockMatrix &matrix) {
  numeric::HostTensor values(numeric::ElementType::F32,
                             {matrix.inner, matrix.columns});
  auto *numbers = reinterpret_cast<float *>(values.bytes());
  for (int64_t column = 0; column < matrix.columns; ++column)
    for (int64_t row = 0; row < matrix.inner; ++row)
      numbers[row * matrix.columns + column] =
          static_cast<float>(matrix.number(column, row));
  auto type = RankedTensorType::get({matrix.inner, matrix.columns},
                                    n.builder.getF32Type());
  return n.constant(toElementsAttr(values, type, n.node.outputs.front()));
}

/// MatMulNBits: A, B, scales, zero points, g_idx, bias. `accuracy_level` allows
/// less accuracy than the product has here.
static LogicalResult importMatMulNBits(NodeImporter &n) {
  FailureOr<Value> a = n.operand(0);
  FailureOr<BlockMatrix> matrix = readMatrix(n);
  if (failed(a) || failed(matrix))
    return failure();
  RankedTensorType type = n.typeOf(*a);
  if (type.getRank() == 0 || type.getShape().back() != matrix->inner ||
      !isa<FloatType>(type.getElementType()))
    return n.error() << "A is of type " << type << ", must be of floats in rows"
                     << " of K = " << matrix->inner;
  Compose c(n);
  Type f32 = n.builder.getF32Type();
  Value product = c.matmul(c.cast(*a, f32), constantOf(n, *matrix));
  if (Value bias = n.optionalOperand(5))
    product = c.add(product, c.cast(bias, f32));
  return c.finish(c.cast(product, type.getElementType()));
}

void weft::onnx::registerBlockQuantizedRows(OpRegistry &registry) {
  registry.add("MatMul",
               {{"MatMulNBits", 1, kLastOpset, importMatMulNBits,
                 "constant weights of 2, 4 or 8 bits; no g_idx beside "
                 "zero_points"}},
               kMicrosoftDomain);
}
