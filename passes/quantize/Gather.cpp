//===- Gather.cpp - gather and scatter to tpu -----------------------------===//

#include "dialects/top/Gather.h"

#include "dialects/tpu/Gather.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// B x R x W as one batch of B channels of R rows.
static SmallVector<int64_t, 4> rowView(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return {1, shape[0], shape[1], shape.size() == 3 ? shape[2] : 1};
}

/// The list of row numbers in 32 bits.
static Answer<Value> formOfIndices(Value indices, Operation *op,
                                   Lowering &lowering) {
  Type stored = storedElement(topElement(indices));
  if (!stored.isInteger(32))
    return Refusal(op, inWords("indices of type ", topElement(indices)),
                   "use i32 or i64");
  return lowering.value(indices, stored, rowView(indices), op);
}

static Answer<> planGather(top::GatherOp op, Lowering &lowering) {
  Type element = lowering.formType(op.getTable());
  Answer<Value> table =
      lowering.value(op.getTable(), element, rowView(op.getTable()), op);
  Answer<Value> indices = formOfIndices(op.getIndices(), op, lowering);
  if (!table)
    return table.no();
  if (!indices)
    return indices.no();
  // One table and one list stay one channel.
  auto type = lowering.tensor(rowView(op.getOutput()), element);
  lowering.define(op.getOutput(), lowering.builder.create<tpu::GatherOp>(
                                      op.getLoc(), type, *table, *indices));
  return Yes();
}

static Answer<> planScatter(top::ScatterOp op, Lowering &lowering) {
  if (op.getReduction() != "none")
    return Refusal(op,
                   inWords("a scatter that combines by '", op.getReduction(),
                           "' where indices may repeat"),
                   "use reduction none");
  Type element = lowering.elementwiseType({op.getBase(), op.getUpdates()});
  Answer<Value> base =
      lowering.value(op.getBase(), element, rowView(op.getBase()), op);
  Answer<Value> indices = formOfIndices(op.getIndices(), op, lowering);
  Answer<Value> updates =
      lowering.value(op.getUpdates(), element, rowView(op.getUpdates()), op);
  if (!base)
    return base.no();
  if (!indices)
    return indices.no();
  if (!updates)
    return updates.no();
  lowering.define(op.getOutput(), lowering.builder.create<tpu::ScatterOp>(
                                      op.getLoc(), *base, *indices, *updates));
  return Yes();
}

void weft::quantize::registerGatherLowering(LoweringTable &table) {
  table.add<top::GatherOp>(planGather);
  table.add<top::ScatterOp>(planScatter);
}
