#include "tests/unit/runtime/ppl/Calls.h"

#include "runtime/numeric/Float16.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

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

TEST(TiuPointwise, partsOfOneTensorMayLieBetweenEachOther) {
  // Rows of 32 bytes, four a channel: the first two and the last two.
  Dims shape = {2, 70, 2, 8}, strides = {64, 32, 8, 1};
  auto part = [&](uint64_t address, Dims own, unsigned lane = 0) {
    return at(address, strided(kF32, own, strides, lane));
  };
  EXPECT_EQ(problem("tiu.fabs", {part(0, shape), part(64, shape)}), "");
  EXPECT_EQ(problem("tiu.fabs", {part(0, shape), part(32, shape)}),
            "dst at 0 overlaps src at 32; dst must be exactly a source or lie "
            "apart from it");
  // Every other element.
  Dims every = {64, 32, 16, 2};
  EXPECT_EQ(problem("tiu.fabs", {at(0, strided(kF32, {1, 3, 2, 8}, every)),
                                 at(4, strided(kF32, {1, 3, 2, 8}, every))}),
            "");
  // A repeated source that the first row of dst overwrites.
  EXPECT_NE(problem("tiu.fadd",
                    {part(0, shape), part(64, shape), part(0, {1, 70, 1, 8})}),
            "");
  EXPECT_EQ(problem("tiu.fadd",
                    {part(0, shape), part(64, shape), part(64, {1, 70, 1, 8})}),
            "");
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
  EXPECT_EQ(problem("tiu.cast", {whole(kBf16), whole(kF16)}),
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

static int64_t cut(double value, DataType type) {
  Dense one(type, {1, 1, 1, 1});
  one.setBits(0, uint64_t(int64_t(value)));
  return one.integer(0);
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
        // A long double holds all quotients of this test exactly.
        exact = roundedBy(mode, std::ldexp(exact, int(shift)));
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
  Call call = callOf(
      "tiu.mac", {local(kI16, kOperandShape), local(kI8, kOperandShape),
                  local(kU8, {1, 70, 1, 1}), number(3), number(2), number(5)});
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
