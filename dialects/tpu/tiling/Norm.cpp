//===- Norm.cpp - tiling of the Norm family -------------------------------===//

#include "dialects/tpu/Norm.h"

#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool ScaleOp::isPackedOperand(unsigned operand) { return operand > 0; }

InputNeed ScaleOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

void ScaleOp::localBuffers(const Chip &, const Box &result, ArrayRef<Box>,
                           SmallVectorImpl<LocalBuffer> &buffers) {
  LocalTensor perChannel{{1, result.size[kAxisC], 1, 1},
                         elementBits(elementOf(getOutput())),
                         LocalLayout::Compact};
  buffers.append(
      2, {LocalBuffer::Constant, perChannel, result.offset[kAxisC], false});
}

unsigned ScaleOp::commandCount() { return 1 + getRelu(); }
