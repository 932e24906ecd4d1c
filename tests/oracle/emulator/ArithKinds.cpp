/// Element arithmetic (AR): every function with every type, layout, constant
/// and rounding code that the vendor's emulator gives a defined result for.
#include "tests/oracle/emulator/ElementFields.h"

namespace weft::oracle {
namespace {

namespace ar = isa::arith;

/// Types of the operands and the result.
struct Types {
  Precision a, b, result;
};

void setOperand(Command &c, Random &random, const OperandFields &fields,
                Precision precision, uint32_t place,
                const ElementShape &shape) {
  const bool constant = random.coin(5);
  c.set(fields.constant, constant)
      .set(fields.address,
           constant ? randomConstant(random, precision) : place);
  if (!constant)
    setLayout(c, random, fields, shape, false);
}

Command arithCommand(Random &random, Form form, unsigned func,
                     unsigned operands, const Types &types) {
  Command c = tiuCommand(form, 3, func);
  ElementShape shape = randomElementShape(random);
  Places places(random);
  setShape(c, shape);
  c.set(Field::tsk_opd_num, operands)
      .set(Field::res0_prec, unsigned(types.result))
      .set(Field::opd0_prec, unsigned(types.a))
      .set(Field::opd1_prec, unsigned(types.b))
      .set(Field::opd0_sign, random.coin())
      .set(Field::opd1_sign, random.coin())
      .set(Field::opd2_sign, random.coin())
      .set(Field::opd2_n_str, uint64_t(random.in(0, 6)));
  c.set(Field::res0_addr, places.result());
  setLayout(c, random, kResultFields, shape, true);
  setOperand(c, random, kFirstFields, types.a, places.operand(0), shape);
  if (operands >= 2)
    setOperand(c, random, kSecondFields, types.b, places.operand(1), shape);
  c.set(Field::opd2_addr, places.operand(2));
  return c;
}

Command arithCommand(Random &random, unsigned func, unsigned operands,
                     const Types &types) {
  return arithCommand(random, formFor(random, Form::sAR, Form::AR), func,
                      operands, types);
}

void takeSign(Command &c) { c.set(Field::opd1_sign, c.get(Field::opd0_sign)); }

/// Sums and products: any types, and a third operand that shifts the result by
/// a constant or by one byte a channel.
Command sumOrProduct(Random &random, unsigned func) {
  const bool shifts = random.coin();
  Command c = arithCommand(
      random, func, shifts ? 3 : 2,
      {randomInteger(random), randomInteger(random), randomInteger(random)});
  if (!shifts)
    return c;
  c.set(Field::opd2_prec, unsigned(Precision::Int8));
  if (random.coin(3)) // one byte a channel, of any value
    return c;
  int64_t amount = random.coin(4) ? random.in(-128, 127) : random.in(-20, 12);
  return c.set(Field::opd2_const, 1).set(Field::opd2_addr, uint8_t(amount));
}

/// Shifts and rotations by constants and by tensors of any amounts.
Command shift(Random &random, unsigned func) {
  Types types = {randomInteger(random), randomInteger(random),
                 randomInteger(random)};
  if (func == ar::Rotate) {
    types.result = types.a;
    types.b = randomIntegerUpTo(random, isa::elementBytes(types.a));
  }
  Command c = arithCommand(random, func, 2, types);
  if (random.coin()) // within the width
    c.set(Field::opd1_const, 1)
        .set(Field::opd1_str, 0)
        .set(Field::opd1_addr, uint32_t(random.in(-32, 32)));
  return c;
}

Command integerMac(Random &random) {
  Command c = arithCommand(
      random, ar::Mac, 3, {Precision::Int8, Precision::Int8, Precision::Int16});
  const int64_t most = random.coin(4) ? 47 : 12;
  return c.set(Field::opd2_const, 1)
      .set(Field::opd2_prec, unsigned(Precision::Int16))
      .set(Field::opd2_addr,
           uint64_t(random.in(0, most) | random.in(0, most) << 8));
}

Command integerCommand(Random &random, unsigned func) {
  const Precision p = randomInteger(random);
  switch (func) {
  case ar::Mul:
  case ar::Add:
  case ar::Sub:
  case ar::AddSat:
  case ar::SubSat:
  case ar::MulSat:
    return sumOrProduct(random, func);
  case ar::LogicalShift:
  case ar::ArithShift:
  case ar::Rotate:
    return shift(random, func);
  case ar::Max:
  case ar::Min: {
    Command c = arithCommand(random, func, 2, {p, p, p});
    takeSign(c);
    return c;
  }
  case ar::MulDoublingHigh:
    return arithCommand(random, func, 2, {p, randomInteger(random), p});
  case ar::LeadingZeros:
  case ar::LeadingOnes:
    return arithCommand(
        random, func, 1,
        {p, p, randomIntegerUpTo(random, isa::elementBytes(p))});
  case ar::Mac:
    return integerMac(random);
  case ar::Not:
  case ar::Abs:
  case ar::Copy:
    return arithCommand(random, func, 1, {p, p, p});
  default:
    return arithCommand(random, func, 2, {p, p, p});
  }
}

void addIntegerKinds(std::vector<Kind> &kinds) {
  struct Row {
    const char *name;
    unsigned func;
  };
  const Row rows[] = {{"mul", ar::Mul},
                      {"not", ar::Not},
                      {"add", ar::Add},
                      {"sub", ar::Sub},
                      {"max", ar::Max},
                      {"min", ar::Min},
                      {"lshift", ar::LogicalShift},
                      {"and", ar::And},
                      {"or", ar::Or},
                      {"xor", ar::Xor},
                      {"adds", ar::AddSat},
                      {"subs", ar::SubSat},
                      {"mac", ar::Mac},
                      {"copy", ar::Copy},
                      {"muls", ar::MulSat},
                      {"ashift", ar::ArithShift},
                      {"rotate", ar::Rotate},
                      {"muldhr", ar::MulDoublingHigh},
                      {"abs", ar::Abs},
                      {"lz", ar::LeadingZeros},
                      {"lo", ar::LeadingOnes}};
  for (const Row &row : rows)
    kinds.push_back(
        {std::string("ar_int_") + row.name, Contents::Bytes,
         [row](Random &random) { return integerCommand(random, row.func); }});
}

/// The chosen value is a constant of any type no wider than what is compared.
void addSelectKinds(std::vector<Kind> &kinds) {
  for (Precision p : kAllTypes)
    for (unsigned func : {unsigned(ar::SelectGreater),
                          unsigned(ar::SelectEqual), unsigned(ar::SelectLess)})
      kinds.push_back(
          {"ar_select_" + std::to_string(func) + "_" + nameOf(p),
           contentsFor(p), [=](Random &random) {
             Precision chosen = p;
             if (random.coin())
               do
                 chosen = kAllTypes[random.in(0, 5)];
               while (isa::elementBytes(chosen) > isa::elementBytes(p));
             Command c = arithCommand(random, func, 3, {p, p, chosen});
             if (random.coin(4)) // so that some are equal
               c.set(Field::opd1_addr, c.get(Field::opd0_addr))
                   .set(Field::opd1_const, c.get(Field::opd0_const));
             return c.set(Field::opd2_prec, unsigned(chosen))
                 .set(Field::opd2_const, 1)
                 .set(Field::opd2_addr, randomConstant(random, chosen));
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
  for (Precision p : kFloatTypes)
    for (const Row &row : rows)
      kinds.push_back({std::string("ar_") + nameOf(p) + "_" + row.name,
                       contentsFor(p), [=](Random &random) {
                         return arithCommand(random, row.func, row.operands,
                                             {p, p, p});
                       }});
  kinds.push_back({"ar_fp32_div", Contents::Fp32, [](Random &random) {
                     const Precision p = Precision::Fp32;
                     return arithCommand(random, ar::Div, 2, {p, p, p})
                         .set(Field::opd2_n_str, uint64_t(random.in(0, 3)));
                   }});
}

void addCastKinds(std::vector<Kind> &kinds) {
  for (Precision from : kAllTypes)
    for (Precision to : kAllTypes) {
      bool halves = isa::elementBytes(from) == 2 && isa::elementBytes(to) == 2;
      if (halves && isa::isFloat(from) && isa::isFloat(to) && from != to)
        continue; // the vendor refuses it, and so do we
      const int codes = isa::isFloat(from) && !isa::isFloat(to) ? 4 : 6;
      kinds.push_back(
          {std::string("ar_cast_") + nameOf(from) + "_" + nameOf(to),
           contentsFor(from), [=](Random &random) {
             return arithCommand(random, ar::Cast, 1, {from, from, to})
                 .set(Field::opd2_n_str, uint64_t(random.in(0, codes)));
           }});
    }
}

/// Copies along n and indices. The copies move bits, and of integers they
/// corrupt the vendor's heap; the index generators exist in the long form only.
void addFillKinds(std::vector<Kind> &kinds) {
  for (Precision p : kFloatTypes)
    kinds.push_back(
        {std::string("ar_") + nameOf(p) + "_copy_over_n", contentsFor(p),
         [=](Random &random) {
           Command c = arithCommand(random, ar::CopyOverN, 1, {p, p, p});
           return c.set(Field::opd0_const, 0)
               .set(Field::opd0_addr, c.get(Field::res0_addr) & ~0x3ffffull)
               .set(Field::res0_n, uint64_t(random.in(1, 3)));
         }});
  for (unsigned func : {unsigned(ar::EuIndex), unsigned(ar::LaneIndex)})
    kinds.push_back({func == ar::EuIndex ? "ar_eu_index" : "ar_lane_index",
                     Contents::Bytes, [=](Random &random) {
                       const Precision p = randomInteger(random);
                       Command c =
                           arithCommand(random, Form::AR, func, 1, {p, p, p});
                       if (func == ar::LaneIndex)
                         c.set(Field::res0_w, 1);
                       return c;
                     }});
}

} // namespace

void addArithKinds(std::vector<Kind> &kinds) {
  addIntegerKinds(kinds);
  addSelectKinds(kinds);
  addFloatKinds(kinds);
  addCastKinds(kinds);
  addFillKinds(kinds);
}

} // namespace weft::oracle
