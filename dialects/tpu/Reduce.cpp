//===- Reduce.cpp - tpu ops of the Reduce family --------------------------===//

#include "dialects/tpu/Reduce.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerReduce
#define WEFT_OPS "dialects/tpu/Reduce.cpp.inc"
#include "dialects/OpDefinitions.inc"

// (C1)
template <typename OpT>
static LogicalResult checkAxis(OpT op) {
  if (op.getAxis() != kAxisC)
    return success();
  return op.emitOpError("axis is 1, must be 0, 2 or 3: channels lie in "
                        "different lanes");
}

/// Result of the input's shape with 1 on the axis.
template <typename OpT>
static LogicalResult checkReducedShape(OpT op, bool overLanes = false) {
  SmallVector<int64_t, 4> expected = reducedShape(op.getInput(), op.getAxis());
  if (overLanes)
    expected[kAxisC] = 1;
  if (op.getOutput().getType().getShape() == ArrayRef<int64_t>(expected))
    return success();
  return op.emitOpError("result must be ")
         << expected[0] << "x" << expected[1] << "x" << expected[2] << "x"
         << expected[3];
}

LogicalResult ReduceOp::verify() {
  if (failed(checkAxis(*this)) || failed(checkReducedShape(*this))) // (C2)
    return failure();
  Type element = elementOf(getInput());
  if (elementOf(getOutput()) != element) // (C2)
    return emitOpError("result must have the element type of the input");
  bool adds = getKind() == ReduceKind::Sum || getKind() == ReduceKind::Prod;
  if (adds && llvm::isa<FloatType>(element) && !element.isF32()) // (C3)
    return emitOpError("sums and products of floats are f32, the input is ")
           << element;
  return success();
}

LogicalResult ChannelSumOp::verify() {
  if (getOutput().getType().getShape() !=
      ArrayRef<int64_t>(reducedShape(getInput(), kAxisC))) // (C1)
    return emitOpError("result must have one channel and else the shape of the "
                       "input");
  if (!getTerms())
    return success();
  if (*getTerms() < 1 || *getTerms() > 2 ||
      !elementOf(getInput()).isF32()) // (C2)
    return emitOpError("terms must be 1 or 2, of an input that is f32");
  return success();
}

LogicalResult ArgReduceOp::verify() {
  if (failed(checkAxis(*this)) ||
      failed(checkReducedShape(*this, getOverLanes()))) // (C3), (C6)
    return failure();
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min) // (C2)
    return emitOpError("kind must be max or min");
  if (elementOf(getInput()) != elementOf(getCodes())) // (C4)
    return emitOpError("codes must have the element type of the input");
  SmallVector<int64_t, 4> codes{1, 1, 1, 1};
  codes[getAxis()] = getInput().getType().getDimSize(getAxis());
  Dims shape = dimsOf(getInput());
  if (getOverLanes() && (getAxis() != kAxisW || shape[kAxisH] != 1)) // (C6)
    return emitOpError("over_lanes is for axis 3 of an input with one row");
  int64_t size = codes[getAxis()] * (getOverLanes() ? shape[kAxisC] : 1);
  if (getCodes().getType().getShape() != ArrayRef<int64_t>(codes)) // (C5)
    return emitOpError("codes must have one number for each index along the "
                       "axis");
  if (size > int64_t(1) << 24) // (C5)
    return emitOpError("lines have ")
           << size << " elements, may have 2^24, whose codes f32 holds";
  return success();
}

LogicalResult CumulativeOp::verify() {
  if (failed(checkAxis(*this)))
    return failure();
  if (getKind() != ReduceKind::Sum && getKind() != ReduceKind::Prod) // (C2)
    return emitOpError("kind must be sum or prod");
  return success();
}
