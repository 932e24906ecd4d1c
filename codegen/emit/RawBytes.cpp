//===- RawBytes.cpp - bytes of constants ----------------------------------===//

#include "codegen/emit/RawBytes.h"

#include "dialects/ppl/Net.h"
#include "dialects/tpu/Constant.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

FailureOr<PackedBytes> weft::emit::rawBytes(ElementsAttr value) {
  ArrayRef<char> raw;
  bool splat = false;
  if (auto dense = llvm::dyn_cast<DenseElementsAttr>(value)) {
    raw = dense.getRawData();
    splat = dense.isSplat();
  } else if (auto resource = llvm::dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    raw = blob->getData();
  } else {
    return failure();
  }
  size_t bytes = value.getNumElements() *
                 (value.getElementType().getIntOrFloatBitWidth() / 8);
  PackedBytes result(raw.begin(), raw.end());
  if (splat) {
    size_t element = raw.size();
    result.resize(bytes);
    for (size_t i = 0; i + element <= bytes; i += element)
      std::memcpy(result.data() + i, raw.data(), element);
  }
  if (result.size() != bytes)
    return failure();
  return result;
}

FailureOr<PackedBytes> weft::emit::weightBytes(Operation *op, Value operand) {
  auto weight = operand.getDefiningOp<tpu::WeightOp>();
  if (!weight)
    return op->emitError(
        "unsupported: filter, bias or table that is not a constant");
  FailureOr<PackedBytes> bytes = rawBytes(weight.getValue());
  if (failed(bytes))
    return weight->emitError("weight has no bytes");
  return bytes;
}

int64_t weft::emit::addWeight(OpBuilder &builder, Location loc, int64_t address,
                              PackedBytes bytes) {
  int64_t size = static_cast<int64_t>(bytes.size());
  auto type = RankedTensorType::get(
      {size}, IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned));
  std::string name = "w" + llvm::utohexstr(address, /*LowerCase=*/true);
  // The blob takes the bytes over; a copy would double them for a moment.
  auto owner = std::make_unique<PackedBytes>(std::move(bytes));
  ArrayRef<char> view = *owner;
  AsmResourceBlob blob(
      view, alignof(std::max_align_t),
      [owner = std::shared_ptr<PackedBytes>(std::move(owner))](void *, size_t,
                                                               size_t) {},
      /*dataIsMutable=*/false);
  auto value = DenseResourceElementsAttr::get(type, name, std::move(blob));
  builder.create<ppl::WeightOp>(loc, name, address, value);
  return address + size;
}
