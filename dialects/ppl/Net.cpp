//===- Net.cpp - a program and its memory map ----------------------------===//

#include "dialects/ppl/Net.h"
#include "dialects/HostCall.h"
#include "dialects/ppl/TensorLayout.h"
#include "runtime/chips/Targets.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

const Chip &weft::ppl::chipOf(Operation *op) {
  auto net = dyn_cast<NetOp>(op);
  if (!net)
    net = op->getParentOfType<NetOp>();
  const Chip *chip = net ? chips::findKernelTarget(net.getChip()) : nullptr;
  return chip ? *chip : *chips::all[0];
}

#define WEFT_REGISTER PplDialect::registerNet
#define WEFT_OPS "dialects/ppl/Net.cpp.inc"
#include "dialects/OpDefinitions.inc"

void NetOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                  StringRef chip, int64_t weightsAddress, int64_t weightsBytes,
                  int64_t contextAddress, int64_t contextBytes,
                  ArrayRef<Attribute> inputs, ArrayRef<Attribute> outputs) {
  auto i64 = [&](int64_t value) { return builder.getI64IntegerAttr(value); };
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getChipAttrName(state.name), builder.getStringAttr(chip));
  state.addAttribute(getWeightsAddressAttrName(state.name),
                     i64(weightsAddress));
  state.addAttribute(getWeightsBytesAttrName(state.name), i64(weightsBytes));
  state.addAttribute(getContextAddressAttrName(state.name),
                     i64(contextAddress));
  state.addAttribute(getContextBytesAttrName(state.name), i64(contextBytes));
  state.addAttribute(getInputsAttrName(state.name),
                     builder.getArrayAttr(inputs));
  state.addAttribute(getOutputsAttrName(state.name),
                     builder.getArrayAttr(outputs));
  state.addRegion()->emplaceBlock();
}

namespace {
/// A range of global memory with the name to use in messages.
struct AddressRange {
  uint64_t begin, end;
  std::string name;
};
} // namespace

static uint64_t storedBytes(IoAttr io) {
  return uint64_t(io.getStored().getNumElements()) *
         isa::elementBytes(*precisionOf(io.getStored().getElementType()));
}

// (C4)
static LogicalResult verifyIo(NetOp net, IoAttr io) {
  RankedTensorType onnx = io.getOnnx(), stored = io.getStored();
  std::optional<SmallVector<int64_t>> largest = largestShape(onnx);
  int64_t elements = 1;
  if (largest)
    for (int64_t size : *largest)
      elements *= size;
  if (!largest || !stored.hasStaticShape() ||
      std::max<int64_t>(elements, 1) != stored.getNumElements())
    return net.emitOpError()
           << "types of '" << io.getName().getValue() << "' are " << onnx
           << " and " << stored
           << ", must be bounded with one number of elements, stored at least "
              "one";
  if (!precisionOf(stored.getElementType()))
    return net.emitOpError()
           << "stored element type of '" << io.getName().getValue() << "' is "
           << stored.getElementType()
           << ", must be f32, f16, bf16, si8, ui8, si16, ui16, si32 or ui32";
  return success();
}

// (C3), first half
static LogicalResult verifyWeights(NetOp net, const AddressRange &area) {
  for (WeightOp weight : net.getBody().getOps<WeightOp>()) {
    uint64_t begin = weight.getAddress(), end = begin + weight.getNumBytes();
    if (begin < area.begin || end > area.end)
      return weight.emitOpError() << "lies at " << begin << " to " << end
                                  << ", outside the weight area " << area.begin
                                  << " to " << area.end;
  }
  return success();
}

LogicalResult NetOp::verify() {
  const Chip *chip = chips::findKernelTarget(getChip());
  if (!chip) { // (C1)
    return emitOpError() << "chip '" << getChip()
                         << "' is unknown; known: " << chips::joinedTargets();
  }
  AddressRange weights{getWeightsAddress(),
                       getWeightsAddress() + getWeightsBytes(), "weights"};
  AddressRange context{getContextAddress(),
                       getContextAddress() + getContextBytes(), "context"};
  if (weights.begin < chip->globalMemoryBase ||
      context.begin < chip->globalMemoryBase ||
      std::max(weights.end, context.end) > chip->addressEnd)
    return emitOpError() << "weights at " << weights.begin << " and context at "
                         << context.begin << " must lie in global memory, from "
                         << chip->globalMemoryBase;
  if (weights.begin < context.end && context.begin < weights.end) // (C3)
    return emitOpError() << "weight area " << weights.begin << " to "
                         << weights.end << " overlaps activation area "
                         << context.begin << " to " << context.end;
  SmallVector<AddressRange> taken;
  for (ArrayAttr list : {getInputs(), getOutputs()})
    for (IoAttr io : list.getAsRange<IoAttr>()) {
      if (failed(verifyIo(*this, io)))
        return failure();
      AddressRange range{io.getAddress(), io.getAddress() + storedBytes(io),
                         io.getName().str()};
      if (range.begin < context.begin || range.end > context.end) // (C2)
        return emitOpError()
               << "'" << range.name << "' lies at " << range.begin << " to "
               << range.end << ", outside the activation area " << context.begin
               << " to " << context.end;
      for (const AddressRange &other : taken)
        if (range.begin < other.end && other.begin < range.end)
          return emitOpError()
                 << "'" << range.name << "' overlaps '" << other.name << "'";
      taken.push_back(range);
    }
  return verifyWeights(*this, weights);
}

uint64_t WeightOp::getNumBytes() {
  auto type = cast<ShapedType>(getValue().getType());
  return uint64_t(type.getNumElements()) *
         ((type.getElementTypeBitWidth() + 7) / 8);
}

bool WeightOp::isSplat() {
  auto dense = dyn_cast<DenseElementsAttr>(getValue());
  return dense && dense.isSplat();
}

ArrayRef<char> WeightOp::getRawBytes() {
  if (auto dense = dyn_cast<DenseElementsAttr>(getValue()))
    return dense.getRawData();
  auto resource = cast<DenseResourceElementsAttr>(getValue());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  return blob ? blob->getData() : ArrayRef<char>();
}

LogicalResult WeightOp::verify() {
  auto type = cast<ShapedType>(getValue().getType());
  if (!mlir::isa<DenseElementsAttr, DenseResourceElementsAttr>(getValue()))
    return emitOpError() << "value must be dense or dense_resource";
  unsigned width =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  if (width != 8 && width != 16 && width != 32) // (C1)
    return emitOpError() << "element type is " << type.getElementType()
                         << ", must have 8, 16 or 32 bits";
  if (mlir::isa<DenseResourceElementsAttr>(getValue()) &&
      getRawBytes().size() != getNumBytes())
    return emitOpError() << "resource has " << getRawBytes().size()
                         << " bytes, type needs " << getNumBytes();
  return success();
}

/// (C1) and (C2) for the inputs or the outputs.
static LogicalResult verifyViews(Operation *op, ArrayAttr types,
                                 ValueRange tensors, StringRef what) {
  for (Type type : tensors.getTypes()) {
    auto view = cast<TensorViewType>(type);
    if (view.getLayout() != Layout::Continuous) // (C1)
      return op->emitOpError() << "has " << view << " among its " << what
                               << "; they must be continuous";
  }
  return verifyOnnxTypes(op, types, tensors.getTypes(), what,
                         [](RankedTensorType onnx, Type own) { // (C2)
                           return onnx.getNumElements() ==
                                  cast<TensorViewType>(own).getNumElements();
                         });
}

LogicalResult CustomOp::verify() {
  if (failed(verifyViews(*this, getInputTypes(), getInputs(), "inputs")))
    return failure();
  return verifyViews(*this, getOutputTypes(), getOutputs(), "outputs");
}
