//===- Unary.cpp - ONNX rows of the Unary family --------------------------===//

#include "dialects/top/Unary.h"

#include "dialects/top/Binary.h"
#include "frontend/onnx/Importer.h"
#include "frontend/onnx/OpRows.h"
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::UnaryKind;

/// ONNX names of the attributes that are `alpha` and `beta` of a kind.
static std::pair<StringRef, StringRef> parameterNames(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Selu:
    return {"alpha", "gamma"};
  case UnaryKind::Shrink:
    return {"lambd", "bias"};
  default:
    return {"alpha", "beta"};
  }
}

static FailureOr<FloatAttr> parameter(NodeImporter &n, StringRef name,
                                      std::optional<double> fallback) {
  if (!fallback)
    return FloatAttr();
  FailureOr<double> value = n.floatAttribute(name, *fallback);
  if (failed(value))
    return failure();
  return n.builder.getF64FloatAttr(*value);
}

static LogicalResult importKind(NodeImporter &n, UnaryKind kind) {
  const top::UnaryKindRow &row = top::unaryKindRow(kind);
  auto [alphaName, betaName] = parameterNames(kind);
  FailureOr<Value> input = n.operand(0);
  FailureOr<FloatAttr> alpha = parameter(n, alphaName, row.alpha);
  FailureOr<FloatAttr> beta = parameter(n, betaName, row.beta);
  if (failed(input) || failed(alpha) || failed(beta))
    return failure();
  return n.setOutput(n.create<top::UnaryOp>(kind, *input, *alpha, *beta));
}

template <UnaryKind Kind>
static LogicalResult importUnary(NodeImporter &n) {
  return importKind(n, Kind);
}

/// Identity-1..: no op; the value is passed on, also sequences and optionals.
static LogicalResult importIdentity(StructureNode &s) {
  Entity value = s.operand(0);
  return value.isUnknown() ? LogicalResult(s.tensor(0))
                           : s.setOutput(std::move(value));
}

/// Whether Dropout-12.. drops elements: in training mode, unless it drops none.
static FailureOr<bool> drops(NodeImporter &n) {
  Value training = n.optionalOperand(2), ratio = n.optionalOperand(1);
  if (!training)
    return false;
  auto mode = constantIntsOf(training);
  if (mode && mode->size() == 1 && mode->front() == 0)
    return false;
  auto share = ratio ? constantNumbersOf(ratio) : std::nullopt;
  if (share && share->size() == 1 && share->front() == 0)
    return false;
  if (mode)
    return true;
  n.unsupported() << "whether Dropout is in training mode ('"
                  << n.node.inputs[2]
                  << "') is computed from the model's inputs; give a constant "
                     "with --bind";
  return failure();
}

/// Dropout-7..: at inference the identity. The mask is all true since 12;
/// before ONNX did not say, and ONNX Runtime gives false.
static LogicalResult importDropout(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> isRandom = drops(n);
  if (failed(input) || failed(isRandom))
    return failure();
  if (*isRandom)
    return n.unsupported() << "Dropout in training mode; export the model for "
                              "inference";
  if (n.wantsOutput(1)) {
    auto type = n.typeOf(*input).clone(n.builder.getI1Type());
    (void)n.setOutput(1,
                      n.constant(DenseElementsAttr::get(type, n.opset >= 12)));
  }
  return n.setOutput(0, *input);
}

/// Clip-6: bounds are attributes with the largest float32 as default.
static LogicalResult importClipAttributes(NodeImporter &n) {
  constexpr double kMax = std::numeric_limits<float>::max();
  FailureOr<Value> input = n.operand(0);
  FailureOr<double> low = n.floatAttribute("min", -kMax);
  FailureOr<double> high = n.floatAttribute("max", kMax);
  if (failed(input) || failed(low) || failed(high))
    return failure();
  auto bound = [&](StringRef name, double value) {
    return n.hasAttribute(name) ? n.builder.getF64FloatAttr(value)
                                : FloatAttr();
  };
  return n.setOutput(n.create<top::UnaryOp>(
      UnaryKind::Clip, *input, bound("min", *low), bound("max", *high)));
}

/// Clip-11..: bounds are optional operands of one element; those that are not
/// constant, or no double can hold, go through max and min.
static LogicalResult importClipOperands(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  FloatAttr bounds[2];
  bool allConstant = true;
  for (unsigned i = 1; i <= 2; ++i) {
    Value bound = n.optionalOperand(i);
    if (!bound)
      continue;
    if (n.typeOf(bound).getNumElements() != 1)
      return n.error() << (i == 1 ? "min" : "max") << " ('" << n.node.inputs[i]
                       << "') has " << n.typeOf(bound).getNumElements()
                       << " values; it must have one";
    auto number = constantNumbersOf(bound);
    bool exact = number && (n.typeOf(bound).getElementType().isF64() ||
                            n.typeOf(bound).getElementTypeBitWidth() < 64 ||
                            std::abs(number->front()) < 9007199254740992.0);
    if (exact)
      bounds[i - 1] = n.builder.getF64FloatAttr(number->front());
    allConstant &= exact;
  }
  if (allConstant)
    return n.setOutput(
        n.create<top::UnaryOp>(UnaryKind::Clip, *input, bounds[0], bounds[1]));
  FailureOr<Value> result = *input;
  if (Value low = n.optionalOperand(1))
    result = n.create<top::BinaryOp>(top::BinaryKind::Max, *result, low);
  if (Value high = n.optionalOperand(2); high && succeeded(result))
    result = n.create<top::BinaryOp>(top::BinaryKind::Min, *result, high);
  return n.setOutput(result);
}

/// IsInf-10..: which infinities count, as two flags.
static LogicalResult importIsInf(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> negative = n.flagAttribute("detect_negative", true);
  FailureOr<bool> positive = n.flagAttribute("detect_positive", true);
  if (failed(input) || failed(negative) || failed(positive))
    return failure();
  return n.setOutput(n.create<top::UnaryOp>(
      UnaryKind::IsInf, *input, n.builder.getF64FloatAttr(*negative),
      n.builder.getF64FloatAttr(*positive)));
}

/// Gelu-20: exact or with tanh.
static LogicalResult importGelu(NodeImporter &n) {
  FailureOr<std::string> form =
      n.wordAttribute("approximate", "none", {"none", "tanh"});
  if (failed(form))
    return failure();
  return importKind(n, *form == "tanh" ? UnaryKind::GeluTanh : UnaryKind::Gelu);
}

/// Kinds that need more than their row.
static bool hasOwnImport(UnaryKind kind) {
  return kind == UnaryKind::Identity || kind == UnaryKind::Clip ||
         kind == UnaryKind::IsInf || kind == UnaryKind::Gelu;
}

static StringRef kindName(UnaryKind kind) {
  return top::stringifyUnaryKind(kind);
}

void weft::onnx::registerUnaryRows(OpRegistry &registry) {
  std::vector<OpRow> rows = {
      {"Clip", 6, 10, importClipAttributes, "", "", kindName(UnaryKind::Clip)},
      {"Clip", 11, kLastOpset, importClipOperands, "", "",
       kindName(UnaryKind::Clip)},
      {"Dropout", 7, kLastOpset, importDropout,
       "inference, or a ratio of zero"},
      {"Gelu", 20, kLastOpset, importGelu, "", "", kindName(UnaryKind::Gelu)},
      {"Identity", 1, kLastOpset, nullptr, "", "", "", "", importIdentity},
      {"IsInf", 10, kLastOpset, importIsInf, "", "",
       kindName(UnaryKind::IsInf)},
  };
#define WEFT_UNARY(symbol, spelling, onnxName, sinceOpset, ...)                \
  if (StringRef(onnxName) != "" && !hasOwnImport(UnaryKind::symbol))           \
    rows.push_back({onnxName, sinceOpset, kLastOpset,                          \
                    importUnary<UnaryKind::symbol>, "", "",                    \
                    kindName(UnaryKind::symbol)});
#include "runtime/host/UnaryKinds.def"
  registry.add("Unary", rows);
}
