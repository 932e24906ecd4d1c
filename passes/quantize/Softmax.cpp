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
  std::optional<LineForm> form =
      lineFormOf(op.getInput(), axis, kSoftmaxLine, lowering.chip());
  if (!form)
    return Refusal(op,
                   inWords("softmax along an axis of ", type.getDimSize(axis)),
                   "pad the axis with very low numbers to a round size");
  OpBuilder &b = lowering.builder;
  // In f16 where sums among codes of 8 bits read it: small numbers get lost.
  bool isNarrow = lowering.takesNarrowSteps(op) &&
                  feedsProducts(op.getOutput()) &&
                  lowering.elementwiseType(op.getInput()).isF16();
  Answer<Value> input =
      linesOf(op, op.getInput(), axis, *form,
              isNarrow ? Type(b.getF16Type()) : Type(lowering.f32()), lowering);
  if (!input)
    return input.no();
  Value result = b.create<tpu::SoftmaxOp>(
      op.getLoc(), input->getType(), *input, form->view.axis,
      /*short_steps=*/!isNarrow && lowering.takesShortSteps(op), isNarrow,
      form->overLanes);
  lowering.define(op.getOutput(),
                  turnedBack(op.getOutput(), axis, *form, result, lowering));
  return Yes();
}

void weft::quantize::registerSoftmaxLowering(LoweringTable &table) {
  table.add<top::SoftmaxOp>(planSoftmax);
}
