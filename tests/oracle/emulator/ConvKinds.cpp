/// Convolutions.
#include "tests/oracle/emulator/WindowFields.h"

namespace weft::oracle {
namespace {

struct ConvTypes {
  Precision in, out;
  unsigned func;
};

/// Operand 0 with explicit strides of whole elements, in any order of size.
void setInputStrides(Command &c, Random &random, const Window &w) {
  uint64_t wStride = uint64_t(random.in(1, 3));
  uint64_t hStride = w.inputW * wStride + uint64_t(random.in(0, 4));
  uint64_t cStride = w.inputH * hStride + uint64_t(random.in(0, 4));
  uint64_t nStride = 3 * cStride + uint64_t(random.in(0, 9));
  if (random.coin(6))
    hStride = 0; // every row the same
  if (random.coin(6))
    nStride = cStride; // images overlap
  c.set(Field::opd0_str, 3);
  c.set(Field::opd0_n_str, nStride).set(Field::opd0_c_str, cStride);
  c.set(Field::opd0_h_str, hStride).set(Field::opd0_w_str, wStride);
}

void setConvConstants(Command &c, Random &random, const ConvTypes &types,
                      const Places &places, const Places &input) {
  bool isFloat = isa::isFloat(types.in), requantised = types.func != 0;
  bool weightIsConstant = random.coin(6);
  c.set(Field::opd1_const, weightIsConstant);
  c.set(Field::opd1_addr,
        weightIsConstant ? constantBits(random, types.in) : places.operand(1));
  // Bias, zero point or requantisation bias.
  bool thirdIsConstant = random.coin();
  c.set(Field::opd2_const, thirdIsConstant);
  uint64_t third = isFloat       ? constantBits(random, Precision::Fp32)
                   : requantised ? random.bits() >> random.in(0, 31)
                                 : constantBits(random, types.in);
  c.set(Field::opd2_addr, thirdIsConstant ? third : places.operand(2));
  // Pad and insert values, or the shift.
  bool padIsConstant = requantised || random.coin(3) == 0;
  c.set(Field::opd3_const, padIsConstant);
  if (requantised)
    c.set(Field::opd3_addr, uint64_t(random.in(0, random.coin(4) ? 31 : 12)));
  else if (padIsConstant)
    c.set(Field::opd3_addr, constantBits(random, types.in))
        .set(Field::res1_addr, constantBits(random, types.in));
  else
    c.set(Field::opd3_addr, input.operand(3));
}

Command convCommand(Random &random, const ConvTypes &types) {
  bool isLong = random.coin(4);
  Command c = tiuCommand(isLong ? Form::CONV : Form::sCONV, 0, types.func);
  Places places(random);
  Window w = setWindow(c, random);
  unsigned positions = w.kernelH * w.kernelW;
  unsigned outputs =
      unsigned(random.coin(3) ? random.in(60, 70) : random.in(1, 20));
  unsigned inputs = unsigned(
      random.coin() || positions > 9 ? random.in(1, 8) : random.in(30, 70));
  if (positions < 4 && random.coin(3)) { // several blocks of channels
    inputs = unsigned(random.in(60, 300));
    outputs = unsigned(random.in(1, 40));
  }
  setResult(c, unsigned(random.in(1, 2)), outputs, w.outputH, w.outputW);
  c.set(Field::opd0_c, inputs);
  c.set(Field::opd0_prec, unsigned(types.in));
  c.set(Field::res0_prec, unsigned(types.out));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
  c.set(Field::opd2_sign, random.coin());
  c.set(Field::res0_addr, places.result());
  // Input channels may begin in another lane than output channels.
  Places input(random);
  if (random.coin())
    input = places;
  c.set(Field::opd0_addr, input.operand(0));
  if (random.coin(4))
    setInputStrides(c, random, w);
  else
    c.set(Field::opd0_str, random.pick({0u, 0u, 0u, 1u, 2u}));
  setConvConstants(c, random, types, places, input);
  c.set(Field::res_add, random.coin(4));
  c.set(Field::kernel_rotate, random.coin(4));
  if (random.coin(4))
    setUnreadFields(c, random);
  scatterOperands(c, random, {0, 1, 2, 3});
  return c;
}

/// So many products of large bytes that their sums leave 32 bits.
Command longSumCommand(Random &random, const ConvTypes &types) {
  Command c =
      tiuCommand(random.coin(4) ? Form::CONV : Form::sCONV, 0, types.func);
  Places places(random);
  unsigned side = unsigned(random.in(3, 5));
  setResult(c, 1, unsigned(random.in(1, 3)), side - 2, side - 2);
  c.set(Field::opd0_c, uint64_t(random.in(4000, 8192)));
  c.set(Field::opd0_h, side).set(Field::opd0_w, side);
  c.set(Field::opd1_h, 3).set(Field::opd1_w, 3);
  c.set(Field::res_op_y_str, 1).set(Field::res_op_x_str, 1);
  c.set(Field::res0_prec, unsigned(types.out));
  c.set(Field::opd1_sign, random.coin()).set(Field::opd2_sign, random.coin());
  c.set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0));
  c.set(Field::opd1_const, 1).set(Field::opd1_addr, random.bits() | 0x60);
  c.set(Field::opd2_const, 1);
  c.set(Field::opd2_addr, random.coin() ? random.bits() : 0);
  c.set(Field::opd3_const, 1);
  c.set(Field::opd3_addr, types.func ? uint64_t(random.in(0, 31)) : 0);
  return c.set(Field::res_add, random.coin(4));
}

} // namespace

void addConvKinds(std::vector<Kind> &kinds) {
  using P = Precision;
  struct Row {
    const char *name;
    ConvTypes types;
  };
  for (const Row &row : {Row{"fp32", {P::Fp32, P::Fp32, 0}},
                         Row{"fp16_fp32", {P::Fp16, P::Fp32, 0}},
                         Row{"fp16", {P::Fp16, P::Fp16, 0}},
                         Row{"bf16_fp32", {P::Bf16, P::Fp32, 0}},
                         Row{"bf16", {P::Bf16, P::Bf16, 0}},
                         Row{"int8_int32", {P::Int8, P::Int32, 0}},
                         Row{"int8_int16", {P::Int8, P::Int16, 0}},
                         Row{"int8", {P::Int8, P::Int8, 0}},
                         Row{"int8_rq", {P::Int8, P::Int8, 1}},
                         Row{"int8_rq_int16", {P::Int8, P::Int16, 1}},
                         Row{"int8_rq_int32", {P::Int8, P::Int32, 1}},
                         Row{"int8_rq_relu", {P::Int8, P::Int8, 2}},
                         Row{"int8_rq_relu_int16", {P::Int8, P::Int16, 2}},
                         Row{"int8_rq_relu_int32", {P::Int8, P::Int32, 2}}})
    kinds.push_back(
        {std::string("conv_") + row.name, contentsFor(row.types.in),
         [row](Random &random) { return convCommand(random, row.types); }});
  for (unsigned func : {0u, 1u, 2u})
    kinds.push_back({"conv_" + std::to_string(func) + "_long_sums",
                     Contents::Bytes, [func](Random &random) {
                       P out = random.pick({P::Int8, P::Int16, P::Int32});
                       return longSumCommand(random, {P::Int8, out, func});
                     }});
}

} // namespace weft::oracle
