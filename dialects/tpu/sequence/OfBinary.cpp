//===- OfBinary.cpp - which function a tpu.binary is ----------------------===//

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Group.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;

static Real apply(BinaryKind kind, Real x, Real y) {
  switch (kind) {
  case BinaryKind::Pow:
    return pow(x, y);
  case BinaryKind::Mod:
    return floorMod(x, y);
  default:
    return fmod(x, y);
  }
}

std::optional<Sequence> weft::tpu::sequenceOf(BinaryOp op) {
  if (!op.isSequence())
    return std::nullopt;
  std::vector<sequence::Builder::Source> sources;
  for (mlir::Value operand : op->getOperands())
    sources.push_back({SequenceType::F32,
                       /*copies=*/dimsOf(operand) != dimsOf(op.getOutput())});
  sequence::Builder builder(std::move(sources));
  Real value, x = builder.real(0);
  if (op.getRhs()) {
    value = apply(op.getKind(), x, builder.real(1));
  } else {
    double number = op.getConstantAttr().getValueAsDouble();
    if (op.getReversed())
      value = apply(op.getKind(), builder.copied(number), x);
    else if (op.getKind() == BinaryKind::Pow)
      value = powOf(x, number);
    else
      value = apply(op.getKind(), x, builder.copied(number));
  }
  if (op.getRelu())
    value = atLeast(value, 0.0);
  return builder.finish(value, SequenceType::F32);
}

/// Whether `value` is a number (null) or a weight, which a group may be given.
static bool isConstant(mlir::Value value) {
  if (auto argument = llvm::dyn_cast_or_null<mlir::BlockArgument>(value))
    if (auto group =
            llvm::dyn_cast<GroupOp>(argument.getOwner()->getParentOp()))
      value = group->getOperand(argument.getArgNumber());
  return !value || llvm::isa_and_nonnull<WeightOp>(value.getDefiningOp());
}

bool weft::tpu::changesPlaces(BinaryOp op) {
  bool isOnlyLeft = isConstant(op.getLhs()) && !isConstant(op.getRhs()),
       isOnlyRight = isConstant(op.getRhs()) && !isConstant(op.getLhs());
  // Beside a NaN max gives its second operand, min its first.
  if (op.getKind() == BinaryKind::Max && (isOnlyLeft || isOnlyRight))
    return isOnlyRight;
  if (op.getKind() == BinaryKind::Min && (isOnlyLeft || isOnlyRight))
    return isOnlyLeft;
  return op.getReversed();
}
