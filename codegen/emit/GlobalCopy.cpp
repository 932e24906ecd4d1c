//===- GlobalCopy.cpp - copies between tensors in DRAM --------------------===//

#include "codegen/emit/GlobalCopy.h"

#include "dialects/ppl/Dma.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/TiuArith.h"
#include "runtime/transfer/Staging.h"

#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::emit;

constexpr uint64_t kNoWay = std::numeric_limits<uint64_t>::max();

static unsigned bytesOf(Value tensor) {
  return ppl::elementBytesOf(llvm::cast<ppl::TensorViewType>(tensor.getType()));
}

static int64_t elementsOf(Value tensor) {
  return llvm::cast<ppl::TensorViewType>(tensor.getType()).getNumElements();
}

/// One side of one command: four axes of `tensor` with these strides, from
/// byte `offset` on.
static Value viewOf(OpBuilder &builder, Location loc, Value tensor,
                    ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                    int64_t offset) {
  auto type = llvm::cast<ppl::TensorViewType>(tensor.getType());
  return builder.create<ppl::ViewOp>(
      loc,
      ppl::TensorViewType::get(shape, type.getElementType(), type.getMemory(),
                               strides),
      tensor, ArrayRef<int64_t>{0, 0, 0, 0}, offset);
}

namespace {
/// The ways of one op to copy, with their prices.
class CopyEmitter {
public:
  CopyEmitter(Operation *op, OpBuilder &builder, Value result)
      : op(op), builder(builder), result(result),
        chip(ppl::chipOf(result.getDefiningOp())), bytes(bytesOf(result)),
        planner(chip) {}

  LogicalResult emit(ArrayRef<CopyPiece> pieces);
  /// All pieces of one source together, each into its own result, if that is
  /// cheaper than one by one.
  bool emitTogether(ArrayRef<CopyPiece> pieces, ArrayRef<Value> results);

private:
  uint64_t bestAlone(const CopyPiece &piece);
  uint64_t directCycles(const tpu::StridedCopy &copy);
  void emitDirect(const CopyPiece &piece);
  void emitStaged(ArrayRef<CopyPiece> pieces, ArrayRef<Value> results,
                  const transfer::StagedPlan &plan);
  Value local(const transfer::Transfer &transfer, const transfer::Side &side);
  transfer::Piece stagedPiece(const CopyPiece &piece, unsigned operand) const;

  Operation *op;
  OpBuilder &builder;
  Value result;
  const Chip &chip;
  unsigned bytes;
  transfer::Planner planner;
};
} // namespace

/// Of the commands within DRAM; kNoWay if there are too many.
uint64_t CopyEmitter::directCycles(const tpu::StridedCopy &copy) {
  if (tpu::copyCommands(chip, bytes, copy) > tpu::kMaxCopyCommands)
    return kNoWay;
  uint64_t cycles = 0;
  tpu::eachCopyCommand(chip, bytes, copy, [&](const tpu::StridedCopy &part) {
    transfer::Transfer move;
    move.elementBytes = bytes;
    for (unsigned i = 0; i < 4; ++i) {
      move.shape[i] = part.axes[i].size;
      move.from.strides[i] = part.axes[i].from;
      move.to.strides[i] = part.axes[i].to;
    }
    cycles += planner.plan(move).cycles;
  });
  return cycles;
}

void CopyEmitter::emitDirect(const CopyPiece &piece) {
  tpu::eachCopyCommand(
      chip, bytes, piece.copy, [&](const tpu::StridedCopy &part) {
        SmallVector<int64_t, 4> shape, from, to;
        for (const tpu::CopyAxis &axis : part.axes) {
          shape.push_back(axis.size);
          from.push_back(axis.from);
          to.push_back(axis.to);
        }
        Location loc = op->getLoc();
        builder.create<ppl::DmaMoveOp>(
            loc, viewOf(builder, loc, result, shape, to, part.result * bytes),
            viewOf(builder, loc, piece.source, shape, from,
                   part.source * bytes));
      });
}

transfer::Piece CopyEmitter::stagedPiece(const CopyPiece &piece,
                                         unsigned operand) const {
  transfer::Piece staged{operand,
                         elementsOf(piece.source),
                         piece.copy.source,
                         piece.copy.result,
                         {}};
  for (const tpu::CopyAxis &axis : piece.copy.axes)
    staged.axes.push_back({axis.size, axis.from, axis.to});
  return staged;
}

Value CopyEmitter::local(const transfer::Transfer &transfer,
                         const transfer::Side &side) {
  auto element =
      llvm::cast<ppl::TensorViewType>(result.getType()).getElementType();
  auto type = ppl::TensorViewType::get(transfer.shape, element,
                                       ppl::Memory::Local, side.strides);
  return builder.create<ppl::LocalOp>(op->getLoc(), type, side.place.address);
}

void CopyEmitter::emitStaged(ArrayRef<CopyPiece> pieces,
                             ArrayRef<Value> results,
                             const transfer::StagedPlan &plan) {
  Location loc = op->getLoc();
  for (const transfer::StagedStep &step : plan.steps) {
    const transfer::Transfer &move = step.transfer;
    switch (step.kind) {
    case transfer::StagedStep::Load:
      builder.create<ppl::DmaLoadOp>(
          loc, local(move, move.to),
          viewOf(builder, loc, pieces[step.operand].source, move.shape,
                 move.from.strides, move.from.place.address));
      break;
    case transfer::StagedStep::LaneCopy:
      builder.create<ppl::UnaryOp>(loc, ppl::UnaryKind::Copy,
                                   local(move, move.to),
                                   local(move, move.from));
      break;
    case transfer::StagedStep::Store:
      builder.create<ppl::DmaStoreOp>(loc,
                                      viewOf(builder, loc, results[step.result],
                                             move.shape, move.to.strides,
                                             move.to.place.address),
                                      local(move, move.from));
      break;
    }
  }
}

/// The address of a tensor in DRAM that no loop moves.
static int64_t addressOf(Value tensor) {
  auto global = tensor.getDefiningOp<ppl::GlobalOp>();
  return global && global.getIndices().empty() ? int64_t(global.getAddress())
                                               : -1;
}

/// Whether placement has put the piece where it belongs.
static bool isInPlace(const CopyPiece &piece, Value result, unsigned bytes) {
  int64_t source = addressOf(piece.source), target = addressOf(result);
  return source >= 0 && target >= 0 &&
         source + piece.copy.source * bytes ==
             target + piece.copy.result * bytes &&
         llvm::all_of(piece.copy.axes, [](const tpu::CopyAxis &axis) {
           return axis.size == 1 || axis.from == axis.to;
         });
}

LogicalResult CopyEmitter::emit(ArrayRef<CopyPiece> given) {
  SmallVector<CopyPiece> pieces;
  for (const CopyPiece &piece : given)
    if (!isInPlace(piece, result, bytes))
      pieces.push_back(piece);
  if (pieces.empty())
    return success();
  std::vector<transfer::Piece> all;
  std::vector<uint64_t> direct;
  std::vector<std::optional<transfer::StagedPlan>> staged;
  uint64_t apart = 0;
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    all.push_back(stagedPiece(piece, i));
    direct.push_back(directCycles(piece.copy));
    staged.push_back(transfer::stagePiece(planner, chip, bytes, all.back()));
    uint64_t best = direct.back();
    if (staged.back() && staged.back()->cycles < best)
      best = staged.back()->cycles;
    apart = best > kNoWay - apart ? kNoWay : apart + best;
  }
  auto together = transfer::stageRows(planner, chip, bytes, all);
  if (together && together->cycles < apart) {
    emitStaged(pieces, result, *together);
    return success();
  }
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    if (staged[i] && staged[i]->cycles < direct[i])
      emitStaged(pieces, result, *staged[i]);
    else if (direct[i] != kNoWay)
      emitDirect(piece);
    else
      return op->emitError("unsupported: a copy along ")
             << piece.copy.axes.size() << " axes that needs more than "
             << tpu::kMaxCopyCommands
             << " DMA commands; make it smaller or reorder fewer axes";
  }
  return success();
}

uint64_t CopyEmitter::bestAlone(const CopyPiece &piece) {
  auto staged =
      transfer::stagePiece(planner, chip, bytes, stagedPiece(piece, 0));
  uint64_t direct = directCycles(piece.copy);
  return staged ? std::min(staged->cycles, direct) : direct;
}

bool CopyEmitter::emitTogether(ArrayRef<CopyPiece> pieces,
                               ArrayRef<Value> results) {
  std::vector<transfer::Piece> all;
  uint64_t apart = 0;
  for (const CopyPiece &piece : pieces) {
    all.push_back(stagedPiece(piece, 0));
    uint64_t best = bestAlone(piece);
    apart = best > kNoWay - apart ? kNoWay : apart + best;
  }
  auto together = transfer::stageSplit(planner, chip, bytes, all);
  if (!together || together->cycles >= apart)
    return false;
  emitStaged(pieces, results, *together);
  return true;
}

LogicalResult weft::emit::emitSplit(ArrayRef<Operation *> ops,
                                    OpBuilder &builder,
                                    ArrayRef<CopyPiece> pieces,
                                    ArrayRef<Value> results) {
  if (ops.size() > 1 && CopyEmitter(ops.front(), builder, results.front())
                            .emitTogether(pieces, results))
    return success();
  for (auto [op, piece, result] : llvm::zip(ops, pieces, results))
    if (failed(emitCopies(op, builder, piece, result)))
      return failure();
  return success();
}

LogicalResult weft::emit::emitCopies(Operation *op, OpBuilder &builder,
                                     ArrayRef<CopyPiece> pieces, Value result) {
  return CopyEmitter(op, builder, result).emit(pieces);
}
