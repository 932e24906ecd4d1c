//===- OfUnary.cpp - which function a tpu.unary is ------------------------===//

#include "dialects/tpu/Unary.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;

namespace {
/// The parameters of an op; 0 where it has none.
struct Parameters {
  double alpha, beta;
};
} // namespace

/// A function without parameters; nullptr if `kind` is none.
static Real (*plainFunction(UnaryKind kind))(Real) {
  switch (kind) {
    // clang-format off
  case UnaryKind::Exp: return exp;
  case UnaryKind::Log: return log;
  case UnaryKind::Sqrt: return sqrt;
  case UnaryKind::Rsqrt: return rsqrt;
  case UnaryKind::Erf: return erf;
  case UnaryKind::Sin: return sin;
  case UnaryKind::Cos: return cos;
  case UnaryKind::Tan: return tan;
  case UnaryKind::Asin: return asin;
  case UnaryKind::Acos: return acos;
  case UnaryKind::Atan: return atan;
  case UnaryKind::Sinh: return sinh;
  case UnaryKind::Cosh: return cosh;
  case UnaryKind::Tanh: return tanh;
  case UnaryKind::Asinh: return asinh;
  case UnaryKind::Acosh: return acosh;
  case UnaryKind::Atanh: return atanh;
  case UnaryKind::Sign: return sign;
  case UnaryKind::Sigmoid: return sigmoid;
  case UnaryKind::Softplus: return softplus;
  case UnaryKind::Softsign: return softsign;
  case UnaryKind::Mish: return mish;
  case UnaryKind::Gelu: return gelu;
  case UnaryKind::GeluTanh: return geluTanh;
  case UnaryKind::IsNaN: return isNaN;
  // clang-format on
  default:
    return nullptr;
  }
}

static std::optional<Real> apply(UnaryKind kind, Real x, Parameters p) {
  if (auto function = plainFunction(kind))
    return function(x);
  switch (kind) {
  case UnaryKind::Round:
    return rounded(x, numeric::Rounding::HalfToEven);
  case UnaryKind::ThresholdedRelu:
    return thresholdedRelu(x, p.alpha);
  case UnaryKind::Elu:
    return elu(x, p.alpha);
  case UnaryKind::Celu:
    return celu(x, p.alpha);
  case UnaryKind::Selu:
    return selu(x, p.alpha, p.beta);
  case UnaryKind::Swish:
    return x * sigmoid(x * p.alpha);
  case UnaryKind::Shrink:
    return shrink(x, p.alpha, p.beta);
  case UnaryKind::IsInf:
    return isInfinite(x, p.alpha != 0, p.beta != 0);
  default:
    return std::nullopt;
  }
}

std::optional<Sequence> weft::tpu::sequenceOf(UnaryOp op) {
  mlir::Type element = elementOf(op.getOutput());
  if (!mlir::isa<mlir::FloatType>(element))
    return std::nullopt;
  SequenceType type = element.isF32() ? SequenceType::F32 : SequenceType::Other;
  Parameters parameters{
      op.getAlpha() ? op.getAlphaAttr().getValueAsDouble() : 0.0,
      op.getBeta() ? op.getBetaAttr().getValueAsDouble() : 0.0};
  sequence::Builder builder({{type}});
  std::optional<Real> value = apply(op.getKind(), builder.real(0), parameters);
  if (!value)
    return std::nullopt;
  return builder.finish(*value, type);
}
