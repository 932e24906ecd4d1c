#include "tests/unit/runtime/ppl/Calls.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuComparison, minimumAndMaximumRules) {
  for (std::string_view name : {"tiu.min", "tiu.max", "tiu.fmin", "tiu.fmax"}) {
    EXPECT_EQ(
        problem(name, {whole(kF16), whole(kF16), local(kF16, {1, 70, 1, 1})}),
        "")
        << name;
    EXPECT_EQ(problem(name, {whole(kF16), number(0.5), whole(kF16)}), "")
        << name;
    EXPECT_EQ(
        problem(name, {whole(kF16), whole(kF16), local(kF16, {2, 1, 3, 5})}),
        "src1 has 1 on axis c, dst has 70; each axis of src0 and src1 "
        "must equal that of dst or be 1, c must be equal (channels lie "
        "in different lanes: copy them with dma::broadcast first)")
        << name;
    EXPECT_EQ(problem(name, {whole(kF16), whole(kF32), whole(kF32)}),
              "dst is fp16, src0 is fp32; dst, src0 and src1 must have one "
              "element type")
        << name;
    EXPECT_EQ(problem(name, {whole(kE5), whole(kE5), whole(kE5)}),
              "dst is fp8e5m2; on bm1684x dst must be fp32, fp16, bf16, int32, "
              "uint32, int16, uint16, int8 or uint8")
        << name;
    EXPECT_EQ(
        problem(name, {whole(kE5), whole(kE5), whole(kE5)}, chips::bm1690), "")
        << name;
  }
  EXPECT_EQ(problem("tiu.min", {whole(kI8), whole(kI8), number(3)}), "");
  EXPECT_EQ(problem("tiu.min", {whole(kI8), whole(kI8), number(0.5)}),
            "src1 is 0.5; a number for src1 must be whole and fit the integer "
            "type of dst");
  EXPECT_NE(problem("tiu.fmax", {whole(kI8), whole(kI8), whole(kI8)}), "");
}

TEST(TiuComparison, vectorRules) {
  Argument a = local(kF32, {1, 3, 1, 4}), b = local(kF32, {1, 70, 1, 8}),
           dst = local(kF32, {12, 70, 1, 8});
  for (std::string_view name :
       {"tiu.vc_min", "tiu.vc_max", "tiu.fvc_min", "tiu.fvc_max"}) {
    EXPECT_EQ(problem(name, {dst, a, b}), "") << name;
    EXPECT_EQ(problem(name, {dst, b, a}),
              "src0 is 1x70x1x8, src1 1x3x1x4, dst 12x70x1x8; src0 and src1 "
              "must be 1 x c x 1 x w; dst must be (elements of src0) x c x 1 x "
              "w with c and w of src1")
        << name;
    EXPECT_EQ(
        problem(name, {dst, local(kF32, {1, 3, 1, 4}, AlignMode::Compact), b}),
        "src0 is compact; the layout of src0 must be N-byte aligned")
        << name;
    EXPECT_EQ(
        problem(name,
                {dst, local(kF32, {1, 3, 1, 4}, AlignMode::Aligned, 5), b}),
        "")
        << name << ": src0 may start in any lane";
    EXPECT_EQ(
        problem(name,
                {dst, a, local(kF32, {1, 70, 1, 8}, AlignMode::Aligned, 5)}),
        "dst starts in lane 0, src1 in lane 5; dst and src1 must start "
        "in one lane")
        << name;
  }
  EXPECT_NE(problem("tiu.fvc_max",
                    {local(kI8, {12, 3, 1, 8}), local(kI8, {1, 3, 1, 4}),
                     local(kI8, {1, 3, 1, 8})}),
            "");
}

TEST(TiuComparison, maskRules) {
  for (std::string_view name : {"tiu.gt", "tiu.lt", "tiu.eq"}) {
    EXPECT_EQ(problem(name, {whole(kU8), whole(kF16), whole(kF16), number(1)}),
              "")
        << name;
    EXPECT_EQ(
        problem(name, {whole(kF32), whole(kF32), number(0.5), number(1.5)}), "")
        << name;
    EXPECT_EQ(problem(name, {whole(kF16), whole(kI8), whole(kI8), number(1)}),
              "dst is fp16, src0 is int8; elements of dst must be no wider "
              "than those of src0")
        << name;
    EXPECT_EQ(
        problem(name, {whole(kU8), whole(kF16), whole(kF16), number(256)}),
        "true_val is 256; a number for true_val must be whole and fit "
        "the integer type of dst")
        << name;
    EXPECT_EQ(problem(name, {whole(kU8), whole(kI8), number(-129), number(1)}),
              "src1 is -129; a number for src1 must be whole and fit the "
              "integers it is compared with")
        << name;
    EXPECT_EQ(problem(name, {whole(kU8), whole(kF16), whole(kF16)}),
              "true_val is missing")
        << name;
    EXPECT_EQ(problem(name, {whole(kU8), whole(kF16), whole(kI16), number(1)}),
              "src0 is fp16, src1 is int16; src0 and src1 must have one "
              "element type")
        << name;
  }
}

TEST(TiuComparison, selectRules) {
  for (std::string_view name :
       {"tiu.gt_select", "tiu.lt_select", "tiu.eq_select"}) {
    auto select = [&](Argument dst, Argument a, Argument b, Argument x,
                      Argument y) { return problem(name, {dst, a, b, x, y}); };
    EXPECT_EQ(
        select(whole(kI16), whole(kI8), number(3), whole(kI16), number(-1)), "")
        << name;
    EXPECT_EQ(select(whole(kI16), whole(kI8), local(kI8, {1, 64, 1, 1}),
                     number(0), number(-1)),
              "")
        << name;
    EXPECT_EQ(select(whole(kI16), whole(kI8), local(kI8, {1, 70, 1, 1}),
                     number(0), number(-1)),
              "src1 has 70 channels and 70 elements, dst 70 and 2100; src0 and "
              "src1 must have the shape of dst, or be 1 x c x 1 x 1 with the "
              "smaller one of its channels and LANE_NUM")
        << name;
    EXPECT_EQ(
        select(whole(kI8), whole(kI16), number(3), whole(kI8), number(-1)),
        "src0 is int16, dst is int8; elements of src0 must be no wider "
        "than those of dst")
        << name;
    EXPECT_EQ(select(whole(kI8), number(1), number(3), whole(kI8), number(-1)),
              "all are numbers; at least one of src0 and src1 must be a tensor")
        << name;
    EXPECT_EQ(
        select(whole(kF32), whole(kF32), number(3), whole(kI32), number(-1)),
        "dst is fp32, src2 is int32; dst, src2 and src3 must have one "
        "element type")
        << name;
    EXPECT_EQ(select(strided(kI8, {1, 2, 3, 4}, {48, 24, 8, 2}),
                     local(kI8, {1, 2, 3, 4}), number(3), number(1), number(0)),
              "dst is free; the layout of dst must be N-byte aligned")
        << name;
  }
  for (std::string_view name : {"tiu.max_gt_select", "tiu.min_lt_select"}) {
    EXPECT_EQ(problem(name, {whole(kF16), whole(kI32), whole(kF16), whole(kF16),
                             number(1), whole(kI32)}),
              "")
        << name;
    EXPECT_EQ(problem(name, {whole(kI16), whole(kI32), whole(kF16), whole(kF16),
                             number(1), whole(kI32)}),
              "dst0 is int16, src0 is fp16; dst0, src0 and src1 must have one "
              "element type")
        << name;
    EXPECT_EQ(problem(name, {at(0, whole(kF16)), at(64, whole(kF16)),
                             whole(kF16), whole(kF16), number(1), number(0)}),
              "dst0 at 0 overlaps dst1 at 64; dst0 must lie apart from dst1, "
              "src2 and src3")
        << name;
  }
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// Bits as a number that sorts like the float, if it is none of NaN; fp32 and
/// bf16 subnormals as zeros.
static double ordered(uint64_t bits, DataType type) {
  Dense one(type, {1, 1, 1, 1});
  one.setBits(0, bits);
  double value = isFloat(type) ? one.value(0) : double(one.integer(0));
  bool flushes = type == kF32 || type == kBf16;
  return flushes && std::fabs(value) < 0x1p-126 ? std::copysign(0.0, value)
                                                : value;
}

static const DataType kTypes[] = {kI8,  kU8,  kI16,  kU16, kI32,
                                  kU32, kF16, kBf16, kF32};

TEST(TiuComparison, minimumAndMaximum) {
  for (DataType type : kTypes)
    for (std::string_view name :
         {"tiu.min", "tiu.max", "tiu.fmin", "tiu.fmax"}) {
      if (name[4] == 'f' && !isFloat(type))
        continue;
      bool isMin = name.substr(name.size() - 3) == "min";
      Call call =
          callOf(name, {local(type, {2, 5, 3, 7}), local(type, {2, 5, 3, 7}),
                        local(type, {1, 5, 1, 7})});
      Numbers numbers(1);
      Values values = randomValues(call, numbers);
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (int i = 0; i < 210; ++i) {
        int j = i / 21 % 5 * 7 + i % 7;
        double x = ordered(values.at("src0").bits(i), type),
               y = ordered(values.at("src1").bits(j), type);
        if (std::isnan(x) || std::isnan(y))
          continue;
        EXPECT_EQ(ordered(values.at("dst").bits(i), type),
                  isMin ? std::fmin(x, y) : std::fmax(x, y));
      }
    }
}

/// The bits that a function gives for the bits of two operands.
static uint64_t two(std::string_view name, DataType type, uint64_t a,
                    uint64_t b) {
  Dims one = {1, 1, 1, 1};
  std::vector<Argument> arguments = {local(type, one), local(type, one),
                                     local(type, one)};
  if (name == "tiu.gt" || name == "tiu.lt" || name == "tiu.eq")
    arguments.push_back(number(1));
  return singleResult(callOf(name, arguments), {{"src0", a}, {"src1", b}});
}

TEST(TiuComparison, zerosSubnormalsAndNaNs) {
  // docs/numbers.md, "Element functions of floats".
  constexpr uint64_t nan = 0x7f800001, one = 0x3f800000, minus = 0x80000000;
  EXPECT_EQ(two("tiu.max", kF32, 0, minus), minus);
  EXPECT_EQ(two("tiu.max", kF32, minus, 0), 0u);
  EXPECT_EQ(two("tiu.min", kF32, 0, minus), minus);
  EXPECT_EQ(two("tiu.max", kF32, nan, one), one);
  EXPECT_EQ(two("tiu.max", kF32, one, nan), nan) << "with its payload";
  EXPECT_EQ(two("tiu.min", kF32, nan, one), nan);
  EXPECT_EQ(two("tiu.min", kF32, one, nan), one);
  EXPECT_EQ(two("tiu.max", kF32, 1, 0x80000001), minus) << "flushed";
  EXPECT_EQ(two("tiu.max", kF16, 1, 0x8001), 1u) << "fp16 keeps subnormals";
  auto isTrue = [](std::string_view name, uint64_t a, uint64_t b) {
    uint64_t bits = two(name, kF32, a, b);
    EXPECT_TRUE(bits == 0 || bits == one);
    return bits != 0;
  };
  EXPECT_TRUE(isTrue("tiu.eq", nan, nan));
  EXPECT_FALSE(isTrue("tiu.eq", 0, minus));
  EXPECT_FALSE(isTrue("tiu.gt", nan, one));
  EXPECT_FALSE(isTrue("tiu.gt", one, nan));
  EXPECT_TRUE(isTrue("tiu.lt", nan, one));
  EXPECT_TRUE(isTrue("tiu.lt", one, nan));
  EXPECT_FALSE(isTrue("tiu.lt", nan, nan));
  EXPECT_FALSE(isTrue("tiu.lt", minus, 0));
  EXPECT_FALSE(isTrue("tiu.gt", 1, 0)) << "a subnormal is no more than 0";
}

TEST(TiuComparison, allPairsOfTwoVectors) {
  for (DataType type : {kI8, kU16, kF32, kF16})
    for (bool isMax : {false, true}) {
      std::string_view name = isFloat(type)
                                  ? isMax ? "tiu.fvc_max" : "tiu.fvc_min"
                              : isMax ? "tiu.vc_max"
                                      : "tiu.vc_min";
      Call call =
          callOf(name, {local(type, {12, 3, 1, 5}), local(type, {1, 3, 1, 4}),
                        local(type, {1, 3, 1, 5})});
      Numbers numbers(3);
      Values values = randomValues(call, numbers);
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (int m = 0; m < 12; ++m)
        for (int n = 0; n < 15; ++n) {
          double x = ordered(values.at("src0").bits(
                                 values.at("src0").at(0, m / 4, 0, m % 4)),
                             type),
                 y = ordered(values.at("src1").bits(
                                 values.at("src1").at(0, n / 5, 0, n % 5)),
                             type),
                 got = ordered(values.at("dst").bits(
                                   values.at("dst").at(m, n / 5, 0, n % 5)),
                               type);
          if (!std::isnan(x) && !std::isnan(y)) {
            EXPECT_EQ(got, isMax ? std::fmax(x, y) : std::fmin(x, y));
          }
        }
    }
}

TEST(TiuComparison, masksAndSelects) {
  Numbers numbers(4);
  for (DataType from : kTypes)
    for (DataType to : kTypes)
      for (int relation = 0; relation < 3; ++relation) {
        const std::string_view masks[] = {"tiu.gt", "tiu.lt", "tiu.eq"};
        auto holds = [&](double x, double y, uint64_t bitsX, uint64_t bitsY) {
          return relation == 0 ? x > y : relation == 1 ? x < y : bitsX == bitsY;
        };
        Dims shape = {2, 70, 2, 3};
        auto near = [&](Values &values) { // so that some are equal
          for (std::string_view slot : {"src0", "src1"})
            for (int64_t i = 0; i < values.at(slot).elements(); ++i)
              values.at(slot).setValue(i, double(numbers.in(0, 3)));
        };
        auto bitsOfNumber = [&](double value) {
          Dense one(to, {1, 1, 1, 1});
          one.setValue(0, value);
          return one.bits(0);
        };
        // dst is what chosen(values, i, holds) says of element i of src0 and
        // element other(i) of src1.
        auto check = [&](const Call &call, auto other, auto chosen) {
          Values values = randomValues(call, numbers);
          near(values);
          ASSERT_TRUE(evaluate(call, values).isOk());
          for (int i = 0; i < 840; ++i) {
            uint64_t x = values.at("src0").bits(i),
                     y = values.at("src1").bits(other(i));
            bool isTrue = holds(ordered(x, from), ordered(y, from), x, y);
            ASSERT_EQ(values.at("dst").bits(i), chosen(values, i, isTrue));
          }
        };
        if (bitsOf(to) <= bitsOf(from)) {
          Call call =
              callOf(masks[relation], {local(to, shape), local(from, shape),
                                       local(from, {2, 70, 1, 1}), number(7)});
          check(
              call, [](int i) { return i / 6; },
              [&](const Values &, int, bool holds) {
                return holds ? bitsOfNumber(7) : 0;
              });
        }
        if (bitsOf(from) <= bitsOf(to)) {
          const std::string_view names[] = {"tiu.gt_select", "tiu.lt_select",
                                            "tiu.eq_select"};
          Call call =
              callOf(names[relation],
                     {local(to, shape), local(from, shape),
                      local(from, {1, 64, 1, 1}), local(to, shape), number(9)});
          check(
              call, [](int i) { return i / 6 % 70 % 64; },
              [&](const Values &values, int i, bool holds) {
                return holds ? values.at("src2").bits(i) : bitsOfNumber(9);
              });
        }
      }
}

TEST(TiuComparison, extremeAndChoice) {
  for (bool isMax : {false, true}) {
    Dims shape = {1, 3, 4, 5};
    Call call =
        callOf(isMax ? "tiu.max_gt_select" : "tiu.min_lt_select",
               {local(kI16, shape), local(kF32, shape), local(kI16, shape),
                local(kI16, shape), local(kF32, shape), local(kF32, shape)});
    Numbers numbers(5);
    Values values = randomValues(call, numbers);
    for (std::string_view slot : {"src0", "src1"})
      for (int i = 0; i < 60; ++i)
        values.at(slot).setBits(i, uint64_t(numbers.in(-2, 2)));
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int i = 0; i < 60; ++i) {
      int64_t x = values.at("src0").integer(i),
              y = values.at("src1").integer(i);
      bool first = isMax ? x > y : x < y;
      EXPECT_EQ(values.at("dst0").integer(i),
                isMax ? std::max(x, y) : std::min(x, y));
      EXPECT_EQ(values.at("dst1").bits(i),
                values.at(first ? "src2" : "src3").bits(i));
    }
  }
}
