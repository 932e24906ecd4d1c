//===- Softmax.cpp - emission of the Softmax family -----------------------===//

#include "dialects/tpu/Softmax.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuConv.h"
#include "dialects/ppl/TiuSpecial.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::SoftmaxOp;

/// Maximum or sum along axis h or w of an f32 tensor: one pooling window.
static void reduce(OpEmitter &emitter, ppl::PoolKind kind, Value dst, Value src,
                   unsigned axis) {
  auto shape = llvm::cast<ppl::TensorViewType>(src.getType()).getShape();
  SmallVector<int64_t, 2> kernel{1, 1};
  kernel[axis - 2] = shape[axis];
  OpBuilder &builder = emitter.builder;
  builder.create<ppl::PoolOp>(emitter.loc(), kind, dst, src,
                              llvm::APFloat(1.0f), /*multiplier=*/1,
                              /*rshift=*/0, kernel);
}

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<SoftmaxOp>(operation);
  unsigned axis = op.getAxis();
  if (axis == tpu::kAxisN)
    return op.emitError(
        "unsupported: softmax along the batch axis; transpose first");
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc();
  Type f32 = builder.getF32Type();
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16,
       turned = axis == tpu::kAxisC;
  Value result = emitter.result(), input = emitter.operand(0);
  // Scratch: 0..3 the exponential's, 4 rows, 5 statistics, 6 the f32 tensor in
  // its own shape.
  Value rows = emitter.scratch(4, f32), statistics = emitter.scratch(5, f32);
  if (narrow) {
    Value wide = emitter.scratch(6, f32);
    builder.create<ppl::CastOp>(loc, wide, input, ppl::Rounding::HalfToEven);
    input = wide;
  }
  if (turned) { // reductions run along h and w, so c is brought to w
    builder.create<ppl::TransposeOp>(loc, ppl::TransposeKind::WC, rows, input);
    input = rows;
    axis = tpu::kAxisW;
  }
  reduce(emitter, ppl::PoolKind::Max, statistics, input, axis);
  emitFloatOp(emitter, ppl::FloatKind::Sub, rows, input, statistics);
  emitExp(emitter, rows, rows, 0);
  reduce(emitter, ppl::PoolKind::Avg, statistics, rows, axis);
  bool direct = !turned && !narrow;
  Value quotient = direct ? result : rows;
  emitFloatOp(emitter, ppl::FloatKind::Div, quotient, rows, statistics);
  if (turned) {
    Value back = narrow ? emitter.scratch(6, f32) : result;
    builder.create<ppl::TransposeOp>(loc, ppl::TransposeKind::WC, back, rows);
    quotient = back;
  }
  if (narrow)
    builder.create<ppl::CastOp>(loc, result, quotient,
                                ppl::Rounding::HalfToEven);
  return success();
}

void weft::emit::registerSoftmax(EmitTable &table) {
  table.local["tpu.softmax"] = emitOp;
}
