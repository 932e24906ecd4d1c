//===- Move.cpp - emission of the Move family -----------------------------===//

#include "dialects/tpu/Move.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/Dma.h"
#include "dialects/ppl/Memory.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// Strides of a dense tensor, in elements.
static SmallVector<int64_t, 4> denseStrides(ArrayRef<int64_t> shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

/// A strided view of a dense DRAM tensor.
static Value viewOf(OpBuilder &builder, Location loc, Value tensor,
                    ArrayRef<int64_t> offset, ArrayRef<int64_t> shape,
                    ArrayRef<int64_t> strides) {
  auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
  auto viewType = ppl::TensorViewType::get(shape, type.getElementType(),
                                           type.getMemory(), strides);
  return builder.create<ppl::ViewOp>(loc, viewType, tensor, offset, 0);
}

static LogicalResult emitConcat(Operation *operation, OpBuilder &builder,
                                ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::ConcatOp>(operation);
  auto shape = llvm::cast<ppl::TensorViewType>(result.getType()).getShape();
  SmallVector<int64_t, 4> offset(4, 0);
  for (Value operand : operands) {
    auto part = llvm::cast<ppl::TensorViewType>(operand.getType()).getShape();
    Value place =
        viewOf(builder, op.getLoc(), result, offset, part, denseStrides(shape));
    builder.create<ppl::DmaMoveOp>(op.getLoc(), place, operand);
    offset[op.getAxis()] += part[op.getAxis()];
  }
  return success();
}

static LogicalResult emitSlice(Operation *operation, OpBuilder &builder,
                               ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::SliceOp>(operation);
  auto from = llvm::cast<ppl::TensorViewType>(operands[0].getType()).getShape();
  auto to = llvm::cast<ppl::TensorViewType>(result.getType()).getShape();
  SmallVector<int64_t, 4> strides = denseStrides(from);
  for (unsigned axis = 0; axis < 4; ++axis)
    strides[axis] *= op.getSteps()[axis];
  Value piece =
      viewOf(builder, op.getLoc(), operands[0], op.getOffsets(), to, strides);
  builder.create<ppl::DmaMoveOp>(op.getLoc(), result, piece);
  return success();
}

static LogicalResult emitPermute(Operation *operation, OpBuilder &builder,
                                 ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::PermuteOp>(operation);
  auto from = llvm::cast<ppl::TensorViewType>(operands[0].getType()).getShape();
  auto to = llvm::cast<ppl::TensorViewType>(result.getType()).getShape();
  // Read through permuted strides while the innermost axis stays short enough
  // for the DMA (128 bytes); else write through them.
  SmallVector<int64_t, 4> dense = denseStrides(from), strides;
  for (int64_t axis : op.getOrder())
    strides.push_back(dense[axis]);
  int64_t bytes = tpu::elementBits(tpu::elementOf(op.getOutput())) / 8;
  if (strides[3] * bytes > 128 && to[3] > 1)
    return op.emitError(
               "unsupported: permutation that moves an axis with a stride of ")
           << strides[3] * bytes
           << " bytes innermost; the DMA steps at most 128 bytes";
  Value turned =
      viewOf(builder, op.getLoc(), operands[0], {0, 0, 0, 0}, to, strides);
  builder.create<ppl::DmaMoveOp>(op.getLoc(), result, turned);
  return success();
}

static LogicalResult emitReshape(Operation *, OpEmitter &emitter) {
  // Same n and c: h and w of a channel lie in one piece, only their names
  // change.
  Value source = emitter.operand(0), result = emitter.result();
  auto sourceType = llvm::cast<ppl::TensorViewType>(source.getType());
  auto type = llvm::cast<ppl::TensorViewType>(result.getType());
  auto flat =
      ppl::TensorViewType::get(type.getShape(), sourceType.getElementType(),
                               sourceType.getMemory(), ppl::Layout::Aligned);
  Value renamed = emitter.builder.create<ppl::ViewOp>(
      emitter.loc(), flat, source, ArrayRef<int64_t>{0, 0, 0, 0}, 0);
  emitCopy(emitter, result, renamed);
  return success();
}

void weft::emit::registerMove(EmitTable &table) {
  table.local["tpu.reshape"] = emitReshape;
  table.global["tpu.concat"] = emitConcat;
  table.global["tpu.slice"] = emitSlice;
  table.global["tpu.permute"] = emitPermute;
}
