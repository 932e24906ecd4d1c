//===- Constant.cpp - tpu ops of the Constant family ---===//

#include "dialects/tpu/Constant.h"

#include "dialects/ConstantBlobs.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerConstant
#define WEFT_OPS "dialects/tpu/Constant.cpp.inc"
#include "dialects/OpDefinitions.inc"

OpFoldResult WeightOp::fold(FoldAdaptor) { return getValue(); }

/// Largest weight that is written out in the IR's text.
static constexpr size_t kDenseBytes = 256;

ElementsAttr weft::tpu::weightAttr(RankedTensorType type, ArrayRef<char> raw) {
  if (raw.size() <= kDenseBytes)
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

std::optional<std::vector<char>> weft::tpu::constantBytes(ElementsAttr attr) {
  size_t count = attr.getNumElements();
  size_t bytes = attr.getElementType().getIntOrFloatBitWidth() / 8;
  ArrayRef<char> raw;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    raw = dense.getRawData();
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      raw = blob->getData();
  }
  if (raw.size() != count * bytes && raw.size() != bytes)
    return std::nullopt;
  std::vector<char> all(count * bytes);
  for (size_t at = 0; at < all.size(); at += raw.size())
    std::copy(raw.begin(), raw.end(), all.begin() + at);
  return all;
}

FailureOr<std::vector<char>> weft::tpu::weightBytes(Operation *op,
                                                    Value operand) {
  auto weight = operand.getDefiningOp<WeightOp>();
  if (!weight)
    return op->emitError(
        "unsupported: filter, bias or table that is not a constant");
  std::optional<std::vector<char>> bytes = constantBytes(weight.getValue());
  if (!bytes)
    return weight->emitError("weight has no bytes");
  return std::move(*bytes);
}
