//===- Constant.cpp - tpu ops of the Constant family ---===//

#include "dialects/tpu/Constant.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerConstant
#define WEFT_OPS "dialects/tpu/Constant.cpp.inc"
#include "dialects/OpDefinitions.inc"

OpFoldResult WeightOp::fold(FoldAdaptor) { return getValue(); }

ElementsAttr weft::tpu::weightAttr(RankedTensorType type, ArrayRef<char> raw) {
  if (raw.size() <= kDenseWeightBytes)
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  return DenseResourceElementsAttr::get(
      type, blobName("weight", raw),
      HeapAsmResourceBlob::allocateAndCopyWithAlign(raw, 64));
}

ElementsAttr weft::tpu::reshapedWeight(ElementsAttr value,
                                       RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.reshape(type);
  return DenseResourceElementsAttr::get(
      type, cast<DenseResourceElementsAttr>(value).getRawHandle());
}

static ArrayRef<char> storedBytes(ElementsAttr attr) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(attr);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

std::optional<ArrayRef<char>> weft::tpu::constantView(ElementsAttr attr) {
  ArrayRef<char> raw = storedBytes(attr);
  size_t bytes = attr.getElementType().getIntOrFloatBitWidth() / 8;
  if (raw.size() != attr.getNumElements() * bytes)
    return std::nullopt;
  return raw;
}

ElementsAttr weft::tpu::partOfWeight(ElementsAttr value, RankedTensorType type,
                                     int64_t first) {
  size_t element = type.getElementTypeBitWidth() / 8, begin = first * element,
         size = type.getNumElements() * element;
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (resource && size > kDenseWeightBytes) {
    if (!constantView(value))
      return {};
    auto *entry = resource.getRawHandle().getResource();
    std::string name = (entry->getKey() + "_" + llvm::Twine(begin)).str();
    return DenseResourceElementsAttr::get(type, name,
                                          partOfBlob(*entry, begin, size));
  }
  std::optional<std::vector<char>> bytes = constantBytes(value);
  if (!bytes)
    return {};
  return weightAttr(type, ArrayRef<char>(*bytes).slice(begin, size));
}

std::optional<std::vector<char>> weft::tpu::constantBytes(ElementsAttr attr) {
  size_t count = attr.getNumElements();
  size_t bytes = attr.getElementType().getIntOrFloatBitWidth() / 8;
  ArrayRef<char> raw = storedBytes(attr);
  if (raw.size() != count * bytes && raw.size() != bytes)
    return std::nullopt;
  std::vector<char> all(count * bytes);
  for (size_t at = 0; at < all.size(); at += raw.size())
    std::copy(raw.begin(), raw.end(), all.begin() + at);
  return all;
}

FailureOr<WeightBytes> weft::tpu::weightView(Operation *op, Value operand) {
  auto weight = operand.getDefiningOp<WeightOp>();
  if (!weight)
    return op->emitError(
        "unsupported: filter, bias or table that is not a constant");
  WeightBytes result;
  if (auto view = constantView(weight.getValue())) {
    result.bytes = *view;
    return result;
  }
  std::optional<std::vector<char>> bytes = constantBytes(weight.getValue());
  if (!bytes)
    return weight->emitError("weight has no bytes");
  result.expanded = std::move(*bytes);
  result.bytes = result.expanded; // moves with the vector
  return result;
}

FailureOr<std::vector<char>> weft::tpu::weightBytes(Operation *op,
                                                    Value operand) {
  FailureOr<WeightBytes> weight = weightView(op, operand);
  if (failed(weight))
    return failure();
  if (!weight->expanded.empty())
    return std::move(weight->expanded);
  return weight->bytes.vec();
}
