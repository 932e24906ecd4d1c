//===- GlobalCopy.cpp - copies between tensors in DRAM --------------------===//

#include "codegen/emit/GlobalCopy.h"

#include "dialects/ppl/Memory.h"
#include "dialects/tpu/CopyPrice.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

using transfer::Price;

/// Of two things that are both done.
static Price sum(const Price &a, const Price &b) {
  return {std::min(a.cycles + b.cycles, cycles::kMostCycles),
          std::max(a.evidence, b.evidence)};
}

unsigned weft::emit::elementBytesOf(Value tensor) {
  return ppl::elementBytesOf(llvm::cast<ppl::TensorViewType>(tensor.getType()));
}

static int64_t elementsOf(Value tensor) {
  return llvm::cast<ppl::TensorViewType>(tensor.getType()).getNumElements();
}

/// The address of a tensor in DRAM, which no loop moves: its op stands outside
/// of groups.
static int64_t addressOf(Value tensor) {
  return tensor.getDefiningOp<ppl::GlobalOp>().getAddress();
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
        chip(ppl::chipOf(result.getDefiningOp())),
        bytes(elementBytesOf(result)), planner(chip) {}

  /// All pieces have elements of the result's type; or one has floats of 16
  /// bits, which become f32.
  LogicalResult emit(ArrayRef<CopyPiece> pieces);
  /// All pieces of one source together, each into its own result, if that is
  /// cheaper than one by one.
  bool emitTogether(ArrayRef<CopyPiece> pieces, ArrayRef<Value> results);

private:
  /// How one piece is copied alone: by way of the lanes if `staged`.
  struct Way {
    Price price;
    std::optional<transfer::StagedPlan> staged;
  };

  Way bestAlone(const CopyPiece &piece, const transfer::Piece &staged,
                Value result);
  void emitDirect(const CopyPiece &piece);
  void emitStaged(ArrayRef<CopyPiece> pieces, ArrayRef<Value> results,
                  const transfer::StagedPlan &plan);
  LogicalResult emitWidening(const CopyPiece &piece);
  Value local(const transfer::Transfer &transfer, const transfer::Side &side,
              Value tensor);

  Operation *op;
  OpBuilder &builder;
  Value result;
  const Chip &chip;
  unsigned bytes;
  transfer::Planner planner;
};
} // namespace

/// Where DRAM holds both sides of `piece`.
static tpu::CopyAddresses addressesOf(const CopyPiece &piece, Value result) {
  return {addressOf(piece.source), addressOf(result)};
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
        emitCall(builder, loc, "dma.move",
                 {{"dst", viewOf(builder, loc, result, shape, to,
                                 part.result * bytes)},
                  {"src", viewOf(builder, loc, piece.source, shape, from,
                                 part.source * bytes)}});
      });
}

/// `piece` of operand `operand`, for a copy by way of the lanes.
static transfer::Piece stagedPiece(const CopyPiece &piece, Value result,
                                   unsigned operand) {
  return tpu::stagedPiece(piece.copy, operand, elementsOf(piece.source),
                          addressesOf(piece, result));
}

/// The box of `side` in the lanes, with elements of the type of `tensor`.
Value CopyEmitter::local(const transfer::Transfer &transfer,
                         const transfer::Side &side, Value tensor) {
  auto element =
      llvm::cast<ppl::TensorViewType>(tensor.getType()).getElementType();
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
    Value source = pieces[step.operand].source;
    bool widens = elementBytesOf(source) != bytes;
    Value loadedLike = widens ? source : result;
    switch (step.kind) {
    case transfer::StagedStep::Load:
      emitCall(
          builder, loc, "dma.load",
          {{"dst", local(move, move.to, loadedLike)},
           {"src", viewOf(builder, loc, source, move.shape, move.from.strides,
                          move.from.place.address - addressOf(source))}});
      break;
    case transfer::StagedStep::LaneCopy:
      emitCall(builder, loc, widens ? "tiu.cast" : "tiu.move",
               {{"dst", local(move, move.to, result)},
                {"src", local(move, move.from, loadedLike)}});
      break;
    case transfer::StagedStep::Store:
      emitCall(builder, loc, "dma.store",
               {{"dst", viewOf(builder, loc, results[step.result], move.shape,
                               move.to.strides,
                               move.to.place.address -
                                   addressOf(results[step.result]))},
                {"src", local(move, move.from, result)}});
      break;
    }
  }
}

/// Whether placement has put the piece where it belongs.
static bool isInPlace(const CopyPiece &piece, Value result, unsigned bytes) {
  return addressOf(piece.source) + piece.copy.source * bytes ==
             addressOf(result) + piece.copy.result * bytes &&
         llvm::all_of(piece.copy.axes, [](const tpu::CopyAxis &axis) {
           return axis.size == 1 || axis.from == axis.to;
         });
}

LogicalResult CopyEmitter::emitWidening(const CopyPiece &piece) {
  auto plan =
      transfer::stagePiece(planner, chip, {elementBytesOf(piece.source), bytes},
                           stagedPiece(piece, result, 0));
  if (!plan)
    return op->emitError("widens what no copy through the lanes turns; "
                         "tpu-move-turns makes none of these");
  emitStaged(piece, result, *plan);
  return success();
}

LogicalResult CopyEmitter::emit(ArrayRef<CopyPiece> given) {
  if (given.size() == 1 && elementBytesOf(given.front().source) != bytes)
    return emitWidening(given.front());
  SmallVector<CopyPiece> pieces;
  for (const CopyPiece &piece : given)
    if (!isInPlace(piece, result, bytes))
      pieces.push_back(piece);
  if (pieces.empty())
    return success();
  std::vector<transfer::Piece> all;
  std::vector<Way> ways;
  Price apart;
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    all.push_back(stagedPiece(piece, result, i));
    ways.push_back(bestAlone(piece, all.back(), result));
    apart = sum(apart, ways.back().price);
  }
  auto together = transfer::stageRows(planner, chip, bytes, all);
  if (together && together->price.beats(apart)) {
    emitStaged(pieces, result, *together);
    return success();
  }
  for (auto [piece, way] : llvm::zip(pieces, ways)) {
    if (way.staged)
      emitStaged(pieces, result, *way.staged);
    else if (way.price.cycles < cycles::kMostCycles)
      emitDirect(piece);
    else
      return op->emitError("has a copy that --convert-top-to-tpu refuses");
  }
  return success();
}

CopyEmitter::Way CopyEmitter::bestAlone(const CopyPiece &piece,
                                        const transfer::Piece &staged,
                                        Value result) {
  Way way{tpu::directPrice(planner, chip, bytes, piece.copy,
                           addressesOf(piece, result)),
          std::nullopt};
  auto plan = transfer::stagePiece(planner, chip, bytes, staged);
  if (plan && plan->price.beats(way.price))
    way = {plan->price, std::move(plan)};
  return way;
}

bool CopyEmitter::emitTogether(ArrayRef<CopyPiece> pieces,
                               ArrayRef<Value> results) {
  std::vector<transfer::Piece> all;
  Price apart;
  for (auto [piece, target] : llvm::zip(pieces, results)) {
    all.push_back(stagedPiece(piece, target, 0));
    apart = sum(apart, bestAlone(piece, all.back(), target).price);
  }
  auto together = transfer::stageSplit(planner, chip, bytes, all);
  if (!together || !together->price.beats(apart))
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
