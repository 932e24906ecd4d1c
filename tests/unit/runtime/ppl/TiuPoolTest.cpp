//===- TiuPoolTest.cpp - rules and meaning of the poolings ----------------===//

#include "tests/unit/runtime/ppl/Calls.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

/// 7x5 to 4x5: kernel 3x2, stride 2x1.
static Arguments pooling(DataType dst, DataType src) {
  return {{"dst", local(dst, {2, 70, 4, 5})},
          {"src", local(src, {2, 70, 7, 5})},
          {"kernel", list({3, 2})},
          {"stride", list({2, 1})},
          {"pad", list({1, 1, 0, 1})}};
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuPool, accepts) {
  for (DataType type : {kI8, kU8}) {
    EXPECT_EQ(problemNamed("tiu.pool_max", pooling(type, type)), "");
    EXPECT_EQ(problemNamed("tiu.pool_min", pooling(type, type), chips::bm1688),
              "");
  }
  for (DataType type : {kF32, kF16, kBf16}) {
    EXPECT_EQ(problemNamed("tiu.fpool_max", pooling(type, type)), "");
    EXPECT_EQ(problemNamed("tiu.fpool_min", pooling(type, type), chips::bm1690),
              "");
    EXPECT_EQ(problemNamed("tiu.fpool_avg",
                           with(pooling(type, type), "scale", number(0.125))),
              "");
  }
  for (DataType dst : {kI8, kI16, kI32})
    EXPECT_EQ(problemNamed("tiu.pool_avg",
                           with(pooling(dst, kI8), "scale", number(255))),
              "");
  EXPECT_EQ(problemNamed("tiu.pool_avg", pooling(kU32, kU8)), "");
  Arguments inserted = pooling(kI8, kI8);
  inserted["dst"] = local(kI8, {2, 70, 10, 11});
  inserted["stride"] = list({1, 1});
  inserted["ins"] = list({0, 1});
  inserted["pad"] = list({3, 2, 2, 1});
  EXPECT_EQ(problemNamed("tiu.pool_avg", inserted), "");
}

TEST(TiuPool, rejects) {
  for (std::string_view function : {"tiu.pool_min", "tiu.fpool_min"})
    EXPECT_EQ(
        problemNamed(function, pooling(kI8, kI8)),
        "exists on bm1688, bm1690, sg2380, sg2260e or sg2262 only, not on "
        "bm1684x; the pooling unit of bm1684x and mars3 has no minimum: take "
        "the maximum of the negated input");
  EXPECT_EQ(problemNamed("tiu.pool_max", pooling(kI16, kI16)),
            "dst is int16, must be int8 or uint8");
  EXPECT_EQ(
      problemNamed("tiu.pool_max", pooling(kU8, kI8)),
      "dst is uint8, src is int8; dst and src must have one element type");
  EXPECT_EQ(problemNamed("tiu.fpool_max", pooling(kI8, kI8)),
            "dst is int8, must be fp32, fp16 or bf16");
  EXPECT_EQ(problemNamed("tiu.fpool_avg", pooling(kF32, kF16)),
            "dst is fp32, src is fp16; dst and src must have one element type");
  EXPECT_EQ(problemNamed("tiu.fpool_max", with(pooling(kF32, kF32), "dst",
                                               local(kF32, {2, 70, 4, 4})))
                .substr(0, 30),
            "dst has w 4, the window gives ");
  EXPECT_EQ(problemNamed("tiu.fpool_max", with(pooling(kF32, kF32), "dst",
                                               local(kF32, {2, 71, 4, 5}))),
            "dst has 71 there, src 70; axis c of dst must equal axis c of src");
  EXPECT_EQ(problemNamed("tiu.fpool_max",
                         with(pooling(kF32, kF32), "src",
                              local(kF32, {2, 70, 7, 5}, AlignMode::Compact))),
            "src is compact; the layout of src must be N-byte aligned");
  EXPECT_EQ(
      problemNamed("tiu.fpool_max",
                   with(pooling(kF32, kF32), "src",
                        local(kF32, {2, 70, 7, 5}, AlignMode::Aligned, 5))),
      "dst starts in lane 0, src in lane 5; dst and src must start in one "
      "lane");
  EXPECT_EQ(problemNamed("tiu.pool_avg",
                         with(pooling(kI8, kI8), "scale", number(256))),
            "scale is 256, must be 0 to 255");
  EXPECT_EQ(problemNamed("tiu.pool_avg", pooling(kU16, kI8)),
            "dst is uint16, src is int8; dst must be signed exactly if src is");
  EXPECT_EQ(problemNamed("tiu.pool_avg",
                         with(pooling(kI8, kI8), "ins", list({8, 0}))),
            "ins is 8, must be 0 to 7");
  EXPECT_EQ(problemNamed("tiu.pool_max",
                         with(pooling(kI8, kI8), "stride", list({16, 1}))),
            "stride is 16, must be 1 to 15");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

namespace {
struct Plan {
  int64_t n, c, h, w, kh, kw, sh, sw, dh, dw, top, bottom, left, right, oh, ow;

  explicit Plan(Numbers &r)
      : n(r.in(1, 2)), c(r.in(1, 70)), h(r.in(2, 6)), w(r.in(2, 6)),
        kh(r.in(1, 3)), kw(r.in(1, 3)), sh(r.in(1, 3)), sw(r.in(1, 3)),
        dh(r.in(1, 2)), dw(r.in(1, 2)), top(r.in(0, 4)), bottom(r.in(3, 5)),
        left(r.in(0, 4)), right(r.in(3, 5)) {
    oh = (h + top + bottom - (kh - 1) * dh - 1) / sh + 1;
    ow = (w + left + right - (kw - 1) * dw - 1) / sw + 1;
  }
  Arguments arguments(DataType dst, DataType src) const {
    return {{"dst", local(dst, {n, c, oh, ow})},
            {"src", local(src, {n, c, h, w})},
            {"kernel", list({kh, kw})},
            {"stride", list({sh, sw})},
            {"dilation", list({dh, dw})},
            {"pad", list({top, bottom, left, right})}};
  }
  /// The elements of src below the window of an output, row by row.
  std::vector<double> below(const Dense &src, int64_t image, int64_t channel,
                            int64_t y, int64_t x, double outside) const {
    std::vector<double> values;
    for (int64_t i = 0; i < kh; ++i)
      for (int64_t j = 0; j < kw; ++j) {
        int64_t u = y * sh + i * dh - top, v = x * sw + j * dw - left;
        bool isInside = u >= 0 && u < h && v >= 0 && v < w;
        values.push_back(isInside ? src.value(src.at(image, channel, u, v))
                                  : outside);
      }
    return values;
  }
  template <class Expect>
  void eachOutput(Expect expect) const {
    for (int64_t image = 0; image < n; ++image)
      for (int64_t channel = 0; channel < c; ++channel)
        for (int64_t y = 0; y < oh; ++y)
          for (int64_t x = 0; x < ow; ++x)
            expect(image, channel, y, x);
  }
};
} // namespace

/// The smallest finite value of a type.
static double lowest(DataType type) {
  switch (type) {
  case kF32:
    return std::numeric_limits<float>::lowest();
  case kF16:
    return -65504;
  case kBf16:
    return -0x1.fep127;
  case kI8:
    return -128;
  default:
    return 0;
  }
}
static double highest(DataType type) {
  return type == kI8 ? 127 : type == kU8 ? 255 : -lowest(type);
}

TEST(TiuPool, extremesFollowTheFormula) {
  Numbers r(51);
  for (DataType type : {kI8, kU8, kF32, kF16, kBf16})
    for (bool isMax : {true, false})
      for (int round = 0; round < 6; ++round) {
        Plan p(r);
        std::string function = isFloat(type) ? "tiu.fpool_" : "tiu.pool_";
        function += isMax ? "max" : "min";
        Call call = named(function, p.arguments(type, type), chips::bm1688);
        Values values = randomValues(call, r);
        if (isFloat(type))
          for (int64_t i = 0; i < values["src"].elements(); ++i)
            values["src"].setValue(i, double(r.in(-1000, 1000)) / 8);
        ASSERT_TRUE(evaluate(call, values).isOk());
        double outside = isMax ? lowest(type) : highest(type);
        p.eachOutput([&](int64_t n, int64_t c, int64_t y, int64_t x) {
          std::vector<double> window =
              p.below(values["src"], n, c, y, x, outside);
          double expected =
              isMax ? *std::max_element(window.begin(), window.end())
                    : *std::min_element(window.begin(), window.end());
          ASSERT_EQ(values["dst"].value(values["dst"].at(n, c, y, x)), expected)
              << function;
        });
      }
}

TEST(TiuPool, averageOfBytesScalesAndShifts) {
  Numbers r(52);
  for (DataType dst : {kI8, kI16, kI32, kU8, kU16, kU32})
    for (int round = 0; round < 6; ++round) {
      Plan p(r);
      Arguments a = p.arguments(dst, isSigned(dst) ? kI8 : kU8);
      int64_t scale = r.in(0, 255), shift = r.in(0, 10);
      a["scale"] = number(scale);
      a["rshift"] = number(shift);
      Call call = named("tiu.pool_avg", a);
      Values values = randomValues(call, r);
      ASSERT_TRUE(evaluate(call, values).isOk());
      double top = std::exp2(double(bitsOf(dst)) - isSigned(dst)) - 1,
             bottom = isSigned(dst) ? -top - 1 : 0;
      p.eachOutput([&](int64_t n, int64_t c, int64_t y, int64_t x) {
        double sum = 0;
        for (double value : p.below(values["src"], n, c, y, x, 0))
          sum += value;
        double expected =
            std::floor(sum * double(scale) / std::exp2(double(shift)) + 0.5);
        ASSERT_EQ(values["dst"].value(values["dst"].at(n, c, y, x)),
                  std::min(std::max(expected, bottom), top));
      });
    }
}

TEST(TiuPool, averageOfFloatsScalesEveryElement) {
  Numbers r(53);
  for (DataType type : {kF32, kF16, kBf16})
    for (int round = 0; round < 6; ++round) {
      Plan p(r);
      Arguments a = p.arguments(type, type);
      a["scale"] = number(0.25); // quarters of whole numbers: exact sums
      Call call = named("tiu.fpool_avg", a);
      Values values = randomValues(call, r);
      for (int64_t i = 0; i < values["src"].elements(); ++i)
        values["src"].setValue(i, double(r.in(-6, 6)));
      ASSERT_TRUE(evaluate(call, values).isOk());
      p.eachOutput([&](int64_t n, int64_t c, int64_t y, int64_t x) {
        double sum = 0;
        for (double value : p.below(values["src"], n, c, y, x, 0))
          sum += value / 4;
        ASSERT_EQ(values["dst"].value(values["dst"].at(n, c, y, x)), sum);
      });
    }
}

TEST(TiuPool, averageRoundsScaleProductsAndSums) {
  // One window of four fp16 elements; the accumulators take turns.
  auto average = [](std::vector<double> x, double scale) {
    Call call = named("tiu.fpool_avg", {{"dst", local(kF16, {1, 1, 1, 1})},
                                        {"src", local(kF16, {1, 1, 1, 4})},
                                        {"kernel", list({1, 4})},
                                        {"scale", number(scale)}});
    Numbers r(1);
    Values values = randomValues(call, r);
    for (size_t i = 0; i < x.size(); ++i)
      values["src"].setValue(int64_t(i), x[i]);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].value(0);
  };
  EXPECT_EQ(average({2048, 1, 1, 1}, 1), 2050); // (2048 + 1) + (1 + 1)
  EXPECT_EQ(average({2048, 2048, 1, 1}, 1), 4096);
  // 0.1 is 0x1.998p-4 here; three times that lies between two numbers.
  EXPECT_EQ(average({3, 0, 0, 0}, 0.1), 0x1.33p-2);
  EXPECT_TRUE(std::signbit(average({-0.0, -0.0, -0.0, -0.0}, 1)));
}

TEST(TiuPool, subnormalNumbersCompareAsZeros) {
  auto largest = [](DataType type, std::vector<uint64_t> bits) {
    Call call = named("tiu.fpool_max",
                      {{"dst", local(type, {1, 1, 1, 1})},
                       {"src", local(type, {1, 1, 1, int64_t(bits.size())})},
                       {"kernel", list({1, int64_t(bits.size())})}});
    Numbers r(1);
    Values values = randomValues(call, r);
    for (size_t i = 0; i < bits.size(); ++i)
      values["src"].setBits(int64_t(i), bits[i]);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].bits(0);
  };
  EXPECT_EQ(largest(kBf16, {0x0041, 0x0012}), 0x0012u); // the last of equals
  EXPECT_EQ(largest(kBf16, {0x0041, 0x8012, 0xbf80}), 0x8012u);
  EXPECT_EQ(largest(kF32, {0x00000041, 0x80000012}), 0x80000000u);
  EXPECT_EQ(largest(kF16, {0x0041, 0x0012}), 0x0041u); // numbers as others
}
