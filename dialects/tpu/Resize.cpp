//===- Resize.cpp - tpu ops of the Resize family --------------------------===//

#include "dialects/tpu/Resize.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerResize
#define WEFT_OPS "dialects/tpu/Resize.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult InterleaveOp::verify() {
  ArrayRef<int64_t> factors = getFactors();
  if (factors.size() != 2 || factors[0] < 1 || factors[1] < 1 ||
      (getInputs().size() != 1 && static_cast<int64_t>(getInputs().size()) !=
                                      factors[0] * factors[1])) // (C1)
    return emitOpError("needs 2 positive factors, and 1 or as many inputs as "
                       "their product");
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  for (Type other : getInputs().getTypes())
    if (other != input) // (C2)
      return emitOpError("all inputs must have one type");
  int64_t expected[] = {input.getDimSize(0), input.getDimSize(1),
                        input.getDimSize(2) * factors[0],
                        input.getDimSize(3) * factors[1]};
  auto output = cast<RankedTensorType>(getOutput().getType());
  if (output.getShape() != ArrayRef<int64_t>(expected) ||
      output.getElementType() != input.getElementType()) // (C3)
    return emitOpError("result must be ")
           << expected[0] << "x" << expected[1] << "x" << expected[2] << "x"
           << expected[3] << " of the input's element type";
  return success();
}

int64_t ChannelsToRowsOp::stackedRows() {
  return dimsOf(getInput())[kAxisC] / dimsOf(getOutput())[kAxisC];
}

LogicalResult ChannelsToRowsOp::verify() {
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  if (from[kAxisN] != 1 || to[kAxisN] != 1 ||
      from[kAxisC] % to[kAxisC] != 0) // (C1)
    return emitOpError("needs one image, whose channels are a multiple of the "
                       "result's");
  int64_t missing = from[kAxisH] * stackedRows() - to[kAxisH];
  if (missing < 0 || missing >= stackedRows() || from[kAxisW] != to[kAxisW] ||
      elementOf(getInput()) != elementOf(getOutput())) // (C2)
    return emitOpError() << "result must have " << from[kAxisH] * stackedRows()
                         << " rows or up to " << stackedRows() - 1
                         << " fewer, the input's width and element type";
  return success();
}
