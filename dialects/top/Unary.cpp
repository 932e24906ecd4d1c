//===- Unary.cpp - top ops of the Unary family
//--------------------------------===//

#include "dialects/top/Unary.h"

#include "dialects/top/KindTypes.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerUnary
#define WEFT_OPS "dialects/top/Unary.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
UnaryOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  const UnaryKindRow &row = unaryKindRow(adaptor.getKind());
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input)
    return emitOptionalError(location, row.spelling,
                             " needs a tensor of known rank");
  if (!accepts(row.types, input.getElementType())) // (C1)
    return emitOptionalError(location, row.spelling,
                             " does not take elements of type ",
                             input.getElementType(), "; cast the operand");
  if (row.result == KindResult::Bool) // (C3)
    return RankedTensorType::get(input.getShape(),
                                 IntegerType::get(input.getContext(), 1));
  return input;
}

LogicalResult UnaryOp::verify() {
  const UnaryKindRow &row = unaryKindRow(getKind());
  auto check = [&](StringRef name, std::optional<APFloat> value,
                   std::optional<double> fallback) -> LogicalResult {
    if (value && !fallback) // (C2)
      return emitOpError() << row.spelling << " has no parameter '" << name
                           << "'; remove it";
    if (value && value->isNaN()) // (C2)
      return emitOpError() << "parameter '" << name << "' of " << row.spelling
                           << " is NaN; it must be a number";
    return success();
  };
  if (failed(check("alpha", getAlpha(), row.alpha)))
    return failure();
  return check("beta", getBeta(), row.beta);
}

double UnaryOp::alphaOrDefault() {
  if (std::optional<APFloat> value = getAlpha())
    return value->convertToDouble();
  return unaryKindRow(getKind()).alpha.value_or(0.0);
}

double UnaryOp::betaOrDefault() {
  if (std::optional<APFloat> value = getBeta())
    return value->convertToDouble();
  return unaryKindRow(getKind()).beta.value_or(0.0);
}

OpFoldResult UnaryOp::fold(FoldAdaptor) {
  switch (getKind()) {
  case UnaryKind::Identity:
    return getInput();
  case UnaryKind::Relu:
  case UnaryKind::Abs:
  case UnaryKind::Sign:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Round:
    // f(f(x)) = f(x).
    if (auto inner = getInput().getDefiningOp<UnaryOp>();
        inner && inner.getKind() == getKind())
      return getInput();
    return {};
  default:
    return {};
  }
}
