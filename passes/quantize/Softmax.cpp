//===- Softmax.cpp - softmax to tpu, always in f32 ------------------------===//

#include "dialects/top/Softmax.h"

#include "dialects/tpu/Softmax.h"
#include "passes/quantize/LineView.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static Answer<> planSoftmax(top::SoftmaxOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  int64_t axis = op.getAxisAttr().getInt();
  std::optional<LineView> view =
      lineViewOf(type.getShape(), axis, kSoftmaxLine, lowering.chip());
  if (!view)
    return Refusal(op,
                   inWords("softmax along an axis of ", type.getDimSize(axis)),
                   "use exp, a sum and a division");
  OpBuilder &b = lowering.builder;
  Answer<Value> input =
      lowering.value(op.getInput(), lowering.f32(), view->shape, op);
  if (!input)
    return input.no();
  Value result = b.create<tpu::SoftmaxOp>(op.getLoc(), input->getType(), *input,
                                          b.getI64IntegerAttr(view->axis));
  lowering.define(op.getOutput(), result);
  return Yes();
}

void weft::quantize::registerSoftmaxLowering(LoweringTable &table) {
  table.add<top::SoftmaxOp>(planSoftmax);
}
