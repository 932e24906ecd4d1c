//===- ConstantValue.cpp - tensors of ONNX as attributes and back ---------===//

#include "dialects/ConstantBlobs.h"
#include "frontend/onnx/NodeImporter.h"

#include "dialects/Evaluate.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "runtime/numeric/TensorValues.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Tensors up to this size are printed inline and uniqued by value.
constexpr int64_t kInlineElements = 16;

Type weft::onnx::elementTypeOf(int32_t onnxType, MLIRContext *context) {
  std::optional<numeric::ElementType> type =
      numeric::fromOnnxDataType(onnxType);
  return type ? top::elementTypeFor(*type, context) : nullptr;
}

int32_t weft::onnx::onnxTypeOf(Type type) {
  std::optional<numeric::ElementType> element = hostElementType(type);
  return element ? numeric::onnxDataType(*element) : int32_t(kUndefined);
}

ElementsAttr weft::onnx::constantAttribute(const Tensor &tensor,
                                           MLIRContext *context) {
  bool isText = tensor.type == kString;
  auto type = RankedTensorType::get(
      tensor.dims, isText ? IntegerType::get(context, 8, IntegerType::Unsigned)
                          : elementTypeOf(tensor.type, context));
  // i1 is packed to bits in attributes, so bools are always copied.
  if (tensor.type == kBool) {
    SmallVector<bool> values(tensor.bytes.begin(), tensor.bytes.end());
    return DenseElementsAttr::get(type, values);
  }
  // Dense attributes know only MLIR's own types.
  if (type.getNumElements() <= kInlineElements &&
      type.getElementType().isIntOrFloat()) {
    // A raw buffer of one element would be read as a splat; both are the same.
    return DenseElementsAttr::getFromRawBuffer(type, tensor.bytes);
  }
  AsmResourceBlob blob(
      tensor.bytes, isText ? 1 : dataTypeBytes(tensor.type),
      [owner = tensor.owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(
      type,
      tensor.name.empty() ? blobName("constant", tensor.bytes) : tensor.name,
      std::move(blob));
}

static ElementsAttr constantOf(Value value) {
  ElementsAttr attribute;
  if (!value || !matchPattern(value, m_Constant(&attribute)))
    return nullptr;
  return attribute;
}

/// The tensor of a constant value; nullopt if `value` is none.
static std::optional<numeric::HostTensor> constantTensorOf(Value value) {
  ElementsAttr attribute = constantOf(value);
  if (!attribute)
    return std::nullopt;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(attribute, value.getLoc());
  if (failed(tensor))
    return std::nullopt;
  return std::move(*tensor);
}

std::optional<std::vector<char>> weft::onnx::constantBytesOf(Value value) {
  std::optional<numeric::HostTensor> tensor = constantTensorOf(value);
  if (!tensor)
    return std::nullopt;
  return std::vector<char>(tensor->bytes(),
                           tensor->bytes() + tensor->sizeBytes());
}

std::optional<SmallVector<int64_t>> weft::onnx::constantIntsOf(Value value) {
  std::optional<numeric::HostTensor> tensor = constantTensorOf(value);
  if (!tensor || numeric::isFloatType(tensor->type()))
    return std::nullopt;
  std::vector<int64_t> values = numeric::loadIntegers(*tensor);
  return SmallVector<int64_t>(values.begin(), values.end());
}

std::optional<SmallVector<double>> weft::onnx::constantNumbersOf(Value value) {
  std::optional<numeric::HostTensor> tensor = constantTensorOf(value);
  if (!tensor)
    return std::nullopt;
  SmallVector<double> values;
  for (int64_t i = 0, n = tensor->elements(); i < n; ++i)
    values.push_back(tensor->toDouble(i));
  return values;
}
