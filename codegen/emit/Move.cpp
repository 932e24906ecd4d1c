//===- Move.cpp - emission of the Move family -----------------------------===//

#include "dialects/tpu/Move.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/Dma.h"
#include "dialects/ppl/Memory.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// Most commands that one copy may become.
constexpr int64_t kMaxCommands = 4096;

namespace {
/// One axis of a copy: how many elements, and how far apart (in elements) they
/// lie on either side.
struct CopyAxis {
  int64_t size, from, to;
};

/// A copy between two dense DRAM tensors, axis by axis, outermost first.
struct StridedCopy {
  Value source, result;
  int64_t sourceOffset = 0, resultOffset = 0; ///< elements
  SmallVector<CopyAxis, 4> axes;
};
} // namespace

/// Strides of a dense tensor, in elements.
static SmallVector<int64_t, 4> denseStrides(ArrayRef<int64_t> shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return llvm::cast<ppl::TensorViewType>(tensor.getType()).getShape();
}

/// The same copy without axes of size 1 and with neighbouring axes merged that
/// are one run on both sides.
static SmallVector<CopyAxis, 4> mergeAxes(const Chip &chip,
                                          ArrayRef<CopyAxis> axes) {
  SmallVector<CopyAxis, 4> merged;
  for (const CopyAxis &axis : axes) {
    if (axis.size == 1)
      continue;
    if (!merged.empty() && merged.back().from == axis.from * axis.size &&
        merged.back().to == axis.to * axis.size &&
        merged.back().size * axis.size <= int64_t(chip.maxShape))
      merged.back() = {merged.back().size * axis.size, axis.from, axis.to};
    else
      merged.push_back(axis);
  }
  return merged;
}

static void emitMove(OpBuilder &builder, Location loc,
                     const StridedCopy &copy) {
  SmallVector<int64_t, 4> shape, from, to;
  for (const CopyAxis &axis : copy.axes) {
    shape.push_back(axis.size);
    from.push_back(axis.from);
    to.push_back(axis.to);
  }
  // Outer axes of size 1 are never stepped; a stride of 1 suits every element
  // size.
  while (shape.size() < 4) {
    shape.insert(shape.begin(), 1);
    from.insert(from.begin(), 1);
    to.insert(to.begin(), 1);
  }
  auto view = [&](Value tensor, ArrayRef<int64_t> strides,
                  int64_t offset) -> Value {
    auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
    int64_t bytes = offset * type.getElementType().getIntOrFloatBitWidth() / 8;
    return builder.create<ppl::ViewOp>(
        loc,
        ppl::TensorViewType::get(shape, type.getElementType(), type.getMemory(),
                                 strides),
        tensor, ArrayRef<int64_t>{0, 0, 0, 0}, bytes);
  };
  builder.create<ppl::DmaMoveOp>(loc, view(copy.result, to, copy.resultOffset),
                                 view(copy.source, from, copy.sourceOffset));
}

/// One command where the machine can: up to four axes, the innermost with
/// neighbours at most `maxDmaStepBytes` apart. A wider innermost axis goes one
/// place outwards, behind it stands an axis of size 1; what has no room then
/// becomes commands.
static LogicalResult emitCopyOf(Operation *op, OpBuilder &builder,
                                StridedCopy copy) {
  const Chip &chip = ppl::chipOf(copy.result.getDefiningOp());
  copy.axes = mergeAxes(chip, copy.axes);
  int64_t bytes = llvm::cast<ppl::TensorViewType>(copy.result.getType())
                      .getElementType()
                      .getIntOrFloatBitWidth() /
                  8;
  if (!copy.axes.empty() &&
      std::max(copy.axes.back().from, copy.axes.back().to) * bytes >
          int64_t(chip.maxDmaStepBytes))
    copy.axes.push_back({1, 1, 1});
  if (copy.axes.size() <= 4) {
    emitMove(builder, op->getLoc(), copy);
    return success();
  }
  // A fifth axis: one command for each step along the shortest of the others.
  auto shortest = std::min_element(
      copy.axes.begin(), copy.axes.end() - 1,
      [](const CopyAxis &a, const CopyAxis &b) { return a.size < b.size; });
  CopyAxis walked = *shortest;
  if (walked.size > kMaxCommands)
    return op->emitError(
               "unsupported: a permutation of four axes, the shortest of size ")
           << walked.size << "; there may be " << kMaxCommands << " steps";
  copy.axes.erase(shortest);
  for (int64_t i = 0; i < walked.size; ++i) {
    emitMove(builder, op->getLoc(), copy);
    copy.sourceOffset += walked.from;
    copy.resultOffset += walked.to;
  }
  return success();
}

static LogicalResult emitConcat(Operation *operation, OpBuilder &builder,
                                ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::ConcatOp>(operation);
  SmallVector<int64_t, 4> to = denseStrides(shapeOf(result));
  int64_t offset = 0;
  for (Value operand : operands) {
    ArrayRef<int64_t> part = shapeOf(operand);
    SmallVector<int64_t, 4> from = denseStrides(part);
    StridedCopy copy{operand, result, 0, offset, {}};
    for (unsigned axis = 0; axis < 4; ++axis)
      copy.axes.push_back({part[axis], from[axis], to[axis]});
    if (failed(emitCopyOf(op, builder, std::move(copy))))
      return failure();
    offset += part[op.getAxis()] * to[op.getAxis()];
  }
  return success();
}

static LogicalResult emitSlice(Operation *operation, OpBuilder &builder,
                               ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::SliceOp>(operation);
  SmallVector<int64_t, 4> from = denseStrides(shapeOf(operands[0])),
                          to = denseStrides(shapeOf(result));
  StridedCopy copy{operands[0], result, 0, 0, {}};
  for (unsigned axis = 0; axis < 4; ++axis) {
    copy.sourceOffset += op.getOffsets()[axis] * from[axis];
    copy.axes.push_back(
        {shapeOf(result)[axis], from[axis] * op.getSteps()[axis], to[axis]});
  }
  return emitCopyOf(op, builder, std::move(copy));
}

static LogicalResult emitPermute(Operation *operation, OpBuilder &builder,
                                 ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::PermuteOp>(operation);
  SmallVector<int64_t, 4> from = denseStrides(shapeOf(operands[0])),
                          to = denseStrides(shapeOf(result));
  StridedCopy copy{operands[0], result, 0, 0, {}};
  for (unsigned axis = 0; axis < 4; ++axis)
    copy.axes.push_back(
        {shapeOf(result)[axis], from[op.getOrder()[axis]], to[axis]});
  return emitCopyOf(op, builder, std::move(copy));
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
