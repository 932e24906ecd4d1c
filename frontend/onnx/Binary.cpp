//===- Binary.cpp - ONNX rows of the Binary family ------------------------===//

#include "dialects/top/Binary.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::BinaryKind;

static LogicalResult importKind(NodeImporter &n, BinaryKind kind) {
  FailureOr<Value> lhs = n.operand(0), rhs = n.operand(1);
  if (failed(lhs) || failed(rhs))
    return failure();
  return n.setOutput(n.create<top::BinaryOp>(kind, *lhs, *rhs));
}

template <BinaryKind Kind>
static LogicalResult importBinary(NodeImporter &n) {
  return importKind(n, Kind);
}

/// Max, Min, Sum: any number of operands, from left to right.
template <BinaryKind Kind>
static LogicalResult importVariadic(NodeImporter &n) {
  FailureOr<Value> result = n.operand(0);
  for (unsigned i = 1; i < n.numOperands() && succeeded(result); ++i) {
    FailureOr<Value> next = n.operand(i);
    if (failed(next))
      return failure();
    result = n.create<top::BinaryOp>(Kind, *result, *next);
  }
  return n.setOutput(result);
}

/// Mean: the sum divided by the number of operands.
static LogicalResult importMean(NodeImporter &n) {
  if (failed(importVariadic<BinaryKind::Add>(n)))
    return failure();
  Value sum = n.output(0);
  if (n.numOperands() == 1)
    return success();
  Value count = n.scalar(n.numOperands(), n.typeOf(sum).getElementType());
  return n.setOutput(n.create<top::BinaryOp>(BinaryKind::Div, sum, count));
}

/// Mod-10..: `fmod` takes the sign of the dividend; floats need it before 28.
static LogicalResult importMod(NodeImporter &n) {
  FailureOr<bool> isFmod = n.flagAttribute("fmod", false);
  FailureOr<Value> lhs = n.operand(0);
  if (failed(isFmod) || failed(lhs))
    return failure();
  if (!*isFmod && n.opset < 28 &&
      isa<FloatType>(n.typeOf(*lhs).getElementType()))
    return n.error() << "fmod is 0, must be 1 for floats";
  return importKind(n, *isFmod ? BinaryKind::Fmod : BinaryKind::Mod);
}

/// The constant exponent of a power of floats that leaves their shape as it is;
/// std::nullopt if it is no such number.
static std::optional<double> exponentOf(NodeImporter &n, Value base,
                                        Value exponent) {
  std::optional<SmallVector<double>> numbers = constantNumbersOf(exponent);
  bool isScalar = numbers && numbers->size() == 1 &&
                  n.typeOf(exponent).getRank() <= n.typeOf(base).getRank();
  if (!isScalar || !isa<FloatType>(n.typeOf(base).getElementType()))
    return std::nullopt;
  return numbers->front();
}

/// Pow-7..: squares and cubes, which normalizations are full of, are products.
static LogicalResult importPow(NodeImporter &n) {
  FailureOr<Value> base = n.operand(0), exponent = n.operand(1);
  if (failed(base) || failed(exponent))
    return failure();
  std::optional<double> power = exponentOf(n, *base, *exponent);
  if (power != 2.0 && power != 3.0)
    return importKind(n, BinaryKind::Pow);
  FailureOr<Value> square =
      n.create<top::BinaryOp>(BinaryKind::Mul, *base, *base);
  if (failed(square) || power == 2.0)
    return n.setOutput(square);
  return n.setOutput(n.create<top::BinaryOp>(BinaryKind::Mul, *square, *base));
}

/// BitShift-11.
static LogicalResult importBitShift(NodeImporter &n) {
  FailureOr<std::string> direction =
      n.wordAttribute("direction", "", {"LEFT", "RIGHT"});
  if (failed(direction))
    return failure();
  if (direction->empty())
    return n.error() << "direction is missing, must be LEFT or RIGHT";
  return importKind(n, *direction == "LEFT" ? BinaryKind::ShiftLeft
                                            : BinaryKind::ShiftRight);
}

/// Kinds that need more than their row.
static bool hasOwnImport(BinaryKind kind) {
  return kind == BinaryKind::Max || kind == BinaryKind::Min ||
         kind == BinaryKind::Mod || kind == BinaryKind::Pow;
}

static StringRef kindName(BinaryKind kind) {
  return top::stringifyBinaryKind(kind);
}

void weft::onnx::registerBinaryRows(OpRegistry &registry) {
  std::vector<OpRow> rows = {
      {"BitShift", 11, kLastOpset, importBitShift, "", "",
       kindName(BinaryKind::ShiftLeft)},
      {"Max", 6, kLastOpset, importVariadic<BinaryKind::Max>, "", "",
       kindName(BinaryKind::Max)},
      {"Mean", 6, kLastOpset, importMean, "", "", kindName(BinaryKind::Add)},
      {"Min", 6, kLastOpset, importVariadic<BinaryKind::Min>, "", "",
       kindName(BinaryKind::Min)},
      {"Mod", 10, kLastOpset, importMod, "", "", kindName(BinaryKind::Mod)},
      {"Pow", 7, kLastOpset, importPow, "", "", kindName(BinaryKind::Pow)},
      {"Sum", 6, kLastOpset, importVariadic<BinaryKind::Add>, "", "",
       kindName(BinaryKind::Add)},
  };
#define WEFT_BINARY(symbol, spelling, onnxName, sinceOpset, ...)               \
  if (StringRef(onnxName) != "" && !hasOwnImport(BinaryKind::symbol))          \
    rows.push_back({onnxName, sinceOpset, kLastOpset,                          \
                    importBinary<BinaryKind::symbol>, "", "",                  \
                    kindName(BinaryKind::symbol)});
#include "runtime/host/BinaryKinds.def"
  registry.add("Binary", rows);
}
