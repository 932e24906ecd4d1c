//===- MoveTurns.cpp - --tpu-move-turns -----------------------------------===//

#include "dialects/tpu/Cast.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/TurnPrice.h"
#include "passes/tpu/ValueNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUMOVETURNS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Whether what `op` gives lies in DRAM whatever the groups are; null is an
/// argument.
static bool isMadeInDram(Operation *op) { return !op || !asTileable(op); }

static bool isReadInDram(Operation *op) { return !asTileable(op); }

/// Whether `op` may read what a turn has widened: two turns are one of equal
/// types.
static bool mayReadWide(Operation *op) {
  return isReadInDram(op) && !llvm::isa<PermuteOp>(op);
}

/// Whether all that becomes of `value` is a result of the network, perhaps with
/// others beside it.
static bool isReturned(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return llvm::isa<func::ReturnOp>(user) ||
           (llvm::isa<ConcatOp, ReshapeOp>(user) &&
            isReturned(user->getResult(0)));
  });
}

/// Whether a turn may stand before as well as behind `op`.
static bool commutes(Operation *op) {
  return op && op->getNumResults() == 1 &&
         (isElementFunction(op) || llvm::isa<ReshapeOp>(op));
}

namespace {
struct MoveTurns : weft::tpu::impl::TpuMoveTurnsBase<MoveTurns> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    auto turns = llvm::to_vector(getOperation().getBody().getOps<PermuteOp>());
    if (turns.empty())
      return;
    TurnPrice price(*chip);
    for (PermuteOp turn : turns)
      if (!moveUp(turn, price) && !moveDown(turn, price))
        widen(turn, price);
  }

private:
  static bool moveUp(PermuteOp turn, TurnPrice &price);
  static bool moveDown(PermuteOp turn, TurnPrice &price);
  static bool widen(PermuteOp turn, TurnPrice &price);
};
} // namespace

/// `op` on `operand`, of which it works on every element.
static Operation *createOn(OpBuilder &builder, Operation *op, Value operand) {
  Operation *made = builder.clone(*op);
  made->setOperand(0, operand);
  made->getResult(0).setType(RankedTensorType::get(
      cast<RankedTensorType>(operand.getType()).getShape(),
      elementOf(op->getResult(0))));
  return made;
}

/// `value` in the shape of `like`, which has as many elements.
static Value inShapeOf(OpBuilder &builder, Location location, Value value,
                       Value like) {
  auto type = RankedTensorType::get(
      cast<RankedTensorType>(like.getType()).getShape(), elementOf(value));
  if (value.getType() == type)
    return value;
  return builder.create<ReshapeOp>(location, type, value);
}

/// `value` turned as `turn` turns its operand; two turns are one, or none.
static Value turned(OpBuilder &builder, PermuteOp turn, Value value) {
  SmallVector<int64_t, 4> order(turn.getOrder());
  if (auto first = value.getDefiningOp<PermuteOp>()) {
    order = orderOfBoth(first, turn);
    value = first.getInput();
  }
  if (llvm::is_sorted(order))
    return value;
  auto type = RankedTensorType::get(turn.getOutput().getType().getShape(),
                                    elementOf(value));
  return builder.create<PermuteOp>(turn.getLoc(), type, value, order);
}

/// turn(f(x)) to f(turn(x)), where x lies in DRAM or is turned as well.
bool MoveTurns::moveUp(PermuteOp turn, TurnPrice &price) {
  SmallVector<Operation *> functions; // from the last to the first
  Value top = turn.getInput();
  bool computes = false; // reshapes alone cost nothing
  for (Operation *op = top.getDefiningOp(); commutes(op) && top.hasOneUse();
       op = top.getDefiningOp()) {
    functions.push_back(op);
    computes |= !llvm::isa<ReshapeOp>(op);
    top = op->getOperand(0);
  }
  auto first = top.getDefiningOp<PermuteOp>();
  if (turn.widens() || (first && first.widens()))
    return false;
  bool joins = first && first->hasOneUse() &&
               first.getOutput().getType().getShape() ==
                   turn.getInput().getType().getShape();
  bool isLoaded = computes && !first && isMadeInDram(top.getDefiningOp()) &&
                  price.extraOfLoad(turn, elementOf(top)) <=
                      price.leastInDram(price.chip, turn);
  if (!joins && !isLoaded)
    return false;
  OpBuilder builder(turn);
  Value value = turned(builder, turn,
                       inShapeOf(builder, turn.getLoc(), top, turn.getInput()));
  // Two turns that undo each other give a value that may have a name.
  Operation *last = value.getDefiningOp();
  if (joins && value == first.getInput() && (!last || isNamed(last)))
    last = nullptr;
  for (Operation *op : llvm::reverse(functions))
    if (!llvm::isa<ReshapeOp>(op)) {
      last = createOn(builder, op, value);
      dropName(last);
      value = last->getResult(0);
    }
  if (last)
    takeName(last, turn);
  turn.replaceAllUsesWith(value);
  turn.erase();
  for (Operation *op : functions)
    op->erase();
  if (joins)
    first.erase();
  return true;
}

/// f(turn(x)) to turn(f(x)), where the result is read in DRAM.
bool MoveTurns::moveDown(PermuteOp turn, TurnPrice &price) {
  SmallVector<Operation *> functions;
  Value bottom = turn.getOutput();
  bool computes = false;
  while (bottom.hasOneUse() && commutes(*bottom.user_begin())) {
    functions.push_back(*bottom.user_begin());
    computes |= !llvm::isa<ReshapeOp>(functions.back());
    bottom = functions.back()->getResult(0);
  }
  if (turn.widens() || !computes ||
      llvm::any_of(bottom.getUsers(),
                   [](Operation *user) { return !isReadInDram(user); }))
    return false;
  if (price.extraOfStore(turn, elementOf(bottom)) >
      price.leastInDram(price.chip, turn))
    return false;
  OpBuilder builder(functions.back());
  builder.setInsertionPointAfter(functions.back());
  Value value = turn.getInput();
  for (Operation *op : functions)
    if (!llvm::isa<ReshapeOp>(op)) {
      Operation *made = createOn(builder, op, value);
      dropName(made);
      value = made->getResult(0);
    }
  Value result =
      inShapeOf(builder, turn.getLoc(), turned(builder, turn, value), bottom);
  takeName(result.getDefiningOp(), functions.back());
  bottom.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(functions))
    op->erase();
  turn.erase();
  return true;
}

/// widen(turn(x)), reshapes among them, to a turn that widens, where the result
/// is read in DRAM.
bool MoveTurns::widen(PermuteOp turn, TurnPrice &price) {
  SmallVector<Operation *> moves{turn};
  Value turned = turn.getOutput();
  while (turned.hasOneUse() && llvm::isa<ReshapeOp>(*turned.user_begin())) {
    moves.push_back(*turned.user_begin());
    turned = moves.back()->getResult(0);
  }
  auto widening =
      turned.hasOneUse() ? dyn_cast<CastOp>(*turned.user_begin()) : CastOp();
  if (!widening || widening.getBits() ||
      !elementOf(widening.getOutput()).isF32() ||
      (!isReturned(widening.getOutput()) &&
       !llvm::all_of(widening->getUsers(), mayReadWide)))
    return false;
  Type narrow = elementOf(turn.getInput());
  if ((!narrow.isF16() && !narrow.isBF16()) || price.gainOfWidening(turn) <= 0)
    return false;
  for (Operation *move : moves)
    move->getResult(0).setType(RankedTensorType::get(
        cast<RankedTensorType>(move->getResult(0).getType()).getShape(),
        elementOf(widening.getOutput())));
  if (isNamed(widening))
    takeName(turned.getDefiningOp(), widening);
  widening.replaceAllUsesWith(turned);
  widening.erase();
  return true;
}
