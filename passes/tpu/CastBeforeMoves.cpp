//===- CastBeforeMoves.cpp - --tpu-cast-before-moves ----------------------===//

#include "dialects/Evaluate.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Resize.h"
#include "passes/tpu/Passes.h"
#include "runtime/numeric/Float16.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <cstring>

namespace weft::tpu {
#define GEN_PASS_DEF_TPUCASTBEFOREMOVES
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

static bool isFloatOf16Bits(Type type) { return type.isF16() || type.isBF16(); }

/// f32 to a float of 16 bits.
static bool isNarrowing(CastOp cast) {
  Type from = elementOf(cast.getInput()), to = elementOf(cast.getOutput());
  return from.isF32() && isFloatOf16Bits(to) && !cast.getBits() &&
         !cast.getRounding();
}

/// f32 to codes of 8 bits.
static bool isQuantizing(CastOp cast) {
  return elementOf(cast.getInput()).isF32() && isQuantized(cast.getOutput()) &&
         elementBytes(elementOf(cast.getOutput())) == 1;
}

/// Whether each element of the result is one of the operands', so that all may
/// be rounded before it. The largest of a window is not: the machine's begins
/// with the lowest number of the type.
static bool onlyMoves(Operation *op) {
  return llvm::isa_and_nonnull<ConcatOp, SliceOp, ReshapeOp, PermuteOp,
                               ArrangeOp, InterleaveOp, PadOp>(op);
}

/// The bits of an f32 number as `element`, a float of 16 bits.
static int64_t narrowedBits(int64_t bits, Type element) {
  uint32_t wide = static_cast<uint32_t>(bits);
  float number;
  std::memcpy(&number, &wide, sizeof number);
  return element.isF16() ? numeric::floatToHalf(number)
                         : numeric::floatToBf16(number);
}

/// What `move` fills gaps with is written in bits of its elements.
static void narrowFill(Operation *move, Type element) {
  if (auto arrange = dyn_cast<ArrangeOp>(move)) {
    if (std::optional<int64_t> fill = arrange.getFill())
      arrange.setFill(narrowedBits(*fill, element));
  } else if (auto pad = dyn_cast<PadOp>(move)) {
    pad.setFill(narrowedBits(pad.getFill(), element));
  }
}

static Type withElement(Value value, Type element) {
  return RankedTensorType::get(
      cast<RankedTensorType>(value.getType()).getShape(), element);
}

/// The operands of `move`, cast as its result was; one that it takes twice is
/// cast once.
static SmallVector<Value> castOperands(OpBuilder &builder, CastOp cast,
                                       Operation *move) {
  SmallVector<Value> casts;
  for (Value operand : move->getOperands()) {
    size_t place =
        llvm::find(move->getOperands(), operand) - move->getOperands().begin();
    casts.push_back(place < casts.size()
                        ? casts[place]
                        : builder.create<CastOp>(
                              cast.getLoc(),
                              withElement(operand, elementOf(cast.getOutput())),
                              operand, IntegerAttr(), IntegerAttr(),
                              cast.getRoundingAttr()));
  }
  return casts;
}

/// Whether casts of the operands of `move` are worth more than one of its
/// result: they are of fewer elements, or vanish.
static bool pays(Operation *move, Type element) {
  int64_t casts = 0;
  for (Value operand : move->getOperands()) {
    if (operand.getDefiningOp<WeightOp>())
      return false;
    auto widened = operand.getDefiningOp<CastOp>();
    if (!widened || elementOf(widened.getInput()) != element)
      casts += Box::whole(dimsOf(operand)).elements();
  }
  return casts <= Box::whole(dimsOf(move->getResult(0))).elements();
}

/// cast(move(x)) to move(cast(x)), where nobody else reads what was moved.
static bool castBeforeMove(CastOp cast) {
  Operation *move = cast.getInput().getDefiningOp();
  Type element = elementOf(cast.getOutput());
  bool isQuantizer = isQuantizing(cast);
  if ((!isQuantizer && !isNarrowing(cast)) || !onlyMoves(move) ||
      !move->hasOneUse() || !pays(move, element))
    return false;
  // Where nothing else is done: not inside of groups, which would have more
  // than one cast of it.
  auto arrange = dyn_cast<ArrangeOp>(move);
  bool isMove =
      arrange ? !arrange.getFill() : llvm::isa<PermuteOp, ReshapeOp>(move);
  if (isQuantizer && (asTileable(move) || !isMove))
    return false;
  OpBuilder builder(move);
  SmallVector<Value> operands = castOperands(builder, cast, move);
  Operation *moved = builder.clone(*move);
  moved->setOperands(operands);
  moved->getResult(0).setType(withElement(move->getResult(0), element));
  if (!isQuantizer)
    narrowFill(moved, element);
  if (cast->hasAttr(kValueAttr))
    moved->setDiscardableAttrs(cast->getDiscardableAttrDictionary());
  cast.replaceAllUsesWith(moved->getResult(0));
  cast.erase();
  move->erase();
  return true;
}

/// narrow(widen(x)) is x.
static bool cancelCasts(CastOp cast) {
  auto widened = cast.getInput().getDefiningOp<CastOp>();
  if (!isNarrowing(cast) || cast->hasAttr(kValueAttr) || !widened ||
      widened.getBits() ||
      widened.getInput().getType() != cast.getOutput().getType())
    return false;
  cast.replaceAllUsesWith(widened.getInput());
  cast.erase();
  if (widened->use_empty())
    widened.erase();
  return true;
}

/// move(widen(x)) to widen(move(x)), where the move leaves its value in DRAM
/// and groups read it.
static bool moveBeforeWidening(Operation *move) {
  if (!llvm::isa<ReshapeOp, PermuteOp>(move) || asTileable(move) ||
      move->use_empty() || !llvm::all_of(move->getUsers(), asTileable))
    return false;
  auto widened = move->getOperand(0).getDefiningOp<CastOp>();
  if (!widened || !widened->hasOneUse() || widened.getBits() ||
      widened->hasAttr(kValueAttr) || !elementOf(widened.getOutput()).isF32() ||
      !isFloatOf16Bits(elementOf(widened.getInput())))
    return false;
  OpBuilder builder(move->getContext());
  builder.setInsertionPointAfter(move);
  Type wide = move->getResult(0).getType();
  move->setOperand(0, widened.getInput());
  move->getResult(0).setType(
      withElement(move->getResult(0), elementOf(widened.getInput())));
  auto cast =
      builder.create<CastOp>(widened.getLoc(), wide, move->getResult(0));
  move->getResult(0).replaceAllUsesExcept(cast, cast);
  widened.erase();
  return true;
}

namespace {
struct CastBeforeMoves
    : weft::tpu::impl::TpuCastBeforeMovesBase<CastBeforeMoves> {
  void runOnOperation() override {
    Block &block = getOperation().getBody().front();
    // From the end on: casts that are made stand before the one they replace.
    for (Operation *op = &block.back(); op;) {
      auto cast = dyn_cast<CastOp>(op);
      Operation *before = op->getPrevNode();
      if (!cast) {
        op = moveBeforeWidening(op) ? op->getPrevNode() : before;
        continue;
      }
      Operation *behind = op->getNextNode(); // never null: a block returns
      op = castBeforeMove(cast) || cancelCasts(cast) ? behind->getPrevNode()
                                                     : before;
    }
  }
};
} // namespace
