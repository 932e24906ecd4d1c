//===- Select.cpp - choice by a condition to tpu --------------------------===//

#include "dialects/top/Select.h"

#include "passes/quantize/Broadcast.h"
#include "passes/quantize/Elements.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static Answer<> planSelect(top::SelectOp op, Lowering &lowering) {
  Value operands[] = {op.getCondition(), op.getOnTrue(), op.getOnFalse()};
  SmallVector<ArrayRef<int64_t>, 3> shapes;
  for (Value operand : operands)
    shapes.push_back(cast<RankedTensorType>(operand.getType()).getShape());
  BroadcastViews views = broadcastViews(
      cast<RankedTensorType>(op.getOutput().getType()).getShape(), shapes);
  Type element = lowering.elementwiseType({op.getOnTrue(), op.getOnFalse()});
  Type boolean = storedElement(topElement(op.getCondition()));
  Value forms[3];
  for (unsigned i = 0; i < 3; ++i) {
    Answer<Value> form = broadcastOperand(
        views, i, operands[i], i == 0 ? boolean : element, op, lowering);
    if (!form)
      return form.no();
    forms[i] = *form;
  }
  Elements elements(lowering, op.getLoc());
  lowering.define(op.getOutput(),
                  elements.select(forms[0], forms[1], forms[2], element));
  return Yes();
}

void weft::quantize::registerSelectLowering(LoweringTable &table) {
  table.add<top::SelectOp>(planSelect);
}
