//===- ConstantValue.cpp - tensors of ONNX as attributes and back ---------===//

#include "frontend/onnx/NodeImporter.h"

#include "dialects/Evaluate.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APFloat.h"
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Tensors up to this size are printed inline and uniqued by value.
constexpr int64_t kInlineElements = 16;

Type weft::onnx::elementTypeOf(int32_t onnxType, MLIRContext *context) {
  Builder builder(context);
  switch (onnxType) {
  case kFloat:
    return builder.getF32Type();
  case kDouble:
    return builder.getF64Type();
  case kFloat16:
    return builder.getF16Type();
  case kBfloat16:
    return builder.getBF16Type();
  case kBool:
    return builder.getI1Type();
  case kInt8:
    return builder.getI8Type();
  case kInt16:
    return builder.getI16Type();
  case kInt32:
    return builder.getI32Type();
  case kInt64:
    return builder.getI64Type();
  case kUint8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case kUint16:
    return builder.getIntegerType(16, /*isSigned=*/false);
  case kUint32:
    return builder.getIntegerType(32, /*isSigned=*/false);
  case kUint64:
    return builder.getIntegerType(64, /*isSigned=*/false);
  default:
    return nullptr;
  }
}

int32_t weft::onnx::onnxTypeOf(Type type) {
  for (int32_t candidate :
       {kFloat, kDouble, kFloat16, kBfloat16, kBool, kInt8, kInt16, kInt32,
        kInt64, kUint8, kUint16, kUint32, kUint64})
    if (elementTypeOf(candidate, type.getContext()) == type)
      return candidate;
  return kUndefined;
}

ElementsAttr weft::onnx::constantAttribute(const Tensor &tensor,
                                           MLIRContext *context) {
  auto type =
      RankedTensorType::get(tensor.dims, elementTypeOf(tensor.type, context));
  // i1 is packed to bits in attributes, so bools are always copied.
  if (tensor.type == kBool) {
    SmallVector<bool> values(tensor.bytes.begin(), tensor.bytes.end());
    return DenseElementsAttr::get(type, values);
  }
  if (type.getNumElements() <= kInlineElements) {
    // A raw buffer of one element would be read as a splat; both are the same.
    return DenseElementsAttr::getFromRawBuffer(type, tensor.bytes);
  }
  AsmResourceBlob blob(
      tensor.bytes, dataTypeBytes(tensor.type),
      [owner = tensor.owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(
      type, tensor.name.empty() ? "constant" : tensor.name, std::move(blob));
}

static ElementsAttr constantOf(Value value) {
  ElementsAttr attribute;
  if (!value || !matchPattern(value, m_Constant(&attribute)))
    return nullptr;
  return attribute;
}

std::optional<std::vector<char>> weft::onnx::constantBytesOf(Value value) {
  ElementsAttr attribute = constantOf(value);
  if (!attribute)
    return std::nullopt;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(attribute, value.getLoc());
  if (failed(tensor))
    return std::nullopt;
  return std::vector<char>(tensor->bytes(),
                           tensor->bytes() + tensor->sizeBytes());
}

/// Reads element `i` of little-endian bytes as an integer.
static int64_t readInteger(const std::vector<char> &bytes, size_t i,
                           unsigned width, bool isSigned) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * width, width);
  unsigned shift = 64 - 8 * width;
  return isSigned ? static_cast<int64_t>(bits << shift) >> shift
                  : static_cast<int64_t>(bits);
}

std::optional<SmallVector<int64_t>> weft::onnx::constantIntsOf(Value value) {
  std::optional<std::vector<char>> bytes = constantBytesOf(value);
  if (!bytes)
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer)
    return std::nullopt;
  unsigned width = std::max(1u, integer.getWidth() / 8);
  bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
  SmallVector<int64_t> values;
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i)
    values.push_back(readInteger(*bytes, i, width, isSigned));
  return values;
}

std::optional<SmallVector<double>> weft::onnx::constantNumbersOf(Value value) {
  if (!value)
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  auto floatType = dyn_cast<FloatType>(type.getElementType());
  SmallVector<double> values;
  if (!floatType) {
    std::optional<SmallVector<int64_t>> integers = constantIntsOf(value);
    if (!integers)
      return std::nullopt;
    values.assign(integers->begin(), integers->end());
    return values;
  }
  std::optional<std::vector<char>> bytes = constantBytesOf(value);
  if (!bytes)
    return std::nullopt;
  unsigned width = floatType.getWidth() / 8;
  for (int64_t i = 0, n = type.getNumElements(); i < n; ++i) {
    APInt bits(floatType.getWidth(),
               static_cast<uint64_t>(
                   readInteger(*bytes, i, width, /*isSigned=*/false)));
    APFloat number(floatType.getFloatSemantics(), bits);
    bool losesInfo = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    values.push_back(number.convertToDouble());
  }
  return values;
}
