//===- Unary.cpp - tpu ops of the Unary family ---===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/sequence/Functions.h"

#include <limits>
#include <optional>

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerUnary
#define WEFT_OPS "dialects/tpu/Unary.cpp.inc"
#include "dialects/OpDefinitions.inc"

namespace {
/// Which parameters a kind has.
struct Parameters {
  bool alpha = false, beta = false;
};
} // namespace

static Parameters parametersOf(UnaryKind kind) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::optional<double> kNoParameter = std::nullopt;
  switch (kind) {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, alpha, beta,  \
                   domain, table, formula)                                     \
  case UnaryKind::symbol:                                                      \
    return {std::optional<double>(alpha).has_value(),                          \
            std::optional<double>(beta).has_value()};
#include "runtime/host/UnaryKinds.def"
  }
  (void)kInfinity;
  llvm_unreachable("covered switch");
}

LogicalResult UnaryOp::verify() {
  auto [alpha, beta] = parametersOf(getKind());
  if (getAlpha().has_value() != alpha || getBeta().has_value() != beta) // (C1)
    return emitOpError() << stringifyUnaryKind(getKind()) << " needs "
                         << (beta    ? "alpha and beta"
                             : alpha ? "alpha only"
                                     : "no alpha and no beta");
  if (!computes(getKind())) // (C2)
    return emitOpError() << "the machine has no commands for "
                         << stringifyUnaryKind(getKind());
  std::optional<double> factor;
  if (getAlpha())
    factor = getAlpha()->convertToDouble();
  if (getNarrowSteps() && (!elementOf(getOutput()).isF16() ||
                           !hasNarrowSteps(getKind(), factor))) // (C3)
    return emitOpError() << "there are no narrow steps for this "
                         << stringifyUnaryKind(getKind());
  if (getShortSteps() && !elementOf(getOutput()).isF32()) // (C4)
    return emitOpError("short_steps is for f32, whose steps are long");
  return success();
}

LogicalResult LutOp::verify() {
  if (getInput().getType().getShape() !=
      getOutput().getType().getShape()) // (C1)
    return emitOpError("input and output must have one shape");
  int64_t tableShape[] = {1, 1, 1, 256};
  if (getTable().getType().getShape() != ArrayRef<int64_t>(tableShape)) // (C2)
    return emitOpError("table must be 1x1x1x256xi8");
  if (elementBytes(elementOf(getInput())) != 1 ||
      elementBytes(elementOf(getOutput())) != 1)
    return emitOpError("input and output must be 8-bit"); // (C2)
  return success();
}
