//===- OfUnary.cpp - which function a tpu.unary is ------------------------===//

#include "dialects/tpu/Unary.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;

using SequenceFunction = Real (*)(Real x, double alpha, double beta);

#define WEFT_FUNCTION_OF_KIND(symbol, value)                                   \
  case UnaryKind::symbol:                                                      \
    return [](Real x, double alpha, double beta) -> Real {                     \
      (void)alpha, (void)beta;                                                 \
      return value;                                                            \
    };

/// nullptr if the kind has commands of its own, or none.
static SequenceFunction functionOf(UnaryKind kind) {
  switch (kind) {
#define WEFT_UNARY_SEQUENCE WEFT_FUNCTION_OF_KIND
#include "dialects/tpu/sequence/UnaryFunctions.def"
  default:
    return nullptr;
  }
}

/// For results of at most 16 bits.
static SequenceFunction shortFunctionOf(UnaryKind kind) {
  switch (kind) {
#define WEFT_UNARY_SEQUENCE_16 WEFT_FUNCTION_OF_KIND
#include "dialects/tpu/sequence/UnaryFunctions.def"
  default:
    return functionOf(kind);
  }
}

/// nullptr if the kind has none.
static SequenceFunction functionOfHalves(UnaryKind kind) {
  switch (kind) {
#define WEFT_UNARY_SEQUENCE_OF_HALVES WEFT_FUNCTION_OF_KIND
#include "dialects/tpu/sequence/UnaryFunctions.def"
  default:
    return nullptr;
  }
}

bool weft::tpu::hasShortSteps(UnaryKind kind) {
  return shortFunctionOf(kind) != functionOf(kind);
}

bool weft::tpu::isSequence(UnaryKind kind) { return functionOf(kind); }

bool weft::tpu::hasNarrowSteps(UnaryKind kind, std::optional<double> alpha) {
  double factor = alpha.value_or(1.0);
  return functionOfHalves(kind) && factor >= 0x1p-6 && factor <= 0x1p6;
}

std::optional<Sequence> weft::tpu::sequenceOf(UnaryOp op) {
  mlir::Type element = elementOf(op.getOutput());
  if (!mlir::isa<mlir::FloatType>(element))
    return std::nullopt;
  SequenceType type = element.isF32()       ? SequenceType::F32
                      : op.getNarrowSteps() ? SequenceType::Half
                                            : SequenceType::Other;
  SequenceFunction function = type == SequenceType::Half
                                  ? functionOfHalves(op.getKind())
                              : type == SequenceType::F32 && !op.getShortSteps()
                                  ? functionOf(op.getKind())
                                  : shortFunctionOf(op.getKind());
  if (!function)
    return std::nullopt;
  sequence::Builder builder({{type}});
  double alpha = op.getAlpha() ? op.getAlphaAttr().getValueAsDouble() : 0.0,
         beta = op.getBeta() ? op.getBetaAttr().getValueAsDouble() : 0.0;
  return builder.finish(function(builder.real(0), alpha, beta), type);
}
