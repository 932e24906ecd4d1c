#include "tests/oracle/emulator/ElementFields.h"

namespace weft::oracle {

const OperandFields kResultFields = {
    Field::res0_addr,  Field::opd0_const /* has none */,
    Field::res0_str,   Field::res0_n_str,
    Field::res0_c_str, Field::res0_h_str,
    Field::res0_w_str};
const OperandFields kFirstFields = {
    Field::opd0_addr,  Field::opd0_const, Field::opd0_str,  Field::opd0_n_str,
    Field::opd0_c_str, Field::opd0_h_str, Field::opd0_w_str};
const OperandFields kSecondFields = {
    Field::opd1_addr,  Field::opd1_const, Field::opd1_str,  Field::opd1_n_str,
    Field::opd1_c_str, Field::opd1_h_str, Field::opd1_w_str};

const char *nameOf(Precision precision) {
  static const char *const names[] = {"int8",  "fp16",  "fp32",
                                      "int16", "int32", "bf16"};
  return names[unsigned(precision)];
}

ElementShape randomElementShape(Random &random) {
  if (random.coin(12)) { // beyond the 512 elements that are processed at a time
    const bool oneRow = random.coin();
    return {1, unsigned(random.in(1, 20)),
            oneRow ? 1 : unsigned(random.in(2, 5)),
            unsigned(oneRow ? random.in(500, 1100) : random.in(100, 220))};
  }
  return {unsigned(random.in(1, 2)),
          unsigned(random.coin(4) ? random.in(60, 70) : random.in(1, 20)),
          unsigned(random.in(1, 5)),
          unsigned(random.coin(4) ? random.in(30, 70) : random.in(1, 20))};
}

void setShape(Command &command, const ElementShape &shape) {
  setResult(command, shape.n, shape.c, shape.h, shape.w);
}

Form formFor(Random &random, Form shortForm, Form longForm) {
  return random.coin(4) ? longForm : shortForm;
}

Precision randomInteger(Random &random) {
  return random.pick({Precision::Int8, Precision::Int16, Precision::Int32});
}

Precision randomIntegerUpTo(Random &random, unsigned bytes) {
  for (;;) {
    Precision precision = randomInteger(random);
    if (isa::elementBytes(precision) <= bytes)
      return precision;
  }
}

uint32_t randomConstant(Random &random, Precision precision) {
  if (random.coin())
    return random.bits();
  switch (precision) {
  case Precision::Fp32:
    return random.pick<uint32_t>({0, 0x80000000, 0x3f800000, 0xbfc00000,
                                  0x40490fdb, 0x7f800000, 0xff800000,
                                  0x7fc00000, 0xff800001, 0x00000001,
                                  0x7f7fffff, 0x00800000});
  case Precision::Fp16:
    return random.pick<uint32_t>({0, 0x8000, 0x3c00, 0xbe00, 0x4248, 0x7c00,
                                  0xfc00, 0x7e00, 0xfc01, 0x0001, 0x7bff});
  case Precision::Bf16:
    return random.pick<uint32_t>({0, 0x8000, 0x3f80, 0xbfc0, 0x4049, 0x7f80,
                                  0xff80, 0x7fc0, 0xff81, 0x0001, 0x7f7f});
  default:
    return random.pick<uint32_t>({0, 1, 0xffffffff, 0x7f, 0x80, 0x7fff, 0x8000,
                                  0x7fffffff, 0x80000000, 0x55555555});
  }
}

void setLayout(Command &command, Random &random, const OperandFields &fields,
               const ElementShape &shape, bool isResult) {
  unsigned code = unsigned(random.in(0, isResult ? 1 : 2));
  if (random.coin(4)) {
    code = 3;
    const unsigned step = random.coin(4) ? 2 : 1;
    const unsigned row = shape.w * step + unsigned(random.in(0, 3)),
                   plane = shape.h * row + unsigned(random.in(0, 5));
    auto repeated = [&] { return !isResult && random.coin(6); };
    command.set(fields.w, repeated() ? 0 : step)
        .set(fields.h, repeated() ? 0 : row)
        .set(fields.c, repeated() ? 0 : plane)
        .set(fields.n, repeated() ? 0 : plane * 3);
  }
  command.set(fields.layout, code);
}

} // namespace weft::oracle
