//===- TiuQuant.cpp - requantization and dequantization -------------------===//

#include "runtime/numeric/Rounding.h"
#include "runtime/ppl/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::catalog;
using numeric::Rounding;

namespace {
/// The numbers of one channel.
struct Parameters {
  int64_t multiplier = 0, offset = 0;
  int shift = 0;
  float scale = 0, floatOffset = 0;
};
} // namespace

static float floatOfBits(uint64_t bits) {
  uint32_t word = uint32_t(bits);
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

/// The low 16 bits as an offset of the quantised side.
static int64_t offsetOf(const Call &call, uint64_t bits, DataType side) {
  bool isSignedOffset = isSigned(side) || call.chip->tiu.hasSignedOffsets;
  return isSignedOffset ? int64_t(int16_t(bits)) : int64_t(uint16_t(bits));
}

/// Word `index` of a channel's row.
static uint64_t wordOf(const Values &values, int64_t c, int64_t index) {
  const Dense &quant = values.at("quant");
  return quant.bits(quant.at(0, c, 0, index));
}

/// dq1 and rq1. The order of three words is that of `isDequant`.
static Parameters integerParameters(const Call &call, const Values &values,
                                    int64_t c, DataType side, bool isDequant) {
  Parameters p;
  if (!call.tensor("quant")) {
    p.multiplier = call.integer("multiplier");
    p.shift = int(call.integer("shift"));
    p.offset = offsetOf(call, uint64_t(call.integer("offset")), side);
    return p;
  }
  if (call.chip->tiu.packsQuantRows) {
    uint64_t packed = wordOf(values, c, 1);
    p.multiplier = int32_t(wordOf(values, c, 0));
    p.shift = int8_t(packed);
    p.offset = int16_t(packed >> 16);
    return p;
  }
  p.offset = offsetOf(call, wordOf(values, c, isDequant ? 0 : 2), side);
  p.multiplier = int32_t(wordOf(values, c, isDequant ? 1 : 0));
  p.shift = int8_t(wordOf(values, c, isDequant ? 2 : 1));
  return p;
}

/// value * 2^shift as the chips compute it (TiuTraits::shiftsIn64Bits).
static int64_t shifted(const Call &call, int64_t value, int shift,
                       Rounding mode) {
  if (shift < 0)
    return numeric::shiftRightRounded(
        value, call.chip->tiu.shiftsIn64Bits ? std::min(-shift, 63) : -shift,
        mode);
  if (call.chip->tiu.shiftsIn64Bits)
    return int64_t(uint64_t(value) << (shift & 63));
  constexpr int64_t kFar = int64_t(1) << 62;
  for (int i = 0; i < shift; ++i) {
    if (value >= kFar || value < -kFar)
      return value < 0 ? INT64_MIN : INT64_MAX;
    value *= 2;
  }
  return value;
}

/// `value` in the range of an integer type.
static int64_t saturated(int64_t value, DataType type) {
  return numeric::saturate(value, bitsOf(type), isSigned(type));
}

/// Calls `compute(element, parameters)` for every element.
template <class Read, class Compute>
static rt::Status eachElement(Values &values, Read read, Compute compute) {
  const Dims &shape = values.at("dst").shape;
  int64_t plane = shape[2] * shape[3];
  for (int64_t c = 0; c < shape[1]; ++c) {
    Parameters p = read(c);
    for (int64_t n = 0; n < shape[0]; ++n)
      for (int64_t i = 0; i < plane; ++i)
        compute((n * shape[1] + c) * plane + i, p);
  }
  return {};
}

/// rq1 or dq1: what an element is before its product and after its shift, and
/// whose type says how the parameters lie.
template <class Before, class After>
static rt::Status scaleIntegers(const Call &call, Values &values,
                                DataType parameterType, bool isDequant,
                                Before before, After after) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  Rounding mode = Rounding(call.integer("round_mode"));
  return eachElement(
      values,
      [&](int64_t c) {
        return integerParameters(call, values, c, parameterType, isDequant);
      },
      [&](int64_t i, const Parameters &p) {
        int64_t product = before(src.integer(i), p) * p.multiplier;
        int64_t word = after(shifted(call, product, p.shift, mode), p);
        dst.setBits(i, uint64_t(saturated(word, dst.type)));
      });
}

static rt::Status rq1(const Call &call, Values &values) {
  return scaleIntegers(
      call, values, values.at("dst").type, false,
      [](int64_t value, const Parameters &) { return value; },
      [](int64_t word, const Parameters &p) {
        return saturated(word, DataType::Int32) + p.offset;
      });
}

static rt::Status dq1(const Call &call, Values &values) {
  return scaleIntegers(
      call, values, values.at("src").type, true,
      [](int64_t value, const Parameters &p) { return value - p.offset; },
      [](int64_t word, const Parameters &) { return word; });
}

/// An integer of at most 53 bits as fp32.
static float integerToFloat(int64_t integer, Rounding mode) {
  double exact = double(integer);
  float nearest = float(exact);
  if (double(nearest) == exact)
    return nearest;
  float below =
      double(nearest) < exact ? nearest : std::nextafter(nearest, -INFINITY);
  float above = std::nextafter(below, INFINITY);
  bool isTie = exact - double(below) == double(above) - exact;
  switch (mode) {
  case Rounding::Floor:
    return below;
  case Rounding::Ceil:
    return above;
  case Rounding::TowardZero:
    return integer < 0 ? above : below;
  case Rounding::HalfAwayFromZero:
    return !isTie ? nearest : integer < 0 ? below : above;
  default:
    return nearest;
  }
}

// Products and sums of two floats are exact in a double or far enough from a
// tie, so that float(double) rounds once; nothing can be fused.
static float product(float a, float b) { return float(double(a) * double(b)); }
static float sum(float a, float b) { return float(double(a) + double(b)); }

static rt::Status rq0(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  Rounding first = Rounding(call.integer("src_round_mode")),
           last = Rounding(call.integer("dst_round_mode"));
  unsigned bits = bitsOf(dst.type);
  int64_t low = isSigned(dst.type) ? -(int64_t(1) << (bits - 1)) : 0,
          high = low + (int64_t(1) << bits) - 1;
  return eachElement(
      values,
      [&](int64_t c) {
        Parameters p;
        bool isTensor = call.tensor("quant");
        p.scale = isTensor ? floatOfBits(wordOf(values, c, 0))
                           : float(call.real("scale"));
        p.floatOffset = isTensor ? floatOfBits(wordOf(values, c, 1))
                                 : float(call.real("offset"));
        return p;
      },
      [&](int64_t i, const Parameters &p) {
        float value =
            sum(product(integerToFloat(src.integer(i), first), p.scale),
                p.floatOffset);
        dst.setBits(i,
                    uint64_t(numeric::roundToInteger(value, last, low, high)));
      });
}

static rt::Status dq0(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  return eachElement(
      values,
      [&](int64_t c) {
        Parameters p;
        bool isTensor = call.tensor("quant");
        uint64_t offset =
            isTensor ? wordOf(values, c, 0) : uint64_t(call.integer("offset"));
        p.offset = offsetOf(call, offset, src.type);
        p.scale = isTensor ? floatOfBits(wordOf(values, c, 1))
                           : float(call.real("scale"));
        return p;
      },
      [&](int64_t i, const Parameters &p) {
        // At most 17 bits: exact.
        float difference = float(src.integer(i) - p.offset);
        dst.setValue(i, product(difference, p.scale));
      });
}

static rt::Status dq2(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src"), &groups = values.at("offset_scale");
  int64_t size = call.integer("gsize");
  Dense step(dst.type, {1, 1, 1, 1});
  auto rounded = [&](double value) {
    step.setValue(0, value);
    return step.value(0);
  };
  auto half = [&](uint64_t bits) {
    step.setBits(0, bits & 0xffff);
    return step.value(0);
  };
  for (int64_t i = 0; i < src.elements(); ++i) {
    // w is a multiple of the group, so groups follow each other in the rows.
    uint64_t word = groups.bits(i / size);
    double difference = rounded(double(src.integer(i)) - half(word));
    dst.setValue(i, difference * half(word >> 16));
  }
  return {};
}

std::vector<EvaluatorRow> catalog::tiuQuantEvaluators() {
  return {{"tiu.dq0", dq0},
          {"tiu.dq1", dq1},
          {"tiu.dq2", dq2},
          {"tiu.rq0", rq0},
          {"tiu.rq1", rq1}};
}
