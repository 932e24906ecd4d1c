//===- Memory.cpp - tensors in memory ------------------------------------===//

#include "dialects/ppl/Memory.h"
#include "dialects/ppl/TensorLayout.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

#define WEFT_REGISTER PplDialect::registerMemory
#define WEFT_OPS "dialects/ppl/Memory.cpp.inc"
#include "dialects/OpDefinitions.inc"

// (C3) one step and one modulo (or none) an index.
static LogicalResult verifyIndices(Operation *op, size_t indices,
                                   ArrayRef<int64_t> steps,
                                   ArrayRef<int64_t> modulos) {
  if (steps.size() != indices)
    return op->emitOpError() << "there are " << steps.size() << " steps for "
                             << indices << " indices";
  if (!modulos.empty() && modulos.size() != indices)
    return op->emitOpError() << "there are " << modulos.size()
                             << " modulos for " << indices << " indices";
  for (int64_t step : steps)
    if (step < 0)
      return op->emitOpError()
             << "a step is " << step << ", must not be negative";
  for (int64_t modulo : modulos)
    if (modulo < 0)
      return op->emitOpError()
             << "a modulo is " << modulo << ", must be 0 (none) or positive";
  return success();
}

static LogicalResult verifyAlignment(Operation *op, TensorViewType type,
                                     int64_t address, ArrayRef<int64_t> steps) {
  unsigned alignment = startAlignment(type, chipOf(op));
  if (address < 0 || address % alignment)
    return op->emitOpError()
           << "address is " << address << ", must be a multiple of "
           << alignment << " for layout " << stringifyLayout(type.getLayout());
  for (int64_t step : steps)
    if (step % alignment)
      return op->emitOpError()
             << "a step is " << step << ", must be a multiple of " << alignment
             << " for layout " << stringifyLayout(type.getLayout());
  return success();
}

LogicalResult LocalOp::verify() {
  const Chip &chip = chipOf(*this);
  TensorViewType type = getTensor().getType();
  if (failed(
          verifyIndices(*this, getIndices().size(), getSteps(), getModulos())))
    return failure();
  if (getLane() >= chip.lanes) // (C4)
    return emitOpError() << "lane is " << getLane() << ", must be 0 to "
                         << chip.lanes - 1;
  if (failed(verifyAlignment(*this, type, getAddress(), getSteps()))) // (C1)
    return failure();
  uint64_t last = getAddress();
  for (auto [step, modulo] : llvm::zip(getSteps(), getModulos()))
    last += modulo > 0 ? (modulo - 1) * step : 0;
  uint64_t end = last + extentBytes(type, getLane(), chip); // (C2)
  if (end > chip.laneBytes)
    return emitOpError() << "tensor ends at byte " << end
                         << " of a lane, local memory has " << chip.laneBytes
                         << "; use smaller slices";
  return success();
}

LogicalResult GlobalOp::verify() {
  const Chip &chip = chipOf(*this);
  TensorViewType type = getTensor().getType();
  if (failed(
          verifyIndices(*this, getIndices().size(), getSteps(), getModulos())))
    return failure();
  if (failed(verifyAlignment(*this, type, getAddress(), getSteps())))
    return failure();
  uint64_t end = getAddress() + extentBytes(type, 0, chip);
  uint64_t low = type.isL2() ? chip.l2MemoryBase : chip.globalMemoryBase;
  uint64_t high = type.isL2() ? low + chip.l2MemoryBytes : chip.addressEnd;
  if (getAddress() < low || end > high) // (C2)
    return emitOpError() << "tensor lies at " << getAddress() << " to " << end
                         << ", " << (type.isL2() ? "L2" : "global")
                         << " memory is " << low << " to " << high;
  return success();
}

LogicalResult AllocOp::verify() {
  TensorViewType type = getTensor().getType();
  bool hasRule = type.getLayout() != Layout::Strided &&
                 type.getLayout() != Layout::Channel;
  if (!hasRule) // (C1)
    return emitOpError() << "layout is " << stringifyLayout(type.getLayout())
                         << ", must be one with a rule; take a view for others";
  if (!type.isLocal() && !type.isL2()) // (C2)
    return emitOpError() << "memory is " << stringifyMemory(type.getMemory())
                         << ", must be local or l2";
  return success();
}

LogicalResult StaticOp::verify() {
  const Chip &chip = chipOf(*this);
  TensorViewType type = getTensor().getType();
  if (failed(verifyAlignment(*this, type, getAddress(), {})))
    return failure();
  uint64_t end = getAddress() + extentBytes(type, 0, chip);
  if (end > chip.staticMemoryBytes)
    return emitOpError() << "tensor ends at byte " << end
                         << ", static memory has " << chip.staticMemoryBytes;
  return success();
}

LogicalResult ViewOp::verify() {
  TensorViewType source = getSource().getType(), result = getTensor().getType();
  if (source.getMemory() != result.getMemory()) // (C1)
    return emitOpError() << "source is in "
                         << stringifyMemory(source.getMemory())
                         << " memory, result in "
                         << stringifyMemory(result.getMemory());
  if (getOffset().size() != 4)
    return emitOpError() << "offset has " << getOffset().size()
                         << " values, must be 4";
  for (auto [offset, size] : llvm::zip(getOffset(), source.getShape())) // (C2)
    if (offset < 0 || offset >= size)
      return emitOpError() << "an offset is " << offset << ", must be 0 to "
                           << size - 1;
  return success();
}

LogicalResult ObserveOp::verify() {
  if (getOffset().size() != 4 || getExtent().size() != 4) // (C2)
    return emitOpError() << "offset and extent must have 4 values, found "
                         << getOffset().size() << " and " << getExtent().size();
  if (bool(getIndex()) != getStep().has_value())
    return emitOpError() << "index and step go together";
  if (getStep() && getStep()->size() != 4)
    return emitOpError() << "step has " << getStep()->size()
                         << " values, must be 4";
  for (auto [offset, extent, size] :
       llvm::zip(getOffset(), getExtent(), getTensor().getType().getShape()))
    if (offset < 0 || offset + size > extent) // (C1), for index 0
      return emitOpError() << "box " << offset << " to " << offset + size
                           << " lies outside the value's " << extent;
  return success();
}
