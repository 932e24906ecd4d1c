/// Requantise and dequantise (RQDQ): constants and parameter rows of any value.
#include "tests/oracle/emulator/ElementFields.h"

#include "runtime/numeric/BitCast.h"

#include <cmath>

namespace weft::oracle {
namespace {

namespace quant = isa::quant;

/// A scale or an offset: mostly ordinary, now and then special.
uint32_t randomScale(Random &random) {
  if (random.coin(8))
    return randomConstant(random, Precision::Fp32);
  float value = std::ldexp(1.0f + float(random.bits() >> 9) * 0x1p-23f,
                           int(random.in(-24, 6)));
  return numeric::floatBits(random.coin() ? value : -value);
}

uint32_t randomMultiplier(Random &random) {
  return random.coin(6) ? randomConstant(random, Precision::Int32)
                        : random.bits();
}

/// Mostly to the right by what a product of 47 to 63 bits needs.
uint32_t randomShift(Random &random) {
  return uint32_t(random.coin(6) ? random.in(-128, 127) : -random.in(0, 60));
}

uint32_t randomZeroPoint(Random &random) {
  return random.coin(6) ? random.bits() : uint32_t(random.in(-140, 270));
}

/// Word `index` of the memory pattern: the first three of each row are the
/// parameters of a channel.
uint32_t rowWord(unsigned func, Random &random, size_t index) {
  const size_t place = index % 16;
  switch (func) {
  case quant::Rq0:
    return place < 2 ? randomScale(random) : random.bits();
  case quant::Rq1:
    return place == 0   ? randomMultiplier(random)
           : place == 1 ? randomShift(random)
           : place == 2 ? randomZeroPoint(random)
                        : random.bits();
  case quant::Dq0:
    return place == 0   ? randomZeroPoint(random)
           : place == 1 ? randomScale(random)
                        : random.bits();
  default:
    return place == 0   ? randomZeroPoint(random)
           : place == 1 ? randomMultiplier(random)
           : place == 2 ? randomShift(random)
                        : random.bits();
  }
}

void setConstants(Command &c, Random &random, unsigned func) {
  const uint32_t zero = randomZeroPoint(random) & 0xffff,
                 shift = randomShift(random);
  switch (func) {
  case quant::Rq0:
    c.set(Field::opd1_addr, randomScale(random))
        .set(Field::opd2_addr, randomScale(random));
    return;
  case quant::Rq1:
    c.set(Field::opd1_addr, randomMultiplier(random))
        .set(Field::opd2_addr, zero << 16 | (shift & 0xff));
    return;
  case quant::Dq0:
    c.set(Field::opd1_addr, zero).set(Field::opd2_addr, randomScale(random));
    return;
  default:
    c.set(Field::opd1_addr, shift << 16 | zero)
        .set(Field::opd2_addr, randomMultiplier(random));
    return;
  }
}

Command quantCommand(Random &random, unsigned func, bool constant) {
  const bool quantizes = func == quant::Rq0 || func == quant::Rq1;
  const Precision narrow = random.pick({Precision::Int8, Precision::Int16});
  const Precision in =
      quantizes ? random.pick({Precision::Int32, Precision::Int16}) : narrow;
  const Precision out = func == quant::Dq0
                            ? Precision::Fp32
                            : random.pick({Precision::Int8, Precision::Int16});
  Command c = tiuCommand(formFor(random, Form::sRQDQ, Form::RQDQ), 4, func);
  ElementShape shape = randomElementShape(random);
  Places places(random);
  setShape(c, shape);
  // rq0 has a code for each of its two conversions, the last one to integers.
  const uint64_t rounding = uint64_t(random.in(0, 6)),
                 last = func == quant::Rq0 ? uint64_t(random.in(0, 4)) : 0;
  c.set(Field::opd0_prec, unsigned(in))
      .set(Field::res0_prec, unsigned(out))
      .set(Field::opd0_sign, random.coin())
      .set(Field::opd2_sign, random.coin())
      .set(Field::opd2_n_str, last << 3 | rounding)
      .set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_const, constant)
      .set(Field::opd1_addr, places.operand(1));
  if (constant)
    setConstants(c, random, func);
  return c;
}

} // namespace

void addQuantKinds(std::vector<Kind> &kinds) {
  for (unsigned func : {unsigned(quant::Rq0), unsigned(quant::Rq1),
                        unsigned(quant::Dq0), unsigned(quant::Dq1)}) {
    kinds.push_back(
        {"rqdq_" + std::to_string(func) + "_constant", Contents::Bytes,
         [=](Random &random) { return quantCommand(random, func, true); }});
    Kind rows = {
        "rqdq_" + std::to_string(func) + "_channel", Contents::Bytes,
        [=](Random &random) { return quantCommand(random, func, false); }};
    rows.word = [=](Random &random, size_t index) {
      return rowWord(func, random, index);
    };
    kinds.push_back(rows);
  }
}

} // namespace weft::oracle
