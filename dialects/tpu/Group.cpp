//===- Group.cpp - layer groups, tilings and placements -------------------===//

#include "dialects/tpu/Group.h"

#include "dialects/tpu/ArrangeParts.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::tpu;

#include "dialects/tpu/TilingInterface.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tpu/TpuAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tpu/Group.cpp.inc"

void TpuDialect::registerGroup() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tpu/TpuAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Group.cpp.inc"
      >();
}

LogicalResult TilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t n, int64_t c, int64_t h, int64_t w,
                                 bool) {
  if (n < 1 || c < 1 || h < 1 || w < 1)
    return emitError() << "slice counts must be at least 1, got n = " << n
                       << ", c = " << c << ", h = " << h << ", w = " << w;
  return success();
}

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t local, int64_t bytes, int64_t rotate,
                                 int64_t load, bool held, int64_t global) {
  if (local < 0 || bytes < 0 || rotate < 0)
    return emitError() << "buffer addresses and sizes must not be negative";
  if (held && load < 0)
    return emitError() << "what is held is loaded in the first slice, not "
                          "before it";
  if (global < -1)
    return emitError() << "global address must be -1 or at least 0, got "
                       << global;
  return success();
}

LogicalResult PieceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t operand, int64_t fromOffset,
                                int64_t toOffset, ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (sizes.size() != from.size() || sizes.size() != to.size())
    return emitError() << "a piece has " << sizes.size() << " sizes, "
                       << from.size() << " steps in its operand and "
                       << to.size() << " in the result; it must have equally "
                       << "many";
  if (operand < 0 || fromOffset < 0 || toOffset < 0 ||
      llvm::any_of(
          sizes, [](int64_t size) { return size < 1; }) ||
      llvm::any_of(to, [](int64_t step) { return step < 1; }))
    return emitError() << "a piece has a negative operand or offset, or a size "
                          "or a step in the result below 1";
  return success();
}

LogicalResult BandsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t count, int64_t rows, int64_t above,
                                int64_t height) {
  if (count < 1 || rows < 1 || above < 0 || height < 1)
    return emitError() << "bands need a count, rows and a height of at least 1 "
                          "and no negative number of rows above";
  if ((count - 1) * rows >= height)
    return emitError() << count << " bands of " << rows
                       << " rows: the last one has none of " << height;
  return success();
}

/// Whether a transfer of the group does `op`.
static bool isMoveAtBorder(Operation &op) {
  auto arrange = dyn_cast<ArrangeOp>(op);
  if (!arrange &&
      !llvm::isa<PermuteOp, RowPhasesOp, ToBandsOp, FromBandsOp>(op))
    return false;
  if (arrange &&
      !transferParts(arrange, llvm::isa<BlockArgument>(op.getOperand(0))))
    return false;
  bool isYielded = llvm::any_of(
      op.getUsers(), [](Operation *user) { return llvm::isa<YieldOp>(user); });
  if (auto argument = dyn_cast<BlockArgument>(op.getOperand(0)))
    return argument.hasOneUse() && !isYielded && !llvm::isa<FromBandsOp>(op);
  return op.hasOneUse() && isYielded &&
         !llvm::isa<RowPhasesOp, ToBandsOp>(op) &&
         asTileable(op.getOperand(0).getDefiningOp());
}

/// Whether the load of a buffer is one that the tiling has. (C6)
static LogicalResult checkLoad(GroupOp group, BufferAttr buffer) {
  int64_t ops = llvm::count_if(group.getBody().front(), [](Operation &op) {
    return asTileable(&op) != nullptr;
  });
  bool isStreamed =
      group.tilingOrWhole().isStreamed && group.tilingOrWhole().slices() > 1;
  if (buffer.getLoad() < 0 && !isStreamed)
    return group.emitOpError("loads at step ")
           << buffer.getLoad() << "; only streamed slices load ahead";
  if (buffer.getLoad() < -ops)
    return group.emitOpError("loads at step ")
           << buffer.getLoad() << "; a slice has " << ops << " steps";
  if (buffer.getHeld() && !isStreamed)
    return group.emitOpError("holds a buffer; only streamed slices do");
  return success();
}

bool GroupOp::stores(unsigned result) {
  return llvm::any_of(getResult(result).getUses(), [](OpOperand &use) {
    auto group = dyn_cast<GroupOp>(use.getOwner());
    return !group || !group.keeps(use.getOperandNumber());
  });
}

bool GroupOp::hands(unsigned result) {
  return llvm::any_of(getResult(result).getUses(), [](OpOperand &use) {
    auto group = dyn_cast<GroupOp>(use.getOwner());
    return group && group.keeps(use.getOperandNumber());
  });
}

GroupOp GroupOp::groupBehind() {
  Operation *next = (*this)->getNextNode();
  while (next && llvm::isa<WeightOp>(next))
    next = next->getNextNode();
  return dyn_cast_or_null<GroupOp>(next);
}

std::optional<int64_t> GroupOp::keptAt(unsigned operand) {
  auto result = dyn_cast<OpResult>(getInputs()[operand]);
  auto maker = result ? dyn_cast<GroupOp>(result.getOwner()) : GroupOp();
  if (!maker || !keeps(operand))
    return std::nullopt;
  auto yield = cast<YieldOp>(maker.getBody().front().back());
  Operation *op = yield.getValues()[result.getResultNumber()].getDefiningOp();
  auto buffers = op->getAttrOfType<ArrayAttr>(kBuffersAttr);
  // In a group of several slices the whole follows the result of one.
  size_t number = maker.tilingOrWhole().slices() > 1;
  if (!buffers || buffers.size() <= number)
    return std::nullopt;
  return cast<BufferAttr>(buffers[number]).getLocal();
}

/// Whether operand `number` is where the group before has made it. (C7)
static LogicalResult checkKept(GroupOp group, int64_t number) {
  if (number < 0 || number >= int64_t(group.getInputs().size()))
    return group.emitOpError("keeps operand ")
           << number << " of " << group.getInputs().size();
  auto maker = group.getInputs()[number].getDefiningOp<GroupOp>();
  if (!maker || maker.groupBehind() != group)
    return group.emitOpError("keeps operand ")
           << number << ", which no group right before it makes";
  if (group.tilingOrWhole().slices() > 1)
    return group.emitOpError("keeps operand ")
           << number << " and runs in several slices";
  auto yield = cast<YieldOp>(maker.getBody().front().back());
  unsigned result = cast<OpResult>(group.getInputs()[number]).getResultNumber();
  if (storeMoveOf(yield.getValues()[result]) ||
      loadMoveOf(group.getBody().getArgument(number)))
    return group.emitOpError("keeps operand ")
           << number << ", which a transfer has to move";
  std::optional<int64_t> made = group.keptAt(number);
  ArrayAttr buffers = group.getBuffersAttr();
  if (made && buffers && cast<BufferAttr>(buffers[number]).getLocal() != *made)
    return group.emitOpError("keeps operand ")
           << number << ", which the group before has left elsewhere";
  return success();
}

LogicalResult GroupOp::verify() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes()) // (C1)
    return emitOpError("block argument types must equal the operand types");
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().getTypes() != getOutputs().getTypes()) // (C2)
    return emitOpError(
        "body must end in tpu.yield with the types of the results");
  if (llvm::any_of(yield.getValues(), llvm::IsaPred<BlockArgument>)) // (C5)
    return emitOpError("yields what it loads; what reads the result can read "
                       "the operand");
  if (auto buffers = getBuffers();
      buffers && buffers->size() != getInputs().size()) // (C4)
    return emitOpError("needs one buffer an operand, got ")
           << buffers->size() << " for " << getInputs().size() << " operands";
  for (Operation &op : block.without_terminator()) // (C3)
    if (!isMoveAtBorder(op) && !asTileable(&op) &&
        op.getName().getStringRef() != "tpu.weight")
      return op.emitOpError("cannot run slice by slice in local memory; leave "
                            "it outside the group");
  auto checkLoads = [&](ArrayAttr buffers) {
    if (buffers)
      for (auto buffer : buffers.getAsRange<BufferAttr>())
        if (failed(checkLoad(*this, buffer)))
          return failure();
    return success();
  };
  if (failed(checkLoads(getBuffersAttr())))
    return failure();
  for (Operation &op : block)
    if (failed(checkLoads(op.getAttrOfType<ArrayAttr>(kBuffersAttr))))
      return failure();
  llvm::SmallDenseSet<int64_t> kept;
  for (int64_t number : getKept().value_or(ArrayRef<int64_t>())) {
    if (failed(checkKept(*this, number)))
      return failure();
    if (!kept.insert(number).second)
      return emitOpError("keeps operand ") << number << " twice";
  }
  return success();
}
