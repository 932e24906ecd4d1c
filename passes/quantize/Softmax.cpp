//===- Softmax.cpp - softmax to tpu ---------------------------------------===//

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
  auto overLanes = viewOverLanes(Around(type.getShape(), axis), view,
                                 isMadeIn(view, op.getInput()), kSoftmaxLine,
                                 lowering.chip());
  if (overLanes)
    view = overLanes;
  if (!view)
    return Refusal(op,
                   inWords("softmax along an axis of ", type.getDimSize(axis)),
                   "use exp, a sum and a division");
  OpBuilder &b = lowering.builder;
  // In f16 where sums among codes of 8 bits read it: small numbers get lost.
  bool isNarrow = lowering.takesNarrowSteps(op) &&
                  feedsProducts(op.getOutput()) &&
                  lowering.elementwiseType(op.getInput()).isF16();
  Answer<Value> input =
      lowering.value(op.getInput(), isNarrow ? b.getF16Type() : lowering.f32(),
                     view->shape, op);
  if (!input)
    return input.no();
  Value result = b.create<tpu::SoftmaxOp>(
      op.getLoc(), input->getType(), *input, view->axis,
      /*short_steps=*/!isNarrow && lowering.takesShortSteps(op), isNarrow,
      overLanes.has_value());
  lowering.define(op.getOutput(), result);
  return Yes();
}

void weft::quantize::registerSoftmaxLowering(LoweringTable &table) {
  table.add<top::SoftmaxOp>(planSoftmax);
}
