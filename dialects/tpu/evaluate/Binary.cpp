//===- Binary.cpp - evaluation of the Binary family -----------------------===//

#include "dialects/tpu/Binary.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "dialects/tpu/sequence/Functions.h"
#include "dialects/tpu/sequence/Interpret.h"
#include "runtime/numeric/BitCast.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

template <typename T>
static T apply(BinaryKind kind, T x, T y) {
  switch (kind) {
  case BinaryKind::Add:
    return x + y;
  case BinaryKind::Sub:
    return x - y;
  case BinaryKind::Mul:
    return x * y;
  case BinaryKind::Div:
    return x / y;
  case BinaryKind::Max:
    return x > y ? x : y; // the second one beside a NaN
  case BinaryKind::Min:
    return y < x ? y : x; // the first one beside a NaN
  default:
    llvm_unreachable("the verifier leaves these to integers");
  }
}

/// The same for integers, and the kinds that only they have; exact in 64 bits.
static int64_t applyToIntegers(BinaryKind kind, int64_t x, int64_t y) {
  switch (kind) {
  case BinaryKind::And:
    return x & y;
  case BinaryKind::Or:
    return x | y;
  case BinaryKind::Xor:
    return x ^ y;
  case BinaryKind::ShiftLeft:
    return static_cast<int64_t>(static_cast<uint64_t>(x) << y);
  case BinaryKind::ShiftRight:
    return x >> y;
  case BinaryKind::Mul:
    return static_cast<int64_t>(static_cast<uint64_t>(x) *
                                static_cast<uint64_t>(y));
  default:
    return apply(kind, x, y);
  }
}

/// Calls `function(output index, lhs index, rhs index)` for every result
/// element.
static void
forEachPair(BinaryOp op,
            llvm::function_ref<void(int64_t, int64_t, int64_t)> function) {
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  SmallVector<int64_t, 4> l = broadcastStrides(op.getLhs(), shape);
  SmallVector<int64_t, 4> r(4, 0);
  if (op.getRhs())
    r = broadcastStrides(op.getRhs(), shape);
  int64_t index = 0;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w)
          function(index++, n * l[0] + c * l[1] + h * l[2] + w * l[3],
                   n * r[0] + c * r[1] + h * r[2] + w * r[3]);
}

/// Integers as numbers: storing wraps.
static LogicalResult evaluateInteger(BinaryOp op, Operands operands,
                                     Results &results) {
  std::vector<int64_t> lhs = loadIntegers(*operands[0]), rhs;
  if (op.getRhs())
    rhs = loadIntegers(*operands[1]);
  else
    rhs.push_back(
        static_cast<int64_t>(op.getConstantAttr().getValueAsDouble()));
  std::vector<int64_t> output(op.getOutput().getType().getNumElements());
  BinaryKind kind = op.getKind();
  bool reversed = op.getReversed();
  forEachPair(op, [&](int64_t i, int64_t l, int64_t r) {
    output[i] = reversed ? applyToIntegers(kind, rhs[r], lhs[l])
                         : applyToIntegers(kind, lhs[l], rhs[r]);
  });
  storeStored(op.getOutput(), output, results);
  return success();
}

static LogicalResult evaluateQuantized(BinaryOp op, Operands operands,
                                       Results &results) {
  std::vector<int64_t> lhs = loadIntegers(*operands[0]),
                       rhs = loadIntegers(*operands[1]);
  std::vector<int64_t> output(op.getOutput().getType().getNumElements());
  IntegerRange range = rangeOf(elementOf(op.getOutput()));
  IntegerRange wide{INT32_MIN, INT32_MAX};
  ArrayRef<int32_t> m, s;
  if (op.getMultipliers()) {
    m = *op.getMultipliers();
    s = *op.getRshifts();
  }
  BinaryKind kind = op.getKind();
  forEachPair(op, [&](int64_t i, int64_t l, int64_t r) {
    if (m.size() == 2) // each term is rounded before the sum
      output[i] = range.clamp(
          apply(kind, requantize(lhs[l], m[0], s[0], Rounding::HalfUp, wide),
                requantize(rhs[r], m[1], s[1], Rounding::HalfUp, wide)));
    else if (m.size() == 1)
      output[i] =
          requantize(lhs[l] * rhs[r], m[0], s[0], Rounding::HalfUp, range);
    else
      output[i] = apply(kind, lhs[l], rhs[r]);
  });
  storeStored(op.getOutput(), output, results);
  return success();
}

static uint32_t wordOf(double value) {
  return numeric::floatBits(static_cast<float>(value));
}

/// Bit for bit what the commands give.
static void evaluateSequence(BinaryOp op, const Sequence &sequence,
                             Operands operands, Results &results) {
  std::vector<double> lhs = loadDoubles(*operands[0]), rhs{0.0};
  if (op.getRhs())
    rhs = loadDoubles(*operands[1]);
  size_t elements = op.getOutput().getType().getNumElements();
  std::vector<std::vector<uint32_t>> words(2, std::vector<uint32_t>(elements));
  forEachPair(op, [&](int64_t i, int64_t l, int64_t r) {
    words[0][i] = wordOf(lhs[l]);
    words[1][i] = wordOf(rhs[r]);
  });
  std::vector<float> output;
  for (uint32_t bits : interpret(sequence, words))
    output.push_back(numeric::floatFromBits(bits));
  storeFloats(op.getOutput(), output, results);
}

LogicalResult BinaryOp::evaluate(Operands operands, Results &results) {
  if (isQuantized(getLhs()))
    return evaluateQuantized(*this, operands, results);
  if (isInteger())
    return evaluateInteger(*this, operands, results);
  if (std::optional<Sequence> sequence = sequenceOf(*this)) {
    evaluateSequence(*this, *sequence, operands, results);
    return success();
  }
  Type element = elementOf(getOutput());
  std::vector<double> lhs = loadDoubles(*operands[0]);
  std::vector<double> rhs{
      getConstant() ? roundTo(element, getConstant()->convertToDouble()) : 0.0};
  if (getRhs())
    rhs = loadDoubles(*operands[1]);
  std::vector<float> output(getOutput().getType().getNumElements());
  BinaryKind kind = getKind();
  const bool isTurned = changesPlaces(*this);
  forEachPair(*this, [&](int64_t i, int64_t l, int64_t r) {
    // f32 arithmetic: for 16-bit operands one more rounding to 16 bits gives
    // the correctly rounded result.
    auto x = static_cast<float>(lhs[l]), y = static_cast<float>(rhs[r]);
    float value = isTurned ? apply(kind, y, x) : apply(kind, x, y);
    output[i] = roundTo(element, getRelu() && value < 0 ? 0.0f : value);
  });
  storeFloats(getOutput(), output, results);
  return success();
}
