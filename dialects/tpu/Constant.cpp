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

SmallVector<ElementsAttr>
weft::tpu::partsOfWeight(ElementsAttr value, unsigned axis, int64_t rows) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t size = type.getDimSize(axis);
  auto typeFrom = [&](int64_t first) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = std::min(rows, size - first);
    return type.clone(shape);
  };
  std::optional<ArrayRef<char>> view = constantView(value);
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  SmallVector<ElementsAttr> parts;
  if (view && resource) {
    auto *entry = resource.getRawHandle().getResource();
    size_t partBytes = view->size() / size * rows;
    for (AsmResourceBlob &blob : partsOfBlob(*entry, partBytes)) {
      int64_t part = parts.size();
      std::string name = (entry->getKey() + "_" + llvm::Twine(part)).str();
      parts.push_back(DenseResourceElementsAttr::get(typeFrom(part * rows),
                                                     name, std::move(blob)));
    }
    return parts;
  }
  std::optional<std::vector<char>> bytes = constantBytes(value);
  assert(bytes && "asked of a weight without bytes");
  ArrayRef<char> rest(*bytes);
  for (int64_t first = 0; first < size; first += rows) {
    RankedTensorType part = typeFrom(first);
    size_t count = bytes->size() / size * part.getDimSize(axis);
    parts.push_back(weightAttr(part, rest.take_front(count)));
    rest = rest.drop_front(count);
  }
  return parts;
}

bool weft::tpu::hasBytes(ElementsAttr attr) {
  size_t bytes = attr.getElementType().getIntOrFloatBitWidth() / 8,
         stored = storedBytes(attr).size();
  return stored == attr.getNumElements() * bytes || stored == bytes;
}

std::optional<std::vector<char>> weft::tpu::constantBytes(ElementsAttr attr) {
  if (!hasBytes(attr))
    return std::nullopt;
  size_t count = attr.getNumElements();
  size_t bytes = attr.getElementType().getIntOrFloatBitWidth() / 8;
  ArrayRef<char> raw = storedBytes(attr);
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
