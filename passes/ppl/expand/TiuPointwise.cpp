//===- TiuPointwise.cpp - functions of PPL as commands --------------------===//

#include "passes/ppl/ElementCommands.h"
#include "runtime/ppl/rows/ElementRules.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace ar = weft::isa::arith;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static bool isUnsigned(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isUnsigned();
}

static LogicalResult expandAbs(Expansion &e) {
  ElementCommands commands(e, "dst");
  Type type = commands.typeOf("dst");
  Element src = commands.operand("src", type);
  if (src.isConstant())
    src = commands.constant(type, std::fabs(e.real("src")));
  if (src.isConstant() || isUnsigned(type))
    commands.copy(e.tensor("dst"), src);
  else
    return commands.arith(ar::Abs, e.tensor("dst"), {src});
  return success();
}

static LogicalResult expandNot(Expansion &e) {
  ElementCommands commands(e, "dst");
  Type type = commands.typeOf("dst");
  Element src = commands.operand("src", type);
  if (!src.isConstant())
    return commands.arith(ar::Not, e.tensor("dst"), {src});
  unsigned width = elementBitsOf(type);
  src.bits = ~src.bits & (width == 32 ? ~0u : (1u << width) - 1);
  commands.copy(e.tensor("dst"), src);
  return success();
}

static LogicalResult expandCast(Expansion &e) {
  ElementCommands commands(e, "dst");
  catalog::DataType from = e.described("src").type,
                    to = e.described("dst").type;
  if (from == to)
    commands.copy(e.tensor("dst"), commands.of(e.tensor("src")));
  else
    commands.cast(e.tensor("dst"), e.tensor("src"),
                  catalog::castRounds(from, to) ? e.integer("round_mode") : 0);
  return success();
}

/// A cast to the same type gives whole numbers.
static LogicalResult expandWhole(Expansion &e, int64_t rounding) {
  ElementCommands(e, "dst").cast(e.tensor("dst"), e.tensor("src"), rounding);
  return success();
}
static LogicalResult expandRound(Expansion &e) {
  return expandWhole(e, e.integer("round_mode"));
}
static LogicalResult expandFloor(Expansion &e) { return expandWhole(e, 3); }
static LogicalResult expandCeiling(Expansion &e) { return expandWhole(e, 4); }

static LogicalResult expandRsqrt(Expansion &e) {
  int64_t steps = e.integer("num_iter");
  ElementCommands(e, "dst").special(isa::sfu::Rsqrt, e.tensor("dst"),
                                    e.tensor("src"), steps - 1, steps);
  return success();
}

//===----------------------------------------------------------------------===//
// Two operands of one type
//===----------------------------------------------------------------------===//

static LogicalResult expandPair(Expansion &e, unsigned func,
                                const ArithOptions &options = {}) {
  ElementCommands commands(e, "dst");
  Type type = commands.typeOf("dst");
  return commands.arith(
      func, e.tensor("dst"),
      {commands.operand("src0", type), commands.operand("src1", type)},
      options);
}

template <unsigned func>
static LogicalResult expandSame(Expansion &e) {
  return expandPair(e, func);
}

static LogicalResult expandDiv(Expansion &e) {
  ArithOptions options;
  options.code = e.integer("num_iter") - 1;
  return expandPair(e, ar::Div, options);
}

static LogicalResult expandFmac(Expansion &e) {
  ArithOptions options;
  options.readsResult = true;
  return expandPair(e, ar::Mac, options);
}

static LogicalResult expandMulAdd(Expansion &e) {
  ElementCommands commands(e, "dst");
  Type type = commands.typeOf("dst");
  Value product = commands.room(type);
  if (failed(commands.arith(
          ar::Mul, product,
          {commands.operand("src0", type), commands.operand("src1", type)})))
    return failure();
  return commands.arith(ar::Add, e.tensor("dst"),
                        {commands.of(product), commands.operand("src2", type)});
}

//===----------------------------------------------------------------------===//
// Integers of different types
//===----------------------------------------------------------------------===//

template <unsigned wrapping, unsigned saturating>
static LogicalResult expandShifted(Expansion &e) {
  ElementCommands commands(e, "dst");
  bool isSigned = !isUnsigned(commands.typeOf("dst"));
  Element a = commands.wholeOperand("src0", isSigned),
          b = commands.wholeOperand("src1", isSigned);
  ArithOptions options;
  options.shift = e.tensor("shift");
  if (options.shift || e.integer("shift") != 0)
    options.code = e.integer("round_mode");
  if (!options.shift && e.integer("shift") != 0)
    options.third = uint32_t(e.integer("shift")) & 0xff;
  return commands.arith(e.integer("saturation") ? saturating : wrapping,
                        e.tensor("dst"), {a, b}, options);
}

static LogicalResult expandMac(Expansion &e) {
  ElementCommands commands(e, "dst");
  bool isSigned = !isUnsigned(commands.typeOf("dst"));
  auto byte = [&](StringRef slot) {
    Element operand = commands.wholeOperand(slot, isSigned);
    if (operand.isConstant()) { // 8 bits; above 127 only unsigned
      int64_t value = e.integer(slot);
      bool sign = value < 0 || (isSigned && value <= INT8_MAX);
      operand = commands.bits(commands.integer(8, sign), operand.bits & 0xff);
    }
    return operand;
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
  Value tensor = commands.e.tensor("shift");
  return tensor ? commands.of(tensor)
                : commands.bits(commands.integer(8, true),
                                uint32_t(commands.e.integer("shift")) & 0xff);
}

template <unsigned func>
static LogicalResult expandShift(Expansion &e) {
  ElementCommands commands(e, "dst");
  ArithOptions options;
  options.code = e.integer("round_mode");
  options.firstIsUnsigned = func == ar::LogicalShift;
  return commands.arith(func, e.tensor("dst"),
                        {commands.of(e.tensor("src")), amountOf(commands)},
                        options);
}

static LogicalResult expandRotation(Expansion &e) {
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
static Value widened(ElementCommands &commands) {
  Value src = commands.e.tensor("src");
  if (commands.typeOf("src").isF32())
    return src;
  Value wide = commands.room(commands.f32());
  commands.cast(wide, src);
  return wide;
}

/// dst = a * b, computed in fp32; `scratch` has room for it.
static void finish(ElementCommands &commands, Value scratch, const Element &a,
                   const Element &b) {
  Value dst = commands.e.tensor("dst");
  bool isFp32 = commands.typeOf("dst").isF32();
  commands.fp32(ar::Mul, isFp32 ? dst : scratch, a, b);
  if (!isFp32)
    commands.cast(dst, scratch);
}

static LogicalResult expandExp(Expansion &e) {
  ElementCommands commands(e, "dst");
  auto number = [&](double value) {
    return commands.constant(commands.f32(), value);
  };
  auto of = [&](Value tensor) { return commands.of(tensor); };
  Value src = widened(commands);
  Value x = commands.room(commands.f32()), k = commands.room(commands.f32()),
        p = commands.room(commands.f32());
  // A NaN stays one in this order of operands.
  commands.fp32(ar::Max, x, number(-103), of(src));
  commands.fp32(ar::Min, x, of(x), number(88));
  commands.fp32(ar::Mul, k, of(x), number(kLog2E));
  commands.cast(k, k);
  commands.fp32(ar::Mul, p, of(k), number(kLn2High));
  commands.fp32(ar::Sub, x, of(x), of(p));
  commands.fp32(ar::Mul, p, of(k), number(kLn2Low));
  commands.fp32(ar::Add, x, of(x), of(p));
  commands.taylor(p, x, commands.table(/*EXP*/ 0, 10, commands.f32()), 10);
  // 2^k by its exponent field.
  Value power = commands.room(commands.integer(16, true)),
        scale = commands.as(x, commands.integer(32, true));
  commands.cast(power, k);
  (void)commands.arith(
      ar::Max, power,
      {of(power), commands.constant(commands.integer(16, true), -127)});
  ArithOptions shift;
  shift.third = 23;
  (void)commands.arith(
      ar::Add, scale,
      {of(power), commands.constant(commands.integer(32, true), 127)}, shift);
  finish(commands, p, of(p), of(x));
  return success();
}

/// The table in fp32; one of 16 bits is converted.
static Value wideTable(ElementCommands &commands) {
  Value coeff = commands.e.tensor("coeff");
  auto type = cast<TensorViewType>(coeff.getType());
  if (type.getElementType().isF32())
    return coeff;
  ElementCommands table(commands.e, "coeff");
  Value wide = table.room(commands.f32());
  table.cast(wide, coeff);
  return wide;
}

static LogicalResult expandLogx(Expansion &e) {
  ElementCommands commands(e, "dst");
  Type word = commands.integer(32, false);
  auto number = [&](double value) {
    return commands.constant(commands.f32(), value);
  };
  auto code = [&](uint32_t value) { return commands.bits(word, value); };
  auto of = [&](Value tensor) { return commands.of(tensor); };
  Value src = commands.aligned(widened(commands));
  Element x = of(commands.as(src, word));
  Value z = commands.room(commands.f32()), k = commands.room(commands.f32()),
        p = commands.room(commands.f32());
  Value zBits = commands.as(z, word),
        kBits = commands.as(k, commands.integer(32, true));
  // x = (1 + z) * 2^k with 1 + z from 2/3 (0x3f2aaaab) to 4/3.
  (void)commands.arith(ar::Add, zBits, {x, code(0x3f800000 - 0x3f2aaaab)});
  ArithOptions down;
  down.code = 3;
  down.firstIsUnsigned = true;
  (void)commands.arith(
      ar::LogicalShift, kBits,
      {of(zBits), commands.bits(commands.integer(8, true), uint8_t(-23))},
      down);
  (void)commands.arith(
      ar::Sub, kBits,
      {of(kBits), commands.constant(commands.integer(32, true), 127)});
  commands.cast(k, kBits);
  (void)commands.arith(ar::And, zBits, {of(zBits), code(0x7fffff)});
  (void)commands.arith(ar::Add, zBits, {of(zBits), code(0x3f2aaaab)});
  commands.fp32(ar::Sub, z, of(z), number(1));
  commands.taylor(p, z, wideTable(commands), 16);
  commands.fp32(ar::Mul, z, of(k), number(-kLn2Low));
  commands.fp32(ar::Add, p, of(p), of(z));
  commands.fp32(ar::Mul, z, of(k), number(kLn2High));
  commands.fp32(ar::Add, p, of(p), of(z));
  // Negative numbers and NaNs; zeros; infinity.
  Value pBits = commands.as(p, word);
  commands.select(isa::cmp::SelectGreater, pBits,
                  {x, code(0x7f800000), code(0x7fc00000), of(pBits)});
  (void)commands.arith(ar::And, zBits, {x, code(0x7f800000)});
  commands.select(isa::cmp::SelectEqual, pBits,
                  {of(zBits), code(0), code(0xff800000), of(pBits)});
  commands.select(isa::cmp::SelectEqual, pBits,
                  {x, code(0x7f800000), code(0x7f800000), of(pBits)});
  finish(commands, p, of(p), number(1 / std::log(double(float(e.real("x"))))));
  return success();
}

static LogicalResult expandLogBase(Expansion &e) {
  ElementCommands commands(e, "dst");
  Value table = commands.table(/*LOG*/ 1, 16, commands.typeOf("dst"));
  commands.taylor(e.tensor("dst"), e.tensor("src"), table, 16);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuPointwiseExpansions() {
  static constexpr ExpandRow rows[] = {
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
  return rows;
}
