#include "tests/unit/runtime/ppl/Calls.h"

#include "runtime/numeric/Float16.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

static constexpr DataType kU8 = DataType::Uint8, kU16 = DataType::Uint16,
                          kU32 = DataType::Uint32, kI8 = DataType::Int8,
                          kI16 = DataType::Int16, kI32 = DataType::Int32,
                          kF16 = DataType::Fp16, kF32 = DataType::Fp32,
                          kB16 = DataType::Bf16, kE5 = DataType::Fp8e5m2;
static constexpr Dims kShape = {2, 70, 3, 5};

static Argument whole(DataType type, unsigned lane = 0) {
  return local(type, kShape, AlignMode::Aligned, lane);
}
static Argument row(DataType type) { return local(type, {1, 70, 1, 5}); }

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuPointwise, oneOperandRules) {
  for (std::string_view name :
       {"tiu.abs", "tiu.fabs", "tiu.ceiling", "tiu.floor", "tiu.round",
        "tiu.fexp", "tiu.flog_base", "tiu.frsqrt"}) {
    EXPECT_EQ(problem(name, {whole(kF32), whole(kF32)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kF32), whole(kF16)}),
              "dst is fp32, src is fp16; dst and src must have one element "
              "type")
        << name;
    EXPECT_EQ(problem(name, {whole(kF32), row(kF32)}),
              "dst has shape 2x70x3x5, src 1x70x1x5; dst and src must have one "
              "shape")
        << name;
    EXPECT_EQ(problem(name, {whole(kF32), whole(kF32, 3)}),
              "dst starts in lane 0, src in lane 3; dst and src must start in "
              "one lane")
        << name;
    EXPECT_EQ(problem(name, {at(0, whole(kF32)), at(64, whole(kF32))}),
              "dst at 0 overlaps src at 64; dst must be exactly a source or "
              "lie apart from it")
        << name;
    EXPECT_EQ(problem(name, {at(0, whole(kF32)), at(0, whole(kF32))}), "")
        << name;
  }
  EXPECT_EQ(problem("tiu.abs", {whole(kI8), number(-3)}), "");
  EXPECT_EQ(problem("tiu.abs", {whole(kI8), number(300)}),
            "src is 300; a number for src must be whole and fit the integer "
            "type of dst");
  EXPECT_EQ(problem("tiu.fabs", {whole(kI8), whole(kI8)}),
            "dst is int8, must be fp32, fp16, bf16, fp8e5m2 or fp8e4m3");
  EXPECT_EQ(problem("tiu.fabs", {whole(kE5), whole(kE5)}),
            "dst is fp8e5m2; on bm1684x dst must be fp32, fp16 or bf16");
  EXPECT_EQ(problem("tiu.fabs", {whole(kE5), whole(kE5)}, chips::bm1690), "");
  EXPECT_EQ(problem("tiu.bitwise_not", {whole(kU16), whole(kU16)}), "");
  EXPECT_EQ(problem("tiu.bitwise_not", {whole(kF16), whole(kF16)}),
            "dst is fp16, must be int32, uint32, int16, uint16, int8 or uint8");
  EXPECT_EQ(problem("tiu.round", {whole(kF32), whole(kF32), number(5)}),
            "round_mode is RM_HALF_UP; on bm1684x conversions from and to "
            "floats round by RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, "
            "RM_TOWARDS_ZERO, RM_DOWN or RM_UP");
  EXPECT_EQ(problem("tiu.round", {whole(kF32), whole(kF32), number(5)},
                    chips::bm1688),
            "");
  EXPECT_EQ(problem("tiu.frsqrt", {whole(kF16), whole(kF16)}),
            "dst is fp16; on bm1684x dst must be fp32");
  EXPECT_EQ(problem("tiu.frsqrt", {whole(kF32), whole(kF32), number(5)}),
            "num_iter is 5, must be 1 to 4");
}

TEST(TiuPointwise, wideShiftedRules) {
  for (std::string_view name : {"tiu.add", "tiu.sub", "tiu.mul"}) {
    EXPECT_EQ(problem(name, {whole(kI32), whole(kU8), row(kI16), number(-32),
                             number(6), number(1)}),
              "")
        << name;
    EXPECT_EQ(problem(name, {whole(kI16), whole(kI8), number(100000)}), "")
        << name << ": numbers need not have the type of a tensor";
    EXPECT_EQ(problem(name, {whole(kI16), whole(kI8), number(0.5)}),
              "src1 is 0.5; a number for src1 must be whole and -2147483648 to "
              "4294967295")
        << name;
    EXPECT_EQ(problem(name, {whole(kI16), number(3), number(4)}),
              "all are numbers; at least one of src0 and src1 must be a tensor")
        << name;
    EXPECT_EQ(problem(name, {whole(kI8), whole(kI8), whole(kI8),
                             local(kI8, {1, 70, 1, 1}, AlignMode::Compact)}),
              "")
        << name;
    EXPECT_EQ(problem(name, {whole(kI8), whole(kI8), whole(kI8),
                             local(kI8, {1, 70, 1, 1})}),
              "shift is N-byte aligned; the layout of shift must be compact")
        << name;
    EXPECT_EQ(problem(name, {whole(kI8), whole(kI8), whole(kI8),
                             local(kI8, {1, 1, 1, 1}, AlignMode::Compact)}),
              "shift has shape 1x1x1x1, dst has 70 channels; shift must be 1 x "
              "c x 1 x 1 with the channels of dst")
        << name;
    EXPECT_NE(problem(name, {whole(kF32), whole(kI8), whole(kI8)}), "") << name;
    EXPECT_EQ(
        problem(name, {whole(kI8), whole(kI8), local(kI8, {2, 64, 3, 5})}),
        "src1 has 64 on axis c, dst has 70; each axis of src0 and src1 "
        "must equal that of dst or be 1")
        << name;
  }
  for (std::string_view name : {"tiu.add", "tiu.mul"}) {
    EXPECT_EQ(problem(name, {whole(kU32), whole(kU8), row(kU16)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kU8), row(kU16)}),
              "dst is int32, the operands are unsigned; dst is unsigned "
              "exactly if src0 and src1 are (a negative number counts as "
              "signed)")
        << name;
    EXPECT_EQ(problem(name, {whole(kU32), whole(kU8), number(-1)}),
              "dst is uint32, an operand is signed; dst is unsigned exactly if "
              "src0 and src1 are (a negative number counts as signed)")
        << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kU8), number(5)}), "") << name;
  }
  EXPECT_EQ(problem("tiu.sub", {whole(kU8), whole(kU8), whole(kU8)}),
            "dst is uint8, must be int32, int16 or int8");
  EXPECT_EQ(problem("tiu.sub", {whole(kI8), whole(kU8), whole(kU8)}), "");
  EXPECT_EQ(problem("tiu.sub", {whole(kI8), number(7), whole(kU8)}), "");
  EXPECT_EQ(
      problem("tiu.mul", {whole(kI8), whole(kI8), number(7), number(-64)}), "");
  EXPECT_EQ(
      problem("tiu.add", {whole(kI8), whole(kI8), number(7), number(-64)}),
      "shift is -64; a number for shift must be whole and -32 to 31");
}

TEST(TiuPointwise, floatPairRules) {
  for (std::string_view name : {"tiu.fadd", "tiu.fsub", "tiu.fmul",
                                "tiu.fsub_abs", "tiu.fdiv", "tiu.fmac"}) {
    EXPECT_EQ(problem(name, {whole(kF32), whole(kF32), row(kF32)}), "") << name;
    EXPECT_EQ(
        problem(name, {whole(kF32), number(1.5), local(kF32, {1, 1, 1, 5})}),
        "")
        << name;
    EXPECT_EQ(problem(name, {whole(kF32), whole(kF32), row(kF16)}).empty(),
              false)
        << name;
    EXPECT_NE(problem(name, {whole(kI32), whole(kI32), whole(kI32)}), "")
        << name;
  }
  EXPECT_EQ(problem("tiu.fdiv", {whole(kF16), whole(kF16), whole(kF16)}),
            "dst is fp16; on bm1684x dst must be fp32");
  EXPECT_EQ(problem("tiu.fdiv", {whole(kF16), whole(kF16), whole(kF16)},
                    chips::bm1690),
            "");
  EXPECT_EQ(problem("tiu.fmac", {whole(kF16), whole(kF16), whole(kF16)}),
            "dst is fp16, must be fp32");
  for (std::string_view name : {"tiu.fadd", "tiu.fsub", "tiu.fmul"}) {
    auto saturating = [&](DataType type, Argument second, const Chip &chip) {
      return problem(name, {whole(type), whole(type), second, number(1)}, chip);
    };
    EXPECT_EQ(saturating(kF16, whole(kF16), chips::bm1684x),
              "saturation is true on bm1684x for fp16; floats saturate on "
              "sg2260e, sg2262 and sg2380, on bm1690 if they are fp8 and an "
              "operand is a number; set saturation to false")
        << name;
    EXPECT_EQ(saturating(kE5, number(2.0), chips::bm1690), "") << name;
    EXPECT_NE(saturating(kE5, whole(kE5), chips::bm1690), "") << name;
    EXPECT_EQ(saturating(kF16, whole(kF16), chips::sg2380), "") << name;
    EXPECT_EQ(problem(name, {whole(kE5), whole(kE5), whole(kE5)}),
              "dst is fp8e5m2; on bm1684x dst must be fp32, fp16 or bf16")
        << name;
  }
}

TEST(TiuPointwise, bitAndShiftRules) {
  for (std::string_view name :
       {"tiu.bitwise_and", "tiu.bitwise_or", "tiu.bitwise_xor"}) {
    EXPECT_EQ(problem(name, {whole(kU8), whole(kU8), row(kU8)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kI8), whole(kI8), number(0x80)}), "")
        << name;
    EXPECT_EQ(problem(name, {whole(kU8), whole(kI8), row(kU8)}),
              "dst is uint8, src0 is int8; dst, src0 and src1 must have one "
              "element type")
        << name;
    EXPECT_EQ(problem(name, {whole(kU8), whole(kU8), number(256)}),
              "src1 is 256; a number for src1 must be whole and fit the "
              "integer type of dst")
        << name;
  }
  for (std::string_view name : {"tiu.shift", "tiu.logical_shift"}) {
    EXPECT_EQ(problem(name, {whole(kU8), whole(kI32), whole(kI16), number(6)}),
              "")
        << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kI8), number(-32)}), "")
        << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kI8), number(-33)}),
              "shift is -33; a number for shift must be whole and -32 to 31")
        << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kI8), whole(kI16)}),
              "shift is int16, src is int8; elements of shift must be no wider "
              "than those of src")
        << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kI8), whole(kU8)}),
              "shift is uint8, must be int32, int16 or int8")
        << name;
  }
  EXPECT_EQ(problem("tiu.circular_shift", {whole(kU8), whole(kI8), number(-7)}),
            "");
  EXPECT_EQ(problem("tiu.circular_shift", {whole(kU8), number(3), whole(kI8)}),
            "");
  EXPECT_EQ(problem("tiu.circular_shift", {whole(kU8), whole(kI8), number(8)}),
            "shift is 8, dst is uint8; |shift| must be below the width of dst");
  EXPECT_EQ(problem("tiu.circular_shift", {whole(kU8), whole(kI16), number(1)}),
            "dst is uint8, src is int16; dst and src must have elements of one "
            "width");
  EXPECT_EQ(problem("tiu.circular_shift", {whole(kU8), whole(kI8), number(1)},
                    chips::bm1690)
                .rfind("exists on bm1684x or sg2380 only, not on bm1690", 0),
            0u);
}

TEST(TiuPointwise, castAndMacAndLogarithmRules) {
  EXPECT_EQ(problem("tiu.cast", {whole(kI8), whole(kF32), number(4)}), "");
  EXPECT_EQ(problem("tiu.cast", {whole(kF32), whole(kI8), number(6)}), "")
      << "exact: the mode plays no role";
  EXPECT_NE(problem("tiu.cast", {whole(kI8), whole(kF32), number(6)}), "");
  EXPECT_EQ(problem("tiu.cast", {whole(kB16), whole(kF16)}),
            "dst is bf16, src is fp16; fp16 and bf16 are not converted into "
            "each other: cast to fp32 between");
  EXPECT_EQ(problem("tiu.cast", {whole(kI8), whole(kF32), number(7)}),
            "round_mode is 7, must be RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, "
            "RM_TOWARDS_ZERO, RM_DOWN, RM_UP, RM_HALF_UP or RM_HALF_DOWN");
  EXPECT_EQ(problem("tiu.mac", {whole(kI16), whole(kI8), whole(kU8), number(31),
                                number(31), number(6)}),
            "");
  EXPECT_EQ(problem("tiu.mac", {whole(kU16), whole(kU8), number(255)}), "");
  EXPECT_NE(problem("tiu.mac", {whole(kI16), whole(kU8), whole(kU8)}), "");
  EXPECT_EQ(
      problem("tiu.mac", {whole(kI16), whole(kI8), whole(kI8), number(32)}),
      "l_shift is 32, must be 0 to 31");
  EXPECT_EQ(problem("tiu.mac", {whole(kI32), whole(kI8), whole(kI8)}),
            "dst is int32, must be int16 or uint16");
  Argument table = local(kF32, {1, 64, 1, 16});
  auto logx = [&](Argument coeff, double base) {
    return problem("tiu.flogx", {whole(kF32), whole(kF32), whole(kF32), coeff,
                                 number(base)});
  };
  EXPECT_EQ(logx(table, 10), "");
  EXPECT_EQ(logx(table, 1),
            "x is 1; the base of a logarithm must be positive, finite and not "
            "1");
  EXPECT_EQ(logx(local(kF32, {1, 64, 1, 15}), 10),
            "coeff has shape 1x64x1x15, the chip 64 lanes; coeff must be 1 x "
            "lanes of the chip x 1 x at least 16");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// Evaluates a call on random values and gives all of them; `old` holds those
/// from before.
static Values run(const Call &call, uint64_t seed, Values *old = nullptr) {
  Numbers numbers(seed);
  Values values = randomValues(call, numbers);
  if (old)
    *old = values;
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values;
}

static int64_t cut(double value, DataType type) {
  Dense one(type, {1, 1, 1, 1});
  one.setBits(0, uint64_t(int64_t(value)));
  return one.integer(0);
}

/// floor, ceiling and halves of a quotient in long double, which holds all
/// quotients of this test exactly.
static long double roundedQuotient(long double x, int64_t mode) {
  long double low = std::floor(x), part = x - low;
  switch (mode) {
  case 0:
    return std::nearbyint(x);
  case 1:
    return std::round(x);
  case 2:
    return std::trunc(x);
  case 3:
    return low;
  case 4:
    return std::ceil(x);
  case 5:
    return part >= 0.5L ? low + 1 : low;
  default:
    return part > 0.5L ? low + 1 : low;
  }
}

TEST(TiuPointwise, sumsAndProductsAreShiftedRoundedAndSaturated) {
  Numbers numbers(1);
  for (std::string_view name : {"tiu.add", "tiu.sub", "tiu.mul"})
    for (int round = 0; round < 60; ++round) {
      const DataType types[] = {kI8, kU8, kI16, kU16};
      DataType a = types[numbers.in(0, 3)], b = types[numbers.in(0, 3)];
      bool isUnsigned = !isSigned(a) && !isSigned(b) && name != "tiu.sub";
      const DataType results[] = {isUnsigned ? kU8 : kI8,
                                  isUnsigned ? kU16 : kI16,
                                  isUnsigned ? kU32 : kI32};
      DataType to = results[numbers.in(0, 2)];
      int64_t shift = numbers.in(-20, 10), mode = numbers.in(0, 6),
              saturates = numbers.in(0, 1);
      Dims shape = {1, 2, 2, 3};
      Call call = callOf(name, {local(to, shape), local(a, shape),
                                local(b, {1, 2, 1, 3}), number(shift),
                                number(mode), number(saturates)});
      Values values = run(call, 100 + round);
      for (int i = 0; i < 12; ++i) {
        long double x = values.at("src0").integer(i),
                    y = values.at("src1").integer(i / 6 * 3 + i % 3);
        long double exact = name == "tiu.add"   ? x + y
                            : name == "tiu.sub" ? x - y
                                                : x * y;
        exact = roundedQuotient(std::ldexp(exact, int(shift)), mode);
        double high = std::ldexp(1.0, int(bitsOf(to)) - isSigned(to)) - 1,
               low = isSigned(to) ? -high - 1 : 0;
        int64_t expected =
            saturates ? int64_t(std::fmin(std::fmax(double(exact), low), high))
                      : cut(double(exact), to);
        ASSERT_EQ(values.at("dst").integer(i), expected)
            << name << " " << double(x) << " " << double(y) << " shift "
            << shift << " mode " << mode << " saturates " << saturates;
      }
    }
}

TEST(TiuPointwise, cornersOfWideSumsAndProducts) {
  auto result = [](std::string_view name, DataType type, int64_t a, int64_t b,
                   int64_t shift, int64_t saturates) {
    Dims one = {1, 1, 1, 1};
    Call call = callOf(name, {local(type, one), local(type, one), number(b),
                              number(shift), number(0), number(saturates)});
    Numbers numbers(2);
    Values values = randomValues(call, numbers);
    values.at("src0").setBits(0, uint64_t(a));
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values.at("dst").integer(0);
  };
  EXPECT_EQ(result("tiu.add", kI8, 127, 1, 0, 1), 127);
  EXPECT_EQ(result("tiu.add", kI8, 127, 1, 0, 0), -128);
  EXPECT_EQ(result("tiu.add", kI8, -128, -1, 0, 1), -128);
  EXPECT_EQ(result("tiu.add", kI32, INT32_MAX, 1, -1, 0), 1 << 30);
  EXPECT_EQ(result("tiu.mul", kU32, int64_t(1) << 31, int64_t(1) << 31, 31, 1),
            UINT32_MAX);
  EXPECT_EQ(result("tiu.mul", kU32, UINT32_MAX, UINT32_MAX, -32, 0),
            int64_t(UINT32_MAX) - 1);
  EXPECT_EQ(result("tiu.mul", kI32, INT32_MIN, INT32_MIN, -32, 1), 1 << 30);
}

TEST(TiuPointwise, shiftOfEachChannel) {
  Call call = callOf("tiu.add",
                     {local(kI16, {2, 3, 1, 2}), local(kI16, {2, 3, 1, 2}),
                      number(0), local(kI8, {1, 3, 1, 1}, AlignMode::Compact),
                      number(3), number(0)});
  Numbers numbers(3);
  Values values = randomValues(call, numbers);
  for (int c = 0; c < 3; ++c)
    values.at("shift").setBits(c, uint64_t(c * 2 - 3)); // -3, -1, 1
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int i = 0; i < 12; ++i) {
    int64_t x = values.at("src0").integer(i), c = i / 2 % 3;
    int64_t expected = c == 2 ? x * 2 : c == 1 ? x >> 1 : x >> 3;
    EXPECT_EQ(values.at("dst").integer(i), int16_t(expected));
  }
}

TEST(TiuPointwise, bitsShiftsAndRotations) {
  Numbers numbers(4);
  for (DataType type : {kI8, kU8, kI16, kU16, kI32, kU32}) {
    unsigned width = bitsOf(type);
    uint64_t mask = (uint64_t(1) << width) - 1;
    Dims shape = {1, 3, 2, 4};
    auto pair = [&](std::string_view name) {
      Values values = run(callOf(name, {local(type, shape), local(type, shape),
                                        local(type, {1, 1, 1, 1})}),
                          numbers.next());
      for (int i = 0; i < 24; ++i) {
        uint64_t x = values.at("src0").bits(i), y = values.at("src1").bits(0);
        EXPECT_EQ(values.at("dst").bits(i), name == "tiu.bitwise_and" ? (x & y)
                                            : name == "tiu.bitwise_or"
                                                ? (x | y)
                                                : (x ^ y))
            << name;
      }
    };
    for (std::string_view name :
         {"tiu.bitwise_and", "tiu.bitwise_or", "tiu.bitwise_xor"})
      pair(name);
    Values inverted = run(
        callOf("tiu.bitwise_not", {local(type, shape), local(type, shape)}), 5);
    Values absolute =
        run(callOf("tiu.abs", {local(type, shape), local(type, shape)}), 6);
    for (int i = 0; i < 24; ++i) {
      EXPECT_EQ(inverted.at("dst").bits(i), inverted.at("src").bits(i) ^ mask);
      EXPECT_EQ(absolute.at("dst").bits(i),
                uint64_t(std::llabs(absolute.at("src").integer(i))) & mask);
    }
    for (int64_t amount = 1 - int64_t(width); amount < int64_t(width);
         ++amount) {
      std::vector<Argument> arguments = {local(type, shape), local(type, shape),
                                         number(amount), number(3)};
      Values turned = run(callOf("tiu.circular_shift", arguments), 7);
      Values logical = run(callOf("tiu.logical_shift", arguments), 8);
      Values arithmetic = run(callOf("tiu.shift", arguments), 9);
      for (int i = 0; i < 24; ++i) {
        uint64_t x = turned.at("src").bits(i);
        unsigned left = unsigned(amount + int64_t(width)) % width;
        EXPECT_EQ(turned.at("dst").bits(i),
                  (x << left | x >> (width - left)) & mask);
        uint64_t u = logical.at("src").bits(i);
        EXPECT_EQ(logical.at("dst").bits(i),
                  (amount > 0 ? u << amount : u >> -amount) & mask);
        int64_t s = arithmetic.at("src").integer(i);
        EXPECT_EQ(
            arithmetic.at("dst").bits(i),
            uint64_t(amount > 0 ? s * (int64_t(1) << amount) : s >> -amount) &
                mask);
      }
    }
  }
}

TEST(TiuPointwise, macRoundsAndSaturates) {
  Call call = callOf("tiu.mac", {local(kI16, kShape), local(kI8, kShape),
                                 local(kU8, {1, 70, 1, 1}), number(3),
                                 number(2), number(5)});
  Values old, values = run(call, 10, &old);
  for (int64_t i = 0; i < values.at("dst").elements(); ++i) {
    double sum = double(old.at("dst").integer(i)) * 8 +
                 double(values.at("src0").integer(i) *
                        values.at("src1").integer(i / 15 % 70));
    double expected = std::floor(sum / 4 + 0.5);
    EXPECT_EQ(values.at("dst").integer(i),
              int64_t(std::fmin(std::fmax(expected, -32768), 32767)));
  }
}

/// A value of float bits, by arithmetic on their fields.
static double valueOf(uint64_t bits, DataType type) {
  int fractionBits = type == kF32 ? 23 : type == kF16 ? 10 : 7;
  int width = int(bitsOf(type)), bias = type == kF16 ? 15 : 127;
  int64_t fraction = int64_t(bits & ((uint64_t(1) << fractionBits) - 1));
  int exponent =
      int(bits >> fractionBits & ((1u << (width - 1 - fractionBits)) - 1));
  double sign = bits >> (width - 1) & 1 ? -1 : 1;
  if (exponent == 2 * bias + 1)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(double(fraction), 1 - bias - fractionBits);
  return sign * std::ldexp(double(fraction + (int64_t(1) << fractionBits)),
                           exponent - bias - fractionBits);
}

TEST(TiuPointwise, floatsAreRoundedOnce) {
  for (DataType type : {kF32, kF16, kB16})
    for (std::string_view name :
         {"tiu.fadd", "tiu.fsub", "tiu.fmul", "tiu.fsub_abs"}) {
      Call call = callOf(name, {local(type, {1, 4, 10, 10}),
                                local(type, {1, 4, 10, 10}),
                                local(type, {1, 4, 10, 10})});
      Values values = run(call, 11);
      int checked = 0;
      for (int i = 0; i < 400; ++i) {
        double x = valueOf(values.at("src0").bits(i), type),
               y = valueOf(values.at("src1").bits(i), type);
        double exact = name == "tiu.fadd"   ? x + y
                       : name == "tiu.fmul" ? x * y
                                            : x - y;
        if (name == "tiu.fsub_abs")
          exact = std::fabs(exact);
        // Sums of a double are exact where the exponents are near; others are
        // left to the machine.
        double tiny = type == kF16 ? 0 : 0x1p-120;
        if (std::fabs(exact) < tiny || std::isnan(exact) ||
            std::fabs(x) < tiny || std::fabs(y) < tiny ||
            std::fabs(std::log2(std::fabs(x)) - std::log2(std::fabs(y))) > 25)
          continue;
        Dense expected(type, {1, 1, 1, 1});
        expected.setValue(0, exact);
        ASSERT_EQ(values.at("dst").bits(i), expected.bits(0))
            << name << " " << x << " " << y;
        ++checked;
      }
      EXPECT_GT(checked, 40);
    }
}

TEST(TiuPointwise, productsAreRoundedBeforeTheyAreAdded) {
  Dims shape = {1, 3, 4, 5};
  Call call = callOf("tiu.fmac", {local(kF32, shape), local(kF32, shape),
                                  local(kF32, {1, 3, 1, 1})});
  Numbers numbers(20);
  Values values = randomValues(call, numbers);
  for (std::string_view slot : {"dst", "src0", "src1"})
    for (int64_t i = 0; i < values.at(slot).elements(); ++i)
      values.at(slot).setValue(i, double(numbers.in(-8388608, 8388608)) / 997);
  Values old = values;
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int i = 0; i < 60; ++i) {
    volatile float product =
        float(old.at("src0").value(i)) * float(old.at("src1").value(i / 20));
    volatile float sum = float(old.at("dst").value(i)) + product;
    EXPECT_EQ(values.at("dst").value(i), double(sum));
  }
}

TEST(TiuPointwise, signsAreCleared) {
  for (DataType type : {kF32, kF16, kB16, kE5}) {
    Dims shape = {1, 2, 3, 4};
    Call call = callOf("tiu.fabs", {local(type, shape), local(type, shape)},
                       chips::bm1690);
    Values values = run(call, 21);
    uint64_t sign = uint64_t(1) << (bitsOf(type) - 1);
    for (int i = 0; i < 24; ++i)
      EXPECT_EQ(values.at("dst").bits(i), values.at("src").bits(i) & ~sign);
  }
}

TEST(TiuPointwise, eightBitFloatsSaturateOnRequest) {
  Dims one = {1, 1, 1, 1};
  auto sum = [&](DataType type, double a, double b, bool saturates) {
    Call call = callOf(
        "tiu.fadd",
        {local(type, one), local(type, one), number(b), number(int(saturates))},
        chips::bm1690);
    Numbers numbers(22);
    Values values = randomValues(call, numbers);
    values.at("src0").setValue(0, a);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values.at("dst").value(0);
  };
  constexpr DataType e4 = DataType::Fp8e4m3;
  EXPECT_EQ(sum(kE5, 1, 0.125, false), 1) << "1.125 is a tie, to even";
  EXPECT_EQ(sum(kE5, 1.25, 0.125, false), 1.5) << "1.375 is a tie, to even";
  EXPECT_EQ(sum(e4, 1, 0.125, false), 1.125);
  EXPECT_EQ(sum(kE5, 57344, 57344, true), 57344);
  EXPECT_TRUE(std::isinf(sum(kE5, 57344, 57344, false)));
  EXPECT_EQ(sum(e4, -448, -448, true), -448);
  EXPECT_TRUE(std::isnan(sum(e4, 448, 448, false)));
  // Casts always saturate.
  auto cast = [&](DataType to, DataType from, double value) {
    Call call =
        callOf("tiu.cast", {local(to, one), local(from, one)}, chips::bm1690);
    Numbers numbers(23);
    Values values = randomValues(call, numbers);
    values.at("src").setValue(0, value);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values.at("dst").value(0);
  };
  EXPECT_EQ(cast(e4, kF32, 1000), 448);
  EXPECT_EQ(cast(kE5, kF32, -INFINITY), -57344);
  EXPECT_EQ(cast(kE5, kF16, 1.1), 1);
  EXPECT_EQ(cast(kI8, e4, 2.5), 2);
  EXPECT_EQ(cast(kF16, kE5, 0.75), 0.75);
  EXPECT_TRUE(std::isnan(cast(e4, kF32, NAN)));
  EXPECT_NE(problem("tiu.cast", {whole(kE5), whole(kF32)}), "");
  EXPECT_EQ(
      problem("tiu.cast", {whole(kE5), whole(kF32), number(3)}, chips::bm1690),
      "round_mode is RM_DOWN; numbers become fp8 by RM_HALF_TO_EVEN");
}

/// One result for the bits of two operands.
static uint64_t floatPair(std::string_view name, DataType type, uint64_t a,
                          uint64_t b) {
  Dims one = {1, 1, 1, 1};
  Call call =
      callOf(name, {local(type, one), local(type, one), local(type, one)});
  Numbers numbers(12);
  Values values = randomValues(call, numbers);
  values.at("src0").setBits(0, a);
  values.at("src1").setBits(0, b);
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values.at("dst").bits(0);
}

TEST(TiuPointwise, subnormalsAndNaNs) {
  // docs/numbers.md, "Floats" and "Element functions of floats".
  EXPECT_EQ(floatPair("tiu.fadd", kF32, 0x00000001, 0x00000001), 0u);
  EXPECT_EQ(floatPair("tiu.fadd", kF16, 0x0001, 0x0001), 2u);
  EXPECT_EQ(floatPair("tiu.fmul", kF32, 0x00800000, 0x3f000000), 0u);
  EXPECT_EQ(floatPair("tiu.fmul", kF32, 0x3f7fffff, 0x00800000), 0u);
  EXPECT_EQ(floatPair("tiu.fmul", kB16, 0x3f7f, 0x0080), 0u);
  EXPECT_EQ(floatPair("tiu.fmul", kB16, 0x3f7f, 0x0081), 0x0080u);
  EXPECT_EQ(floatPair("tiu.fadd", kF32, 0x7f800001, 0x7fc00007), 0x7fc00001u);
  EXPECT_EQ(floatPair("tiu.fadd", kF32, 0x3f800000, 0xffc00007), 0xffc00007u);
  EXPECT_EQ(floatPair("tiu.fsub", kF32, 0x7f800000, 0x7f800000), 0xffc00000u);
  EXPECT_EQ(floatPair("tiu.fadd", kF16, 0xfe01, 0x3c00), 0x7fffu);
  EXPECT_EQ(floatPair("tiu.fmul", kF16, 0x7bff, 0x4000), 0x7c00u);
  EXPECT_EQ(floatPair("tiu.fsub_abs", kF32, 0x00800001, 0x00800000),
            0x80000000u)
      << "a flushed difference does not make the first one larger";
}

TEST(TiuPointwise, newtonsQuotientAndRoot) {
  // Test vectors of the vendor's emulator, three steps and one.
  auto reciprocal = [](float x, int64_t steps) {
    Dims one = {1, 1, 1, 1};
    Call call = callOf("tiu.fdiv", {local(kF32, one), number(1.0),
                                    local(kF32, one), number(steps)});
    Numbers numbers(13);
    Values values = randomValues(call, numbers);
    values.at("src1").setValue(0, x);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values.at("dst").bits(0);
  };
  EXPECT_EQ(reciprocal(1, 3), 0x3f7ffffeu);
  EXPECT_EQ(reciprocal(3, 3), 0x3eaaaaaau);
  EXPECT_EQ(reciprocal(-0.1f, 3), 0xc1200000u);
  EXPECT_EQ(reciprocal(1, 1), 0x3f7f224eu);
  EXPECT_EQ(reciprocal(-0.1f, 1), 0xc11f7d65u);
  auto root = [](float x, int64_t steps) {
    Dims one = {1, 1, 1, 1};
    Call call = callOf("tiu.frsqrt",
                       {local(kF32, one), local(kF32, one), number(steps)});
    Numbers numbers(14);
    Values values = randomValues(call, numbers);
    values.at("src").setValue(0, x);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values.at("dst").bits(0);
  };
  EXPECT_EQ(root(1, 3), 0x3f7fffffu);
  EXPECT_EQ(root(2, 3), 0x3f3504f4u);
  EXPECT_EQ(root(10, 1), 0x3ea1a191u);
  EXPECT_EQ(root(2, 4), 0x3f3504f3u);
}

static Values castOf(DataType to, DataType from, std::vector<uint64_t> bits,
                     int64_t mode) {
  Dims shape = {1, 1, 1, int64_t(bits.size())};
  Call call =
      callOf("tiu.cast", {local(to, shape), local(from, shape), number(mode)});
  Numbers numbers(15);
  Values values = randomValues(call, numbers);
  for (size_t i = 0; i < bits.size(); ++i)
    values.at("src").setBits(int64_t(i), bits[i]);
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values;
}

TEST(TiuPointwise, casts) {
  Numbers numbers(16);
  std::vector<uint64_t> random;
  for (int i = 0; i < 300; ++i)
    random.push_back(numbers.next() & 0xffffffff);
  for (DataType from : {kF32, kF16, kB16})
    for (DataType to : {kI8, kU8, kI16, kU16, kI32, kU32})
      for (int64_t mode = 0; mode < 5; ++mode) {
        Values values = castOf(to, from, random, mode);
        double high = std::ldexp(1.0, int(bitsOf(to)) - isSigned(to)) - 1,
               low = isSigned(to) ? -high - 1 : 0;
        for (int i = 0; i < 300; ++i) {
          double x = valueOf(values.at("src").bits(i), from);
          double whole = double(roundedQuotient(x, mode));
          double expected =
              std::isnan(x) ? 0 : std::fmin(std::fmax(whole, low), high);
          ASSERT_EQ(double(values.at("dst").integer(i)), expected)
              << x << " mode " << mode;
        }
      }
  for (DataType from : {kI8, kU8, kI16, kU16, kI32, kU32})
    for (DataType to : {kI8, kU8, kI16, kU16, kI32, kU32}) {
      Values values = castOf(to, from, random, 0);
      double high = std::ldexp(1.0, int(bitsOf(to)) - isSigned(to)) - 1,
             low = isSigned(to) ? -high - 1 : 0;
      for (int i = 0; i < 300; ++i)
        ASSERT_EQ(double(values.at("dst").integer(i)),
                  std::fmin(std::fmax(double(values.at("src").integer(i)), low),
                            high));
    }
  for (DataType from : {kI32, kU32, kI16, kU8})
    for (DataType to : {kF32, kB16, kF16}) {
      Values values = castOf(to, from, random, 0);
      for (int i = 0; i < 300; ++i) {
        Dense expected(to, {1, 1, 1, 1});
        expected.setValue(0, double(values.at("src").integer(i)));
        ASSERT_EQ(values.at("dst").bits(i), expected.bits(0));
      }
    }
  // Ends: fp32 65519.99, 65520, 65536, NaNs, subnormals by RM_UP and RM_DOWN.
  std::vector<uint64_t> ends = {0x477fefff, 0x477ff000, 0x47800000,
                                0xffc00001, 0x00000001, 0x80000001};
  const uint64_t nearest[] = {0x7bff, 0x7c00, 0x7c00, 0xffff, 0, 0x8000},
                 down[] = {0x7bff, 0x7bff, 0x7c00, 0xffff, 0, 0x8000};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(castOf(kF16, kF32, ends, 0).at("dst").bits(i), nearest[i]) << i;
    EXPECT_EQ(castOf(kF16, kF32, ends, 3).at("dst").bits(i), down[i]) << i;
  }
  EXPECT_EQ(castOf(kF32, kF16, {0xfe01}, 0).at("dst").bits(0), 0xffffffffu);
  EXPECT_EQ(castOf(kF32, kB16, {0x0001}, 0).at("dst").bits(0), 0x00010000u);
}

TEST(TiuPointwise, wholeNumbersKeepTheirSign) {
  auto rounded = [](std::string_view name, double x, int64_t mode) {
    Dims one = {1, 1, 1, 1};
    std::vector<Argument> arguments = {local(kF32, one), local(kF32, one)};
    if (name == "tiu.round")
      arguments.push_back(number(mode));
    Call call = callOf(name, arguments);
    Numbers numbers(17);
    Values values = randomValues(call, numbers);
    values.at("src").setValue(0, x);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values.at("dst").value(0);
  };
  const double modes[7] = {2, 3, 2, 2, 3, 3, 2},
               negative[7] = {-2, -2, -1, -2, -1, -1, -2};
  for (int64_t mode = 0; mode < 5; ++mode) {
    EXPECT_EQ(rounded("tiu.round", 2.5, mode), modes[mode]);
    EXPECT_EQ(rounded("tiu.round", -1.5, mode), negative[mode]);
  }
  EXPECT_EQ(rounded("tiu.ceiling", 1.25, 0), 2);
  EXPECT_EQ(rounded("tiu.floor", -1.25, 0), -2);
  EXPECT_TRUE(std::signbit(rounded("tiu.ceiling", -0.25, 0)));
  EXPECT_EQ(rounded("tiu.floor", 1e30, 0), double(1e30f));
}

TEST(TiuPointwise, exponentialIsNear) {
  // The polynomial is good to 1e-11; what remains are about 15 roundings, of
  // which those of the sum's last steps count: 4 units in the last place.
  Call call = callOf("tiu.fexp", {local(kF32, {1, 1, 100, 100}),
                                  local(kF32, {1, 1, 100, 100})});
  Numbers numbers(18);
  Values values = randomValues(call, numbers);
  for (int i = 0; i < 10000; ++i)
    values.at("src").setValue(i, -87.3 + 175.3 * i / 9999);
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int i = 0; i < 10000; ++i) {
    double exact = std::exp(values.at("src").value(i)),
           got = values.at("dst").value(i);
    ASSERT_LE(std::fabs(got - exact), exact * 4 * 0x1p-24)
        << values.at("src").value(i);
  }
  auto one = [&](uint32_t bits) {
    values.at("src").setBits(0, bits);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return uint32_t(values.at("dst").bits(0));
  };
  EXPECT_EQ(one(0x00000000), 0x3f800000u); // 0
  EXPECT_EQ(one(0xff800000), 0u);          // -inf
  EXPECT_EQ(one(0xc2d00000), 0u);          // -104
  EXPECT_EQ(one(0x7f800000), one(0x42b00000)) << "clamped to 88";
  EXPECT_EQ(one(0x7fc00001), 0x7fc00001u);
}

TEST(TiuPointwise, logarithmIsNear) {
  Dims shape = {1, 1, 100, 100};
  Call call = callOf("tiu.flogx", {local(kF32, shape), local(kF32, shape),
                                   local(kF32, shape),
                                   local(kF32, {1, 64, 1, 16}), number(2.0)});
  Numbers numbers(19);
  Values values = randomValues(call, numbers);
  Dense &table = values.at("coeff");
  for (int i = 0; i < table.elements(); ++i) {
    int k = i % 16;
    table.setValue(i, k == 0 ? 0 : (k % 2 ? 1.0 : -1.0) / k);
  }
  for (int i = 0; i < 10000; ++i)
    values.at("src").setValue(i, std::exp(-87 + 175.0 * i / 9999));
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int i = 0; i < 10000; ++i) {
    double exact = std::log2(values.at("src").value(i)),
           got = values.at("dst").value(i);
    // The series ends at z^15, |z| <= 1/3; four roundings of the sum follow.
    ASSERT_LE(std::fabs(got - exact), std::fabs(exact) * 4 * 0x1p-24 + 4e-9)
        << values.at("src").value(i);
  }
  auto one = [&](uint32_t bits) {
    values.at("src").setBits(0, bits);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return uint32_t(values.at("dst").bits(0));
  };
  EXPECT_EQ(one(0), 0xff800000u);
  EXPECT_EQ(one(0x80000001), 0xff800000u) << "subnormals count as zeros";
  EXPECT_EQ(one(0x7f800000), 0x7f800000u);
  EXPECT_EQ(one(0xbf800000), 0x7fc00000u);
  EXPECT_EQ(one(0x41000000), 0x40400000u) << "log2(8)";
}
