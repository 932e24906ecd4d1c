/// sRQDQ: requantise and dequantise.
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Tiu.h"

#include "runtime/numeric/Rounding.h"

#include <algorithm>

namespace weft::emulator::tiu {
namespace {

using numeric::Rounding;

struct QuantCommand {
  ElementKind input, result;
  LocalView inputView, resultView, parameters;
  bool isConstant = false;
  uint32_t first = 0, second = 0; ///< constants
  Rounding rounding = Rounding::HalfToEven;
  /// Of the last conversion of rq0, whose `rounding` is that of the first one.
  Rounding resultRounding = Rounding::HalfToEven;
};

/// The numbers of one channel, by function.
struct ChannelParameters {
  int64_t multiplier = 0;
  int shift = 0;
  int64_t zeroPoint = 0;
  float scale = 0, offset = 0;
};

/// Zero points have 16 bits and the sign of the quantised side.
int64_t zeroPoint(uint32_t bits, bool isSigned) {
  return isSigned ? int64_t(static_cast<int16_t>(bits))
                  : int64_t(static_cast<uint16_t>(bits));
}

ChannelParameters fromConstants(unsigned func, const QuantCommand &q) {
  ChannelParameters p;
  switch (func) {
  case isa::quant::Rq0:
    p.scale = numeric::floatFromBits(q.first);
    p.offset = numeric::floatFromBits(q.second);
    break;
  case isa::quant::Rq1:
    p.multiplier = static_cast<int32_t>(q.first);
    p.shift = static_cast<int8_t>(q.second);
    p.zeroPoint = zeroPoint(q.second >> 16, q.result.isSigned);
    break;
  case isa::quant::Dq0:
    p.zeroPoint = zeroPoint(q.first, q.input.isSigned);
    p.scale = numeric::floatFromBits(q.second);
    break;
  default: // dq1; the zero point has the sign of the input
    p.shift = static_cast<int8_t>(q.first >> 16);
    p.zeroPoint = zeroPoint(q.first, q.input.isSigned);
    p.multiplier = static_cast<int32_t>(q.second);
    break;
  }
  return p;
}

ChannelParameters fromRow(unsigned func, const QuantCommand &q,
                          const uint8_t *row) {
  ChannelParameters p;
  switch (func) {
  case isa::quant::Rq0:
    p.scale = loadAs<float>(row);
    p.offset = loadAs<float>(row + 4);
    break;
  case isa::quant::Rq1:
    p.multiplier = loadAs<int32_t>(row);
    p.shift = loadAs<int8_t>(row + 4);
    p.zeroPoint = zeroPoint(loadAs<uint32_t>(row + 8), q.result.isSigned);
    break;
  case isa::quant::Dq0:
    p.zeroPoint = zeroPoint(loadAs<uint32_t>(row), q.input.isSigned);
    p.scale = loadAs<float>(row + 4);
    break;
  default:
    p.zeroPoint = zeroPoint(loadAs<uint32_t>(row), q.input.isSigned);
    p.multiplier = loadAs<int32_t>(row + 4);
    p.shift = loadAs<int8_t>(row + 8);
    break;
  }
  return p;
}

WEFT_VECTOR_CLONES
void multiplyShift(int64_t *values, unsigned n, const ChannelParameters &p,
                   Rounding rounding, ElementKind result) {
  const int64_t low = result.lowest(), high = result.highest();
  // Far beyond any result, so that adding the zero point cannot wrap.
  constexpr int64_t kFar = int64_t(1) << 40;
  auto finish = [&](int64_t x) {
    x = numeric::clampTo(x, -kFar, kFar) + p.zeroPoint;
    return x < low ? low : (x > high ? high : x);
  };
  if (p.shift < 0 && p.shift >= -62 && rounding == Rounding::HalfUp) {
    // (x + half) >> shift: the common case, kept free of branches for the
    // vectoriser.
    int shift = -p.shift;
    int64_t half = int64_t(1) << (shift - 1);
    for (unsigned i = 0; i < n; ++i)
      values[i] = finish((values[i] * p.multiplier + half) >> shift);
    return;
  }
  // Shifts to the left count modulo 64, those to the right stop at 63.
  for (unsigned i = 0; i < n; ++i) {
    const int64_t product = values[i] * p.multiplier;
    values[i] =
        finish(p.shift < 0 ? numeric::shiftRightRounded(
                                 product, std::min(-p.shift, 63), rounding)
                           : int64_t(uint64_t(product) << (p.shift & 63)));
  }
}

void convertRow(unsigned func, const QuantCommand &q,
                const ChannelParameters &p, int64_t *values, uint8_t *out,
                unsigned count) {
  float floats[kRowElements];
  const int64_t low = q.result.lowest(), high = q.result.highest();
  switch (func) {
  case isa::quant::Rq0:
    for (unsigned i = 0; i < count; ++i) {
      float scaled = numeric::integerToFloat(values[i], q.rounding) * p.scale;
      values[i] = numeric::roundToInteger(scaled + p.offset, q.resultRounding,
                                          low, high);
    }
    return storeIntegers(out, q.resultView.stride.w, q.result.precision, values,
                         count);
  case isa::quant::Dq0:
    for (unsigned i = 0; i < count; ++i)
      floats[i] =
          multiplyOrdered(static_cast<float>(values[i] - p.zeroPoint), p.scale);
    return storeFloats(out, q.resultView.stride.w, q.result.precision, floats,
                       count);
  case isa::quant::Dq1: {
    ChannelParameters shifted = p;
    shifted.zeroPoint = 0;
    for (unsigned i = 0; i < count; ++i)
      values[i] -= p.zeroPoint;
    multiplyShift(values, count, shifted, q.rounding, q.result);
    break;
  }
  default:
    multiplyShift(values, count, p, q.rounding, q.result);
    break;
  }
  storeIntegers(out, q.resultView.stride.w, q.result.precision, values, count);
}

} // namespace

Status quant(Machine &machine, const Decoded &c) {
  unsigned func = c.func;
  if (func == isa::quant::Rq2 || func == isa::quant::Dq2)
    return unsupported(c, "any operands");
  QuantCommand q;
  Shape4 shape = resultShape(c);
  q.input = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  q.result = {precisionOf(c, Field::res0_prec), c.get(Field::opd2_sign) != 0};
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     q.result.precision, shape, Layout::Aligned, q.resultView));
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr),
                     q.input.precision, shape, Layout::Aligned, q.inputView));
  if (q.input.precision == Precision::Int32)
    q.input.isSigned = true;
  if (q.input.isFloat())
    return unsupported(c, "a float operand");
  const bool quantizes = func == isa::quant::Rq0 || func == isa::quant::Rq1;
  if (q.input.precision == (quantizes ? Precision::Int8 : Precision::Int32))
    return unsupported(c, "an operand of this width");
  if (func == isa::quant::Dq0
          ? q.result.precision != Precision::Fp32
          : q.result.isFloat() ||
                (quantizes && q.result.precision == Precision::Int32))
    return unsupported(c, "this result type");
  if (q.result.precision == Precision::Int32)
    q.result.isSigned = true;
  // Three bits a code: rq0 converts to fp32 with the low ones and to the result
  // with the next ones.
  const unsigned codes = get32(c, Field::opd2_n_str);
  const unsigned rounding = codes & 7, last = codes >> 3 & 7;
  if (rounding >= numeric::kRoundingModes)
    return failf(Code::BadCommand, "rounding code %u; the machine has 0 to 6",
                 rounding);
  if (func == isa::quant::Rq0 && last > unsigned(Rounding::Ceil))
    return failf(Code::BadCommand,
                 "rq0 to integers with rounding code %u; it takes 0 to 4",
                 last);
  q.rounding = static_cast<Rounding>(rounding);
  if (func == isa::quant::Rq0)
    q.resultRounding = static_cast<Rounding>(last);
  q.isConstant = c.get(Field::opd1_const);
  q.first = get32(c, Field::opd1_addr);
  q.second = get32(c, Field::opd2_addr);
  // One 64-byte row a channel with two or three numbers.
  uint32_t words = func == isa::quant::Rq1 || func == isa::quant::Dq1 ? 3 : 2;
  if (!q.isConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", q.first, Precision::Int32,
                       {1, shape.c, 1, words}, Layout::Aligned, q.parameters));
  ChannelParameters p = fromConstants(func, q);
  int64_t values[kRowElements];
  uint32_t plane = shape.h * shape.w;
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch) {
      if (!q.isConstant)
        p = fromRow(func, q, q.parameters.at(0, ch));
      for (uint32_t i = 0; i < plane; i += kRowElements) {
        unsigned count = plane - i < kRowElements ? plane - i : kRowElements;
        loadIntegers(q.inputView.at(n, ch) + i * q.inputView.bytes,
                     q.inputView.bytes, q.input, values, count);
        convertRow(func, q, p, values,
                   q.resultView.at(n, ch) + i * q.resultView.bytes, count);
      }
    }
  return Status::ok();
}

} // namespace weft::emulator::tiu
