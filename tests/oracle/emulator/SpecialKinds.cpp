/// Special functions (SFU), per-channel linear (LIN) and compare-select (CMP).
#include "tests/oracle/emulator/ElementFields.h"
#include "tests/unit/runtime/isa/FirstTable.h"

namespace weft::oracle {
namespace {

namespace cmp = isa::cmp;
namespace sfu = isa::sfu;

Command compareCommand(Random &random, unsigned func, Precision p) {
  Command c = tiuCommand(formFor(random, Form::sCMP, Form::CMP), 13, func);
  Places places(random);
  setShape(c, randomElementShape(random));
  const Precision chosen = random.coin() ? p : kAllTypes[random.in(0, 5)];
  c.set(Field::opd0_prec, unsigned(p)).set(Field::opd2_prec, unsigned(chosen));
  if (isa::hasField(c.form, Field::opd1_prec))
    c.set(Field::opd1_prec, unsigned(p))
        .set(Field::res0_prec,
             unsigned(func == cmp::MaxAndSelect || func == cmp::MinAndSelect
                          ? p
                          : chosen));
  c.set(Field::opd0_sign, random.coin())
      .set(Field::res0_addr, places.result())
      .set(Field::res1_addr, places.result(1));
  const Field addresses[] = {Field::opd0_addr, Field::opd1_addr,
                             Field::opd2_addr, Field::opd3_addr};
  const Field constants[] = {Field::opd0_const, Field::opd1_const,
                             Field::opd2_const, Field::opd3_const};
  const Field layouts[] = {Field::opd0_str, Field::opd1_str};
  for (unsigned i = 0; i < 4; ++i) {
    const bool constant = random.coin(4);
    c.set(constants[i], constant)
        .set(addresses[i], constant ? randomConstant(random, i < 2 ? p : chosen)
                                    : places.operand(i));
    if (!constant && i < 2)
      c.set(layouts[i], uint64_t(random.in(0, 2)));
  }
  if (random.coin(4)) // so that some are equal
    c.set(Field::opd1_addr, c.get(Field::opd0_addr))
        .set(Field::opd1_const, c.get(Field::opd0_const))
        .set(Field::opd1_str, c.get(Field::opd0_str));
  return c;
}

void addCompareKinds(std::vector<Kind> &kinds) {
  for (Precision p : kAllTypes)
    for (unsigned func = cmp::MaxAndSelect; func <= cmp::SelectLess; ++func)
      kinds.push_back(
          {"cmp_" + std::to_string(func) + "_" + nameOf(p), contentsFor(p),
           [=](Random &random) { return compareCommand(random, func, p); }});
}

Command specialCommand(Random &random, unsigned func, Precision p) {
  Command c = tiuCommand(formFor(random, Form::sSFU, Form::SFU), 9, func);
  Places places(random);
  setShape(c, randomElementShape(random));
  Precision out = p;
  if (func == sfu::Normalize && random.coin())
    out = p == Precision::Fp32 ? Precision::Int32 : Precision::Int16;
  const bool series = func == sfu::Taylor || func == sfu::Taylor4x;
  return c.set(Field::res0_prec, unsigned(out))
      .set(Field::opd0_prec, unsigned(p))
      .set(Field::opd2_n_str, uint64_t(random.in(0, 3)))
      .set(Field::opd1_n, uint64_t(series ? random.in(2, 24) : 3))
      .set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0))
      .set(Field::opd1_addr, places.operand(1) & 0x3ffff);
}

/// The root is one of fp32 only: of halves the vendor's emulator takes the bits
/// for an fp32 number.
void addSpecialFunctionKinds(std::vector<Kind> &kinds) {
  struct Row {
    const char *name;
    unsigned func;
  };
  for (Precision p : kFloatTypes)
    for (const Row &row :
         {Row{"taylor4x", sfu::Taylor4x}, Row{"taylor", sfu::Taylor},
          Row{"normalize", sfu::Normalize}, Row{"rsqrt", sfu::Rsqrt}}) {
      if (row.func == sfu::Rsqrt && p != Precision::Fp32)
        continue;
      kinds.push_back({std::string("sfu_") + row.name + "_" + nameOf(p),
                       contentsFor(p), [=](Random &random) {
                         return specialCommand(random, row.func, p);
                       }});
    }
}

Command linearCommand(Random &random, unsigned func, Precision p) {
  Command c = tiuCommand(formFor(random, Form::sLIN, Form::LIN), 10, func);
  Places places(random);
  setShape(c, randomElementShape(random));
  c.set(Field::res0_prec, unsigned(p));
  if (isa::hasField(c.form, Field::opd0_prec))
    c.set(Field::opd0_prec, unsigned(p))
        .set(Field::opd1_prec, unsigned(p))
        .set(Field::opd2_prec, unsigned(p));
  c.set(Field::res0_addr, places.result())
      .set(Field::opd0_addr, places.operand(0));
  const bool scale = random.coin(), offset = random.coin();
  return c.set(Field::opd1_const, scale)
      .set(Field::opd1_addr,
           scale ? randomConstant(random, p) : places.operand(1))
      .set(Field::opd2_const, offset)
      .set(Field::opd2_addr,
           offset ? randomConstant(random, p) : places.operand(2));
}

void addLinearKinds(std::vector<Kind> &kinds) {
  for (Precision p : kFloatTypes)
    for (unsigned func : {1u, 20u, 21u})
      kinds.push_back(
          {"lin_" + std::to_string(func) + "_" + nameOf(p), contentsFor(p),
           [=](Random &random) { return linearCommand(random, func, p); }});
}

} // namespace

void addSpecialKinds(std::vector<Kind> &kinds) {
  addCompareKinds(kinds);
  addSpecialFunctionKinds(kinds);
  addLinearKinds(kinds);
}

} // namespace weft::oracle
