//===- QuantizedReaders.cpp - which values are better held in 8 bits ------===//
//
// A value that only products read, directly or through ops that move or choose
// values, is quantized where it is made: what gives 8-bit codes anyway gives
// them there, and what lies between moves half the bytes. Choosing and moving
// commute with quantization, which is monotone, so nothing becomes less exact.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Gather.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Pool.h"
#include "dialects/top/Resize.h"
#include "dialects/top/Select.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"
#include "passes/quantize/QuantScale.h"
#include "runtime/chips/Chip.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// True if `use` is the input of a product in 8 bits, whose weights are
/// constant, in the range of the input.
static bool isProductInput(OpOperand &use, const Lowering &lowering) {
  Operation *user = use.getOwner();
  if (use.getOperandNumber() != 0 ||
      !mlir::isa<top::ConvOp, top::MatMulOp>(user) ||
      lowering.precisionOf(user) != Precision::I8)
    return false;
  return user->getOperand(1).getDefiningOp<top::ConstantOp>() &&
         !lowering.factoredProduct(user);
}

/// Whether the reader takes a value as codes in the value's own range.
static bool takesCodes(OpOperand &use, const Lowering &lowering) {
  return isProductInput(use, lowering) ||
         (lowering.choices.quantizedIo &&
          mlir::isa<func::ReturnOp>(use.getOwner()));
}

bool Lowering::isWantedQuantizedOnly(Value topValue) {
  return !topValue.use_empty() &&
         llvm::all_of(topValue.getUses(), [this](OpOperand &use) {
           return takesCodes(use, *this);
         });
}

/// Ops whose results are the operands turned or joined.
static bool turnsOrJoins(Operation *op) {
  return mlir::isa<top::ReshapeOp, top::TransposeOp, top::ConcatOp>(op);
}

/// Whether `topValue`, perhaps turned or joined with others, is nothing but a
/// result of the graph.
static bool isReturned(Value topValue) {
  return !topValue.use_empty() &&
         llvm::all_of(topValue.getUsers(), [](Operation *user) {
           return mlir::isa<func::ReturnOp>(user) ||
                  (turnsOrJoins(user) && isReturned(user->getResult(0)));
         });
}

bool weft::quantize::isReturnedTurned(Value topValue) {
  return !topValue.use_empty() &&
         llvm::all_of(topValue.getUsers(), [](Operation *user) {
           Value result = user->getNumResults() ? user->getResult(0) : Value();
           return mlir::isa<top::TransposeOp>(user)
                      ? isReturned(result)
                      : turnsOrJoins(user) && isReturnedTurned(result);
         });
}

/// Whether all that reads `topValue`, perhaps turned, joined or cut, does so as
/// `isFine` wants it.
static bool areReaders(Value topValue,
                       llvm::function_ref<bool(Operation *)> isFine) {
  return llvm::all_of(topValue.getUsers(), [&](Operation *user) {
    return isFine(user) ||
           ((turnsOrJoins(user) || mlir::isa<top::SliceOp>(user)) &&
            areReaders(user->getResult(0), isFine));
  });
}

static bool multiplies(Operation *op) {
  return mlir::isa<top::ConvOp, top::MatMulOp>(op);
}

bool weft::quantize::feedsProducts(Value topValue) {
  return areReaders(topValue, multiplies);
}

bool weft::quantize::endsInProducts(Value topValue) {
  return areReaders(topValue, [](Operation *op) {
    auto binary = mlir::dyn_cast<top::BinaryOp>(op);
    return multiplies(op) || mlir::isa<func::ReturnOp>(op) ||
           (binary && binary.getKind() == top::BinaryKind::Mul);
  });
}

/// Whether `op` makes whole numbers by rounding down, up or towards zero.
static bool truncates(Operation *op) {
  if (auto cast = mlir::dyn_cast<top::CastOp>(op)) {
    Type element = topElement(cast.getOutput());
    return mlir::isa<IntegerType>(element) && !element.isInteger(1);
  }
  auto unary = mlir::dyn_cast<top::UnaryOp>(op);
  return unary && (unary.getKind() == top::UnaryKind::Floor ||
                   unary.getKind() == top::UnaryKind::Ceil);
}

/// Whether a whole number that `op` reads may be one that it gives.
static bool keepsWholeNumbers(Operation *op) {
  if (auto unary = mlir::dyn_cast<top::UnaryOp>(op))
    switch (unary.getKind()) {
    case top::UnaryKind::Identity:
    case top::UnaryKind::Relu:
    case top::UnaryKind::Clip:
    case top::UnaryKind::Abs:
    case top::UnaryKind::Neg:
      return true;
    default:
      return false;
    }
  if (auto binary = mlir::dyn_cast<top::BinaryOp>(op))
    switch (binary.getKind()) {
    case top::BinaryKind::Add:
    case top::BinaryKind::Sub:
    case top::BinaryKind::Mul:
    case top::BinaryKind::Max:
    case top::BinaryKind::Min:
      return true;
    default:
      return false;
    }
  return mlir::isa<top::ReshapeOp, top::TransposeOp, top::SliceOp,
                   top::ExpandOp, top::ConcatOp, top::GatherOp, top::PadOp,
                   top::SelectOp>(op);
}

bool weft::quantize::isTruncated(Value topValue) {
  // Positions are made in a few steps; behind more, numbers are features.
  constexpr size_t kMostSteps = 32;
  llvm::SetVector<Value> values;
  values.insert(topValue);
  for (size_t i = 0; i < values.size() && i < kMostSteps; ++i)
    for (Operation *op : values[i].getUsers()) {
      if (truncates(op))
        return true;
      if (keepsWholeNumbers(op))
        values.insert(op->result_begin(), op->result_end());
    }
  return false;
}

static bool isMaxPool(Operation *op) {
  auto pool = mlir::dyn_cast<top::PoolOp>(op);
  return pool && pool.getKind() == top::PoolKind::Max;
}

/// True for ops that any element type goes through, and whose results are
/// elements of their operands.
static bool movesOrChooses(Operation *op) {
  if (auto slice = mlir::dyn_cast<top::SliceOp>(op))
    return llvm::all_of(slice.getSteps(),
                        [](int64_t step) { return step > 0; });
  return isMaxPool(op) || mlir::isa<top::ConcatOp, top::InterleaveOp,
                                    top::ReshapeOp, top::TransposeOp>(op);
}

/// True for a reshape with planes so large that a window over one cannot read a
/// piece of it by strides: a group holds it as one tile, from which only a cast
/// would cut the piece.
static bool isLargeUnderWindow(Operation *op, Lowering &lowering) {
  if (!mlir::isa<top::ReshapeOp>(op))
    return false;
  SmallVector<int64_t, 4> shape = lowering.shapeOf(op->getResult(0));
  return shape[2] * shape[3] > lowering.chip().maxShape &&
         llvm::any_of(op->getUsers(), [](Operation *user) {
           return mlir::isa<top::ConvOp, top::MatMulOp, top::PoolOp>(user);
         });
}

Type Lowering::calibratedType(Value topValue) {
  std::string name = valueName(namedSource(topValue));
  const CalibrationEntry *entry = table ? table->find(name) : nullptr;
  if (!entry)
    return {};
  CodeForm form = codeFormOf(*entry, choices.calibratesZeroPoints);
  return tpu::quantElement(builder.getContext(), form.scale, form.isSigned,
                           form.zeroPoint);
}

const RecoveredProduct *Lowering::recoveredNamed(StringRef name) const {
  return table ? table->findRecovered(name) : nullptr;
}

const RecoveredProduct *Lowering::recoveredOf(StringRef name,
                                              Type input) const {
  const RecoveredProduct *found = recoveredNamed(name);
  if (!found || tpu::zeroPointOf(input) != found->inputZeroPoint ||
      tpu::isClippedAtZero(input) == found->inputIsSigned)
    return nullptr;
  // A table has the ends of a range in 9 digits.
  constexpr double kEqual = 1e-6;
  double scale = tpu::scaleOf(input);
  return std::fabs(scale - found->inputScale) <= kEqual * scale ? found
                                                                : nullptr;
}

Type Lowering::wantedType(Value topValue) {
  auto [found, isNew] = wantedTypes.try_emplace(topValue, Type());
  if (!isNew)
    return found->second;
  if (!isInt8() || topValue.use_empty())
    return {};
  auto takesOwn = [this](OpOperand &use) { return takesCodes(use, *this); };
  Type wanted;
  bool isOwn = llvm::any_of(topValue.getUses(), takesOwn);
  if (isOwn && !(wanted = calibratedType(topValue)))
    return {};
  for (OpOperand &use : topValue.getUses()) {
    Operation *user = use.getOwner();
    if (takesOwn(use))
      continue;
    if (!movesOrChooses(user) || isLargeUnderWindow(user, *this))
      return {};
    Type next = wantedType(user->getResult(0));
    if (!next)
      return {};
    // The largest of numbers in one range lie in it too: products of both read
    // one form.
    if (isOwn && isMaxPool(user) && isWantedQuantizedOnly(user->getResult(0)))
      continue;
    if (wanted && next != wanted)
      return {};
    wanted = next;
  }
  return wantedTypes[topValue] = wanted;
}

Type Lowering::joinedType(ValueRange topValues, Value result) {
  bool areComputed = llvm::all_of(
      topValues, [this](Value value) { return bool(firstForm(value)); });
  if (Type wanted = areComputed ? wantedType(result) : Type())
    return wanted;
  Type element = elementwiseType(topValues);
  // What is stored as f32 is widened before it is joined, in local memory.
  return mlir::isa<FloatType>(element) && isReturned(result) ? f32() : element;
}
