//===- OfBinary.cpp - which function a tpu.binary is ----------------------===//

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;

/// The function of two tensors; nullptr if `kind` is none.
static Real (*function(BinaryKind kind))(Real, Real) {
  switch (kind) {
  case BinaryKind::Pow:
    return pow;
  case BinaryKind::Fmod:
    return fmod;
  case BinaryKind::Mod:
    return floorMod;
  case BinaryKind::PRelu:
    return prelu;
  default:
    return nullptr;
  }
}

std::optional<Sequence> weft::tpu::sequenceOf(BinaryOp op) {
  auto compute = function(op.getKind());
  mlir::Type element = elementOf(op.getOutput());
  if (!compute || !mlir::isa<mlir::FloatType>(element))
    return std::nullopt;
  SequenceType type = element.isF32() ? SequenceType::F32 : SequenceType::Other;
  // Only the commands of arithmetic repeat an operand along axes of size 1.
  auto source = [&](mlir::Value operand) {
    return Builder::Source{type, operand.getType() != op.getOutput().getType()};
  };
  std::vector<Builder::Source> sources{source(op.getLhs())};
  if (op.getRhs())
    sources.push_back(source(op.getRhs()));
  Builder builder(std::move(sources));
  Real x = builder.real(0), value;
  double number = op.getRhs() ? 0 : op.getConstantAttr().getValueAsDouble();
  if (op.getRhs())
    value = compute(x, builder.real(1));
  else if (op.getReversed())
    value = compute(builder.copied(number), x);
  else if (op.getKind() == BinaryKind::Pow)
    value = powOf(x, number);
  else
    value = compute(x, builder.copied(number));
  if (op.getRelu())
    value = atLeast(value, 0.0);
  return builder.finish(value, type);
}
