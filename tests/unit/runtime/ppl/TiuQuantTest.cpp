#include "tests/unit/runtime/ppl/Calls.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

static constexpr DataType kI4 = DataType::Int4;
static constexpr Dims kShape = {2, 3, 4, 5};

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuQuant, dq0AcceptsAndRejects) {
  Argument dst = local(kF32, kShape), src = local(kI8, kShape);
  auto scalar = [&](Argument s, int offset, const Chip &chip) {
    return problem("tiu.dq0",
                   {dst, s, none(), number(offset), number(0.5), number(0)},
                   chip);
  };
  EXPECT_EQ(scalar(src, -32768, chips::bm1684x), "");
  EXPECT_EQ(scalar(local(kU16, kShape), 65535, chips::bm1684x), "");
  EXPECT_EQ(scalar(local(kI4, kShape), 3, chips::bm1690), "");
  EXPECT_EQ(problem("tiu.dq0", {dst, src, local(kF32, {1, 3, 1, 2})}), "");
  EXPECT_EQ(problem("tiu.dq0",
                    {dst, src, local(kI32, {1, 3, 1, 2}, AlignMode::Compact)},
                    chips::bm1690),
            "");
  EXPECT_EQ(scalar(local(kI4, kShape), 3, chips::bm1684x),
            "src is int4; on bm1684x src must be int16, uint16, int8 or uint8");
  EXPECT_EQ(scalar(src, 40000, chips::bm1684x),
            "offset is 40000, src is int8; offset must be -32768 to 32767, 0 "
            "to 65535 if src is unsigned (not on bm1688)");
  EXPECT_EQ(scalar(local(kU8, kShape), 40000, chips::bm1688),
            "offset is 40000, src is uint8; offset must be -32768 to 32767, 0 "
            "to 65535 if src is unsigned (not on bm1688)");
  EXPECT_EQ(problem("tiu.dq0", {dst, src}),
            "offset and quant are missing; either quant or offset and scale "
            "must be given, not both");
  EXPECT_EQ(
      problem("tiu.dq0", {dst, src, local(kF32, {1, 3, 1, 2}), number(1)}),
      "offset and quant are given; either quant or offset and scale must "
      "be given, not both");
  EXPECT_EQ(problem("tiu.dq0",
                    {dst, src, local(kF32, {1, 3, 1, 2}, AlignMode::Compact)}),
            "quant is compact; quant must have shape 1xcx1x2 and be N-byte "
            "aligned on bm1684x, 1xcx1x2 and compact on other chips, c that of "
            "dst");
  EXPECT_EQ(
      problem("tiu.dq0", {dst, src, none(), number(1), number(0.5), number(5)}),
      "round_mode is 5, must be RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO, "
      "RM_TOWARDS_ZERO, RM_DOWN or RM_UP");
  EXPECT_EQ(problem("tiu.dq0", {local(kF32, {2, 3, 4, 6}), src, none(),
                                number(1), number(0.5)}),
            "dst has shape 2x3x4x6, src 2x3x4x5; dst and src must have one "
            "shape");
}

TEST(TiuQuant, dq1AcceptsAndRejects) {
  Argument dst = local(kI32, kShape), src = local(kI8, kShape);
  std::vector<Argument> numbers = {none(), number(3), number(10), number(-2)};
  auto with = [&](Argument d, Argument s) {
    return std::vector<Argument>{d,          s,          numbers[0],
                                 numbers[1], numbers[2], numbers[3]};
  };
  EXPECT_EQ(problem("tiu.dq1", with(dst, src)), "");
  EXPECT_EQ(problem("tiu.dq1", {dst, src, local(kI32, {1, 3, 1, 3})}), "");
  EXPECT_EQ(problem("tiu.dq1", with(local(kI8, kShape), src), chips::sg2380),
            "");
  EXPECT_EQ(problem("tiu.dq1", with(local(kI8, kShape), src)),
            "dst is int8; on bm1684x dst must be int32, int16 or uint16");
  EXPECT_EQ(problem("tiu.dq1", {dst, src, local(kI32, {1, 3, 1, 2})}),
            "quant has 2 on axis w, must have 3; quant must have shape 1xcx1x3 "
            "and be N-byte aligned on bm1684x, 1xcx1x2 and compact on other "
            "chips, c that of dst");
  EXPECT_EQ(
      problem("tiu.dq1", {dst, src, none(), number(3), number(10), number(32)}),
      "shift is 32, must be -64 to 31");
}

TEST(TiuQuant, dq2AcceptsAndRejects) {
  Argument dst = local(kF16, {1, 3, 2, 64}), src = local(kI8, {1, 3, 2, 64}),
           groups = local(kU32, {1, 3, 2, 2}, AlignMode::Compact);
  EXPECT_EQ(problem("tiu.dq2", {dst, src, groups, number(32)}), "");
  EXPECT_EQ(problem("tiu.dq2", {dst, src, groups, number(33)}),
            "gsize is 33; gsize must be 32, 64, 128 or 256");
  EXPECT_EQ(problem("tiu.dq2", {dst, src, groups, number(128)}),
            "w is 64, gsize is 128; gsize must divide w of src");
  EXPECT_EQ(problem("tiu.dq2", {dst, src, groups, number(64)}),
            "offset_scale has 2 on axis w instead of 1; offset_scale must have "
            "shape nxcxhx(w / gsize)");
  EXPECT_EQ(
      problem("tiu.dq2", {dst, src, local(kU32, {1, 3, 2, 2}), number(32)}),
      "offset_scale is N-byte aligned; the layout of offset_scale must "
      "be compact");
}

TEST(TiuQuant, rq0AcceptsAndRejects) {
  Argument dst = local(kI8, kShape), src = local(kI16, kShape);
  EXPECT_EQ(problem("tiu.rq0", {dst, src, none(), number(0.5), number(0.0),
                                number(4), number(4)}),
            "");
  EXPECT_EQ(problem("tiu.rq0", {dst, src, local(kF32, {1, 3, 1, 2})}), "");
  EXPECT_EQ(problem("tiu.rq0", {dst, local(kI8, kShape), none(), number(0.5),
                                number(0.0)}),
            "src is int8; on bm1684x src must be int32, int16 or uint16");
  EXPECT_EQ(problem("tiu.rq0", {dst, src, none(), number(0.5)}),
            "offset and quant are missing; either quant or scale and offset "
            "must be given, not both");
  EXPECT_EQ(problem("tiu.rq0", {dst, src, local(kI32, {1, 3, 1, 2})}),
            "quant is int32, must be fp32");
}

TEST(TiuQuant, rq1AcceptsAndRejects) {
  Argument dst = local(kU8, kShape), src = local(kI32, kShape);
  auto with = [&](Argument d, int offset, int mode) {
    return problem("tiu.rq1", {d, src, none(), number(10), number(-5),
                               number(offset), number(mode)});
  };
  EXPECT_EQ(with(dst, 65535, 6), "");
  EXPECT_EQ(with(local(kI8, kShape), -32768, 5), "");
  EXPECT_EQ(problem("tiu.rq1", {dst, src, local(kI32, {1, 3, 1, 3})}), "");
  EXPECT_EQ(with(dst, -1, 0),
            "offset is -1, dst is uint8; offset must be -32768 to 32767, 0 to "
            "65535 if dst is unsigned (not on bm1688)");
  EXPECT_EQ(with(local(kI32, kShape), 0, 0),
            "dst is int32, must be int16, uint16, int8, uint8, int4 or uint4");
  EXPECT_EQ(
      with(at(64, local(kU8, kShape, AlignMode::Aligned, 3)), 0, 0),
      "dst starts in lane 3, src in lane 0; dst, src and quant must start "
      "in one lane");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// value * 2^shift in 128 bits, rounded as the manual's table of modes says.
static __int128 scaled(__int128 value, int shift, int mode) {
  if (shift >= 0)
    return value * (__int128(1) << shift);
  __int128 unit = __int128(1) << -shift;
  __int128 q = value / unit, r = value % unit;
  if (r < 0) { // floor
    --q;
    r += unit;
  }
  switch (mode) {
  case 0:
    return q + (2 * r > unit || (2 * r == unit && q % 2 != 0));
  case 1:
    return q + (2 * r > unit || (2 * r == unit && value >= 0));
  case 2:
    return q + (value < 0 && r != 0);
  case 3:
    return q;
  case 4:
    return q + (r != 0);
  case 5:
    return q + (2 * r >= unit);
  default:
    return q + (2 * r > unit);
  }
}

static int64_t clipped(__int128 value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : int64_t(value);
}

static int64_t lowest(DataType type) {
  return isSigned(type) ? -(int64_t(1) << (bitsOf(type) - 1)) : 0;
}
static int64_t highest(DataType type) {
  return lowest(type) + (int64_t(1) << bitsOf(type)) - 1;
}

static int64_t scaledAndClipped(int64_t value, int64_t multiplier, int shift,
                                int mode, int64_t offset, DataType type) {
  int64_t word = clipped(scaled(__int128(value) * multiplier, shift, mode),
                         INT32_MIN, INT32_MAX);
  return clipped(__int128(word) + offset, lowest(type), highest(type));
}

TEST(TiuQuant, rq1FollowsTheFormulaInEveryMode) {
  Numbers numbers(11);
  for (DataType to : {kI8, kU8, kI16, kU16})
    for (DataType from : {kI32, kI16, kU16})
      for (int mode = 0; mode < 7; ++mode) {
        int shift = int(numbers.in(-40, 8));
        int64_t multiplier = numbers.in(-100000, 100000);
        int64_t offset =
            isSigned(to) ? numbers.in(-300, 300) : numbers.in(0, 40000);
        Call call =
            callOf("tiu.rq1", {local(to, kShape), local(from, kShape), none(),
                               number(multiplier), number(shift),
                               number(offset), number(mode)});
        Values values = randomValues(call, numbers);
        ASSERT_TRUE(evaluate(call, values).isOk());
        for (int64_t i = 0; i < values["dst"].elements(); ++i)
          EXPECT_EQ(values["dst"].integer(i),
                    scaledAndClipped(values["src"].integer(i), multiplier,
                                     shift, mode, offset, to));
      }
}

TEST(TiuQuant, rq1GivesTheExamplesOfTheManual) {
  auto one = [](int64_t x, int shift, int mode) {
    Call call =
        callOf("tiu.rq1",
               {local(kI16, {1, 1, 1, 1}), local(kI16, {1, 1, 1, 1}), none(),
                number(10), number(shift), number(10), number(mode)});
    Numbers numbers(0);
    Values values = randomValues(call, numbers);
    values["src"].setBits(0, uint64_t(x));
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].integer(0);
  };
  EXPECT_EQ(one(7, -5, 2), 12);
  EXPECT_EQ(one(7, 5, 2), 2250);
  EXPECT_EQ(one(-7, -5, 2), 8);
  EXPECT_EQ(one(-7, -5, 3), 7);
}

TEST(TiuQuant, quantRowsHaveThreeWordsOrTwoPackedOnes) {
  Numbers numbers(12);
  for (const Chip *chip : {&chips::bm1684x, &chips::bm1690}) {
    bool isPacked = chip != &chips::bm1684x;
    Argument quant = local(kI32, {1, 3, 1, isPacked ? 2 : 3},
                           isPacked ? AlignMode::Compact : AlignMode::Aligned);
    for (std::string_view name : {"tiu.rq1", "tiu.dq1"}) {
      bool isDequant = name == "tiu.dq1";
      DataType to = isDequant ? kI32 : kI8, from = isDequant ? kI8 : kI32;
      Call call =
          callOf(name, {local(to, kShape), local(from, kShape), quant}, *chip);
      if (isDequant)
        call.arguments.resize(6);
      call.arguments.push_back(number(1)); // half away from zero
      if (!isDequant)
        call.arguments = {call.arguments[0],
                          call.arguments[1],
                          call.arguments[2],
                          none(),
                          none(),
                          none(),
                          number(1)};
      Values values = randomValues(call, numbers);
      int64_t multiplier[3], shift[3], offset[3];
      for (int64_t c = 0; c < 3; ++c) {
        multiplier[c] = numbers.in(-1000000, 1000000);
        shift[c] = numbers.in(-30, 0);
        offset[c] = numbers.in(-32768, 32767);
        Dense &q = values["quant"];
        if (isPacked) {
          q.setBits(2 * c, uint64_t(multiplier[c]));
          q.setBits(2 * c + 1, uint64_t(shift[c] & 0xff) | 0xab00 |
                                   uint64_t(offset[c] & 0xffff) << 16);
        } else {
          q.setBits(3 * c + (isDequant ? 0 : 2), uint64_t(offset[c]));
          q.setBits(3 * c + (isDequant ? 1 : 0), uint64_t(multiplier[c]));
          q.setBits(3 * c + (isDequant ? 2 : 1), uint64_t(shift[c]));
        }
      }
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (int64_t i = 0; i < values["dst"].elements(); ++i) {
        int64_t c = i / 20 % 3, x = values["src"].integer(i);
        int64_t expected =
            isDequant ? clipped(scaled(__int128(x - offset[c]) * multiplier[c],
                                       int(shift[c]), 1),
                                lowest(to), highest(to))
                      : scaledAndClipped(x, multiplier[c], int(shift[c]), 1,
                                         offset[c], to);
        EXPECT_EQ(values["dst"].integer(i), expected) << name;
      }
    }
  }
}

TEST(TiuQuant, farShiftsAreThoseOfTheChip) {
  auto one = [](const Chip &chip, int64_t x, int64_t multiplier, int shift) {
    Call call =
        callOf("tiu.rq1",
               {local(kI8, {1, 1, 1, 1}), local(kI32, {1, 1, 1, 1}), none(),
                number(multiplier), number(shift), number(0), number(1)},
               chip);
    Numbers numbers(0);
    Values values = randomValues(call, numbers);
    values["src"].setBits(0, uint64_t(x));
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].integer(0);
  };
  // 2^62 * 2^-64 rounds to 0; BM1684X stops at 63, where it is a tie.
  EXPECT_EQ(one(chips::bm1684x, INT32_MIN, INT32_MIN, -64), 1);
  EXPECT_EQ(one(chips::bm1688, INT32_MIN, INT32_MIN, -64), 0);
}

TEST(TiuQuant, dq1FollowsTheFormula) {
  Numbers numbers(13);
  for (DataType to : {kI32, kI16, kU16})
    for (DataType from : {kI8, kU8, kI16, kU16})
      for (int mode = 0; mode < 5; ++mode) {
        int shift = int(numbers.in(-30, 5));
        int64_t multiplier = numbers.in(-100000, 100000);
        int64_t offset =
            isSigned(from) ? numbers.in(-300, 300) : numbers.in(0, 65535);
        Call call =
            callOf("tiu.dq1", {local(to, kShape), local(from, kShape), none(),
                               number(offset), number(multiplier),
                               number(shift), number(mode)});
        Values values = randomValues(call, numbers);
        ASSERT_TRUE(evaluate(call, values).isOk());
        for (int64_t i = 0; i < values["dst"].elements(); ++i) {
          __int128 difference = values["src"].integer(i) - offset;
          EXPECT_EQ(values["dst"].integer(i),
                    clipped(scaled(difference * multiplier, shift, mode),
                            lowest(to), highest(to)));
        }
      }
}

static float floatOf(uint64_t bits) {
  uint32_t word = uint32_t(bits);
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

TEST(TiuQuant, dq0SubtractsExactlyAndRoundsOnce) {
  Numbers numbers(14);
  for (DataType from : {kI8, kU8, kI16, kU16})
    for (bool isTensor : {false, true}) {
      Call call =
          isTensor
              ? callOf("tiu.dq0", {local(kF32, kShape), local(from, kShape),
                                   local(kF32, {1, 3, 1, 2})})
              : callOf("tiu.dq0", {local(kF32, kShape), local(from, kShape),
                                   none(), number(17), number(0.0371)});
      Values values = randomValues(call, numbers);
      float scale[3] = {0.0371f, 0.0371f, 0.0371f};
      int64_t offset[3] = {17, 17, 17};
      for (int64_t c = 0; isTensor && c < 3; ++c) {
        scale[c] = float(c + 1) * 1.1f;
        offset[c] = 65530 + c; // signed: -6 and so on
        uint32_t bits;
        std::memcpy(&bits, &scale[c], 4);
        values["quant"].setBits(2 * c, uint64_t(offset[c]));
        values["quant"].setBits(2 * c + 1, bits);
        if (isSigned(from))
          offset[c] -= 65536;
      }
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (int64_t i = 0; i < values["dst"].elements(); ++i) {
        int64_t c = i / 20 % 3;
        EXPECT_EQ(floatOf(values["dst"].bits(i)),
                  float(double(values["src"].integer(i) - offset[c]) *
                        double(scale[c])));
      }
    }
}

TEST(TiuQuant, rq0RoundsThreeTimes) {
  auto one = [](int64_t x, DataType from, double scale, double offset, int last,
                int first) {
    Call call =
        callOf("tiu.rq0",
               {local(kI8, {1, 1, 1, 1}), local(from, {1, 1, 1, 1}), none(),
                number(scale), number(offset), number(last), number(first)});
    Numbers numbers(0);
    Values values = randomValues(call, numbers);
    values["src"].setBits(0, uint64_t(x));
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].integer(0);
  };
  const int64_t half[] = {2, 3, 2, 2, 3}; // 2.5
  for (int mode = 0; mode < 5; ++mode) {
    EXPECT_EQ(one(5, kI16, 0.5, 0, mode, 0), half[mode]);
    EXPECT_EQ(one(1000, kI16, 0.5, 0, mode, 0), 127);
    EXPECT_EQ(one(-1000, kI16, 0.5, 0, mode, 0), -128);
  }
  EXPECT_EQ(one(6, kI16, 0.25, -1, 0, 0), 0);
  EXPECT_EQ(one(6, kI16, 0.25, -1, 1, 0), 1);
  EXPECT_EQ(one(6, kI16, NAN, 0, 0, 0), 0);
  EXPECT_EQ(one(6, kI16, INFINITY, 0, 0, 0), 127);
  EXPECT_EQ(one(-6, kI16, INFINITY, 0, 0, 0), -128);
  // 2^24 + 1 lies between two floats; what it became shows after the
  // subtraction of 2^24.
  const int64_t odd = (1 << 24) + 1;
  const int64_t shown[] = {0, 2, 0, 0, 2}; // to even, away, to 0, down, up
  for (int mode = 0; mode < 5; ++mode) {
    EXPECT_EQ(one(odd, kI32, 1, -16777216, 0, mode), shown[mode]) << mode;
    const int64_t negative[] = {0, -2, 0, -2, 0};
    EXPECT_EQ(one(-odd, kI32, 1, 16777216, 0, mode), negative[mode]) << mode;
  }
  // Not fused: 3 * fp32(1/3) is 1 after the product's rounding.
  EXPECT_EQ(one(3, kI16, 1.0f / 3.0f, -1, 4, 0), 0);
}

TEST(TiuQuant, dq2RoundsTheDifferenceAndTheProduct) {
  Numbers numbers(15);
  for (DataType to : {kF16, kBf16})
    for (DataType from : {kI8, kU8}) {
      Call call =
          callOf("tiu.dq2",
                 {local(to, {2, 3, 2, 64}), local(from, {2, 3, 2, 64}),
                  local(kU32, {2, 3, 2, 2}, AlignMode::Compact), number(32)});
      Values values = randomValues(call, numbers);
      Dense halves(to, {1, 1, 1, 2});
      std::vector<std::pair<double, double>> groups;
      for (int64_t i = 0; i < values["offset_scale"].elements(); ++i) {
        halves.setValue(0, double(numbers.in(-4000, 4000)) / 64);
        halves.setValue(1, double(numbers.in(1, 4000)) / 4096);
        values["offset_scale"].setBits(i, halves.bits(0) | halves.bits(1)
                                                               << 16);
        groups.emplace_back(halves.value(0), halves.value(1));
      }
      ASSERT_TRUE(evaluate(call, values).isOk());
      Dense step(to, {1, 1, 1, 1});
      for (int64_t i = 0; i < values["dst"].elements(); ++i) {
        auto [offset, scale] = groups[size_t(i / 32)];
        step.setValue(0, double(values["src"].integer(i)) - offset);
        step.setValue(0, step.value(0) * scale);
        EXPECT_EQ(values["dst"].bits(i), step.bits(0));
      }
    }
  // The example: offset 2.0 in the low half, scale 0.5 in the high one.
  Call call = callOf(
      "tiu.dq2", {local(kF16, {1, 1, 1, 32}), local(kI8, {1, 1, 1, 32}),
                  local(kU32, {1, 1, 1, 1}, AlignMode::Compact), number(32)});
  Values values = randomValues(call, numbers);
  values["offset_scale"].setBits(0, 0x38004000);
  values["src"].setBits(0, 7);
  ASSERT_TRUE(evaluate(call, values).isOk());
  EXPECT_EQ(values["dst"].value(0), 2.5);
}
