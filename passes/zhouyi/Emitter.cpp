//===- Emitter.cpp - a tpu graph as a program of vectors ------------------===//

#include "passes/zhouyi/Emitter.h"

#include "dialects/ConstantBlobs.h"
#include "dialects/tpu/Constant.h"
#include "dialects/zhouyi/Program.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

Type zhouyi::storedElement(Type element) {
  auto of = [&](unsigned bits, bool isSigned) {
    return IntegerType::get(element.getContext(), bits,
                            isSigned ? IntegerType::Signed
                                     : IntegerType::Unsigned);
  };
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element))
    return of(quantized.getStorageTypeIntegralWidth(), quantized.isSigned());
  if (auto integer = dyn_cast<IntegerType>(element))
    return of(integer.getWidth(), !integer.isUnsigned());
  return element;
}

RankedTensorType Emitter::seenAs(RankedTensorType onnx, Value value) const {
  Type element = tpu::elementOf(value);
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element))
    element = IntegerType::get(
        onnx.getContext(), quantized.getStorageTypeIntegralWidth(),
        quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
  else if (!llvm::isa<FloatType>(element) ||
           (onnx.getElementType().isF64() && element.isF32()))
    return onnx;
  return RankedTensorType::get(onnx.getShape(), element);
}

Value Emitter::pointer(Value value) const { return places.lookup(value); }

void Emitter::place(Value value, Value pointer) { places[value] = pointer; }

std::string Emitter::uniqueName(StringRef name) {
  unsigned count = names[name.str()]++;
  if (count == 0)
    return name.str();
  return uniqueName((name + "#" + Twine(count)).str());
}

/// The shape and the ONNX type under which a value of the graph is known.
static std::optional<RankedTensorType> onnxTypeOf(Operation *op, Value value) {
  auto attribute = op->getAttrOfType<TypeAttr>(tpu::kOnnxTypeAttr);
  if (!attribute)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(attribute.getValue());
  auto own = cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() ||
      type.getNumElements() != own.getNumElements())
    return std::nullopt;
  return type;
}

Value Emitter::result(Value value) {
  if (Value pointer = reserved.lookup(value)) {
    place(value, pointer);
    return pointer;
  }
  Operation *op = value.getDefiningOp();
  Type element = stored(value);
  auto type = cast<RankedTensorType>(value.getType());
  auto name = op->getAttrOfType<StringAttr>(kValueAttr);
  auto onnx = onnxTypeOf(op, value);
  Value pointer = code.atHead([&](zhouyi::Builder &b) {
    if (!name || !onnx)
      return b.scratch(uniqueName("t"), element, type.getNumElements());
    double scale =
        tpu::isQuantized(value) ? tpu::scaleOf(tpu::elementOf(value)) : 1.0;
    return b.scratch(uniqueName(name.getValue()), name.getValue(),
                     seenAs(*onnx, value),
                     RankedTensorType::get(onnx->getShape(), element), scale);
  });
  place(value, pointer);
  return pointer;
}

Value Emitter::scratch(Type element, int64_t elements, StringRef name) {
  return code.atHead([&](zhouyi::Builder &b) {
    return b.scratch(uniqueName(name), element, elements);
  });
}

Value Emitter::patches(Type element, int64_t bytes) {
  if (!common)
    common = scratch(code.integer(8, false), bytes, "patches");
  commonBytes = std::max(commonBytes, bytes);
  common.getDefiningOp<BufferOp>().setBytes(commonBytes);
  return code.pointerTo(common, element);
}

Value Emitter::weight(Type element, ArrayRef<char> raw, StringRef name) {
  std::string key;
  llvm::raw_string_ostream(key) << element;
  key.append(raw.begin(), raw.end());
  Value &known = weights[key];
  if (known)
    return known;
  int64_t count = raw.size() / (element.getIntOrFloatBitWidth() / 8);
  auto type = RankedTensorType::get({count}, element);
  AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(
      raw, 64, /*dataIsMutable=*/true);
  auto contents = DenseResourceElementsAttr::get(type, blobName("weight", raw),
                                                 std::move(blob));
  known = code.atHead(
      [&](zhouyi::Builder &b) { return b.weight(uniqueName(name), contents); });
  return known;
}
