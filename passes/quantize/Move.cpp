//===- Move.cpp - reshape, transpose, slice, concat to tpu ----------------===//

#include "dialects/top/Move.h"

#include "dialects/tpu/Move.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

static LogicalResult lowerReshape(top::ReshapeOp op, Lowering &lowering) {
  Value input = lowering.firstForm(op.getInput());
  lowering.define(
      op.getOutput(),
      lowering.reshaped(op.getLoc(), input, lowering.shapeOf(op.getOutput())));
  return success();
}

static LogicalResult lowerTranspose(top::TransposeOp op, Lowering &lowering) {
  Value input = lowering.firstForm(op.getInput());
  int64_t rank = rankOf(op.getInput());
  SmallVector<int64_t, 4> order{0, 1, 2, 3};
  for (auto [axis, from] : llvm::enumerate(op.getPerm()))
    order[foldAxis(axis, rank)] = foldAxis(from, rank);
  auto type =
      lowering.tensor(lowering.shapeOf(op.getOutput()), tpu::elementOf(input));
  lowering.define(op.getOutput(), lowering.builder.create<tpu::PermuteOp>(
                                      op.getLoc(), type, input, order));
  return success();
}

static LogicalResult lowerSlice(top::SliceOp op, Lowering &lowering) {
  Value input = lowering.firstForm(op.getInput());
  int64_t rank = rankOf(op.getInput());
  SmallVector<int64_t, 4> offsets(4, 0), steps(4, 1);
  for (int64_t axis = 0; axis < rank; ++axis) {
    offsets[foldAxis(axis, rank)] = op.getStarts()[axis];
    steps[foldAxis(axis, rank)] = op.getSteps()[axis];
    if (op.getSteps()[axis] < 0)
      return unsupported(op)
             << "a slice that walks backwards (step " << op.getSteps()[axis]
             << " on axis " << axis << "); use positive steps";
  }
  auto type =
      lowering.tensor(lowering.shapeOf(op.getOutput()), tpu::elementOf(input));
  lowering.define(op.getOutput(),
                  lowering.builder.create<tpu::SliceOp>(op.getLoc(), type,
                                                        input, offsets, steps));
  return success();
}

static LogicalResult lowerConcat(top::ConcatOp op, Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  Type element = lowering.elementwiseType(op.getInputs());
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    FailureOr<Value> form;
    if (std::optional<FloatConstant> constant = lowering.constantOf(input))
      form = lowering.floatWeight(op.getLoc(), lowering.shapeOf(input), element,
                                  constant->values);
    else
      form = lowering.inFloat(input, element);
    if (failed(form))
      return failure();
    inputs.push_back(*form);
  }
  int64_t axis = foldAxis(op.getAxisAttr().getInt(), rankOf(op.getOutput()));
  auto type = lowering.tensor(lowering.shapeOf(op.getOutput()), element);
  lowering.define(op.getOutput(),
                  b.create<tpu::ConcatOp>(op.getLoc(), type, inputs,
                                          b.getI64IntegerAttr(axis)));
  return success();
}

void weft::quantize::registerMoveLowering(LoweringTable &table) {
  table.add<top::ReshapeOp>(lowerReshape);
  table.add<top::TransposeOp>(lowerTranspose);
  table.add<top::SliceOp>(lowerSlice);
  table.add<top::ConcatOp>(lowerConcat);
}
