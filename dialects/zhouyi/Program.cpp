//===- Program.cpp - a program and its buffers ---------------------------===//

#include "dialects/zhouyi/Program.h"
#include "dialects/HostCall.h"
#include "dialects/zhouyi/Function.h"
#include "runtime/chips/Chips.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

#include "dialects/zhouyi/ZhouyiEnums.cpp.inc"

#define WEFT_REGISTER ZhouyiDialect::registerProgram
#define WEFT_OPS "dialects/zhouyi/Program.cpp.inc"
#include "dialects/OpDefinitions.inc"

//===----------------------------------------------------------------------===//
// zhouyi.program
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      StringRef target) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getTargetAttrName(state.name),
                     builder.getStringAttr(target));
  state.addRegion()->emplaceBlock();
}

LogicalResult ProgramOp::verify() {
  if (!chips::findVectorTarget(getTarget().str())) { // (C1)
    InFlightDiagnostic diagnostic = emitOpError() << "target '" << getTarget()
                                                  << "' is unknown; known: ";
    llvm::interleaveComma(chips::vectorTargets, diagnostic,
                          [&](const Chip *known) {
                            diagnostic << StringRef(known->targetName.data(),
                                                    known->targetName.size());
                          });
    return diagnostic;
  }
  llvm::StringSet<> names;
  for (BufferOp buffer : getBody().getOps<BufferOp>())
    if (!names.insert(buffer.getName()).second) // (C2)
      return buffer.emitOpError() << "is called '" << buffer.getName()
                                  << "' like one before; give every buffer a "
                                     "name of its own";
  return success();
}

//===----------------------------------------------------------------------===//
// zhouyi.buffer
//===----------------------------------------------------------------------===//

static constexpr int64_t kMostBytes = (int64_t(1) << 32) - 1;

ArrayRef<char> BufferOp::contentBytes() {
  ElementsAttr contents = getContentsAttr();
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(contents))
    return dense.getRawData();
  auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(contents);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

bool BufferOp::isSplat() {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(getContentsAttr());
  return dense && dense.isSplat();
}

/// The byte behind the last element, row-major or with strides >= 0 in
/// elements; the largest number if it is beyond 64 bits.
static uint64_t bytesUpTo(ArrayRef<int64_t> shape,
                          std::optional<ArrayRef<int64_t>> strides,
                          unsigned elementBytes) {
  uint64_t elements = 1;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (size == 0)
      return 0;
    if (strides)
      elements = llvm::SaturatingAdd(
          elements, llvm::SaturatingMultiply(uint64_t(size - 1),
                                             uint64_t((*strides)[axis])));
    else
      elements = llvm::SaturatingMultiply(elements, uint64_t(size));
  }
  return llvm::SaturatingMultiply(elements, uint64_t(elementBytes));
}

// (C3)
static LogicalResult verifyContents(BufferOp buffer) {
  ElementsAttr contents = buffer.getContentsAttr();
  bool isWeight = buffer.getKind() == BufferKind::Weight;
  if (isWeight != bool(contents))
    return buffer.emitOpError()
           << (isWeight ? "is a weight without contents"
                        : "has contents, which only weights have");
  if (!contents)
    return success();
  if (!mlir::isa<DenseElementsAttr, DenseResourceElementsAttr>(contents))
    return buffer.emitOpError() << "contents must be dense or dense_resource";
  auto type = cast<ShapedType>(contents.getType());
  unsigned width =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  if (width != 8 && width != 16 && width != 32 && width != 64)
    return buffer.emitOpError()
           << "contents are of " << type.getElementType()
           << ", must be of elements of 8, 16, 32 or 64 bits";
  uint64_t needed = bytesUpTo(type.getShape(), std::nullopt, width / 8);
  if (needed > buffer.getBytes())
    return buffer.emitOpError()
           << "contents have " << needed << " bytes, more "
           << "than the " << buffer.getBytes() << " of the buffer";
  if (mlir::isa<DenseResourceElementsAttr>(contents) &&
      buffer.contentBytes().size() != needed)
    return buffer.emitOpError()
           << "resource has " << buffer.contentBytes().size()
           << " bytes, its type needs " << needed;
  return success();
}

// (C2), (C4)
static LogicalResult verifyValue(BufferOp buffer) {
  BufferKind kind = buffer.getKind();
  if (kind != BufferKind::Scratch && (buffer.getValue() || buffer.getStrides()))
    return buffer.emitOpError()
           << "is " << stringifyBufferKind(kind)
           << " and has 'value' or 'strides', which only scratch has";
  if (buffer.getStrides() && !buffer.getValue())
    return buffer.emitOpError() << "has 'strides' without 'value'";
  bool holdsValue = kind == BufferKind::Input || kind == BufferKind::Output ||
                    buffer.getValue();
  if (!holdsValue)
    return success();
  if (!buffer.getOnnx() || !buffer.getStored())
    return buffer.emitOpError() << "holds an ONNX value and must have 'onnx' "
                                   "and 'stored'";
  auto onnx = cast<RankedTensorType>(*buffer.getOnnx());
  auto stored = cast<RankedTensorType>(*buffer.getStored());
  if (!onnx.hasStaticShape() || !stored.hasStaticShape() ||
      onnx.getShape() != stored.getShape())
    return buffer.emitOpError()
           << "onnx is " << onnx << " and stored " << stored
           << ", must be static and of one shape";
  // A vector of one lane has just the elements that memory may have.
  Type element = stored.getElementType();
  if (!mlir::VectorType::isValidElementType(element) ||
      !isVector(mlir::VectorType::get(1, element)))
    return buffer.emitOpError()
           << "stored elements are " << element
           << ", must be si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32";
  if (buffer.getStrides() &&
      int64_t(buffer.getStrides()->size()) != stored.getRank())
    return buffer.emitOpError()
           << "has " << buffer.getStrides()->size() << " strides for "
           << stored.getRank() << " axes";
  for (int64_t stride : buffer.getStrides().value_or(ArrayRef<int64_t>()))
    if (stride < 0)
      return buffer.emitOpError()
             << "has stride " << stride << ", must be 0 or more elements";
  uint64_t end = bytesUpTo(stored.getShape(), buffer.getStrides(),
                           stored.getElementTypeBitWidth() / 8);
  if (end > buffer.getBytes())
    return buffer.emitOpError()
           << "stored value ends at byte " << end << ", behind the "
           << buffer.getBytes() << " of the buffer";
  return success();
}

LogicalResult BufferOp::verify() {
  int64_t bytes = getBytesAttr().getInt();
  if (bytes < 1 || bytes > kMostBytes) // (C1)
    return emitOpError() << "has " << bytes << " bytes, must have 1 to "
                         << kMostBytes;
  if (getName().empty())
    return emitOpError() << "has no name";
  if (failed(verifyContents(*this)))
    return failure();
  return verifyValue(*this);
}

//===----------------------------------------------------------------------===//
// zhouyi.host_call
//===----------------------------------------------------------------------===//

// (C3)
static LogicalResult verifyHostTypes(HostCallOp op, ArrayAttr types,
                                     size_t pointers, StringRef what) {
  if (types.size() != pointers)
    return op.emitOpError() << "has " << types.size() << " types for "
                            << pointers << " " << what << "; give one for each";
  for (auto type : types.getAsValueRange<TypeAttr>()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || failed(hostResultType(tensor)))
      return op.emitOpError()
             << "has " << type << " among the types of its " << what
             << "; they must be tensors of the host of "
                "static shape";
  }
  return success();
}

LogicalResult HostCallOp::verify() {
  if (failed(verifyHostTypes(*this, getInputTypes(), getInputs().size(),
                             "inputs")) ||
      failed(verifyHostTypes(*this, getOutputTypes(), getOutputs().size(),
                             "outputs")))
    return failure();
  return verifyHostCall(*this, getKernel(), getInputs().size(),
                        getAbsent()); // (C1), (C2)
}
