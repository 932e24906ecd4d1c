//===- TiuSpecial.cpp - meaning of linear and special functions ----------===//

#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/evaluate/Elements.h"
#include "runtime/ppl/evaluate/FloatArithmetic.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;

using numeric::Rounding;

//===----------------------------------------------------------------------===//
// Scale and bias
//===----------------------------------------------------------------------===//

enum class Linear { Scale, SumSquare, DifferenceSquare };

template <Linear kind>
static rt::Status evaluateLinear(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  DataType type = dst.type;
  constexpr bool isScale = kind == Linear::Scale;
  Operand src(call, values, "src", type),
      scale(call, values, isScale ? "scale" : "bias", type),
      bias(call, values, "bias", type);
  eachElement(dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h,
                             int64_t w) {
    float x = floats::load(src.dense(), src.at(n, c, h, w)),
          k = floats::load(scale.dense(), scale.at(0, c, 0, 0));
    float inner = kind == Linear::Scale       ? floats::multiply(type, x, k)
                  : kind == Linear::SumSquare ? floats::add(x, k)
                                              : floats::subtract(x, k);
    inner = floats::rounded(type, inner);
    floats::store(dst, i,
                  isScale
                      ? floats::add(inner, floats::load(bias.dense(),
                                                        bias.at(0, c, 0, 0)))
                      : floats::multiply(type, inner, inner));
  });
  return {};
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

namespace {
/// The copies of a table in the lanes, one at a time.
class LaneTables {
public:
  LaneTables(const Dense &coeff, int64_t count, int64_t lanes)
      : coeff(coeff), count(count), lanes(lanes) {}
  const std::vector<float> &ofChannel(int64_t c) {
    if (c % lanes == lane)
      return table;
    lane = c % lanes;
    table.clear();
    for (int64_t k = 0; k < count; ++k)
      table.push_back(floats::load(coeff, coeff.at(0, lane, 0, k)));
    return table;
  }

private:
  const Dense &coeff;
  int64_t count, lanes, lane = -1;
  std::vector<float> table;
};
} // namespace

static rt::Status evaluateTaylor(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  LaneTables tables(values.at("coeff"), call.integer("len"), call.chip->lanes);
  eachElement(dst.shape, [&](int64_t i, int64_t, int64_t c, int64_t, int64_t) {
    floats::store(dst, i,
                  floats::polynomial(dst.type, tables.ofChannel(c),
                                     floats::load(src, i)));
  });
  return {};
}

/// The first `count` entries of a table of static memory in a float type; one
/// that has only an fp32 form is rounded.
static std::vector<float> seriesOf(int64_t mode, DataType type,
                                   unsigned count) {
  std::optional<CoefficientTable> table = coefficientTable(mode, type);
  DataType stored = table ? type : DataType::Fp32;
  if (!table)
    table = coefficientTable(mode, stored);
  Dense entries(stored, {1, 1, 1, int64_t(count)});
  std::vector<uint32_t> bits = coefficients(*table, stored, count);
  std::vector<float> series;
  for (unsigned k = 0; k < count; ++k) {
    entries.setBits(k, bits[k]);
    series.push_back(floats::rounded(type, floats::load(entries, k)));
  }
  return series;
}

template <int mode, unsigned count>
static rt::Status evaluateCore(const Call &, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  std::vector<float> series = seriesOf(mode, dst.type, count);
  for (int64_t i = 0; i < dst.elements(); ++i)
    floats::store(dst, i,
                  floats::polynomial(dst.type, series, floats::load(src, i)));
  return {};
}

//===----------------------------------------------------------------------===//
// Exponential and logarithm, in fp32
//===----------------------------------------------------------------------===//

// ln 2 = kLn2High - kLn2Low; multiples of the first by up to 2^14 are exact.
static constexpr float kLog2E = 1.44269502f, kLn2High = 0.693359375f,
                       kLn2Low = 2.12194442e-4f;

static float exponential(const std::vector<float> &series, float x) {
  x = floats::flushed(x);
  // In this order both keep a NaN.
  x = -103.0f > x ? -103.0f : x;
  x = 88.0f <= x ? 88.0f : x;
  float k = float(floats::wholeNumber(floats::multiply(x, kLog2E),
                                      int64_t(Rounding::HalfToEven)));
  float r = floats::subtract(x, floats::multiply(k, kLn2High));
  r = floats::add(r, floats::multiply(k, kLn2Low));
  float p = floats::polynomial(DataType::Fp32, series, r);
  int exponent = floats::isNaN(k) ? 0 : int(k);
  float scale = floats::floatFromBits(
      exponent < -127 ? 0 : uint32_t(exponent + 127) << 23);
  return floats::multiply(p, scale);
}

static rt::Status evaluateExp(const Call &, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  std::vector<float> series = seriesOf(/*EXP*/ 0, DataType::Fp32, 10);
  for (int64_t i = 0; i < dst.elements(); ++i)
    floats::narrow(dst, i, exponential(series, floats::widened(src, i)),
                   Rounding::HalfToEven);
  return {};
}

static float logarithm(const std::vector<float> &series, float x) {
  uint32_t bits = floats::floatBits(x);
  if ((bits & 0x7f800000) == 0)
    return -INFINITY;
  if (bits > 0x7f800000) // NaN or negative
    return floats::floatFromBits(0x7fc00000);
  if (bits == 0x7f800000)
    return INFINITY;
  // x = (1 + z) * 2^k with 1 + z from 2/3 to 4/3.
  uint32_t moved = bits + (0x3f800000 - 0x3f2aaaab);
  float k = float(int32_t(moved >> 23) - 127);
  float z = floats::subtract(
      floats::floatFromBits((moved & 0x7fffff) + 0x3f2aaaab), 1.0f);
  float p = floats::polynomial(DataType::Fp32, series, z);
  p = floats::add(p, floats::multiply(k, -kLn2Low));
  return floats::add(p, floats::multiply(k, kLn2High));
}

static rt::Status evaluateLogx(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  LaneTables tables(values.at("coeff"), 16, call.chip->lanes);
  float factor = float(1 / std::log(double(float(call.real("x")))));
  eachElement(dst.shape, [&](int64_t i, int64_t, int64_t c, int64_t, int64_t) {
    float log = logarithm(tables.ofChannel(c), floats::widened(src, i));
    floats::narrow(dst, i, floats::multiply(log, factor), Rounding::HalfToEven);
  });
  return {};
}

//===----------------------------------------------------------------------===//
// Bits of numbers
//===----------------------------------------------------------------------===//

static rt::Status evaluateExponent(const Call &, Values &values) {
  Dense &dst = values.at("dst");
  const Dense &src = values.at("src");
  unsigned width = bitsOf(src.type),
           fractionBits = src.type == DataType::Fp32   ? 23
                          : src.type == DataType::Fp16 ? 10
                                                       : 7;
  // A third of the fraction's range, to the nearest.
  uint64_t third = ((uint64_t(2) << fractionBits) + 3) / 6;
  for (int64_t i = 0; i < dst.elements(); ++i) {
    uint64_t bits = src.bits(i), sign = bits >> (width - 1),
             fraction = bits & ((uint64_t(1) << fractionBits) - 1);
    uint64_t exponent = (bits - (sign << (width - 1))) >> fractionBits;
    dst.setBits(i, exponent + (sign == 0 && fraction > third));
  }
  return {};
}

template <bool ones>
static rt::Status evaluateCount(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Tensor *tensor = call.tensor("src");
  Operand src(call, values, "src", tensor ? tensor->type : dst.type);
  unsigned width = bitsOf(src.type());
  eachElement(
      dst.shape, [&](int64_t i, int64_t n, int64_t c, int64_t h, int64_t w) {
        uint64_t bits = src.bits(src.at(n, c, h, w));
        unsigned count = 0;
        while (count < width && (bits >> (width - 1 - count) & 1) == ones)
          ++count;
        dst.setBits(i, count);
      });
  return {};
}

static rt::Status evaluateDistribution(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  std::optional<CoefficientTable> table =
      coefficientTable(call.integer("static_mem_mode"), dst.type);
  std::vector<uint32_t> entries =
      coefficients(*table, dst.type, unsigned(dst.shape[1]));
  for (int64_t c = 0; c < dst.shape[1]; ++c)
    dst.setBits(c, entries[size_t(c)]);
  return {};
}

std::vector<EvaluatorRow> catalog::tiuSpecialEvaluators() {
  return {
      {"tiu.fadd_sqr", evaluateLinear<Linear::SumSquare>},
      {"tiu.fsub_sqr", evaluateLinear<Linear::DifferenceSquare>},
      {"tiu.fscale", evaluateLinear<Linear::Scale>},
      {"tiu.taylor", evaluateTaylor},
      {"tiu.fexp_base", evaluateCore<0, 10>},
      {"tiu.flog_base", evaluateCore<1, 16>},
      {"tiu.fsin_base", evaluateCore<2, 16>},
      {"tiu.fcos_base", evaluateCore<3, 16>},
      {"tiu.ftan_base", evaluateCore<4, 16>},
      {"tiu.farcsin_base", evaluateCore<5, 16>},
      {"tiu.ferf_base", evaluateCore<6, 10>},
      {"tiu.fexp", evaluateExp},
      {"tiu.flogx", evaluateLogx},
      {"tiu.norm", evaluateExponent},
      {"tiu.fexp_part", evaluateExponent},
      {"tiu.clz", evaluateCount<false>},
      {"tiu.clo", evaluateCount<true>},
      {"tiu.smem_dist", evaluateDistribution},
  };
}
