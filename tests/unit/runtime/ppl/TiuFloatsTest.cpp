#include "runtime/numeric/BitCast.h"
#include "tests/unit/runtime/ppl/Calls.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

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

TEST(TiuFloats, floatsAreRoundedOnce) {
  for (DataType type : {kF32, kF16, kBf16})
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

TEST(TiuFloats, productsAreRoundedBeforeTheyAreAdded) {
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

TEST(TiuFloats, productsPlusThirdOperand) {
  Dims shape = {1, 3, 4, 5};
  Call call = callOf("tiu.fmul_add", {local(kF32, shape), local(kF32, shape),
                                      number(3.0), local(kF32, {1, 3, 1, 1})});
  Values values = run(call, 24);
  for (std::string_view slot : {"src0", "src2"})
    for (int64_t i = 0; i < values.at(slot).elements(); ++i)
      values.at(slot).setValue(i, double(i * 7919 % 1000) / 997);
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int i = 0; i < 60; ++i) {
    volatile float product = float(values.at("src0").value(i)) * 3.0f;
    volatile float sum = product + float(values.at("src2").value(i / 20));
    EXPECT_EQ(values.at("dst").value(i), double(sum));
  }
  EXPECT_EQ(problem("tiu.fmul_add", {local(kF32, shape), number(1.0),
                                     number(2.0), local(kF32, shape)}),
            "all are numbers; at least one of src0 and src1 must be a tensor");
}

TEST(TiuFloats, signsAreCleared) {
  for (DataType type : {kF32, kF16, kBf16, kE5}) {
    Dims shape = {1, 2, 3, 4};
    Call call = callOf("tiu.fabs", {local(type, shape), local(type, shape)},
                       chips::bm1690);
    Values values = run(call, 21);
    uint64_t sign = uint64_t(1) << (bitsOf(type) - 1);
    for (int i = 0; i < 24; ++i)
      EXPECT_EQ(values.at("dst").bits(i), values.at("src").bits(i) & ~sign);
  }
}

TEST(TiuFloats, eightBitFloatsSaturateOnRequest) {
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
  return singleResult(call, {{"src0", a}, {"src1", b}});
}

TEST(TiuFloats, subnormalsAndNaNs) {
  // docs/numbers.md, "Floats" and "Element functions of floats".
  EXPECT_EQ(floatPair("tiu.fadd", kF32, 0x00000001, 0x00000001), 0u);
  EXPECT_EQ(floatPair("tiu.fadd", kF16, 0x0001, 0x0001), 2u);
  EXPECT_EQ(floatPair("tiu.fmul", kF32, 0x00800000, 0x3f000000), 0u);
  EXPECT_EQ(floatPair("tiu.fmul", kF32, 0x3f7fffff, 0x00800000), 0u);
  EXPECT_EQ(floatPair("tiu.fmul", kBf16, 0x3f7f, 0x0080), 0u);
  EXPECT_EQ(floatPair("tiu.fmul", kBf16, 0x3f7f, 0x0081), 0x0080u);
  EXPECT_EQ(floatPair("tiu.fadd", kF32, 0x7f800001, 0x7fc00007), 0x7fc00001u);
  EXPECT_EQ(floatPair("tiu.fadd", kF32, 0x3f800000, 0xffc00007), 0xffc00007u);
  EXPECT_EQ(floatPair("tiu.fsub", kF32, 0x7f800000, 0x7f800000), 0xffc00000u);
  EXPECT_EQ(floatPair("tiu.fadd", kF16, 0xfe01, 0x3c00), 0x7fffu);
  EXPECT_EQ(floatPair("tiu.fmul", kF16, 0x7bff, 0x4000), 0x7c00u);
  EXPECT_EQ(floatPair("tiu.fsub_abs", kF32, 0x00800001, 0x00800000),
            0x80000000u)
      << "a flushed difference does not make the first one larger";
}

TEST(TiuFloats, newtonsQuotientAndRoot) {
  // Test vectors of the vendor's emulator, three steps and one.
  auto reciprocal = [](float x, int64_t steps) {
    Dims one = {1, 1, 1, 1};
    Call call = callOf("tiu.fdiv", {local(kF32, one), number(1.0),
                                    local(kF32, one), number(steps)});
    return singleResult(call, {{"src1", numeric::floatBits(x)}});
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
    return singleResult(call, {{"src", numeric::floatBits(x)}});
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

TEST(TiuFloats, casts) {
  Numbers numbers(16);
  std::vector<uint64_t> random;
  for (int i = 0; i < 300; ++i)
    random.push_back(numbers.next() & 0xffffffff);
  for (DataType from : {kF32, kF16, kBf16})
    for (DataType to : {kI8, kU8, kI16, kU16, kI32, kU32})
      for (int64_t mode = 0; mode < 5; ++mode) {
        Values values = castOf(to, from, random, mode);
        double high = std::ldexp(1.0, int(bitsOf(to)) - isSigned(to)) - 1,
               low = isSigned(to) ? -high - 1 : 0;
        for (int i = 0; i < 300; ++i) {
          double x = valueOf(values.at("src").bits(i), from);
          double whole = roundedBy(mode, x);
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
    for (DataType to : {kF32, kBf16, kF16}) {
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
  EXPECT_EQ(castOf(kF32, kBf16, {0x0001}, 0).at("dst").bits(0), 0x00010000u);
}

TEST(TiuFloats, wholeNumbersKeepTheirSign) {
  auto wholeOf = [](std::string_view name, double x, int64_t mode) {
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
    EXPECT_EQ(wholeOf("tiu.round", 2.5, mode), modes[mode]);
    EXPECT_EQ(wholeOf("tiu.round", -1.5, mode), negative[mode]);
  }
  EXPECT_EQ(wholeOf("tiu.ceiling", 1.25, 0), 2);
  EXPECT_EQ(wholeOf("tiu.floor", -1.25, 0), -2);
  EXPECT_TRUE(std::signbit(wholeOf("tiu.ceiling", -0.25, 0)));
  EXPECT_EQ(wholeOf("tiu.floor", 1e30, 0), double(1e30f));
}

TEST(TiuFloats, exponentialIsNear) {
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

TEST(TiuFloats, logarithmIsNear) {
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
