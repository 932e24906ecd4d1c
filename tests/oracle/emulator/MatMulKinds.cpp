/// Matrix products.
#include "tests/oracle/emulator/WindowFields.h"

namespace weft::oracle {
namespace {

Command mm2Command(Random &random, Precision in, Precision out, unsigned func) {
  Command c = tiuCommand(random.coin(4) ? Form::MM2 : Form::sMM2, 2, func);
  Places places(random);
  unsigned rows = unsigned(random.in(1, 70)),
           depth = unsigned(random.in(1, 70));
  unsigned columns = unsigned(random.in(1, 70));
  c.set(Field::res0_c, rows).set(Field::res0_w, columns);
  if (func == 4)
    c.set(Field::opd1_c, depth).set(Field::opd1_w, columns);
  else
    c.set(Field::opd1_c, func == 5 ? columns : rows).set(Field::opd1_w, depth);
  if (c.form == Form::MM2) {
    c.set(Field::res0_n, 1)
        .set(Field::res0_h, 1)
        .set(Field::opd0_c, func == 6 ? depth : rows);
    c.set(Field::opd0_w, func == 6 ? columns : depth);
  }
  c.set(Field::opd0_prec, unsigned(in)).set(Field::res0_prec, unsigned(out));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
  if (random.coin(3) && (out == Precision::Fp32 || out == Precision::Int32))
    c.set(Field::res_add, 1);
  c.set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_addr, places.operand(1));
  bool constant = in != Precision::Int8 || random.coin();
  c.set(Field::opd2_const, constant);
  return c.set(Field::opd2_addr,
               constant
                   ? (in == Precision::Int8 ? uint64_t(random.in(0, 100)) : 0)
                   : places.operand(2));
}

Command mmCommand(Random &random, Precision in, Precision out, unsigned func) {
  Command c = tiuCommand(random.coin(4) ? Form::MM : Form::sMM, 2, func);
  Places places(random);
  unsigned width = unsigned(random.in(1, 12)),
           outWidth = unsigned(random.in(1, 12));
  c.set(Field::res0_c, uint64_t(random.in(1, 12))).set(Field::res0_w, outWidth);
  c.set(Field::opd0_n, uint64_t(random.in(1, 20)))
      .set(Field::opd0_c, uint64_t(random.in(1, 5)));
  c.set(Field::opd0_w, width).set(Field::opd1_w, uint64_t(random.in(1, width)));
  bool transposed = random.coin(3);
  c.set(Field::left_tran, transposed);
  if (c.form == Form::MM) {
    uint64_t n = *isa::get(c.form, Field::opd0_n, c.bytes.data());
    uint64_t channels = *isa::get(c.form, Field::opd0_c, c.bytes.data());
    uint64_t last = *isa::get(c.form, Field::opd1_w, c.bytes.data());
    uint64_t columns = (channels - 1) * width + last;
    c.set(Field::res0_n, transposed ? columns : n).set(Field::res0_h, 1);
    c.set(Field::opd1_n, transposed ? n : columns).set(Field::opd1_c, 1);
  }
  c.set(Field::opd0_prec, unsigned(in)).set(Field::res0_prec, unsigned(out));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
  c.set(Field::res0_addr, places.result());
  c.set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_addr, places.operand(1));
  bool constant = in == Precision::Int32 ||
                  (in == Precision::Int8 && func == 1) || random.coin();
  c.set(Field::opd2_const, constant).set(Field::opd2_sign, 1);
  c.set(Field::opd2_addr, !constant ? places.operand(2)
                          : in == Precision::Int32
                              ? uint64_t(uint8_t(-random.in(0, 12)))
                          : in == Precision::Fp32 ? 0x3fc00000
                                                  : 0);
  if (func != 1)
    c.set(Field::opd3_addr, uint64_t(random.in(0, 12)) << 8);
  if (in == Precision::Int32)
    c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
  if (in == Precision::Fp32)
    c.set(Field::res_add, random.coin(3));
  return c;
}

} // namespace

void addMatMulKinds(std::vector<Kind> &kinds) {
  using P = Precision;
  for (unsigned func : {4u, 5u, 6u}) {
    std::string name = "mm2_" + std::to_string(func);
    kinds.push_back({name + "_fp16_fp32", Contents::Fp16, [=](Random &r) {
                       return mm2Command(r, P::Fp16, P::Fp32, func);
                     }});
    kinds.push_back({name + "_fp16", Contents::Fp16, [=](Random &r) {
                       return mm2Command(r, P::Fp16, P::Fp16, func);
                     }});
    kinds.push_back({name + "_bf16_fp32", Contents::Bf16, [=](Random &r) {
                       return mm2Command(r, P::Bf16, P::Fp32, func);
                     }});
    kinds.push_back({name + "_bf16", Contents::Bf16, [=](Random &r) {
                       return mm2Command(r, P::Bf16, P::Bf16, func);
                     }});
    kinds.push_back({name + "_int8", Contents::Bytes, [=](Random &r) {
                       return mm2Command(r, P::Int8, P::Int32, func);
                     }});
  }
  kinds.push_back({"mm_fp32", Contents::Fp32, [](Random &r) {
                     return mmCommand(r, P::Fp32, P::Fp32, 1);
                   }});
  kinds.push_back({"mm_int8_int32", Contents::Bytes, [](Random &r) {
                     return mmCommand(r, P::Int8, P::Int32, 1);
                   }});
  // Small numbers: sums beyond 64 bits have no model.
  kinds.push_back({"mm_int32", Contents::SmallIndex16, [](Random &r) {
                     return mmCommand(r, P::Int32, P::Int32, 1);
                   }});
  kinds.push_back({"mm_int8_rq", Contents::Bytes, [](Random &r) {
                     return mmCommand(r, P::Int8, P::Int8, 2);
                   }});
  kinds.push_back({"mm_int8_rq_relu", Contents::Bytes, [](Random &r) {
                     return mmCommand(r, P::Int8, P::Int8, 3);
                   }});
}

} // namespace weft::oracle
