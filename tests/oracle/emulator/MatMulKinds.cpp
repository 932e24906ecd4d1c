/// Matrix products.
#include "tests/oracle/emulator/WindowFields.h"

namespace weft::oracle {
namespace {

struct ProductTypes {
  Precision in, out;
  unsigned func;
};

void setTypes(Command &c, Random &random, const ProductTypes &types) {
  c.set(Field::opd0_prec, unsigned(types.in));
  c.set(Field::res0_prec, unsigned(types.out));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
}

Command mm2Command(Random &random, const ProductTypes &types) {
  unsigned func = types.func;
  Command c = tiuCommand(random.coin(4) ? Form::MM2 : Form::sMM2, 2, func);
  Places places(random);
  int64_t most = random.coin(3) ? 70 : 20;
  unsigned rows = unsigned(random.in(1, most)),
           depth = unsigned(random.in(1, random.coin(6) ? 150 : 70)),
           columns = unsigned(random.in(1, most));
  c.set(Field::res0_c, rows).set(Field::res0_w, columns);
  if (func == 4)
    c.set(Field::opd1_c, depth).set(Field::opd1_w, columns);
  else
    c.set(Field::opd1_c, func == 5 ? columns : rows).set(Field::opd1_w, depth);
  if (c.form == Form::MM2) {
    c.set(Field::res0_n, 1).set(Field::res0_h, 1);
    c.set(Field::opd0_c, func == 6 ? depth : rows);
    c.set(Field::opd0_w, func == 6 ? columns : depth);
  }
  setTypes(c, random, types);
  if (random.coin(4))
    setUnreadFields(c, random);
  c.set(Field::res_add, random.coin(3));
  c.set(Field::res0_addr, places.result());
  bool leftIsConstant = random.coin(6), rightIsConstant = random.coin(6);
  c.set(Field::opd0_const, leftIsConstant);
  c.set(Field::opd0_addr,
        leftIsConstant ? constantBits(random, types.in) : places.operand(0));
  c.set(Field::opd1_const, rightIsConstant);
  c.set(Field::opd1_addr,
        rightIsConstant ? constantBits(random, types.in) : places.operand(1));
  bool zeroIsConstant = types.in != Precision::Int8 || random.coin();
  c.set(Field::opd2_const, zeroIsConstant);
  if (!zeroIsConstant)
    c.set(Field::opd2_addr, places.operand(2));
  else if (types.in == Precision::Int8)
    c.set(Field::opd2_addr, constantBits(random, types.in));
  scatterOperands(c, random, {0, 1, 2});
  return c;
}

/// Operand 2: bias of fp32, shift of integers, bias of the requantised ones.
void setThird(Command &c, Random &random, const ProductTypes &types,
              const Places &places) {
  bool constant = random.coin();
  c.set(Field::opd2_const, constant).set(Field::opd2_sign, random.coin());
  if (!constant) {
    c.set(Field::opd2_addr, places.operand(2));
  } else if (types.in == Precision::Fp32) {
    c.set(Field::opd2_addr, constantBits(random, Precision::Fp32));
  } else if (types.func == 1) {
    c.set(Field::opd2_addr,
          uint64_t(uint8_t(random.coin(8) ? random.in(-64, 32)
                                          : random.in(-20, 3))));
    c.set(Field::opd2_sign, 1);
  } else {
    c.set(Field::opd2_addr, random.bits() >> random.in(0, 31));
  }
  if (types.func == 1 && types.in != Precision::Fp32)
    c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
  if (types.func != 1)
    c.set(Field::opd3_addr,
          uint64_t(random.in(0, random.coin(4) ? 31 : 12)) << 8 |
              uint64_t(random.in(0, random.coin(4) ? 31 : 5)));
}

Command mmCommand(Random &random, const ProductTypes &types) {
  Command c = tiuCommand(random.coin(4) ? Form::MM : Form::sMM, 2, types.func);
  Places places(random);
  // Many columns of the left matrix are many rows of the right one, each 64
  // bytes a lane: at most 140 of them.
  unsigned channels =
      unsigned(random.coin(8) ? random.in(1, 70) : random.in(1, 5));
  unsigned width = unsigned(random.in(1, channels > 5 ? 2 : 12)),
           last = unsigned(random.in(1, width));
  unsigned resultChannels =
      unsigned(random.coin(8) ? random.in(60, 70) : random.in(1, 12));
  c.set(Field::res0_c, resultChannels);
  c.set(Field::res0_w, uint64_t(random.in(1, resultChannels > 12 ? 3 : 12)));
  uint64_t n = uint64_t(random.in(1, 20));
  if (channels > 5)
    n = uint64_t(random.in(1, 3));
  c.set(Field::opd0_n, n).set(Field::opd0_c, channels);
  c.set(Field::opd0_w, width).set(Field::opd1_w, last);
  bool transposed = random.coin(3) && channels <= 5;
  c.set(Field::left_tran, transposed);
  if (c.form == Form::MM) {
    uint64_t columns = uint64_t(channels - 1) * width + last;
    c.set(Field::res0_n, transposed ? columns : n).set(Field::res0_h, 1);
    c.set(Field::opd1_n, transposed ? n : columns).set(Field::opd1_c, 1);
  }
  setTypes(c, random, types);
  if (random.coin(4))
    setUnreadFields(c, random);
  c.set(Field::res0_addr, places.result());
  bool leftIsConstant = random.coin(6);
  c.set(Field::opd0_const, leftIsConstant);
  c.set(Field::opd0_addr,
        leftIsConstant ? constantBits(random, types.in) : places.operand(0));
  c.set(Field::opd1_addr, places.operand(1));
  setThird(c, random, types, places);
  // Sums of integers that are added to the result have no oracle: the vendor's
  // emulator adds the first part of it only, and its encoder has no such
  // command.
  if (types.func != 1 || types.in == Precision::Fp32)
    c.set(Field::res_add, random.coin(3));
  scatterOperands(c, random, {0, 1, 2});
  return c;
}

} // namespace

void addMatMulKinds(std::vector<Kind> &kinds) {
  using P = Precision;
  // Integers have 32-bit results, but for the requantised functions: with
  // narrower ones the vendor's emulator writes beyond its own buffers, and its
  // encoder knows no such command.
  for (unsigned func : {4u, 5u, 6u})
    for (ProductTypes types : {ProductTypes{P::Fp16, P::Fp32, func},
                               {P::Fp16, P::Fp16, func},
                               {P::Bf16, P::Fp32, func},
                               {P::Bf16, P::Bf16, func},
                               {P::Int8, P::Int32, func}})
      kinds.push_back(
          {"mm2_" + std::to_string(func) + "_" + precisionName(types.in) + "_" +
               precisionName(types.out),
           contentsFor(types.in),
           [types](Random &random) { return mm2Command(random, types); }});
  for (ProductTypes types : {ProductTypes{P::Fp32, P::Fp32, 1},
                             {P::Int8, P::Int32, 1},
                             {P::Int16, P::Int32, 1},
                             {P::Int32, P::Int32, 1},
                             {P::Int8, P::Int8, 2},
                             {P::Int8, P::Int16, 2},
                             {P::Int8, P::Int32, 2},
                             {P::Int8, P::Int8, 3},
                             {P::Int8, P::Int16, 3},
                             {P::Int8, P::Int32, 3}})
    kinds.push_back(
        {"mm_" + std::to_string(types.func) + "_" + precisionName(types.in) +
             "_" + precisionName(types.out),
         contentsFor(types.in),
         [types](Random &random) { return mmCommand(random, types); }});
}

} // namespace weft::oracle
