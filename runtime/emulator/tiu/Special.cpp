/// sSFU (Taylor series, reciprocal root, normalize) and sLIN (per-channel
/// linear).
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {
namespace {

/// Horner's rule c0 + x (c1 + x (c2 + ...)); every multiply and every add is
/// rounded.
void taylorRow(Precision precision, const float *table, unsigned terms,
               const float *x, float *out, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    out[i] = table[terms - 1];
  for (unsigned k = terms - 1; k-- > 0;) {
    for (unsigned i = 0; i < count; ++i)
      out[i] = out[i] * x[i];
    roundFloats(precision, out, count);
    for (unsigned i = 0; i < count; ++i)
      out[i] = out[i] + table[k];
    roundFloats(precision, out, count);
  }
}

Status taylor(Machine &machine, const Decoded &c, const LocalView &in,
              const LocalView &out, Precision precision) {
  uint32_t terms = get32(c, Field::opd1_n);
  LocalView table;
  // Every lane that computes holds its own copy of the table.
  uint32_t lanes = in.shape.c < kLanes ? in.shape.c : kLanes;
  if (terms == 0)
    return failf(Code::BadCommand, "a Taylor series without coefficients");
  uint64_t address = c.get(Field::opd1_addr);
  WEFT_TRY(viewLocal(machine, "coefficients", address,
                     isa::elementBytes(precision), {1, lanes, 1, terms},
                     {0, 0, 0, 1}, table));
  float coefficients[1024], x[kRowElements], y[kRowElements];
  if (terms > 1024)
    return failf(Code::BadCommand,
                 "%u Taylor coefficients; the emulator takes at most 1024",
                 terms);
  uint32_t plane = in.shape.h * in.shape.w;
  for (uint32_t n = 0; n < in.shape.n; ++n)
    for (uint32_t ch = 0; ch < in.shape.c; ++ch) {
      uint32_t lane = (table.lane0 + ch) % kLanes;
      loadFloats(machine.local() + size_t(lane) * kLaneBytes + table.offset,
                 table.bytes, precision, coefficients, terms);
      for (uint32_t i = 0; i < plane; i += kRowElements) {
        unsigned count = plane - i < kRowElements ? plane - i : kRowElements;
        loadFloats(in.at(n, ch) + i * in.bytes, in.bytes, precision, x, count);
        taylorRow(precision, coefficients, terms, x, y, count);
        storeFloats(out.at(n, ch) + i * out.bytes, out.bytes, precision, y,
                    count);
      }
    }
  return Status::ok();
}

/// Biased exponent of the power of two nearest to x on a scale where 4/3 is the
/// middle of 1 and 2; negative numbers are rounded toward zero.
uint32_t roundedExponent(float x) {
  uint32_t bits = numeric::floatBits(x);
  uint32_t exponent = (bits >> 23) & 0xff;
  return exponent + (bits < 0x80000000u && (bits & 0x7fffffu) > 0x2aaaabu);
}

} // namespace

Status special(Machine &machine, const Decoded &c) {
  namespace sfu = isa::sfu;
  Shape4 shape = resultShape(c);
  Precision input = precisionOf(c, Field::opd0_prec),
            result = precisionOf(c, Field::res0_prec);
  LocalView in, out;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), input,
                     shape, Layout::Aligned, in));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), result, shape,
                     Layout::Aligned, out));
  if (!isa::isFloat(input))
    return unsupported(c, "an integer operand");
  if (c.func == sfu::Taylor || c.func == sfu::Taylor4x)
    return result == input ? taylor(machine, c, in, out, input)
                           : unsupported(c, "a result of another type");
  unsigned steps = get32(c, Field::opd2_n_str) + 1;
  bool toInteger = result == Precision::Int32 || result == Precision::Int16;
  if (c.func == sfu::Rsqrt && result != input)
    return unsupported(c, "a result of another type");
  if (c.func == sfu::Normalize && !toInteger && result != input)
    return unsupported(c, "a result of another type");
  uint32_t plane = shape.h * shape.w;
  float x[kRowElements];
  int64_t integers[kRowElements];
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch)
      for (uint32_t i = 0; i < plane; i += kRowElements) {
        unsigned count = plane - i < kRowElements ? plane - i : kRowElements;
        uint8_t *to = out.at(n, ch) + i * out.bytes;
        loadFloats(in.at(n, ch) + i * in.bytes, in.bytes, input, x, count);
        for (unsigned k = 0; k < count; ++k) {
          integers[k] = roundedExponent(x[k]);
          x[k] = c.func == sfu::Rsqrt
                     ? reciprocalRoot(x[k], steps)
                     : numeric::floatFromBits(
                           (numeric::floatBits(x[k]) & 0x80000000u) |
                           uint32_t(integers[k]) << 23);
        }
        if (c.func == sfu::Normalize && toInteger)
          storeIntegers(to, out.bytes, result, integers, count);
        else
          storeFloats(to, out.bytes, result, x, count);
      }
  return Status::ok();
}

Status linear(Machine &machine, const Decoded &c) {
  namespace lin = isa::lin;
  Shape4 shape = resultShape(c);
  Precision precision = precisionOf(c, Field::res0_prec);
  LocalView in, out, scales, offsets;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), precision,
                     shape, Layout::Aligned, in));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), precision,
                     shape, Layout::Aligned, out));
  if (!isa::isFloat(precision))
    return unsupported(c, "an integer operand");
  bool scaleIsConstant = c.get(Field::opd1_const),
       offsetIsConstant = c.get(Field::opd2_const);
  bool hasOffset = c.func == lin::Mac;
  if (!scaleIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr), precision,
                       {1, shape.c, 1, 1}, Layout::Compact, scales));
  if (hasOffset && !offsetIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 2", c.get(Field::opd2_addr), precision,
                       {1, shape.c, 1, 1}, Layout::Compact, offsets));
  float k = floatConstant(get32(c, Field::opd1_addr), precision);
  float q = floatConstant(get32(c, Field::opd2_addr), precision);
  uint32_t plane = shape.h * shape.w;
  float x[kRowElements];
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch) {
      if (!scaleIsConstant)
        loadFloats(scales.at(0, ch), 0, precision, &k, 1);
      if (hasOffset && !offsetIsConstant)
        loadFloats(offsets.at(0, ch), 0, precision, &q, 1);
      for (uint32_t i = 0; i < plane; i += kRowElements) {
        unsigned count = plane - i < kRowElements ? plane - i : kRowElements;
        loadFloats(in.at(n, ch) + i * in.bytes, in.bytes, precision, x, count);
        for (unsigned j = 0; j < count; ++j)
          x[j] = c.func == lin::Mac
                     ? x[j] * k
                     : (c.func == lin::SquareSum ? x[j] + k : x[j] - k);
        roundFloats(precision, x, count);
        for (unsigned j = 0; j < count; ++j)
          x[j] = hasOffset ? x[j] + q : x[j] * x[j];
        storeFloats(out.at(n, ch) + i * out.bytes, out.bytes, precision, x,
                    count);
      }
    }
  return Status::ok();
}

} // namespace weft::emulator::tiu
