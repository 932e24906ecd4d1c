//===- Gather.cpp - tpu ops of the Gather family --------------------------===//

#include "dialects/tpu/Gather.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerGather
#define WEFT_OPS "dialects/tpu/Gather.cpp.inc"
#include "dialects/OpDefinitions.inc"

/// (C1) to (C4) of both ops: `rows` are those that are copied, `listed` the
/// tensor whose rows the list counts, `whole` has all channels.
static LogicalResult verifyRows(Operation *op, RankedTensorType rows,
                                RankedTensorType indices,
                                RankedTensorType listed,
                                RankedTensorType whole) {
  for (RankedTensorType type : {rows, indices, whole}) {
    if (type.getDimSize(0) != 1) // (C1)
      return op->emitOpError("has an operand of type ")
             << type << "; n must be 1 everywhere";
    if (type.getDimSize(1) != whole.getDimSize(1) &&
        type.getDimSize(1) != 1) // (C2)
      return op->emitOpError("has an operand of type ")
             << type << "; it must have " << whole.getDimSize(1)
             << " channels, or 1";
  }
  if (std::max(rows.getDimSize(1), indices.getDimSize(1)) !=
      whole.getDimSize(1)) // (C2)
    return op->emitOpError("has one channel of rows and of indices for ")
           << whole.getDimSize(1) << "; give one of them all channels";
  if (indices.getDimSize(3) != 1 ||
      indices.getDimSize(2) != listed.getDimSize(2)) // (C1) (C3)
    return op->emitOpError("has indices of type ")
           << indices << "; they must be " << listed.getDimSize(2)
           << " rows of one";
  if (rows.getDimSize(3) != whole.getDimSize(3)) // (C3)
    return op->emitOpError("copies rows of ")
           << rows.getDimSize(3) << " elements; they must have "
           << whole.getDimSize(3);
  if (rows.getElementType() != whole.getElementType()) // (C4)
    return op->emitOpError("must keep the element type");
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType output = getOutput().getType();
  return verifyRows(*this, getTable().getType(), getIndices().getType(), output,
                    output);
}

LogicalResult ScatterOp::verify() {
  RankedTensorType updates = getUpdates().getType();
  return verifyRows(*this, updates, getIndices().getType(), updates,
                    getBase().getType());
}
