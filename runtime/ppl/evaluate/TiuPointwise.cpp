//===- TiuPointwise.cpp - meaning of the element functions ---------------===//

#include "runtime/numeric/Float16.h"
#include "runtime/ppl/evaluate/Elements.h"
#include "runtime/ppl/evaluate/FloatArithmetic.h"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::catalog;

using numeric::Rounding;

//===----------------------------------------------------------------------===//
// Exact integers
//===----------------------------------------------------------------------===//

__extension__ typedef __int128 Wide;

/// value / 2^amount, rounded; any amount from 0 to 64.
static Wide shiftedRight(Wide value, int amount, Rounding mode) {
  if (amount == 0)
    return value;
  Wide quotient = value >> amount,
       rest = value - quotient * (Wide(1) << amount);
  Wide half = Wide(1) << (amount - 1);
  bool isOdd = quotient & 1;
  switch (mode) {
  case Rounding::HalfToEven:
    return quotient + (rest > half || (rest == half && isOdd));
  case Rounding::HalfAwayFromZero:
    return quotient + (rest > half || (rest == half && value >= 0));
  case Rounding::TowardZero:
    return quotient + (value < 0 && rest != 0);
  case Rounding::Floor:
    return quotient;
  case Rounding::Ceil:
    return quotient + (rest != 0);
  case Rounding::HalfUp:
    return quotient + (rest >= half);
  case Rounding::HalfDown:
    return quotient + (rest > half);
  }
  return quotient;
}

/// A count of a shift: left ones come round after 31, right ones end at `most`.
static Wide shiftedBy(Wide value, int amount, int most, Rounding mode) {
  if (amount >= 0)
    return value * (Wide(1) << (amount & 31));
  return shiftedRight(value, std::min(-amount, most), mode);
}

static Wide clamped(Wide value, DataType type) {
  return std::min<Wide>(std::max<Wide>(value, lowest(type)), highest(type));
}

//===----------------------------------------------------------------------===//
// add, sub, mul, mac
//===----------------------------------------------------------------------===//

/// An integer operand: a number of these functions is exact whatever type dst
/// has.
namespace {
class WholeOperand {
public:
  WholeOperand(const Call &call, const Values &values, std::string_view slot)
      : operand(call, values, slot, DataType::Int32),
        isTensor(call.tensor(slot)), number(call.integer(slot)) {}
  int64_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return isTensor ? operand.integer(operand.at(n, c, h, w)) : number;
  }

private:
  Operand operand;
  bool isTensor;
  int64_t number;
};
} // namespace

enum class Sum { Add, Sub, Mul };

template <Sum kind>
static rt::Status evaluateShifted(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  WholeOperand a(call, values, "src0"), b(call, values, "src1"),
      shift(call, values, "shift");
  Rounding mode = Rounding(call.integer("round_mode"));
  bool saturates = call.integer("saturation");
  int most = call.chip->tiu.shiftsIn64Bits ? 63 : 64;
  eachElement(dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h,
                             int64_t w) {
    Wide x = a.at(n, c, h, w), y = b.at(n, c, h, w);
    Wide value = kind == Sum::Add ? x + y : kind == Sum::Sub ? x - y : x * y;
    value = shiftedBy(value, int(shift.at(0, c, 0, 0)), most, mode);
    if (kind != Sum::Mul) // sums have 64 bits, products as many as they need
      value = int64_t(uint64_t(value));
    dst.setBits(i, uint64_t(saturates ? clamped(value, dst.type) : value));
  });
  return {};
}

static rt::Status evaluateMac(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  WholeOperand a(call, values, "src0"), b(call, values, "src1");
  Rounding mode = Rounding(call.integer("round_mode"));
  int left = int(call.integer("l_shift")), right = int(call.integer("r_shift"));
  eachElement(dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h,
                             int64_t w) {
    Wide sum = Wide(dst.integer(i)) * (Wide(1) << left) +
               Wide(a.at(n, c, h, w)) * b.at(n, c, h, w);
    dst.setBits(i, uint64_t(clamped(shiftedRight(sum, right, mode), dst.type)));
  });
  return {};
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

template <class Function>
static rt::Status eachUnary(const Call &call, Values &values,
                            Function function) {
  Dense &dst = values.at("dst");
  Operand src(call, values, "src", dst.type);
  eachElement(dst.shape,
              [&](int64_t i, int64_t n, int64_t c, int64_t h, int64_t w) {
                function(dst, i, src, src.at(n, c, h, w));
              });
  return {};
}

static rt::Status evaluateAbs(const Call &call, Values &values) {
  return eachUnary(call, values,
                   [](Dense &dst, int64_t i, const Operand &src, int64_t at) {
                     uint64_t sign = uint64_t(1) << (bitsOf(dst.type) - 1);
                     if (isFloat(dst.type))
                       return dst.setBits(i, src.bits(at) & ~sign);
                     int64_t x = src.integer(at);
                     dst.setBits(i, uint64_t(x < 0 ? -x : x));
                   });
}

static rt::Status evaluateNot(const Call &call, Values &values) {
  return eachUnary(call, values,
                   [](Dense &dst, int64_t i, const Operand &src, int64_t at) {
                     dst.setBits(i, ~src.bits(at));
                   });
}

template <class Function>
static rt::Status eachPair(const Call &call, Values &values,
                           Function function) {
  Dense &dst = values.at("dst");
  Operand a(call, values, "src0", dst.type), b(call, values, "src1", dst.type);
  eachElement(dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h,
                             int64_t w) {
    function(dst, i, a.dense(), a.at(n, c, h, w), b.dense(), b.at(n, c, h, w));
  });
  return {};
}

template <char kind>
static rt::Status evaluateBits(const Call &call, Values &values) {
  return eachPair(
      call, values,
      [](Dense &dst, int64_t i, const Dense &a, int64_t atA, const Dense &b,
         int64_t atB) {
        uint64_t x = a.bits(atA), y = b.bits(atB);
        dst.setBits(i, kind == '&' ? x & y : kind == '|' ? x | y : x ^ y);
      });
}

enum class Shift { Arithmetic, Logical };

template <Shift kind>
static rt::Status evaluateShift(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  WholeOperand shift(call, values, "shift");
  Rounding mode = Rounding(call.integer("round_mode"));
  eachElement(dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h,
                             int64_t w) {
    Wide x = kind == Shift::Logical ? Wide(src.bits(i)) : Wide(src.integer(i));
    dst.setBits(i,
                uint64_t(shiftedBy(x, int8_t(shift.at(n, c, h, w)), 63, mode)));
  });
  return {};
}

static rt::Status evaluateRotation(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  Operand src(call, values, "src", dst.type);
  WholeOperand shift(call, values, "shift");
  unsigned width = bitsOf(dst.type);
  uint64_t mask = (uint64_t(1) << width) - 1;
  eachElement(dst.shape,
              [&](int64_t i, int64_t n, int64_t c, int64_t h, int64_t w) {
                uint64_t bits = src.bits(src.at(n, c, h, w)) & mask;
                int64_t amount = shift.at(n, c, h, w);
                // Both parts of a turn count modulo 32, so that one beyond a
                // narrow type loses bits.
                unsigned turn = unsigned(amount < 0 ? -amount : amount);
                unsigned near = turn & 31, far = (width - turn) & 31;
                dst.setBits(i, (amount < 0 ? bits >> near | bits << far
                                           : bits << near | bits >> far) &
                                   mask);
              });
  return {};
}

//===----------------------------------------------------------------------===//
// Float sums, products and quotients
//===----------------------------------------------------------------------===//

template <class Function>
static rt::Status eachFloatPair(const Call &call, Values &values,
                                Function function) {
  bool saturates =
      call.operation->slot("saturation") && call.integer("saturation");
  return eachPair(call, values,
                  [&](Dense &dst, int64_t i, const Dense &a, int64_t atA,
                      const Dense &b, int64_t atB) {
                    float value =
                        function(floats::load(a, atA), floats::load(b, atB));
                    if (saturates)
                      floats::storeSaturated(dst, i, value);
                    else
                      floats::store(dst, i, value);
                  });
}

static rt::Status evaluateFadd(const Call &call, Values &values) {
  return eachFloatPair(call, values, floats::add);
}
static rt::Status evaluateFsub(const Call &call, Values &values) {
  return eachFloatPair(call, values, floats::subtract);
}
static rt::Status evaluateFmul(const Call &call, Values &values) {
  DataType type = call.tensor("dst")->type;
  return eachFloatPair(call, values, [=](float a, float b) {
    return floats::multiply(type, a, b);
  });
}

static rt::Status evaluateFsubAbs(const Call &call, Values &values) {
  bool isFp32 = call.tensor("dst")->type == DataType::Fp32;
  return eachFloatPair(call, values, [=](float a, float b) {
    float difference = floats::subtract(a, b);
    // In fp32 a difference flushed to zero does not make `a` the larger one.
    bool isLarger =
        isFp32 ? difference > 0 : floats::flushed(a) > floats::flushed(b);
    return isLarger ? difference : floats::subtract(b, a);
  });
}

static rt::Status evaluateFdiv(const Call &call, Values &values) {
  int64_t steps = call.integer("num_iter");
  return eachFloatPair(call, values, [=](float a, float b) {
    return floats::quotient(a, b, steps);
  });
}

static rt::Status evaluateFmac(const Call &call, Values &values) {
  return eachPair(
      call, values,
      [](Dense &dst, int64_t i, const Dense &a, int64_t atA, const Dense &b,
         int64_t atB) {
        float product =
            floats::multiply(floats::load(a, atA), floats::load(b, atB));
        floats::store(dst, i, floats::add(product, floats::load(dst, i)));
      });
}

static rt::Status evaluateFmulAdd(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  DataType type = dst.type;
  Operand a(call, values, "src0", type), b(call, values, "src1", type),
      sum(call, values, "src2", type);
  eachElement(
      dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h, int64_t w) {
        auto load = [&](const Operand &operand) {
          return floats::load(operand.dense(), operand.at(n, c, h, w));
        };
        float product =
            floats::rounded(type, floats::multiply(type, load(a), load(b)));
        floats::store(dst, i, floats::add(product, load(sum)));
      });
  return {};
}

static rt::Status evaluateFrsqrt(const Call &call, Values &values) {
  int64_t steps = call.integer("num_iter");
  return eachUnary(
      call, values, [=](Dense &dst, int64_t i, const Operand &src, int64_t at) {
        floats::store(
            dst, i,
            floats::reciprocalRoot(floats::load(src.dense(), at), steps));
      });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static void castToFloat(Dense &dst, int64_t i, const Dense &src,
                        Rounding mode) {
  bool fromFloat = isFloat(src.type);
  if (!kFloats.contains(dst.type)) // fp8, to the nearest
    return floats::storeSaturated(
        dst, i, fromFloat ? floats::load(src, i) : float(src.integer(i)));
  if (fromFloat)
    return floats::narrow(dst, i, floats::widened(src, i), mode);
  if (dst.type == DataType::Fp32)
    return dst.setBits(
        i, floats::floatBits(numeric::integerToFloat(src.integer(i), mode)));
  dst.setBits(i, floats::halfOf(double(src.integer(i)), dst.type, mode));
}

static rt::Status evaluateCast(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  int64_t mode = call.integer("round_mode");
  bool fromFloat = isFloat(src.type);
  for (int64_t i = 0; i < dst.elements(); ++i) {
    if (dst.type == src.type) {
      dst.setBits(i, src.bits(i));
    } else if (isFloat(dst.type)) {
      castToFloat(dst, i, src, Rounding(mode));
    } else if (fromFloat) {
      double whole = floats::wholeNumber(src.value(i), mode);
      whole = std::min(std::max(whole, double(lowest(dst.type))),
                       double(highest(dst.type)));
      dst.setBits(i, std::isnan(src.value(i)) ? 0 : uint64_t(int64_t(whole)));
    } else {
      dst.setBits(i, uint64_t(clamped(src.integer(i), dst.type)));
    }
  }
  return {};
}

static rt::Status roundWhole(Values &values, int64_t mode) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  for (int64_t i = 0; i < dst.elements(); ++i) {
    double value = src.value(i), whole = floats::wholeNumber(value, mode);
    if (whole == value || value != value) // keeps the bits of NaNs
      dst.setBits(i, src.bits(i));
    else
      dst.setValue(i, whole);
  }
  return {};
}

static rt::Status evaluateRound(const Call &call, Values &values) {
  return roundWhole(values, call.integer("round_mode"));
}
static rt::Status evaluateFloor(const Call &, Values &values) {
  return roundWhole(values, int64_t(Rounding::Floor));
}
static rt::Status evaluateCeiling(const Call &, Values &values) {
  return roundWhole(values, int64_t(Rounding::Ceil));
}

std::vector<EvaluatorRow> catalog::tiuPointwiseEvaluators() {
  return {
      {"tiu.abs", evaluateAbs},
      {"tiu.fabs", evaluateAbs},
      {"tiu.add", evaluateShifted<Sum::Add>},
      {"tiu.fadd", evaluateFadd},
      {"tiu.bitwise_not", evaluateNot},
      {"tiu.bitwise_and", evaluateBits<'&'>},
      {"tiu.bitwise_or", evaluateBits<'|'>},
      {"tiu.bitwise_xor", evaluateBits<'^'>},
      {"tiu.cast", evaluateCast},
      {"tiu.ceiling", evaluateCeiling},
      {"tiu.floor", evaluateFloor},
      {"tiu.round", evaluateRound},
      {"tiu.fdiv", evaluateFdiv},
      {"tiu.frsqrt", evaluateFrsqrt},
      {"tiu.mac", evaluateMac},
      {"tiu.fmac", evaluateFmac},
      {"tiu.fmul_add", evaluateFmulAdd},
      {"tiu.mul", evaluateShifted<Sum::Mul>},
      {"tiu.fmul", evaluateFmul},
      {"tiu.sub", evaluateShifted<Sum::Sub>},
      {"tiu.fsub", evaluateFsub},
      {"tiu.fsub_abs", evaluateFsubAbs},
      {"tiu.shift", evaluateShift<Shift::Arithmetic>},
      {"tiu.logical_shift", evaluateShift<Shift::Logical>},
      {"tiu.circular_shift", evaluateRotation},
  };
}
