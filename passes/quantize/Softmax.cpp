//===- Softmax.cpp - softmax to tpu, always in f32 ------------------------===//

#include "dialects/top/Softmax.h"

#include "dialects/tpu/Softmax.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static LogicalResult lowerSoftmax(top::SoftmaxOp op, Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Value input = lowering.inFloat(op.getInput(), lowering.f32());
  int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  if (rank > 4)
    return unsupported(op) << "softmax of rank " << rank
                           << "; at most 4 axes are supported";
  int64_t axis = foldAxis(op.getAxisAttr().getInt(), rank);
  lowering.define(op.getOutput(),
                  b.create<tpu::SoftmaxOp>(op.getLoc(), input.getType(), input,
                                           b.getI64IntegerAttr(axis)));
  return success();
}

void weft::quantize::registerSoftmaxLowering(LoweringTable &table) {
  table.add<top::SoftmaxOp>(lowerSoftmax);
}
