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

/// The first form of `topValue` in its standard view; a constant becomes a
/// weight.
static FailureOr<Value> standardForm(Value topValue, Operation *user,
                                     Lowering &lowering) {
  return lowering.value(topValue, lowering.formType(topValue), user);
}

/// Axes are named in the standard view, which keeps four of them apart.
static LogicalResult checkRank(Operation *op, Value value) {
  if (rankOf(value) <= 4)
    return success();
  return unsupported(op) << "a tensor of rank " << rankOf(value)
                         << "; at most 4 axes are supported here";
}

static LogicalResult lowerReshape(top::ReshapeOp op, Lowering &lowering) {
  FailureOr<Value> input =
      lowering.value(op.getInput(), lowering.formType(op.getInput()),
                     lowering.shapeOf(op.getOutput()), op);
  if (failed(input))
    return failure();
  lowering.define(op.getOutput(), *input);
  return success();
}

static LogicalResult lowerTranspose(top::TransposeOp op, Lowering &lowering) {
  if (failed(checkRank(op, op.getInput())))
    return failure();
  FailureOr<Value> form = standardForm(op.getInput(), op, lowering);
  if (failed(form))
    return failure();
  Value input = *form;
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
  if (failed(checkRank(op, op.getInput())))
    return failure();
  FailureOr<Value> form = standardForm(op.getInput(), op, lowering);
  if (failed(form))
    return failure();
  Value input = *form;
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
  if (failed(checkRank(op, op.getOutput())))
    return failure();
  OpBuilder &b = lowering.builder;
  Type element = lowering.elementwiseType(op.getInputs());
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    FailureOr<Value> form = lowering.value(input, element, op);
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
