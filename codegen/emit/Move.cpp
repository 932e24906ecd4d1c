//===- Move.cpp - emission of the Move family -----------------------------===//

#include "dialects/tpu/Move.h"

#include "codegen/emit/GlobalCopy.h"
#include "dialects/ppl/Memory.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// The copies of an op that does nothing else.
static LogicalResult emitMove(Operation *op, OpBuilder &builder,
                              ArrayRef<Value> operands, Value result) {
  SmallVector<CopyPiece> pieces;
  for (tpu::OperandCopy &copy : tpu::copiesOf(op))
    pieces.push_back({operands[copy.operand], std::move(copy.copy)});
  return emitCopies(op, builder, pieces, result);
}

CopyPiece weft::emit::slicePiece(tpu::SliceOp op, Value source) {
  return {source, tpu::copiesOf(op).front().copy};
}

/// Every element of a DRAM tensor gets the bits `fill`.
static void emitFill(Location loc, OpBuilder &builder, Value result,
                     int64_t fill) {
  auto type = llvm::cast<ppl::TensorViewType>(result.getType());
  // The constant as an integer: any bits, a NaN among them.
  unsigned bits = elementBytesOf(result) * 8;
  auto element = builder.getIntegerType(bits, /*isSigned=*/false);
  uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  auto value = static_cast<int64_t>(static_cast<uint64_t>(fill) & mask);
  const Chip &chip = ppl::chipOf(result.getDefiningOp());
  tpu::StridedCopy whole{0, 0, {{type.getNumElements(), 1, 1}}};
  tpu::eachCopyCommand(
      chip, elementBytesOf(result), whole, [&](const tpu::StridedCopy &part) {
        SmallVector<int64_t, 4> shape, to;
        for (const tpu::CopyAxis &axis : part.axes) {
          shape.push_back(axis.size);
          to.push_back(axis.to);
        }
        Value view = builder.create<ppl::ViewOp>(
            loc, ppl::TensorViewType::get(shape, element, type.getMemory(), to),
            result, ArrayRef<int64_t>{0, 0, 0, 0},
            part.result * elementBytesOf(result));
        emitCall(builder, loc, "dma.fill", {{"dst", view}, {"C", value}});
      });
}

static LogicalResult emitArrange(Operation *operation, OpBuilder &builder,
                                 ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::ArrangeOp>(operation);
  if (op.getFill())
    emitFill(op.getLoc(), builder, result, *op.getFill());
  return emitMove(op, builder, operands, result);
}

void weft::emit::addMove(GlobalEmitTable &table) {
  table["tpu.concat"] = emitMove;
  table["tpu.permute"] = emitMove;
  table["tpu.row_phases"] = emitMove;
  table["tpu.to_bands"] = emitMove;
  table["tpu.from_bands"] = emitMove;
  table["tpu.arrange"] = emitArrange;
}
