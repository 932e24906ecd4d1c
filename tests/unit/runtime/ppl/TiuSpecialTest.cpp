#include "tests/unit/runtime/ppl/Calls.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

static constexpr Dims kChannels = {1, 70, 1, 1};

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuSpecial, linearRules) {
  Argument vector = local(kF16, kChannels, kCompact);
  for (std::string_view name : {"tiu.fadd_sqr", "tiu.fsub_sqr"}) {
    EXPECT_EQ(problem(name, {whole(kF16), whole(kF16), vector}), "") << name;
    EXPECT_EQ(problem(name, {whole(kF16), number(2.0), number(0.5)}), "")
        << name;
    EXPECT_EQ(problem(name, {whole(kF16), whole(kF16), local(kF16, kChannels)}),
              "bias is N-byte aligned; the layout of bias must be compact")
        << name;
    EXPECT_EQ(problem(name, {whole(kI16), whole(kI16), vector}),
              "dst is int16, must be fp32, fp16 or bf16")
        << name;
  }
  EXPECT_EQ(problem("tiu.fscale", {whole(kF16), whole(kF16), vector, vector}),
            "");
  EXPECT_EQ(problem("tiu.fscale", {whole(kF16), whole(kF16), vector}), "");
  EXPECT_EQ(
      problem("tiu.fscale", {whole(kF16), whole(kF16), number(1.0), vector}),
      "");
  EXPECT_EQ(problem("tiu.fscale", {whole(kF32), whole(kF32), vector}),
            "dst is fp32, scale is fp16; dst, src, scale and bias must have "
            "one element type");
  EXPECT_EQ(problem("tiu.fscale", {whole(kF16), whole(kF16),
                                   local(kF16, {1, 69, 1, 1}, kCompact)}),
            "scale has shape 1x69x1x1, dst has 70 channels; scale must be 1 x "
            "c x 1 x 1 with the channels of dst");
}

TEST(TiuSpecial, polynomialRules) {
  Argument table = local(kF32, {1, 64, 1, 10});
  EXPECT_EQ(
      problem("tiu.taylor", {whole(kF32), whole(kF32), table, number(10)}), "");
  EXPECT_EQ(
      problem("tiu.taylor", {whole(kF32), whole(kF32), table, number(11)}),
      "len is 11, coeff has 10; len must be at most the w of coeff");
  EXPECT_EQ(problem("tiu.taylor", {whole(kF32), whole(kF32), table, number(1)}),
            "len is 1, must be 2 to 65535");
  EXPECT_EQ(
      problem("tiu.taylor",
              {whole(kF32), whole(kF32),
               local(kF32, {1, 64, 1, 10}, AlignMode::Aligned, 1), number(3)}),
      "coeff starts in lane 1; coeff must start in lane 0");
  for (std::string_view name :
       {"tiu.fexp_base", "tiu.fsin_base", "tiu.fcos_base", "tiu.ftan_base",
        "tiu.farcsin_base", "tiu.ferf_base"}) {
    EXPECT_EQ(problem(name, {whole(kBf16), whole(kBf16)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kBf16), whole(kF32)}),
              "dst is bf16, src is fp32; dst and src must have one element "
              "type")
        << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kI32)}),
              "dst is int32, must be fp32, fp16 or bf16")
        << name;
  }
}

TEST(TiuSpecial, bitFunctionRules) {
  for (std::string_view name : {"tiu.norm", "tiu.fexp_part"}) {
    EXPECT_EQ(problem(name, {whole(kI32), whole(kF32)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kI16), whole(kBf16)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kI32), whole(kF16)}),
              "dst is int32, src is fp16; dst must be int32 for fp32, int16 "
              "for fp16 and bf16")
        << name;
  }
  EXPECT_NE(problem("tiu.norm", {whole(kI32), whole(kF32)}, chips::bm1688), "");
  for (std::string_view name : {"tiu.clz", "tiu.clo"}) {
    EXPECT_EQ(problem(name, {whole(kU8), whole(kI32)}), "") << name;
    EXPECT_EQ(problem(name, {whole(kU8), local(kI16, {1, 70, 1, 5})}), "")
        << name;
    EXPECT_EQ(problem(name, {whole(kU16), whole(kI8)}),
              "dst is uint16, src is int8; elements of dst must be no wider "
              "than those of src")
        << name;
    EXPECT_EQ(problem(name, {whole(kI8), whole(kI8)}),
              "dst is int8, must be uint32, uint16 or uint8")
        << name;
    EXPECT_NE(problem(name, {whole(kU8), whole(kI8)}, chips::bm1690), "")
        << name;
  }
}

TEST(TiuSpecial, tableRules) {
  auto distribute = [](DataType type, int64_t channels, int64_t mode) {
    return problem("tiu.smem_dist",
                   {local(type, {1, channels, 1, 1}, kCompact), number(mode)});
  };
  EXPECT_EQ(distribute(kF32, 32, 2), "");
  EXPECT_EQ(distribute(kI32, 64, 30), "");
  EXPECT_EQ(distribute(kF32, 33, 2),
            "dst has 33, the table 32, the chip 64; dst must have no more "
            "channels than the table entries and the chip lanes");
  EXPECT_EQ(distribute(kF16, 4, 5),
            "static_mem_mode is 5, dst is fp16; EXP, LOG, SIN and COS have "
            "fp32, fp16 and bf16 tables, TAN, ARCSIN and ERF fp32 ones, "
            "SERIAL_NUMBER has int32");
  EXPECT_EQ(problem("tiu.smem_dist", {local(kF32, {1, 4, 1, 2}), number(2)}),
            "dst has shape 1x4x1x2; dst must have shape 1x?x1x1");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// Small numbers, so that nothing overflows and sums of doubles are exact.
static void setSmall(Dense &values, Numbers &numbers) {
  for (int64_t i = 0; i < values.elements(); ++i)
    values.setValue(i, double(numbers.in(-4000, 4000)) / 1024);
}

static double roundedTo(DataType type, double value) {
  Dense one(type, {1, 1, 1, 1});
  one.setValue(0, value);
  return one.value(0);
}

TEST(TiuSpecial, linearRoundsTwice) {
  Numbers numbers(1);
  for (DataType type : {kF32, kF16, kBf16})
    for (std::string_view name :
         {"tiu.fadd_sqr", "tiu.fsub_sqr", "tiu.fscale"}) {
      std::vector<Argument> arguments = {local(type, kOperandShape),
                                         local(type, kOperandShape),
                                         local(type, kChannels, kCompact)};
      if (name == "tiu.fscale")
        arguments.push_back(number(0.75));
      Call call = callOf(name, arguments);
      Values values = randomValues(call, numbers);
      std::string_view vector = name == "tiu.fscale" ? "scale" : "bias";
      setSmall(values.at("src"), numbers);
      setSmall(values.at(vector), numbers);
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (int64_t i = 0; i < values.at("dst").elements(); ++i) {
        double x = values.at("src").value(i),
               k = values.at(vector).value(i / 15 % 70);
        double inner = name == "tiu.fscale"     ? x * k
                       : name == "tiu.fadd_sqr" ? x + k
                                                : x - k;
        inner = roundedTo(type, inner);
        ASSERT_EQ(values.at("dst").value(i),
                  roundedTo(type, name == "tiu.fscale" ? inner + 0.75
                                                       : inner * inner));
      }
    }
}

TEST(TiuSpecial, hornersRuleReadsTheTableOfTheLane) {
  Numbers numbers(2);
  for (DataType type : {kF32, kF16, kBf16}) {
    Call call = callOf("tiu.taylor",
                       {local(type, {1, 70, 1, 3}), local(type, {1, 70, 1, 3}),
                        local(type, {1, 64, 1, 7}), number(6)});
    Values values = randomValues(call, numbers);
    setSmall(values.at("src"), numbers);
    setSmall(values.at("coeff"), numbers);
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int i = 0; i < 210; ++i) {
      double x = values.at("src").value(i), sum = 0;
      for (int k = 5; k >= 0; --k) {
        double c = values.at("coeff").value(i / 3 % 64 * 7 + k);
        sum = k == 5 ? c : roundedTo(type, roundedTo(type, sum * x) + c);
      }
      ASSERT_EQ(values.at("dst").value(i), sum) << i;
    }
  }
}

TEST(TiuSpecial, coresApproachTheirFunctions) {
  struct Row {
    std::string_view name;
    double low, high;
    double (*exact)(double);
    /// Of the fp32 form: some steps of 2^-24 of the largest term.
    double error;
  };
  static constexpr double pi = 3.14159265358979323846;
  const Row rows[] = {
      {"tiu.fexp_base", 0, 0.6931, [](double x) { return std::exp(x); }, 3e-7},
      {"tiu.flog_base", 0.001, 0.4, [](double x) { return std::log1p(x); },
       1e-7},
      {"tiu.fsin_base", 0.001, 0.0625,
       [](double s) { return std::sin(2 * pi * std::sqrt(s)) / std::sqrt(s); },
       3e-6},
      {"tiu.fcos_base", 0.001, 0.0625,
       [](double s) { return std::cos(2 * pi * std::sqrt(s)); }, 1e-6},
      {"tiu.ftan_base", 0.001, 0.0625,
       [](double s) { return std::tan(pi * std::sqrt(s)) / std::sqrt(s); },
       2e-6},
      {"tiu.farcsin_base", 0.001, 0.25,
       [](double s) { return std::asin(std::sqrt(s)) / std::sqrt(s); }, 2e-7},
  };
  for (const Row &row : rows) {
    Call call = callOf(
        row.name, {local(kF32, {1, 1, 1, 1000}), local(kF32, {1, 1, 1, 1000})});
    Numbers numbers(3);
    Values values = randomValues(call, numbers);
    for (int i = 0; i < 1000; ++i)
      values.at("src").setValue(i, row.low + (row.high - row.low) * i / 999);
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int i = 0; i < 1000; ++i)
      ASSERT_NEAR(values.at("dst").value(i),
                  row.exact(values.at("src").value(i)), row.error)
          << row.name << " " << values.at("src").value(i);
  }
  // erfc(x) = t exp(P(t) - x^2), to 1.2e-7 by its authors (Numerical Recipes).
  Call call = callOf("tiu.ferf_base",
                     {local(kF32, {1, 1, 1, 1}), local(kF32, {1, 1, 1, 1})});
  for (double x : {0.0, 0.3, 1.0, 2.5}) {
    Numbers numbers(4);
    Values values = randomValues(call, numbers);
    double t = 1 / (1 + x / 2);
    values.at("src").setValue(0, t);
    ASSERT_TRUE(evaluate(call, values).isOk());
    EXPECT_NEAR(t * std::exp(values.at("dst").value(0) - x * x), std::erfc(x),
                5e-7);
  }
}

TEST(TiuSpecial, exponents) {
  auto exponent = [](DataType to, DataType from, uint64_t bits) {
    Dims one = {1, 1, 1, 1};
    int64_t results[2];
    for (int twin = 0; twin < 2; ++twin) {
      Call call = callOf(twin ? "tiu.fexp_part" : "tiu.norm",
                         {local(to, one), local(from, one)});
      Numbers numbers(5);
      Values values = randomValues(call, numbers);
      values.at("src").setBits(0, bits);
      EXPECT_TRUE(evaluate(call, values).isOk());
      results[twin] = values.at("dst").integer(0);
    }
    EXPECT_EQ(results[0], results[1]);
    return results[0];
  };
  EXPECT_EQ(exponent(kI32, kF32, 0x3f800000), 127); // 1
  EXPECT_EQ(exponent(kI32, kF32, 0x3faaaaab), 127); // 4/3
  EXPECT_EQ(exponent(kI32, kF32, 0x3faaaaac), 128);
  EXPECT_EQ(exponent(kI32, kF32, 0xbfc00000), 127) << "-1.5 is not raised";
  EXPECT_EQ(exponent(kI32, kF32, 0x7f800000), 255);
  EXPECT_EQ(exponent(kI32, kF32, 0x7fc00000), 256);
  EXPECT_EQ(exponent(kI16, kF16, 0x3c00), 15);
  EXPECT_EQ(exponent(kI16, kF16, 0x3d55), 15);
  EXPECT_EQ(exponent(kI16, kF16, 0x3d56), 16);
  EXPECT_EQ(exponent(kI16, kBf16, 0x3fab), 127);
  EXPECT_EQ(exponent(kI16, kBf16, 0x3fac), 128);
  EXPECT_EQ(exponent(kI16, kBf16, 0x0000), 0);
}

TEST(TiuSpecial, leadingBits) {
  Numbers numbers(6);
  for (DataType from : {kI8, kU16, kI32, kU32}) {
    unsigned width = bitsOf(from);
    for (std::string_view name : {"tiu.clz", "tiu.clo"}) {
      Call call =
          callOf(name, {local(kU8, {1, 1, 1, 40}), local(from, {1, 1, 1, 40})});
      Values values = randomValues(call, numbers);
      for (unsigned i = 0; i < 40; ++i) // i leading zeros
        values.at("src").setBits(
            i, (i < width ? (uint64_t(1) << (width - i)) - 1 : 0) ^
                   (name == "tiu.clo" ? ~uint64_t(0) : 0));
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (unsigned i = 0; i < 40; ++i)
        EXPECT_EQ(values.at("dst").bits(i), std::min(i, width)) << name;
    }
  }
}

TEST(TiuSpecial, tablesAreSpread) {
  Call call = callOf("tiu.smem_dist",
                     {local(kF32, {1, 20, 1, 1}, kCompact), number(0)});
  Numbers numbers(7);
  Values values = randomValues(call, numbers);
  ASSERT_TRUE(evaluate(call, values).isOk());
  double factorial = 1;
  for (int k = 0; k < 20; ++k) {
    factorial *= k > 1 ? k : 1;
    EXPECT_EQ(values.at("dst").value(k), double(float(1 / factorial)));
  }
  call = callOf("tiu.smem_dist",
                {local(kI32, {1, 64, 1, 1}, kCompact), number(30)});
  values = randomValues(call, numbers);
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int k = 0; k < 64; ++k)
    EXPECT_EQ(values.at("dst").integer(k), k);
}
