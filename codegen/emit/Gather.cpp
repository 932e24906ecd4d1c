//===- Gather.cpp - emission of the Gather family -------------------------===//

#include "dialects/tpu/Gather.h"

#include "codegen/emit/GlobalCopy.h"
#include "dialects/ppl/Memory.h"
#include "dialects/tpu/Tpu.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

namespace {
/// Channels of rows in DRAM, cut so that each piece fits a command.
class RowPieces {
public:
  RowPieces(OpBuilder &builder, Location loc, const Chip &chip)
      : builder(builder), loc(loc), chip(chip) {}

  /// `channels` channels from `channel` on and `columns` elements of each row
  /// from `column` on. A tensor of one channel stays as it is. Bits only:
  /// elements are unsigned integers.
  Value piece(Value tensor, int64_t channel, int64_t channels, int64_t column,
              int64_t columns) {
    auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
    int64_t rows = type.getH(), width = type.getW();
    if (type.getC() == 1)
      channel = 0, channels = 1;
    if (width == 1)
      column = 0, columns = 1;
    unsigned bytes = ppl::elementBytesOf(type);
    auto element = builder.getIntegerType(bytes * 8, /*isSigned=*/false);
    int64_t step = rows * width;
    auto view =
        ppl::TensorViewType::get({1, channels, rows, columns}, element,
                                 type.getMemory(), {step, step, width, 1});
    return builder.create<ppl::ViewOp>(
        loc, view, tensor, ArrayRef<int64_t>{0, 0, 0, 0},
        (channel * rows * width + column) * int64_t(bytes));
  }

  /// Calls `visit(channel, channels, column, columns)` for each piece of
  /// `whole`.
  void
  each(Value whole,
       llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> visit) {
    auto type = llvm::cast<ppl::TensorViewType>(whole.getType());
    int64_t limit = chip.maxShape;
    for (int64_t channel = 0; channel < type.getC(); channel += limit)
      for (int64_t column = 0; column < type.getW(); column += limit)
        visit(channel, std::min(limit, type.getC() - channel), column,
              std::min(limit, type.getW() - column));
  }

private:
  OpBuilder &builder;
  Location loc;
  const Chip &chip;
};
} // namespace

static LogicalResult emitGather(Operation *operation, OpBuilder &builder,
                                ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::GatherOp>(operation);
  Location loc = op.getLoc();
  RowPieces pieces(builder, loc, ppl::chipOf(result.getDefiningOp()));
  unsigned bits = 8 * ppl::elementBytesOf(
                          llvm::cast<ppl::TensorViewType>(result.getType()));
  uint64_t fill = static_cast<uint64_t>(op.getFill()) & ((1ull << bits) - 1);
  pieces.each(result, [&](int64_t channel, int64_t channels, int64_t column,
                          int64_t columns) {
    emitCall(builder, loc, "dma.gather_h",
             {{"dst", pieces.piece(result, channel, channels, column, columns)},
              {"param",
               pieces.piece(operands[0], channel, channels, column, columns)},
              {"index", pieces.piece(operands[1], channel, channels, 0, 1)},
              {"C", static_cast<int64_t>(fill)}});
  });
  return success();
}

static LogicalResult emitScatter(Operation *operation, OpBuilder &builder,
                                 ArrayRef<Value> operands, Value result) {
  auto op = llvm::cast<tpu::ScatterOp>(operation);
  Location loc = op.getLoc();
  auto type = llvm::cast<ppl::TensorViewType>(result.getType());
  tpu::StridedCopy whole{0, 0, {{type.getNumElements(), 1, 1}}};
  if (failed(emitCopies(op, builder, CopyPiece{operands[0], whole}, result)))
    return failure();
  RowPieces pieces(builder, loc, ppl::chipOf(result.getDefiningOp()));
  pieces.each(result, [&](int64_t channel, int64_t channels, int64_t column,
                          int64_t columns) {
    emitCall(builder, loc, "dma.scatter_h",
             {{"dst", pieces.piece(result, channel, channels, column, columns)},
              {"param",
               pieces.piece(operands[2], channel, channels, column, columns)},
              {"index", pieces.piece(operands[1], channel, channels, 0, 1)}});
  });
  return success();
}

void weft::emit::addGather(GlobalEmitTable &table) {
  table["tpu.gather"] = emitGather;
  table["tpu.scatter"] = emitScatter;
}
