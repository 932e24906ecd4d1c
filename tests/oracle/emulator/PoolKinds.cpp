/// Pooling and depthwise convolution.
#include "tests/oracle/emulator/WindowFields.h"

#include <algorithm>

namespace weft::oracle {
namespace {

struct PoolTypes {
  Precision in, out;
  unsigned func;
};

bool isDepthwise(unsigned func) { return func == 0 || func == 2 || func == 5; }

void setTypes(Command &c, Random &random, const PoolTypes &types) {
  c.set(Field::opd0_prec, unsigned(types.in));
  c.set(Field::res0_prec, unsigned(types.out));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
  c.set(Field::opd2_sign, random.coin());
}

/// The weights of depthwise convolution, the scale of average pooling.
void setWeights(Command &c, Random &random, const PoolTypes &types,
                const Places &places) {
  bool constant = !isDepthwise(types.func) || random.coin(6);
  c.set(Field::opd1_const, constant);
  c.set(Field::opd1_addr,
        constant ? constantBits(random, types.in) : places.operand(1));
}

Command poolCommand(Random &random, const PoolTypes &types) {
  unsigned func = types.func;
  Command c = tiuCommand(random.coin(4) ? Form::PorD : Form::sPorD, 1, func);
  Places places(random);
  Window w = setWindow(c, random);
  unsigned channels =
      unsigned(random.coin(3) ? random.in(60, 70) : random.in(1, 20));
  setResult(c, unsigned(random.in(1, 2)), channels, w.outputH, w.outputW);
  setTypes(c, random, types);
  if (random.coin(4))
    setUnreadFields(c, random);
  c.set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0));
  bool padIsConstant = !random.coin(3);
  c.set(Field::opd3_const, padIsConstant);
  c.set(Field::opd3_addr,
        padIsConstant ? constantBits(random, types.in) : places.operand(3));
  scatterOperands(c, random, {0, 3});
  if (func == 4)
    return c;
  setWeights(c, random, types, places);
  bool isFloat = isa::isFloat(types.in);
  if (func == 1) {
    if (!isFloat)
      c.set(Field::opd2_addr, uint64_t(random.in(0, random.coin(4) ? 31 : 12)));
    return c;
  }
  c.set(Field::kernel_rotate, random.coin(4));
  bool biasIsConstant = random.coin();
  c.set(Field::opd2_const, biasIsConstant);
  if (!biasIsConstant)
    c.set(Field::opd2_addr, places.operand(2));
  else if (isFloat)
    c.set(Field::opd2_addr, constantBits(random, types.in));
  else
    c.set(Field::opd2_addr, random.bits() >> random.in(0, 24));
  if (!isFloat)
    c.set(Field::res1_addr, uint64_t(random.in(0, random.coin(4) ? 31 : 12))
                                << 8)
        .set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
  scatterOperands(c, random, {1, 2});
  return c;
}

/// A window so large that its sum leaves 32 bits.
Command longSumCommand(Random &random, const PoolTypes &types) {
  Command c =
      tiuCommand(random.coin(4) ? Form::PorD : Form::sPorD, 1, types.func);
  Places places(random);
  unsigned side = unsigned(random.in(180, 240));
  bool slides = types.func < 5;
  setResult(c, 1, unsigned(random.in(1, 3)), 1, slides ? 2 : 1);
  c.set(Field::opd0_h, side).set(Field::opd0_w, side + 1);
  c.set(Field::opd1_h, side).set(Field::opd1_w, side);
  setTypes(c, random, types);
  c.set(Field::opd0_sign, 0);
  c.set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0));
  c.set(Field::opd1_const, 1).set(Field::opd1_addr, 0xe0 | random.bits() % 32);
  c.set(Field::opd2_const, 1);
  if (!slides) { // one box that holds the whole window
    uint32_t boxes = places.result(1);
    c.set(Field::opd3_addr, boxes);
    uint8_t last = uint8_t(side - 1);
    return c.pokeLocal(boxes, {0, 0, 0, 0, last, 0, last, 0});
  }
  c.set(Field::res_op_y_str, 1).set(Field::res_op_x_str, 1);
  c.set(Field::opd3_const, 1);
  if (types.func == 1)
    return c.set(Field::opd2_addr, uint64_t(random.in(0, 31)));
  c.set(Field::opd2_addr, random.bits());
  c.set(Field::res1_addr, uint64_t(random.in(0, 31)) << 8);
  return c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
}

/// Regions of interest: a box (first column, first row, last column, last row)
/// a result column, inside the input, or empty.
Command regionCommand(Random &random, const PoolTypes &types) {
  Command c =
      tiuCommand(random.coin(4) ? Form::PorD : Form::sPorD, 1, types.func);
  Places places(random);
  unsigned height = unsigned(random.in(1, 12)),
           width = unsigned(random.in(1, 14));
  unsigned columns =
      unsigned(random.coin(3) ? random.in(60, 70) : random.in(1, 20));
  unsigned channels =
      unsigned(random.coin(3) ? random.in(60, 70) : random.in(1, 20));
  setResult(c, unsigned(random.in(1, 2)), channels, 1, columns);
  c.set(Field::opd0_h, height).set(Field::opd0_w, width);
  c.set(Field::opd1_h, uint64_t(random.in(1, 5)));
  c.set(Field::opd1_w, uint64_t(random.in(1, 5)));
  setTypes(c, random, types);
  if (random.coin(4))
    setUnreadFields(c, random);
  c.set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0));
  if (types.func != 7)
    setWeights(c, random, types, places);
  c.set(Field::opd2_const, 1);
  c.set(Field::opd2_addr, constantBits(random, types.in));
  c.set(Field::opd3_addr, places.operand(3));
  for (unsigned i = 0; i < columns; ++i) {
    auto w0 = uint16_t(random.in(0, width - 1)),
         h0 = uint16_t(random.in(0, height - 1)),
         w1 = uint16_t(random.in(0, width - 1)),
         h1 = uint16_t(random.in(0, height - 1));
    if (!random.coin(8)) { // not empty
      w1 = std::max(w0, w1);
      h1 = std::max(h0, h1);
    }
    std::vector<uint8_t> box;
    for (uint16_t side : {w0, h0, w1, h1}) {
      box.push_back(uint8_t(side));
      box.push_back(uint8_t(side >> 8));
    }
    // Boxes are compact: box i lies in the row and lane of channel i.
    uint32_t place = places.lane + i;
    c.pokeLocal((place % 64) << 18 |
                    ((places.operand(3) & 0x3ffff) + place / 64 * 8),
                std::move(box));
  }
  return c;
}

} // namespace

void addPoolKinds(std::vector<Kind> &kinds) {
  using P = Precision;
  for (unsigned func : {0u, 1u, 2u, 4u, 5u, 6u, 7u})
    for (PoolTypes types : {PoolTypes{P::Fp32, P::Fp32, func},
                            {P::Fp16, P::Fp16, func},
                            {P::Bf16, P::Bf16, func},
                            {P::Int8, P::Int8, func},
                            {P::Int8, P::Int16, func},
                            {P::Int8, P::Int32, func}}) {
      if (func == 4 && types.in != types.out)
        continue; // the encoder has no such maximum
      kinds.push_back({"pord_" + std::to_string(func) + "_" +
                           precisionName(types.in) + "_" +
                           precisionName(types.out),
                       contentsFor(types.in), [types](Random &random) {
                         return types.func >= 5 ? regionCommand(random, types)
                                                : poolCommand(random, types);
                       }});
    }
  for (unsigned func : {0u, 1u, 2u, 5u, 6u})
    kinds.push_back({"pord_" + std::to_string(func) + "_long_sums",
                     Contents::Bytes, [func](Random &random) {
                       P out = random.pick({P::Int8, P::Int16, P::Int32});
                       return longSumCommand(random, {P::Int8, out, func});
                     }});
}

} // namespace weft::oracle
