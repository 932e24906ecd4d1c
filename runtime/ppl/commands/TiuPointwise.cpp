//===- TiuPointwise.cpp - functions of PPL as commands --------------------===//

#include "runtime/ppl/commands/ElementCommands.h"
#include "runtime/ppl/rows/ElementRules.h"

#include <cmath>

using namespace weft;
using namespace weft::commands;

namespace ar = weft::isa::arith;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static bool isUnsigned(DataType type) { return !catalog::isSigned(type); }

static Status expandAbs(Expansion &e) {
  ElementCommands commands(e, "dst");
  DataType type = commands.typeOf("dst");
  Element src = commands.operand("src", type);
  if (src.isConstant())
    src = commands.constant(type, std::fabs(e.real("src")));
  if (src.isConstant() || isUnsigned(type))
    commands.copy(e.tensor("dst"), src);
  else
    return commands.arith(ar::Abs, e.tensor("dst"), {src});
  return Status::ok();
}

static Status expandNot(Expansion &e) {
  ElementCommands commands(e, "dst");
  DataType type = commands.typeOf("dst");
  Element src = commands.operand("src", type);
  if (!src.isConstant())
    return commands.arith(ar::Not, e.tensor("dst"), {src});
  unsigned width = catalog::bitsOf(type);
  src.bits = ~src.bits & (width == 32 ? ~0u : (1u << width) - 1);
  commands.copy(e.tensor("dst"), src);
  return Status::ok();
}

static Status expandCast(Expansion &e) {
  ElementCommands commands(e, "dst");
  catalog::DataType from = e.tensor("src").type, to = e.tensor("dst").type;
  if (from == to)
    commands.copy(e.tensor("dst"), e.tensor("src"));
  else
    commands.cast(e.tensor("dst"), e.tensor("src"),
                  catalog::castRounds(from, to) ? e.integer("round_mode") : 0);
  return Status::ok();
}

/// A cast to the same type gives whole numbers.
static Status expandWhole(Expansion &e, int64_t rounding) {
  ElementCommands(e, "dst").cast(e.tensor("dst"), e.tensor("src"), rounding);
  return Status::ok();
}
static Status expandRound(Expansion &e) {
  return expandWhole(e, e.integer("round_mode"));
}
static Status expandFloor(Expansion &e) { return expandWhole(e, 3); }
static Status expandCeiling(Expansion &e) { return expandWhole(e, 4); }

static Status expandRsqrt(Expansion &e) {
  int64_t steps = e.integer("num_iter");
  ElementCommands(e, "dst").special(isa::sfu::Rsqrt, e.tensor("dst"),
                                    e.tensor("src"), steps - 1, steps);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Two operands of one type
//===----------------------------------------------------------------------===//

static Status expandPair(Expansion &e, unsigned func,
                         const ArithOptions &options = {}) {
  ElementCommands commands(e, "dst");
  DataType type = commands.typeOf("dst");
  return commands.arith(
      func, e.tensor("dst"),
      {commands.operand("src0", type), commands.operand("src1", type)},
      options);
}

template <unsigned func>
static Status expandSame(Expansion &e) {
  return expandPair(e, func);
}

static Status expandDiv(Expansion &e) {
  ArithOptions options;
  options.code = e.integer("num_iter") - 1;
  options.areSigned = false;
  return expandPair(e, ar::Div, options);
}

static Status expandFmac(Expansion &e) {
  ArithOptions options;
  options.readsResult = true;
  return expandPair(e, ar::Mac, options);
}

static Status expandMulAdd(Expansion &e) {
  ElementCommands commands(e, "dst");
  DataType type = commands.typeOf("dst");
  Operand product = commands.room(type);
  commands.apply(
      ar::Mul, product,
      {commands.operand("src0", type), commands.operand("src1", type)});
  return commands.arith(ar::Add, e.tensor("dst"),
                        {product, commands.operand("src2", type)});
}

//===----------------------------------------------------------------------===//
// Integers of different types
//===----------------------------------------------------------------------===//

template <unsigned wrapping, unsigned saturating>
static Status expandShifted(Expansion &e) {
  ElementCommands commands(e, "dst");
  bool isSigned = !isUnsigned(commands.typeOf("dst"));
  Element a = commands.wholeOperand("src0", "src1", isSigned),
          b = commands.wholeOperand("src1", "src0", isSigned);
  ArithOptions options;
  options.shift = e.tensor("shift");
  if (options.shift || e.integer("shift") != 0)
    options.code = e.integer("round_mode");
  if (!options.shift && e.integer("shift") != 0)
    options.third = uint32_t(e.integer("shift")) & 0xff;
  return commands.arith(e.integer("saturation") ? saturating : wrapping,
                        e.tensor("dst"), {a, b}, options);
}

static Status expandMac(Expansion &e) {
  ElementCommands commands(e, "dst");
  bool isSigned = !isUnsigned(commands.typeOf("dst"));
  auto byte = [&](std::string_view slot) {
    if (Operand tensor = e.tensor(slot))
      return Element(tensor);
    // 8 bits; above 127 only unsigned
    int64_t value = e.integer(slot);
    bool sign = value < 0 || (isSigned && value <= INT8_MAX);
    return Element(integerType(8, sign), uint32_t(value) & 0xff);
  };
  ArithOptions options;
  options.third = uint32_t(e.integer("l_shift") | e.integer("r_shift") << 8);
  options.code = e.integer("round_mode");
  options.readsResult = true;
  return commands.arith(ar::Mac, e.tensor("dst"), {byte("src0"), byte("src1")},
                        options);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static Element amountOf(ElementCommands &commands) {
  Operand tensor = commands.e.tensor("shift");
  return tensor ? Element(tensor)
                : Element(integerType(8, true),
                          uint32_t(commands.e.integer("shift")) & 0xff);
}

template <unsigned func>
static Status expandShift(Expansion &e) {
  ElementCommands commands(e, "dst");
  ArithOptions options;
  options.code = e.integer("round_mode");
  options.firstIsUnsigned = func == ar::LogicalShift;
  return commands.arith(func, e.tensor("dst"),
                        {e.tensor("src"), amountOf(commands)}, options);
}

static Status expandRotation(Expansion &e) {
  ElementCommands commands(e, "dst");
  ArithOptions options;
  options.firstIsUnsigned = true;
  return commands.arith(
      ar::Rotate, e.tensor("dst"),
      {commands.operand("src", commands.typeOf("dst")), amountOf(commands)},
      options);
}

//===----------------------------------------------------------------------===//
// Exponential and logarithm
//===----------------------------------------------------------------------===//

// ln 2 = kLn2High - kLn2Low; small multiples of the first are exact.
static constexpr double kLog2E = 1.44269502, kLn2High = 0.693359375,
                        kLn2Low = 2.12194442e-4;

/// src in fp32.
static Operand widened(ElementCommands &commands) {
  Operand src = commands.e.tensor("src");
  if (commands.typeOf("src") == DataType::Fp32)
    return src;
  Operand wide = commands.room(DataType::Fp32);
  commands.cast(wide, src);
  return wide;
}

/// dst = a * b, computed in fp32; `scratch` has room for it.
static void finish(ElementCommands &commands, Operand scratch, const Element &a,
                   const Element &b) {
  Operand dst = commands.e.tensor("dst");
  bool isFp32 = commands.typeOf("dst") == DataType::Fp32;
  commands.apply(ar::Mul, isFp32 ? dst : scratch, {a, b});
  if (!isFp32)
    commands.cast(dst, scratch);
}

static Status expandExp(Expansion &e) {
  ElementCommands commands(e, "dst");
  auto number = [&](double value) {
    return commands.constant(DataType::Fp32, value);
  };
  Operand src = widened(commands);
  Operand x = commands.room(DataType::Fp32), k = commands.room(DataType::Fp32),
          p = commands.room(DataType::Fp32);
  // A NaN stays one in this order of operands.
  commands.apply(ar::Max, x, {number(-103), src});
  commands.apply(ar::Min, x, {x, number(88)});
  commands.apply(ar::Mul, k, {x, number(kLog2E)});
  commands.cast(k, k);
  commands.apply(ar::Mul, p, {k, number(kLn2High)});
  commands.apply(ar::Sub, x, {x, p});
  commands.apply(ar::Mul, p, {k, number(kLn2Low)});
  commands.apply(ar::Add, x, {x, p});
  commands.taylor(p, x, commands.table(/*EXP*/ 0, 10, DataType::Fp32), 10);
  // 2^k by its exponent field.
  Operand power = commands.room(integerType(16, true)),
          scale = Expansion::as(x, integerType(32, true));
  commands.cast(power, k);
  commands.apply(ar::Max, power,
                 {power, commands.constant(integerType(16, true), -127)});
  ArithOptions shift;
  shift.third = 23;
  commands.apply(ar::Add, scale,
                 {power, commands.constant(integerType(32, true), 127)}, shift);
  finish(commands, p, p, x);
  return Status::ok();
}

/// The table in fp32; one of 16 bits is converted.
static Operand wideTable(ElementCommands &commands) {
  Operand coeff = commands.e.tensor("coeff");
  if (coeff.type == DataType::Fp32)
    return coeff;
  ElementCommands table(commands.e, "coeff");
  Operand wide = table.room(DataType::Fp32);
  table.cast(wide, coeff);
  return wide;
}

static Status expandLogx(Expansion &e) {
  ElementCommands commands(e, "dst");
  DataType word = integerType(32, false);
  auto number = [&](double value) {
    return commands.constant(DataType::Fp32, value);
  };
  auto code = [&](uint32_t value) { return Element(word, value); };
  Operand src = commands.aligned(widened(commands));
  Element x = Expansion::as(src, word);
  Operand z = commands.room(DataType::Fp32), k = commands.room(DataType::Fp32),
          p = commands.room(DataType::Fp32);
  Operand zBits = Expansion::as(z, word),
          kBits = Expansion::as(k, integerType(32, true));
  // x = (1 + z) * 2^k with 1 + z from 2/3 (0x3f2aaaab) to 4/3.
  commands.apply(ar::Add, zBits, {x, code(0x3f800000 - 0x3f2aaaab)});
  ArithOptions down;
  down.code = 3;
  down.firstIsUnsigned = true;
  commands.apply(ar::LogicalShift, kBits,
                 {zBits, Element(integerType(8, true), uint8_t(-23))}, down);
  commands.apply(ar::Sub, kBits,
                 {kBits, commands.constant(integerType(32, true), 127)});
  commands.cast(k, kBits);
  commands.apply(ar::And, zBits, {zBits, code(0x7fffff)});
  commands.apply(ar::Add, zBits, {zBits, code(0x3f2aaaab)});
  commands.apply(ar::Sub, z, {z, number(1)});
  commands.taylor(p, z, wideTable(commands), 16);
  commands.apply(ar::Mul, z, {k, number(-kLn2Low)});
  commands.apply(ar::Add, p, {p, z});
  commands.apply(ar::Mul, z, {k, number(kLn2High)});
  commands.apply(ar::Add, p, {p, z});
  // Negative numbers and NaNs; zeros; infinity.
  Operand pBits = Expansion::as(p, word);
  commands.select(isa::cmp::SelectGreater, pBits,
                  {x, code(0x7f800000), code(0x7fc00000), pBits});
  commands.apply(ar::And, zBits, {x, code(0x7f800000)});
  commands.select(isa::cmp::SelectEqual, pBits,
                  {zBits, code(0), code(0xff800000), pBits});
  commands.select(isa::cmp::SelectEqual, pBits,
                  {x, code(0x7f800000), code(0x7f800000), pBits});
  finish(commands, p, p, number(1 / std::log(double(float(e.real("x"))))));
  return Status::ok();
}

static Status expandLogBase(Expansion &e) {
  ElementCommands commands(e, "dst");
  Operand table = commands.table(/*LOG*/ 1, 16, commands.typeOf("dst"));
  commands.taylor(e.tensor("dst"), e.tensor("src"), table, 16);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuPointwiseExpansions() {
  return {
      {"tiu.abs", expandAbs},
      {"tiu.fabs", expandAbs},
      {"tiu.add", expandShifted<ar::Add, ar::AddSat>},
      {"tiu.fadd", expandSame<ar::Add>},
      {"tiu.bitwise_not", expandNot},
      {"tiu.bitwise_and", expandSame<ar::And>},
      {"tiu.bitwise_or", expandSame<ar::Or>},
      {"tiu.bitwise_xor", expandSame<ar::Xor>},
      {"tiu.cast", expandCast},
      {"tiu.ceiling", expandCeiling},
      {"tiu.floor", expandFloor},
      {"tiu.round", expandRound},
      {"tiu.fdiv", expandDiv},
      {"tiu.frsqrt", expandRsqrt},
      {"tiu.fexp", expandExp},
      {"tiu.flog_base", expandLogBase},
      {"tiu.flogx", expandLogx},
      {"tiu.mac", expandMac},
      {"tiu.fmac", expandFmac},
      {"tiu.fmul_add", expandMulAdd},
      {"tiu.mul", expandShifted<ar::Mul, ar::MulSat>},
      {"tiu.fmul", expandSame<ar::Mul>},
      {"tiu.sub", expandShifted<ar::Sub, ar::SubSat>},
      {"tiu.fsub", expandSame<ar::Sub>},
      {"tiu.fsub_abs", expandSame<ar::AbsDiff>},
      {"tiu.shift", expandShift<ar::ArithShift>},
      {"tiu.logical_shift", expandShift<ar::LogicalShift>},
      {"tiu.circular_shift", expandRotation},
  };
}
