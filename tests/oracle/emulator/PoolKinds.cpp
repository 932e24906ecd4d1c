/// Pooling and depthwise convolution.
#include "tests/oracle/emulator/WindowFields.h"

namespace weft::oracle {
namespace {

Command poolCommand(Random &random, Precision in, Precision out,
                    unsigned func) {
  Command c = tiuCommand(random.coin(4) ? Form::PorD : Form::sPorD, 1, func);
  Places places(random);
  Window w = setWindow(c, random);
  unsigned channels =
      unsigned(random.coin(3) ? random.in(60, 70) : random.in(1, 20));
  setResult(c, unsigned(random.in(1, 2)), channels, w.outputH, w.outputW);
  c.set(Field::opd0_prec, unsigned(in)).set(Field::res0_prec, unsigned(out));
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
  c.set(Field::opd3_const, 1);
  bool isFloat = isa::isFloat(in);
  if (func == 4) {
    c.set(Field::opd3_addr, in == Precision::Fp32   ? 0xbf800000
                            : in == Precision::Int8 ? random.bits() & 0x7f
                                                    : 0x3c40);
    return c;
  }
  if (func == 1) {
    c.set(Field::opd1_const, 1);
    c.set(Field::opd1_addr, isFloat ? (in == Precision::Fp32   ? 0x3de38e39
                                       : in == Precision::Fp16 ? 0x2f1c
                                                               : 0x3de4)
                                    : uint64_t(random.in(1, 255)));
    if (!isFloat)
      c.set(Field::opd2_addr, uint64_t(random.in(0, 12)));
    return c;
  }
  bool constant = random.coin();
  c.set(Field::opd1_addr, places.operand(1));
  c.set(Field::opd2_const, constant)
      .set(Field::opd2_addr, constant ? 0 : places.operand(2));
  c.set(Field::opd2_sign, 1);
  if (!isFloat && out != Precision::Int32)
    c.set(Field::res1_addr, uint64_t(random.in(0, 15)) << 8);
  return c.set(Field::opd2_n_str, uint64_t(isFloat ? 0 : random.in(0, 6)));
}

} // namespace

void addPoolKinds(std::vector<Kind> &kinds) {
  using P = Precision;
  for (P p : {P::Fp32, P::Fp16, P::Bf16, P::Int8}) {
    const char *name = p == P::Fp32   ? "fp32"
                       : p == P::Fp16 ? "fp16"
                       : p == P::Bf16 ? "bf16"
                                      : "int8";
    for (unsigned func : {0u, 1u, 2u, 4u})
      kinds.push_back({std::string("pord_") + std::to_string(func) + "_" + name,
                       contentsFor(p), [=](Random &random) {
                         P out = p;
                         if (p == P::Int8 && (func == 0 || func == 1))
                           out =
                               func == 0
                                   ? random.pick({P::Int8, P::Int16, P::Int32})
                                   : P::Int8;
                         return poolCommand(random, p, out, func);
                       }});
  }
}

} // namespace weft::oracle
