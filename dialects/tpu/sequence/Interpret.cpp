//===- Interpret.cpp - the numbers of a sequence --------------------------===//
//
// The rules of docs/numbers.md, one element at a time.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/sequence/Interpret.h"

#include "runtime/emulator/FloatMode.h"
#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/PortableMath.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::tpu;
using numeric::floatBits;
using numeric::floatFromBits;
using numeric::Rounding;
namespace portable = weft::numeric::portable;

static constexpr uint32_t kSign = 0x80000000u, kInvalid = 0xffc00000u;

static bool isNaN(float x) { return x != x; }

/// The quiet NaN among the operands, the first one before the second, or the
/// result.
static float settled(float first, float second, float result) {
  if (isNaN(first) || isNaN(second))
    return floatFromBits(floatBits(isNaN(first) ? first : second) | 0x400000u);
  return isNaN(result) ? floatFromBits(kInvalid) : result;
}

static float flushed(float x) {
  uint32_t bits = floatBits(x);
  return floatFromBits((bits & 0x7f800000u) == 0 ? bits & kSign : bits);
}

/// Seed and three Newton steps (docs/numbers.md); rsqrt and division.
static float reciprocalRoot(float x) {
  auto halved = static_cast<uint32_t>(static_cast<int32_t>(floatBits(x)) >> 1);
  float root = floatFromBits(0x5f3759dfu - halved), half = 0.5f * x;
  for (int i = 0; i < 3; ++i)
    root = root * (1.5f - (half * root) * root);
  return root;
}

static float quotient(float a, float b) {
  float root = reciprocalRoot(floatFromBits(floatBits(b) & ~kSign));
  float inverse = root * root;
  float dividend = floatFromBits(floatBits(a) ^ (floatBits(b) & kSign));
  return settled(inverse, dividend, inverse * dividend);
}

/// Horner's rule, every product and sum rounded.
static float horner(const Sequence &sequence, const Step &step, float x) {
  const float *coefficients = &sequence.table[step.first];
  float sum = coefficients[step.count - 1];
  for (unsigned k = step.count - 1; k-- > 0;) {
    float product = settled(sum, x, sum * x);
    sum = settled(product, coefficients[k], product + coefficients[k]);
  }
  return sum;
}

static double roundedTo(double x, Rounding rounding) {
  switch (rounding) {
  case Rounding::TowardZero:
    return x < 0 ? portable::ceil(x) : portable::floor(x);
  case Rounding::Floor:
    return portable::floor(x);
  case Rounding::Ceil:
    return portable::ceil(x);
  case Rounding::HalfAwayFromZero:
    return x < 0 ? portable::ceil(x - 0.5) : portable::floor(x + 0.5);
  default:
    return portable::roundHalfToEven(x);
  }
}

/// Casts look at the bits: a subnormal rounds as the smallest normal number.
static float counted(float x) {
  uint32_t bits = floatBits(x);
  if ((bits & 0x7f800000u) != 0 || (bits & ~kSign) == 0)
    return x;
  return floatFromBits((bits & kSign) | 0x00800000u);
}

/// A whole number of the same sign; NaNs and infinities stay.
static float integral(float x, Rounding rounding) {
  if (isNaN(x) || std::abs(x) == std::numeric_limits<float>::infinity())
    return x;
  auto whole = static_cast<float>(roundedTo(counted(x), rounding));
  return floatFromBits((floatBits(whole) & ~kSign) | (floatBits(x) & kSign));
}

static int32_t saturated(float x, Rounding rounding) {
  if (isNaN(x))
    return 0;
  double whole = roundedTo(counted(x), rounding);
  return static_cast<int32_t>(
      std::clamp<double>(whole, std::numeric_limits<int32_t>::min(),
                         std::numeric_limits<int32_t>::max()));
}

template <class T>
static bool holds(Step::Relation relation, T a, T b, bool sameBits) {
  switch (relation) {
  case Step::Relation::Greater:
    return a > b;
  case Step::Relation::Equal:
    return sameBits;
  case Step::Relation::Less: // neither greater nor equal; true beside a NaN
    return !(a >= b) && !sameBits;
  }
  return false;
}

static bool holds(const Step &step, uint32_t a, uint32_t b) {
  if (step.readsInteger)
    return holds(step.relation, static_cast<int32_t>(a),
                 static_cast<int32_t>(b), a == b);
  return holds(step.relation, floatFromBits(a), floatFromBits(b), a == b);
}

/// Shifts left wrap, shifts right are floor divisions.
static uint32_t shifted(Step::Code code, uint32_t bits, int32_t amount) {
  if (amount >= 0)
    return bits << amount;
  if (code == Step::ShiftLogical)
    return bits >> -amount;
  return static_cast<uint32_t>(static_cast<int32_t>(bits) >> -amount);
}

static float realCommand(const Sequence &sequence, const Step &step, float a,
                         float b, float c) {
  switch (step.code) {
  case Step::Scale: {
    float product = settled(a, b, a * b);
    return settled(product, c, product + c);
  }
  case Step::Add:
    return settled(a, b, a + b);
  case Step::Sub:
    return settled(a, b, a - b);
  case Step::Mul:
    return settled(a, b, a * b);
  case Step::Max:
    return flushed(a > b ? a : b);
  case Step::Min:
    return flushed(b <= a ? b : a);
  case Step::Div:
    return quotient(a, b);
  case Step::Rsqrt:
    return reciprocalRoot(a);
  case Step::Polynomial:
    return horner(sequence, step, a);
  default: // Round
    return integral(a, step.rounding);
  }
}

static uint32_t run(const Sequence &sequence, const Step &step,
                    const uint32_t *in) {
  uint32_t a = in[0], b = in[1];
  switch (step.code) {
  case Step::And:
    return a & b;
  case Step::Or:
    return a | b;
  case Step::Xor:
    return a ^ b;
  case Step::IntAdd:
    return a + b;
  case Step::IntSub:
    return a - b;
  case Step::IntMul:
    return a * b;
  case Step::ShiftLogical:
  case Step::ShiftArith:
    return shifted(step.code, a, static_cast<int32_t>(b));
  case Step::ToInteger:
    return static_cast<uint32_t>(saturated(floatFromBits(a), step.rounding));
  case Step::ToReal:
    return floatBits(static_cast<float>(static_cast<int32_t>(a)));
  case Step::Widen:
  case Step::Fill:
  case Step::Narrow:
    return a;
  case Step::Abs:
    return a & ~kSign;
  case Step::Select:
    return holds(step, a, b) ? in[2] : in[3];
  default:
    return floatBits(realCommand(sequence, step, floatFromBits(a),
                                 floatFromBits(b), floatFromBits(in[2])));
  }
}

/// A command on f16 or si16. A sum or product of two f16 that f32 holds is
/// rounded once: f32 has more than twice the digits.
static uint16_t runHalf(const Sequence &sequence, const Step &step,
                        const uint32_t *in) {
  auto bits = [&](unsigned i) { return static_cast<uint16_t>(in[i]); };
  float a = numeric::halfToFloat(bits(0)), b = numeric::halfToFloat(bits(1));
  auto rounded = [](float x) {
    return numeric::halfToFloat(numeric::floatToHalf(x));
  };
  switch (step.code) {
  case Step::Scale:
    return numeric::floatToHalf(rounded(a * b) + numeric::halfToFloat(bits(2)));
  case Step::Add:
    return numeric::floatToHalf(a + b);
  case Step::Sub:
    return numeric::floatToHalf(a - b);
  case Step::Mul:
    return numeric::floatToHalf(a * b);
  case Step::Max:
    return a > b ? bits(0) : bits(1);
  case Step::Min:
    return b <= a ? bits(1) : bits(0);
  case Step::Polynomial: {
    const float *coefficients = &sequence.table[step.first];
    float sum = rounded(coefficients[step.count - 1]);
    for (unsigned k = step.count - 1; k-- > 0;)
      sum = rounded(rounded(sum * a) + rounded(coefficients[k]));
    return numeric::floatToHalf(sum);
  }
  case Step::IntAdd:
    return static_cast<uint16_t>(in[0] + in[1]);
  case Step::IntSub:
    return static_cast<uint16_t>(in[0] - in[1]);
  default:
    assert(step.code == Step::ShiftLogical && static_cast<int32_t>(in[1]) > 0 &&
           "no sequence of halves has another command");
    return static_cast<uint16_t>(in[0] << in[1]);
  }
}

std::vector<uint32_t>
weft::tpu::interpret(const Sequence &sequence,
                     const std::vector<std::vector<uint32_t>> &inputs) {
  emulator::FlushSubnormals flush;
  size_t elements = inputs[0].size();
  std::vector<uint32_t> values(sequence.steps.size()), results(elements);
  for (size_t e = 0; e < elements; ++e) {
    for (size_t i = 0; i < values.size(); ++i) {
      const Step &step = sequence.steps[i];
      uint32_t in[4] = {};
      for (unsigned k = 0; k < operandCount(step.code); ++k) {
        const Step::Operand &operand = step.operands[k];
        in[k] = operand.kind == Step::Operand::Value ? values[operand.index]
                : operand.kind == Step::Operand::Input
                    ? inputs[operand.index][e]
                : sequence.isHalf && !readsIntegers(step)
                    ? numeric::floatToHalf(floatFromBits(operand.index))
                    : operand.index;
      }
      values[i] = sequence.isHalf ? runHalf(sequence, step, in)
                                  : run(sequence, step, in);
    }
    results[e] = values.back();
  }
  return results;
}
