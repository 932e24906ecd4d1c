/// Element arithmetic and the other element-wise instructions.
#include "tests/oracle/emulator/CommandKinds.h"

namespace weft::oracle {
namespace {

namespace ar = isa::arith;

constexpr Precision kAll[] = {Precision::Int8,  Precision::Fp16,
                              Precision::Fp32,  Precision::Int16,
                              Precision::Int32, Precision::Bf16};
constexpr Precision kFloats[] = {Precision::Fp32, Precision::Fp16,
                                 Precision::Bf16};

const char *nameOf(Precision precision) {
  static const char *const names[] = {"int8",  "fp16",  "fp32",
                                      "int16", "int32", "bf16"};
  return names[unsigned(precision)];
}

struct Shape {
  unsigned n, c, h, w;
};
Shape randomShape(Random &random) {
  return {unsigned(random.in(1, 2)),
          unsigned(random.coin(4) ? random.in(60, 70) : random.in(1, 20)),
          unsigned(random.in(1, 5)),
          unsigned(random.coin(4) ? random.in(30, 70) : random.in(1, 20))};
}

void setShape(Command &command, const Shape &shape) {
  setResult(command, shape.n, shape.c, shape.h, shape.w);
}

/// Random layout for one operand of AR; explicit strides reach less than 16
/// KiB.
void setLayout(Command &c, Random &random, Field layout, Field n, Field ch,
               Field h, Field w, const Shape &shape, bool result) {
  unsigned code = unsigned(random.in(0, result ? 1 : 2));
  if (random.coin(4)) {
    code = 3;
    unsigned columns = shape.w + unsigned(random.in(0, 3)),
             plane = shape.h * columns + 5;
    c.set(w, random.coin(4) && !result ? 0 : 1).set(h, columns).set(ch, plane);
    c.set(n, plane * 3);
  }
  c.set(layout, code);
}

Form formFor(Random &random, Form shortForm, Form longForm) {
  return random.coin(4) ? longForm : shortForm;
}

Command arithCommand(Random &random, unsigned func, unsigned operands,
                     Precision a, Precision b, Precision result) {
  Command c = tiuCommand(formFor(random, Form::sAR, Form::AR), 3, func);
  Shape shape = randomShape(random);
  Places places(random);
  setShape(c, shape);
  c.set(Field::tsk_opd_num, operands);
  c.set(Field::res0_prec, unsigned(result)).set(Field::opd0_prec, unsigned(a));
  c.set(Field::opd1_prec, unsigned(b));
  c.set(Field::opd0_sign, random.coin()).set(Field::opd1_sign, random.coin());
  c.set(Field::opd2_sign, random.coin());
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0));
  setLayout(c, random, Field::res0_str, Field::res0_n_str, Field::res0_c_str,
            Field::res0_h_str, Field::res0_w_str, shape, true);
  setLayout(c, random, Field::opd0_str, Field::opd0_n_str, Field::opd0_c_str,
            Field::opd0_h_str, Field::opd0_w_str, shape, false);
  if (operands >= 2) {
    bool constant = random.coin(3);
    c.set(Field::opd1_const, constant);
    c.set(Field::opd1_addr,
          constant ? (b == Precision::Fp32 ? 0x40490fdb : 0x3e493f13)
                   : places.operand(1));
    if (!constant)
      setLayout(c, random, Field::opd1_str, Field::opd1_n_str,
                Field::opd1_c_str, Field::opd1_h_str, Field::opd1_w_str, shape,
                false);
  }
  return c;
}

void addIntegerKinds(std::vector<Kind> &kinds) {
  struct Row {
    const char *name;
    unsigned func;
    unsigned operands;
  };
  const Row rows[] = {{"mul", ar::Mul, 2},         {"add", ar::Add, 2},
                      {"sub", ar::Sub, 2},         {"max", ar::Max, 2},
                      {"min", ar::Min, 2},         {"and", ar::And, 2},
                      {"or", ar::Or, 2},           {"xor", ar::Xor, 2},
                      {"not", ar::Not, 1},         {"copy", ar::Copy, 1},
                      {"adds", ar::AddSat, 2},     {"subs", ar::SubSat, 2},
                      {"muls", ar::MulSat, 2},     {"abs", ar::Abs, 1},
                      {"lz", ar::LeadingZeros, 1}, {"lo", ar::LeadingOnes, 1}};
  for (const Row &row : rows)
    kinds.push_back(
        {std::string("ar_int_") + row.name, Contents::Bytes,
         [row](Random &random) {
           auto p = [&] {
             return random.pick(
                 {Precision::Int8, Precision::Int16, Precision::Int32});
           };
           Precision a = p(), b = p(), r = p();
           bool same = row.func == ar::Copy || row.func == ar::CopyOverN ||
                       row.func == ar::Not || row.func == ar::And ||
                       row.func == ar::Or || row.func == ar::Xor ||
                       row.func == ar::Abs || row.func == ar::AbsDiff ||
                       row.func == ar::Max || row.func == ar::Min ||
                       row.func >= ar::LeadingZeros;
           Command c = arithCommand(random, row.func, row.operands, a,
                                    same ? a : b, same ? a : r);
           if (same) // mixed signs of one width have no exact common type
             c.set(Field::opd1_sign,
                   *isa::get(c.form, Field::opd0_sign, c.bytes.data()));
           return c;
         }});
  for (unsigned func :
       {unsigned(ar::MulSat), unsigned(ar::AddSat), unsigned(ar::SubSat)})
    kinds.push_back(
        {"ar_int_shifted_" + std::to_string(func), Contents::Bytes,
         [func](Random &random) {
           auto p = [&] {
             return random.pick({Precision::Int8, Precision::Int16});
           };
           Command c = arithCommand(random, func, 3, p(), p(), p());
           bool constant = random.coin();
           c.set(Field::opd2_const, constant);
           c.set(Field::opd2_addr, uint8_t(random.in(-12, 4)));
           if (!constant) { // one random shift a channel is beyond the range:
                            // mask it
             c.set(Field::opd2_const, 1);
           }
           return c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
         }});
  for (unsigned func : {unsigned(ar::ArithShift), unsigned(ar::LogicalShift)})
    kinds.push_back(
        {"ar_shift_" + std::to_string(func), Contents::Bytes,
         [func](Random &random) {
           Precision p = random.pick(
               {Precision::Int8, Precision::Int16, Precision::Int32});
           Command c = arithCommand(random, func, 2, p, Precision::Int8, p);
           int bits = int(isa::elementBytes(p)) * 8 - 1;
           c.set(Field::opd1_const, 1).set(Field::opd1_str, 0);
           c.set(Field::opd1_addr, uint8_t(random.in(-bits, bits)));
           c.set(Field::opd1_sign, 1);
           return c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
         }});
  kinds.push_back({"ar_int_mac", Contents::Bytes, [](Random &random) {
                     Command c =
                         arithCommand(random, ar::Mac, 3, Precision::Int8,
                                      Precision::Int8, Precision::Int16);
                     c.set(Field::opd2_const, 1)
                         .set(Field::opd2_prec, unsigned(Precision::Int16));
                     c.set(Field::opd2_addr,
                           uint64_t(random.in(0, 8) | random.in(0, 12) << 8));
                     return c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
                   }});
}

void addSelectKinds(std::vector<Kind> &kinds) {
  for (Precision p : kAll)
    for (unsigned func : {unsigned(ar::SelectGreater),
                          unsigned(ar::SelectEqual), unsigned(ar::SelectLess)})
      kinds.push_back(
          {"ar_select_" + std::to_string(func) + "_" + nameOf(p),
           contentsFor(p), [=](Random &random) {
             Command c = arithCommand(random, func, 3, p, p, p);
             c.set(Field::opd1_sign,
                   *isa::get(c.form, Field::opd0_sign, c.bytes.data()));
             c.set(Field::opd2_prec, unsigned(p)).set(Field::opd2_const, 1);
             return c.set(Field::opd2_addr, random.bits());
           }});
}

void addFloatKinds(std::vector<Kind> &kinds) {
  struct Row {
    const char *name;
    unsigned func, operands;
  };
  const Row rows[] = {
      {"mul", ar::Mul, 2},         {"add", ar::Add, 2},   {"sub", ar::Sub, 2},
      {"max", ar::Max, 2},         {"min", ar::Min, 2},   {"abs", ar::Abs, 1},
      {"absdiff", ar::AbsDiff, 2}, {"copy", ar::Copy, 1}, {"mac", ar::Mac, 2}};
  for (Precision p : kFloats)
    for (const Row &row : rows) {
      if (row.func == ar::Mac && p != Precision::Fp32)
        continue;
      kinds.push_back({std::string("ar_") + nameOf(p) + "_" + row.name,
                       contentsFor(p), [=](Random &random) {
                         return arithCommand(random, row.func, row.operands, p,
                                             p, p);
                       }});
    }
  kinds.push_back({"ar_fp32_div", Contents::Fp32, [](Random &random) {
                     return arithCommand(random, ar::Div, 2, Precision::Fp32,
                                         Precision::Fp32, Precision::Fp32)
                         .set(Field::opd2_n_str, uint64_t(random.in(0, 3)));
                   }});
  for (Precision from : kAll)
    for (Precision to : kAll) {
      bool halves = isa::elementBytes(from) == 2 && isa::elementBytes(to) == 2;
      if (halves && isa::isFloat(from) && isa::isFloat(to) && from != to)
        continue; // the vendor refuses it, and so do we
      kinds.push_back(
          {std::string("ar_cast_") + nameOf(from) + "_" + nameOf(to),
           contentsFor(from), [=](Random &random) {
             Command c = arithCommand(random, ar::Cast, 1, from, from, to);
             return c.set(Field::opd2_n_str, uint64_t(random.in(0, 4)));
           }});
    }
}

void addQuantKinds(std::vector<Kind> &kinds) {
  for (unsigned func : {0u, 1u, 3u, 4u})
    for (bool constant : {true, false})
      kinds.push_back(
          {"rqdq_" + std::to_string(func) +
               (constant ? "_constant" : "_channel"),
           constant    ? Contents::Bytes
           : func == 0 ? Contents::Rq0Rows
           : func == 1 ? Contents::Rq1Rows
           : func == 3 ? Contents::Dq0Rows
                       : Contents::Dq1Rows,
           [=](Random &random) {
             Command c =
                 tiuCommand(formFor(random, Form::sRQDQ, Form::RQDQ), 4, func);
             Shape shape = randomShape(random);
             Places places(random);
             setShape(c, shape);
             bool quantizes = func < 3;
             Precision in =
                 quantizes ? random.pick({Precision::Int32, Precision::Int16})
                           : random.pick({Precision::Int8, Precision::Int16});
             Precision out =
                 quantizes   ? random.pick({Precision::Int8, Precision::Int16})
                 : func == 3 ? Precision::Fp32
                             : random.pick({Precision::Int8, Precision::Int16});
             if (quantizes && in == Precision::Int16)
               out = Precision::Int8;
             c.set(Field::opd0_prec, unsigned(in))
                 .set(Field::res0_prec, unsigned(out));
             c.set(Field::opd0_sign, random.coin())
                 .set(Field::opd2_sign, random.coin());
             c.set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
             c.set(Field::res0_addr, places.result())
                 .set(Field::opd0_addr, places.operand(0));
             c.set(Field::opd1_const, constant)
                 .set(Field::opd1_addr, places.operand(1));
             if (!constant)
               return c;
             uint32_t shift = uint8_t(-random.in(20, 50));
             uint32_t zero = uint32_t(random.in(-100, 100)) & 0xffff;
             if (func == 0)
               c.set(Field::opd1_addr, 0x32aaaaab)
                   .set(Field::opd2_addr, 0xc1200000);
             else if (func == 1)
               c.set(Field::opd1_addr, 0x5c551234)
                   .set(Field::opd2_addr, zero << 16 | shift);
             else if (func == 3)
               c.set(Field::opd1_addr, zero).set(Field::opd2_addr, 0x3dcccccd);
             else
               c.set(Field::opd1_addr,
                     uint32_t(uint16_t(-random.in(0, 12))) << 16 | zero)
                   .set(Field::opd2_addr, random.bits() & 0xffff);
             return c;
           }});
}

void addCompareKinds(std::vector<Kind> &kinds) {
  for (Precision p : kAll)
    for (unsigned func = 22; func <= 26; ++func)
      kinds.push_back(
          {"cmp_" + std::to_string(func) + "_" + nameOf(p), contentsFor(p),
           [=](Random &random) {
             Command c = tiuCommand(Form::sCMP, 13, func);
             Places places(random);
             setShape(c, randomShape(random));
             c.set(Field::opd0_prec, unsigned(p))
                 .set(Field::opd2_prec, unsigned(p));
             c.set(Field::opd0_sign, random.coin());
             c.set(Field::res0_addr, places.result())
                 .set(Field::res1_addr, places.result(1));
             Field addresses[] = {Field::opd0_addr, Field::opd1_addr,
                                  Field::opd2_addr, Field::opd3_addr};
             Field constants[] = {Field::opd0_const, Field::opd1_const,
                                  Field::opd2_const, Field::opd3_const};
             for (unsigned i = 0; i < 4; ++i) {
               bool constant = random.coin(4) && i != 0;
               c.set(constants[i], constant);
               c.set(addresses[i],
                     constant ? (p == Precision::Fp32 ? 0x3fc00000 : 0x3e00)
                              : places.operand(i));
             }
             return c;
           }});
}

void addSpecialKinds(std::vector<Kind> &kinds) {
  struct Row {
    const char *name;
    unsigned func;
  };
  for (Precision p : kFloats)
    for (const Row &row : {Row{"taylor4x", 12}, Row{"taylor", 13},
                           Row{"normalize", 15}, Row{"rsqrt", 17}}) {
      if (row.func >= 15 && p != Precision::Fp32)
        continue;
      kinds.push_back(
          {std::string("sfu_") + row.name + "_" + nameOf(p),
           // The root of a negative number has no meaning and no model.
           row.func == 17 ? Contents::PositiveFp32 : contentsFor(p),
           [=](Random &random) {
             Command c = tiuCommand(formFor(random, Form::sSFU, Form::SFU), 9,
                                    row.func);
             Places places(random);
             setShape(c, randomShape(random));
             Precision out =
                 row.func == 15 && random.coin() ? Precision::Int32 : p;
             c.set(Field::res0_prec, unsigned(out))
                 .set(Field::opd0_prec, unsigned(p));
             c.set(Field::opd2_n_str,
                   uint64_t(row.func == 17 ? random.in(0, 3) : 3));
             c.set(Field::opd1_n,
                   uint64_t(row.func < 15 ? random.in(2, 12) : 3));
             c.set(Field::res0_addr, places.result());
             c.set(Field::opd0_addr, places.operand(0));
             return c.set(Field::opd1_addr, places.operand(1) & 0x3ffff);
           }});
    }
  for (Precision p : kFloats)
    for (unsigned func : {1u, 20u, 21u})
      kinds.push_back(
          {"lin_" + std::to_string(func) + "_" + nameOf(p), contentsFor(p),
           [=](Random &random) {
             Command c = tiuCommand(Form::sLIN, 10, func);
             Places places(random);
             setShape(c, randomShape(random));
             c.set(Field::res0_prec, unsigned(p))
                 .set(Field::res0_addr, places.result());
             c.set(Field::opd0_addr, places.operand(0));
             bool k = random.coin(), q = random.coin();
             uint32_t value = p == Precision::Fp32 ? 0x3f9d70a4 : 0x3f9d;
             c.set(Field::opd1_const, k)
                 .set(Field::opd1_addr, k ? value : places.operand(1));
             return c.set(Field::opd2_const, q)
                 .set(Field::opd2_addr, q ? value : places.operand(2));
           }});
  for (Precision p :
       {Precision::Fp32, Precision::Int8, Precision::Int16, Precision::Int32})
    for (unsigned func : {0u, 2u, 3u, 4u, 5u, 10u, 11u, 13u})
      kinds.push_back(
          {"vc_" + std::to_string(func) + "_" + nameOf(p), contentsFor(p),
           [=](Random &random) {
             Command c = tiuCommand(Form::sVC, 14, func);
             Places places(random);
             unsigned width = unsigned(random.in(1, 20));
             c.set(Field::opd0_c, uint64_t(random.in(1, 4)))
                 .set(Field::opd0_w, width);
             c.set(Field::opd1_w, uint64_t(random.in(1, width)));
             c.set(Field::res0_c, uint64_t(random.in(1, 20)));
             c.set(Field::res0_w, uint64_t(random.in(1, 12)));
             for (Field field :
                  {Field::res0_prec, Field::opd0_prec, Field::opd1_prec})
               c.set(field, unsigned(p));
             bool sign = random.coin();
             c.set(Field::opd0_sign, sign).set(Field::opd1_sign, sign);
             c.set(Field::opd2_addr, random.bits());
             c.set(Field::res0_addr, places.result());
             c.set(Field::opd0_addr, places.operand(0));
             return c.set(Field::opd1_addr, places.operand(1));
           }});
}

} // namespace

void addArithKinds(std::vector<Kind> &kinds) {
  addIntegerKinds(kinds);
  addSelectKinds(kinds);
  addFloatKinds(kinds);
}

void addOtherTiuKinds(std::vector<Kind> &kinds) {
  addQuantKinds(kinds);
  addCompareKinds(kinds);
  addSpecialKinds(kinds);
}

} // namespace weft::oracle
