/// sSFU (Taylor series, reciprocal root, normalize) and sLIN (per-channel
/// linear).
#include "runtime/emulator/FloatOrder.h"
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
    if (precision == Precision::Bf16)
      for (unsigned i = 0; i < count; ++i)
        out[i] = multiplyOf(precision, out[i], x[i]);
    else
      for (unsigned i = 0; i < count; ++i)
        out[i] = out[i] * x[i];
    roundFloats(precision, out, count);
    for (unsigned i = 0; i < count; ++i)
      out[i] = out[i] + table[k];
    roundFloats(precision, out, count);
  }
  if (precision != Precision::Fp32) // one NaN for all
    return;
  for (unsigned i = 0; i < count; ++i)
    if (isNaN(out[i])) {
      out[i] = table[terms - 1];
      for (unsigned k = terms - 1; k-- > 0;)
        out[i] = addOrdered(multiplyOrdered(out[i], x[i]), table[k]);
    }
}

Status taylor(Machine &machine, const Decoded &c, const LocalView &in,
              const LocalView &out, Precision precision) {
  uint32_t terms = get32(c, Field::opd1_n);
  LocalView table;
  // Every lane that computes holds its own copy of the table.
  const Lanes &all = machine.lanes();
  uint32_t lanes = in.shape.c < all.count ? in.shape.c : all.count;
  if (terms < 2)
    return failf(Code::BadCommand,
                 "a Taylor series of %u coefficients; it takes at least 2",
                 terms);
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
      uint32_t lane = all.lane(table.lane0 + ch);
      loadFloats(machine.local() + all.start(lane) + table.offset, table.bytes,
                 precision, coefficients, terms);
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

/// Rows of `count` elements between two tensors.
struct RowPair {
  const uint8_t *from;
  uint8_t *to;
  unsigned count;
};

/// Walks two aligned tensors of one shape. body(RowPair).
template <class Body>
void eachRow(const LocalView &in, const LocalView &out, Body body) {
  const uint32_t plane = in.shape.h * in.shape.w;
  for (uint32_t n = 0; n < in.shape.n; ++n)
    for (uint32_t ch = 0; ch < in.shape.c; ++ch)
      for (uint32_t i = 0; i < plane; i += kRowElements)
        body(RowPair{in.at(n, ch) + i * in.bytes, out.at(n, ch) + i * out.bytes,
                     plane - i < kRowElements ? plane - i : kRowElements});
}

/// The power of two nearest to x on a scale where 4/3 is the middle of 1 and 2,
/// or its biased exponent. The exponent of a negative number is not raised, and
/// the largest one wraps to zero in a float result.
Status normalize(const Decoded &c, const LocalView &in, const LocalView &out,
                 Precision input, Precision result) {
  const bool is32 = input == Precision::Fp32;
  const bool toInteger = result == (is32 ? Precision::Int32 : Precision::Int16);
  if (!toInteger && result != input)
    return unsupported(c, "a result of another width");
  const unsigned exponentBits = input == Precision::Fp16 ? 5 : 8;
  const unsigned fractionBits = (is32 ? 32 : 16) - 1 - exponentBits;
  // 1/3 rounded to the fraction's bits.
  const int64_t third = is32 ? 0x2aaaab : input == Precision::Fp16 ? 0x155 : 43;
  eachRow(in, out, [&](const RowPair &row) {
    int64_t values[kRowElements];
    loadIntegers(row.from, in.bytes, {input, false}, values, row.count);
    for (unsigned i = 0; i < row.count; ++i) {
      const int64_t sign = values[i] >> (fractionBits + exponentBits);
      const int64_t mask = (int64_t(1) << exponentBits) - 1;
      const int64_t fraction = values[i] & ((int64_t(1) << fractionBits) - 1);
      int64_t exponent = values[i] >> fractionBits & mask;
      exponent += sign == 0 && fraction > third;
      values[i] = toInteger ? exponent
                            : (sign << exponentBits | (exponent & mask))
                                  << fractionBits;
    }
    storeIntegers(row.to, out.bytes, result, values, row.count);
  });
  return Status::ok();
}

/// fp32 only: of a half the vendor's emulator takes the bits for an fp32.
Status rsqrt(const Decoded &c, const LocalView &in, const LocalView &out,
             Precision input, Precision result) {
  if (input != Precision::Fp32 || result != Precision::Fp32)
    return unsupported(c, "operands other than fp32");
  const unsigned steps = (get32(c, Field::opd2_n_str) & 3) + 1;
  eachRow(in, out, [&](const RowPair &row) {
    float x[kRowElements];
    loadFloats(row.from, in.bytes, input, x, row.count);
    for (unsigned k = 0; k < row.count; ++k)
      x[k] = reciprocalRoot(x[k], steps);
    storeFloats(row.to, out.bytes, result, x, row.count);
  });
  return Status::ok();
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
  return c.func == sfu::Rsqrt ? rsqrt(c, in, out, input, result)
                              : normalize(c, in, out, input, result);
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
          x[j] = c.func == lin::Mac         ? multiplyOf(precision, x[j], k)
                 : c.func == lin::SquareSum ? addOrdered(x[j], k)
                                            : chooseNaN(x[j], k, x[j] - k);
        roundFloats(precision, x, count);
        for (unsigned j = 0; j < count; ++j)
          x[j] = hasOffset ? addOrdered(x[j], q)
                           : multiplyOf(precision, x[j], x[j]);
        storeFloats(out.at(n, ch) + i * out.bytes, out.bytes, precision, x,
                    count);
      }
    }
  return Status::ok();
}

} // namespace weft::emulator::tiu
