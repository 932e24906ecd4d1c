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
static FailureOr<Value> lowerIndices(Value indices, Operation *op,
                                     Lowering &lowering) {
  Type stored = storedElement(topElement(indices));
  if (!stored.isInteger(32))
    return unsupported(op) << "indices of type " << topElement(indices)
                           << "; use i32 or i64";
  return lowering.value(indices, stored, rowView(indices), op);
}

static LogicalResult lowerGather(top::GatherOp op, Lowering &lowering) {
  Type element = lowering.formType(op.getTable());
  FailureOr<Value> table =
      lowering.value(op.getTable(), element, rowView(op.getTable()), op);
  FailureOr<Value> indices = lowerIndices(op.getIndices(), op, lowering);
  if (failed(table) || failed(indices))
    return failure();
  // One table and one list stay one channel.
  auto type = lowering.tensor(rowView(op.getOutput()), element);
  lowering.define(op.getOutput(), lowering.builder.create<tpu::GatherOp>(
                                      op.getLoc(), type, *table, *indices));
  return success();
}

static LogicalResult lowerScatter(top::ScatterOp op, Lowering &lowering) {
  if (op.getReduction() != "none")
    return unsupported(op) << "a scatter that combines by '"
                           << op.getReduction()
                           << "' where indices may repeat; use reduction none";
  Type element = lowering.elementwiseType({op.getBase(), op.getUpdates()});
  FailureOr<Value> base =
      lowering.value(op.getBase(), element, rowView(op.getBase()), op);
  FailureOr<Value> indices = lowerIndices(op.getIndices(), op, lowering);
  FailureOr<Value> updates =
      lowering.value(op.getUpdates(), element, rowView(op.getUpdates()), op);
  if (failed(base) || failed(indices) || failed(updates))
    return failure();
  lowering.define(op.getOutput(), lowering.builder.create<tpu::ScatterOp>(
                                      op.getLoc(), *base, *indices, *updates));
  return success();
}

void weft::quantize::registerGatherLowering(LoweringTable &table) {
  table.add<top::GatherOp>(lowerGather);
  table.add<top::ScatterOp>(lowerScatter);
}
