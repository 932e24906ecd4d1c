/// Outer products (VC), and linear arithmetic (LAR), which the vendor's
/// emulator takes without doing anything.
#include "tests/oracle/emulator/ElementFields.h"
#include "tests/unit/runtime/isa/FirstTable.h"

namespace weft::oracle {
namespace {

namespace ar = isa::arith;

/// Types that the function is defined for, of operands of the kind of `p`.
void setTypes(Command &c, Random &random, unsigned func, Precision p) {
  Precision a = p, b = p, result = p;
  bool signA = random.coin(), signB = random.coin();
  if (!isa::isFloat(p)) {
    a = b = result = randomInteger(random);
    switch (func) {
    case ar::Max:
    case ar::Min:
      signB = signA;
      break;
    case ar::And:
    case ar::Or:
    case ar::Xor:
      break;
    case ar::SelectGreater:
    case ar::SelectEqual:
    case ar::SelectLess:
      result = randomIntegerUpTo(random, isa::elementBytes(a));
      break;
    case ar::MulDoublingHigh:
      b = randomInteger(random);
      break;
    default:
      b = randomInteger(random);
      result = randomInteger(random);
      break;
    }
  }
  c.set(Field::res0_prec, unsigned(result))
      .set(Field::opd0_prec, unsigned(a))
      .set(Field::opd1_prec, unsigned(b))
      .set(Field::opd0_sign, signA)
      .set(Field::opd1_sign, signB)
      .set(Field::opd2_addr, randomConstant(random, result));
  if (isa::hasField(c.form, Field::opd2_prec))
    c.set(Field::opd2_prec, unsigned(result)).set(Field::opd2_const, 1);
}

Command outerCommand(Random &random, unsigned func, Precision p) {
  Command c = tiuCommand(formFor(random, Form::sVC, Form::VC), 14, func);
  Places places(random);
  const unsigned width = unsigned(random.in(1, 20));
  c.set(Field::opd0_c, uint64_t(random.in(1, 4)))
      .set(Field::opd0_w, width)
      .set(Field::opd1_w, uint64_t(random.in(1, width)))
      .set(Field::res0_c,
           uint64_t(random.coin(8) ? random.in(60, 70) : random.in(1, 20)))
      .set(Field::res0_w, uint64_t(random.in(1, 12)))
      .set(Field::opd2_n_str, uint64_t(random.in(0, 6)))
      .set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_addr, places.operand(1));
  if (random.coin(12)) // beyond the elements that are processed at a time
    c.set(Field::opd0_c, 1)
        .set(Field::opd0_w, 4)
        .set(Field::opd1_w, uint64_t(random.in(1, 4)))
        .set(Field::res0_c, uint64_t(random.in(1, 20)))
        .set(Field::res0_w, uint64_t(random.in(500, 1000)));
  setTypes(c, random, func, p);
  return c;
}

void addOuterProductKinds(std::vector<Kind> &kinds) {
  struct Row {
    unsigned func;
    bool integers, floats, halves;
  };
  const Row rows[] = {{ar::Mul, true, true, true},
                      {ar::Add, true, true, true},
                      {ar::Sub, true, true, true},
                      {ar::Max, true, true, true},
                      {ar::Min, true, true, true},
                      {ar::And, true, false, false},
                      {ar::Or, true, false, false},
                      {ar::Xor, true, false, false},
                      {ar::SelectGreater, true, true, true},
                      {ar::SelectEqual, true, true, true},
                      {ar::Div, false, true, false},
                      {ar::SelectLess, true, true, true},
                      {ar::AddSat, true, false, false},
                      {ar::SubSat, true, false, false},
                      {ar::MulSat, true, false, false},
                      {ar::MulDoublingHigh, true, false, false}};
  for (const Row &row : rows) {
    auto add = [&](Precision p, const char *type) {
      kinds.push_back(
          {"vc_" + std::to_string(row.func) + "_" + type, contentsFor(p),
           [=](Random &random) { return outerCommand(random, row.func, p); }});
    };
    if (row.integers)
      add(Precision::Int8, "int");
    if (row.floats)
      add(Precision::Fp32, "fp32");
    if (row.halves) {
      add(Precision::Fp16, "fp16");
      add(Precision::Bf16, "bf16");
    }
  }
}

/// Bit 0 (`opd0_w_str`) is clear: set, the vendor's emulator takes the command
/// for a short form, which it does not have.
void addLinearArithKinds(std::vector<Kind> &kinds) {
  for (unsigned func = 0; func < 31; ++func) {
    if (!isa::findOpcode(Engine::Tiu, 7, func))
      continue;
    kinds.push_back(
        {"lar_" + std::to_string(func), Contents::Bytes, [=](Random &random) {
           Command c;
           c.form = Form::LAR;
           c.bytes.resize(isa::formSpec(c.form).bytes);
           for (Field field :
                {Field::opd1_w_str, Field::opd2_const, Field::opd2_n_str,
                 Field::opd0_sign, Field::opd1_sign, Field::start_tid,
                 Field::tsk_opd_num, Field::res0_c, Field::res0_w,
                 Field::res0_addr, Field::opd0_addr, Field::opd1_addr,
                 Field::opd2_addr})
             c.set(field, random.bits() & isa::fieldMax(c.form, field));
           for (Field field :
                {Field::res0_prec, Field::opd0_prec, Field::opd1_prec})
             c.set(field, uint64_t(random.in(0, 5)));
           return c.set(Field::tsk_typ, 7).set(Field::tsk_eu_typ, func);
         }});
  }
}

} // namespace

void addOuterKinds(std::vector<Kind> &kinds) {
  addOuterProductKinds(kinds);
  addLinearArithKinds(kinds);
}

} // namespace weft::oracle
