//===- Move.cpp - the Move family on vectors ------------------------------===//
//
// Copies with a step an axis. A reshape is another name of its input.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/Move.h"

#include "passes/zhouyi/Emitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

static Value same(ArrayRef<Value> values) { return values[0]; }

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static SmallVector<int64_t, 6> stepsOf(Value value) {
  SmallVector<int64_t> steps = tpu::rowMajorSteps(shapeOf(value));
  return {steps.begin(), steps.end()};
}

static LogicalResult emitReshape(tpu::ReshapeOp op, Emitter &emitter) {
  Value source = emitter.pointer(op.getInput());
  if (!emitter.isReserved(op.getOutput())) {
    emitter.place(op.getOutput(), source);
    return success();
  }
  copyDense(emitter.code, source, emitter.result(op.getOutput()),
            op.getOutput().getType().getNumElements());
  return success();
}

static LogicalResult emitPermute(tpu::PermuteOp op, Emitter &emitter) {
  SmallVector<int64_t, 6> input = stepsOf(op.getInput()), steps;
  for (int64_t axis : op.getOrder())
    steps.push_back(input[axis]);
  ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  overElements(emitter.code, shape,
               {Stream{emitter.pointer(op.getInput()), steps}},
               dense(emitter.result(op.getOutput()), shape), kByteLanes, same);
  return success();
}

static LogicalResult emitSlice(tpu::SliceOp op, Emitter &emitter) {
  Stream source{emitter.pointer(op.getInput()), stepsOf(op.getInput())};
  for (int axis = 0; axis < 4; ++axis) {
    source.offset += op.getOffsets()[axis] * source.strides[axis];
    source.strides[axis] *= op.getSteps()[axis];
  }
  ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  overElements(emitter.code, shape, {source},
               dense(emitter.result(op.getOutput()), shape), kByteLanes, same);
  return success();
}

static LogicalResult emitConcat(tpu::ConcatOp op, Emitter &emitter) {
  Value result = emitter.result(op.getOutput());
  int64_t axis = op.getAxis();
  Stream to{result, stepsOf(op.getOutput())};
  for (Value input : op.getInputs()) {
    ArrayRef<int64_t> shape = shapeOf(input);
    overElements(emitter.code, shape, {dense(emitter.pointer(input), shape)},
                 to, kByteLanes, same);
    to.offset += shape[axis] * to.strides[axis];
  }
  return success();
}

static LogicalResult emitPad(tpu::PadOp op, Emitter &emitter) {
  Code &code = emitter.code;
  // Bits are copied, whatever they stand for.
  Value result = emitter.result(op.getOutput());
  Type plain = code.integer(elementOf(result).getIntOrFloatBitWidth(), false);
  result = code.pointerTo(result, plain);
  fillDense(code, result, op.getOutput().getType().getNumElements(),
            op.getFill());
  Stream to{result, stepsOf(op.getOutput())};
  to.offset = op.getPads()[0] * to.strides[tpu::kAxisH] +
              op.getPads()[1] * to.strides[tpu::kAxisW];
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  Value source = code.pointerTo(emitter.pointer(op.getInput()), plain);
  overElements(code, shape, {dense(source, shape)}, to, kByteLanes, same);
  return success();
}

static LogicalResult emitArrange(tpu::ArrangeOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Value result = emitter.result(op.getOutput());
  // Bits are copied, whatever they stand for.
  Type plain = code.integer(elementOf(result).getIntOrFloatBitWidth(), false);
  result = code.pointerTo(result, plain);
  int64_t count = op.getOutput().getType().getNumElements();
  if (op.getFill())
    fillDense(code, result, count, *op.getFill());
  for (auto piece : op.getPieces().getAsRange<tpu::PieceAttr>()) {
    tpu::StridedCopy copy = tpu::copyOf(piece);
    Value source = emitter.pointer(op.getInputs()[piece.getOperand()]);
    Stream from{code.pointerTo(source, plain), {}, copy.source},
        to{result, {}, copy.result};
    SmallVector<int64_t> sizes;
    for (const tpu::CopyAxis &axis : copy.axes) {
      sizes.push_back(axis.size);
      from.strides.push_back(axis.from);
      to.strides.push_back(axis.to);
    }
    overElements(code, sizes, {from}, to, kByteLanes, same);
  }
  return success();
}

void zhouyi::addMove(EmitTable &table) {
  table.add<tpu::ReshapeOp>(emitReshape);
  table.add<tpu::PermuteOp>(emitPermute);
  table.add<tpu::SliceOp>(emitSlice);
  table.add<tpu::ConcatOp>(emitConcat);
  table.add<tpu::PadOp>(emitPad);
  table.add<tpu::ArrangeOp>(emitArrange);
}
