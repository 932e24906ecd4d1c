//===- OfUnary.cpp - which function a tpu.unary is ------------------------===//

#include "dialects/tpu/Unary.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;

using SequenceFunction = Real (*)(Real x, double alpha, double beta);

/// nullptr if the kind has commands of its own, or none.
static SequenceFunction functionOf(UnaryKind kind) {
  switch (kind) {
#define WEFT_UNARY_SEQUENCE(symbol, value)                                     \
  case UnaryKind::symbol:                                                      \
    return [](Real x, double alpha, double beta) -> Real {                     \
      (void)alpha, (void)beta;                                                 \
      return value;                                                            \
    };
#include "dialects/tpu/sequence/UnaryFunctions.def"
  default:
    return nullptr;
  }
}

bool weft::tpu::isSequence(UnaryKind kind) { return functionOf(kind); }

std::optional<Sequence> weft::tpu::sequenceOf(UnaryOp op) {
  mlir::Type element = elementOf(op.getOutput());
  if (!mlir::isa<mlir::FloatType>(element))
    return std::nullopt;
  SequenceType type = element.isF32() ? SequenceType::F32 : SequenceType::Other;
  SequenceFunction function = functionOf(op.getKind());
  if (!function)
    return std::nullopt;
  sequence::Builder builder({{type}});
  double alpha = op.getAlpha() ? op.getAlphaAttr().getValueAsDouble() : 0.0,
         beta = op.getBeta() ? op.getBetaAttr().getValueAsDouble() : 0.0;
  return builder.finish(function(builder.real(0), alpha, beta), type);
}
