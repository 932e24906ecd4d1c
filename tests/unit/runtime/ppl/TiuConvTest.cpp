//===- TiuConvTest.cpp - meaning of the convolutions ----------------------===//

#include "runtime/ppl/Window.h"
#include "tests/unit/runtime/ppl/Calls.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

/// The geometry of a random convolution.
struct Plan {
  int64_t n, ic, oc, h, w, kh, kw, sh, sw, dh, dw, ih, iw, top, bottom, left,
      right, oh, ow;

  explicit Plan(Numbers &r, bool inserts, bool strides)
      : n(r.in(1, 2)), ic(r.in(1, 70)), oc(r.in(1, 5)), h(r.in(2, 6)),
        w(r.in(2, 6)), kh(r.in(1, 3)), kw(r.in(1, 3)),
        sh(strides ? r.in(1, 3) : 1), sw(strides ? r.in(1, 3) : 1),
        dh(r.in(1, 2)), dw(r.in(1, 2)), ih(inserts ? r.in(0, 2) : 0),
        iw(inserts ? r.in(0, 2) : 0), top(r.in(0, 4)), bottom(r.in(3, 5)),
        left(r.in(0, 4)), right(r.in(3, 5)) {
    oh = ((h - 1) * (ih + 1) + top + bottom - (kh - 1) * dh) / sh + 1;
    ow = ((w - 1) * (iw + 1) + left + right - (kw - 1) * dw) / sw + 1;
  }

  /// The padded image with what is inserted, [row][column]; `at` gives the
  /// element of src.
  template <class At>
  std::vector<std::vector<double>> image(double pad, double insert,
                                         At at) const {
    int64_t rows = (h - 1) * (ih + 1) + 1 + top + bottom,
            columns = (w - 1) * (iw + 1) + 1 + left + right;
    std::vector<std::vector<double>> out(
        size_t(rows), std::vector<double>(size_t(columns), pad));
    for (int64_t y = top; y < rows - bottom; ++y)
      for (int64_t x = left; x < columns - right; ++x)
        out[size_t(y)][size_t(x)] = insert;
    for (int64_t y = 0; y < h; ++y)
      for (int64_t x = 0; x < w; ++x)
        out[size_t(top + y * (ih + 1))][size_t(left + x * (iw + 1))] = at(y, x);
    return out;
  }

  Arguments window(std::string_view insert) const {
    Arguments a = {{"k_shape", list({kh, kw})},
                   {"dilation", list({dh, dw})},
                   {"pad", list({top, bottom, left, right})}};
    if (sh != 1 || sw != 1)
      a["stride"] = list({sh, sw});
    if (ih || iw)
      a[insert] = list({ih, iw});
    return a;
  }
};

/// sum over all inputs and taps of (image - 0) * (weight - zero), from packed
/// weights; `turns`: the kernel by 180 degrees.
static std::vector<double> sumsOf(const Plan &p, const Call &call,
                                  const Values &values, bool turns, double pad,
                                  double insert, double zero) {
  std::vector<double> sums(size_t(p.n * p.oc * p.oh * p.ow));
  const Dense &src = values.at("src");
  int64_t pack = channelPack(src.type, *call.chip);
  for (int64_t n = 0; n < p.n; ++n)
    for (int64_t i = 0; i < p.ic; ++i) {
      auto image = p.image(pad, insert, [&](int64_t y, int64_t x) {
        return src.value(src.at(n, i, y, x));
      });
      for (int64_t o = 0; o < p.oc; ++o)
        for (int64_t a = 0; a < p.kh; ++a)
          for (int64_t b = 0; b < p.kw; ++b) {
            int64_t ka = turns ? p.kh - 1 - a : a,
                    kb = turns ? p.kw - 1 - b : b;
            double weight =
                call.tensor("weight")
                    ? values.at("weight").value(values.at("weight").at(
                          0, o, (i / pack * p.kh + ka) * p.kw + kb, i % pack))
                    : call.real("weight");
            for (int64_t y = 0; y < p.oh; ++y)
              for (int64_t x = 0; x < p.ow; ++x)
                sums[size_t(((n * p.oc + o) * p.oh + y) * p.ow + x)] +=
                    image[size_t(y * p.sh + a * p.dh)]
                         [size_t(x * p.sw + b * p.dw)] *
                    (weight - zero);
          }
    }
  return sums;
}

/// The sums with the bias of their channels, after relu if there is one.
static std::vector<double> biasedSumsOf(const Plan &p, const Call &call,
                                        Values &values, bool turns, bool relu) {
  std::vector<double> sums = sumsOf(p, call, values, turns, 0, 0, 0);
  for (size_t k = 0; k < sums.size(); ++k) {
    sums[k] += values["bias"].value(int64_t(k) / (p.oh * p.ow) % p.oc);
    if (relu)
      sums[k] = std::max(sums[k], 0.0);
  }
  return sums;
}

static Arguments operands(const Plan &p, Arguments window, DataType dst,
                          DataType src, DataType weight) {
  int64_t pack = channelPack(src, chips::bm1684x);
  window["dst"] = local(dst, {p.n, p.oc, p.oh, p.ow});
  window["src"] = local(src, {p.n, p.ic, p.h, p.w});
  window["weight"] =
      local(weight, {1, p.oc, (p.ic + pack - 1) / pack * p.kh * p.kw, pack},
            kCompact);
  window["oc"] = number(p.oc);
  return window;
}

static double shiftedHalfUp(double value, int64_t shift) {
  return std::floor(value / std::exp2(double(shift)) + 0.5);
}
static double clipped(double value, DataType type) {
  double high = std::exp2(double(bitsOf(type)) - isSigned(type)) - 1;
  double low = isSigned(type) ? -high - 1 : 0;
  return std::min(std::max(value, low), high);
}

TEST(TiuConv, bytesFollowTheFormula) {
  Numbers r(41);
  for (int round = 0; round < 60; ++round) {
    bool turns = round % 3 == 2;
    Plan p(r, turns || round % 3 == 1, !turns);
    DataType src = r.in(0, 1) ? kI8 : kU8, weight = r.in(0, 1) ? kI8 : kU8;
    bool relu = r.in(0, 1), hasSign = src == kI8 || weight == kI8,
         narrow = r.in(0, 1);
    DataType dst =
        hasSign && !relu ? (narrow ? kI8 : kI16) : (narrow ? kU8 : kU16);
    Arguments a = operands(p, p.window("ins"), dst, src, weight);
    a["bias"] = local(hasSign ? kI16 : kU16, {1, p.oc, 1, 1}, kCompact);
    a["result_relu"] = number(int(relu));
    int64_t shift = r.in(0, 10);
    a["rshift"] = number(shift);
    Call call = named(turns ? "tiu.deconv_sym" : "tiu.conv_sym", a);
    Values values = randomValues(call, r);
    std::vector<double> sums = biasedSumsOf(p, call, values, turns, relu);
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (size_t k = 0; k < sums.size(); ++k)
      ASSERT_EQ(values["dst"].value(int64_t(k)),
                clipped(shiftedHalfUp(sums[k], shift), dst))
          << "round " << round << " element " << k;
  }
}

TEST(TiuConv, zeroPointAndValuesFollowTheFormula) {
  Numbers r(42);
  for (int round = 0; round < 60; ++round) {
    bool turns = round % 3 == 2;
    Plan p(r, turns || round % 3 == 1, !turns);
    DataType src = r.in(0, 1) ? kI8 : kU8;
    Arguments a = operands(p, p.window("ins"), kI32, src, kI8);
    int64_t low = src == kI8 ? -128 : 0, pad = r.in(low, low + 255),
            insert = r.in(low, low + 255), zero = r.in(-128, 127);
    bool adds = r.in(0, 1);
    a["pad_val"] = number(pad);
    a["insert_val"] = number(insert);
    a["kzp"] = number(zero);
    a["result_add"] = number(int(adds));
    Call call = named(turns ? "tiu.deconv_asym" : "tiu.conv_asym", a);
    Values values = randomValues(call, r), old = values;
    for (int64_t k = 0; k < old["dst"].elements(); ++k) {
      old["dst"].setBits(k, uint64_t(r.in(-100000, 100000)));
      values["dst"].setBits(k, old["dst"].bits(k));
    }
    std::vector<double> sums = sumsOf(p, call, values, turns, double(pad),
                                      double(insert), double(zero));
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (size_t k = 0; k < sums.size(); ++k)
      ASSERT_EQ(values["dst"].value(int64_t(k)),
                sums[k] + (adds ? old["dst"].value(int64_t(k)) : 0))
          << "round " << round << " element " << k;
  }
}

TEST(TiuConv, pairsOfPadAndInsertAreByInputChannel) {
  Numbers r(43);
  Plan p(r, true, false);
  p.ic = 1; // so that one pair holds for the whole sum
  Arguments a = operands(p, p.window("ins"), kI32, kI8, kI8);
  a["pad_val"] = local(kI8, {1, 1, 1, 2}, kCompact);
  a["kzp"] = local(kI8, {1, p.oc, 1, 1}, kCompact);
  Call call = named("tiu.conv_asym", a);
  Values values = randomValues(call, r);
  for (int64_t o = 0; o < p.oc; ++o)
    values["kzp"].setBits(o, 5);
  std::vector<double> sums =
      sumsOf(p, call, values, false, values["pad_val"].value(0),
             values["pad_val"].value(1), 5);
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (size_t k = 0; k < sums.size(); ++k)
    ASSERT_EQ(values["dst"].value(int64_t(k)), sums[k]);
}

TEST(TiuConv, requantisesAfterRelu) {
  Numbers r(44);
  for (int round = 0; round < 60; ++round) {
    Plan p(r, false, true);
    bool packed = r.in(0, 1), relu = r.in(0, 1), symmetric = r.in(0, 1);
    DataType dst = r.in(0, 1) ? kI8 : kU8;
    Arguments a = operands(p, p.window("ins"), dst, kI8, kI8);
    a["bias"] = local(kI32, {1, p.oc, 1, 1}, kCompact);
    a["result_relu"] = number(int(relu));
    a["saturate"] = number(int(symmetric));
    int64_t multiplier = r.in(-40000, 40000), shift = r.in(-20, 2),
            zero = r.in(-50, 50);
    if (packed) {
      a["requant"] = local(kI32, {1, p.oc, 1, 2}, kCompact);
    } else {
      a["multiplier"] = number(multiplier);
      a["rshift"] = number(shift);
      a["out_zp"] = number(zero);
    }
    Call call = named("tiu.conv_sym_rq", a);
    Values values = randomValues(call, r);
    for (int64_t o = 0; o < p.oc; ++o) {
      values["bias"].setBits(o, uint64_t(r.in(-3000, 3000)));
      if (packed) { // bits 15..8 of the second word are nobody's
        values["requant"].setBits(2 * o, uint32_t(multiplier));
        values["requant"].setBits(2 * o + 1, uint64_t(zero & 0xffff) << 16 |
                                                 0x5a00 | (shift & 0xff));
      }
    }
    std::vector<double> sums = biasedSumsOf(p, call, values, false, relu);
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (size_t k = 0; k < sums.size(); ++k) {
      // Below 2^53: exact.
      double scaled = std::floor(
          sums[k] * double(multiplier) * std::exp2(double(shift)) + 0.5);
      double expected = clipped(clipped(scaled, kI32) + double(zero), dst);
      if (symmetric && dst == kI8)
        expected = std::max(expected, -127.0);
      ASSERT_EQ(values["dst"].value(int64_t(k)), expected)
          << "round " << round << " element " << k;
    }
  }
}

TEST(TiuConv, floatsFollowTheFormula) {
  Numbers r(45);
  for (int round = 0; round < 60; ++round) {
    bool turns = round % 3 == 2, adds = r.in(0, 1), hasBias = r.in(0, 1);
    Plan p(r, turns || round % 3 == 1, !turns);
    DataType type = round % 2 ? kF32 : r.in(0, 1) ? kF16 : kBf16;
    Arguments a =
        operands(p, p.window(turns ? "insert" : "ins"), kF32, type, type);
    a["bias"] = local(kF32, {1, p.oc, 1, 1}, kCompact);
    a["has_bias"] = number(int(hasBias));
    a["result_add"] = number(int(adds));
    if (r.in(0, 3) == 0)
      a["weight"] = number(-2);
    Call call = named(turns ? "tiu.fdeconv" : "tiu.fconv", a);
    Values values = wholeValues(call, r, 3), old = values;
    std::vector<double> sums = sumsOf(p, call, values, turns, 0, 0, 0);
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (size_t k = 0; k < sums.size(); ++k) {
      int64_t o = int64_t(k) / (p.oh * p.ow) % p.oc;
      ASSERT_EQ(values["dst"].value(int64_t(k)),
                sums[k] + (hasBias ? values["bias"].value(o) : 0) +
                    (adds ? old["dst"].value(int64_t(k)) : 0))
          << "round " << round << " element " << k;
    }
  }
}

/// A 1x1 convolution of `terms` channels to one output.
static double dotOf(DataType type, DataType dst, const std::vector<float> &x,
                    const std::vector<float> &w, std::optional<float> bias,
                    std::optional<float> old) {
  int64_t ic = int64_t(x.size()), pack = channelPack(type, chips::bm1684x);
  Arguments a = {
      {"dst", local(dst, {1, 1, 1, 1})},
      {"src", local(type, {1, ic, 1, 1})},
      {"weight", local(type, {1, 1, (ic + pack - 1) / pack, pack}, kCompact)},
      {"oc", number(1)},
      {"k_shape", list({1, 1})},
      {"result_add", number(int(old.has_value()))}};
  if (bias)
    a["bias"] = local(kF32, {1, 1, 1, 1}, kCompact);
  Call call = named("tiu.fconv", a);
  Numbers r(1);
  Values values = randomValues(call, r); // also beyond the last channel
  for (int64_t i = 0; i < ic; ++i) {
    values["src"].setValue(i, x[size_t(i)]);
    values["weight"].setValue(i, w[size_t(i)]);
  }
  if (bias)
    values["bias"].setValue(0, *bias);
  if (old)
    values["dst"].setValue(0, *old);
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values["dst"].value(0);
}

TEST(TiuConv, fp32AddsInTwoAccumulators) {
  const float big = 0x1p30f;
  // Products 0 and 2 cancel in the even one; 1 and 3 add up in the odd one.
  EXPECT_EQ(dotOf(kF32, kF32, {big, 1, -big, 2}, {1, 1, 1, 1}, {}, {}), 3);
  // One after the other the small ones would be lost.
  EXPECT_EQ(dotOf(kF32, kF32, {big, -big, 1}, {1, 1, 1}, {}, {}), 0);
  // The bias alone begins the odd one, beside products 1, 3, ...
  EXPECT_EQ(dotOf(kF32, kF32, {1, big}, {1, 1}, -big, {}), 1);
  EXPECT_EQ(dotOf(kF32, kF32, {big, 1}, {1, 1}, -big, {}), 0);
  // With the old result the bias is in the even one.
  EXPECT_EQ(dotOf(kF32, kF32, {big, 1}, {1, 1}, -big, 0.0f), 1);
  EXPECT_EQ(dotOf(kF32, kF32, {1, big}, {1, 1}, {}, -big), 1);
  // Subnormal operands and products are zeros.
  EXPECT_EQ(dotOf(kF32, kF32, {0x1p-130f}, {0x1p20f}, {}, {}), 0);
  EXPECT_EQ(dotOf(kF32, kF32, {0x1p-100f}, {0x1p-40f}, {}, {}), 0);
}

TEST(TiuConv, halvesAddInBlocks) {
  // In a block every product counts to 24 bits below the largest.
  std::vector<float> x(33, 0.0f), one(33, 1.0f);
  x[0] = 0x1p10f;
  x[1] = -0x1p10f;
  x[2] = 0x1p-14f; // 24 bits below: kept
  EXPECT_EQ(dotOf(kF16, kF32, x, one, {}, {}), 0x1p-14);
  x[2] = 0x1p-15f; // cut off
  EXPECT_EQ(dotOf(kF16, kF32, x, one, {}, {}), 0);
  x[2] = 0;
  x[32] = 0x1p-20f; // a block of its own
  EXPECT_EQ(dotOf(kF16, kF32, x, one, {}, {}), 0x1p-20);
  // The sums of blocks round to fp32 one after the other.
  x.assign(33, 0.0f);
  x[0] = 0x1p15f;
  x[32] = 0x1p-15f;
  EXPECT_EQ(dotOf(kF16, kF32, x, one, -0x1p15f, {}), 0x1p-15);
  EXPECT_EQ(dotOf(kF16, kF32, x, one, {}, -0x1p15f), 0x1p-15);
  x[1] = 0x1p15f; // 65536 beside 2^-15 is too coarse
  EXPECT_EQ(dotOf(kF16, kF32, x, one, {}, {}), 0x1p16);
  // fp16 results round once, to even.
  EXPECT_EQ(dotOf(kF16, kF16, {2048, 1}, {1, 1}, {}, {}), 2048);
  EXPECT_EQ(dotOf(kF16, kF16, {2048, 3}, {1, 1}, {}, {}), 2052);
}

TEST(TiuConv, oldSumsOfANarrowResultAreWide) {
  // The old fp32 contents lie where the fp16 result goes.
  Machine machine(chips::bm1684x, 0);
  Call call = named("tiu.fconv",
                    {{"dst", at(0, local(kF16, {1, 1, 1, 2}))},
                     {"src", at(1024, local(kF16, {1, 1, 1, 2}))},
                     {"weight", at(2048, local(kF16, {1, 1, 1, 32}, kCompact))},
                     {"oc", number(1)},
                     {"k_shape", list({1, 1})},
                     {"result_add", number(1)}});
  ASSERT_EQ(problemOf(call), "");
  auto put = [&](uint64_t byte, auto value) {
    std::memcpy(machine.at(Memory::Local, byte, sizeof(value), 0), &value,
                sizeof(value));
  };
  put(0, 100.25f);
  put(4, -7.0f);
  put(1024, uint16_t(0x3c00)); // 1, 2
  put(1026, uint16_t(0x4000));
  put(2048, uint16_t(0x4200)); // 3
  ASSERT_TRUE(interpret(call, machine).isOk());
  rt::Result<Dense> dst = read(*call.tensor("dst"), machine);
  ASSERT_TRUE(dst.isOk());
  EXPECT_EQ(dst->value(0), 103.25);
  EXPECT_EQ(dst->value(1), -1);
}

TEST(TiuConv, depthwiseFollowsTheFormula) {
  Numbers r(46);
  for (int round = 0; round < 80; ++round) {
    bool isFloatType = round % 2, turns = round % 4 >= 2;
    Plan p(r, turns, !turns);
    p.oc = p.ic;
    DataType type = isFloatType ? (r.in(0, 1) ? kF32 : kF16) : kI8;
    DataType dstType = isFloatType ? type : r.in(0, 1) ? kI16 : kI32;
    std::string_view dst = isFloatType && !turns ? "output" : "dst",
                     src = isFloatType && !turns ? "input" : "src";
    Arguments a = p.window("insert");
    a[dst] = local(dstType, {p.n, p.ic, p.oh, p.ow});
    a[src] = local(type, {p.n, p.ic, p.h, p.w});
    a["weight"] = local(type, {1, p.ic, p.kh, p.kw}, kCompact);
    a["bias"] = local(isFloatType ? type : kI32, {1, p.ic, 1, 1}, kCompact);
    int64_t pad = isFloatType ? 0 : r.in(-128, 127),
            shift = isFloatType ? 0 : r.in(0, 6);
    if (!isFloatType) {
      a["pad_val"] = number(pad);
      a["rshift"] = number(shift);
    }
    Call call = named(isFloatType ? (turns ? "tiu.fdw_deconv" : "tiu.fdw_conv")
                                  : (turns ? "tiu.dw_deconv" : "tiu.dw_conv"),
                      a);
    Values values =
        isFloatType ? wholeValues(call, r, 3) : randomValues(call, r);
    if (!isFloatType)
      for (int64_t c = 0; c < p.ic; ++c)
        values["bias"].setBits(c, uint64_t(r.in(-5000, 5000)));
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t n = 0; n < p.n; ++n)
      for (int64_t c = 0; c < p.ic; ++c) {
        auto image = p.image(double(pad), 0, [&](int64_t y, int64_t x) {
          return values[src].value(values[src].at(n, c, y, x));
        });
        for (int64_t y = 0; y < p.oh; ++y)
          for (int64_t x = 0; x < p.ow; ++x) {
            double sum = values["bias"].value(c);
            for (int64_t i = 0; i < p.kh; ++i)
              for (int64_t j = 0; j < p.kw; ++j)
                sum += image[size_t(y * p.sh + i * p.dh)]
                            [size_t(x * p.sw + j * p.dw)] *
                       values["weight"].value(
                           values["weight"].at(0, c, turns ? p.kh - 1 - i : i,
                                               turns ? p.kw - 1 - j : j));
            double expected =
                isFloatType ? sum : clipped(shiftedHalfUp(sum, shift), dstType);
            ASSERT_EQ(values[dst].value(values[dst].at(n, c, y, x)), expected)
                << "round " << round;
          }
      }
  }
}

TEST(TiuConv, depthwiseRoundsEveryStepToItsType) {
  // fp16: 2048 + 1 rounds to 2048 in each accumulator.
  Arguments a = {{"output", local(kF16, {1, 1, 1, 1})},
                 {"input", local(kF16, {1, 1, 1, 4})},
                 {"weight", number(1)},
                 {"k_shape", list({1, 4})}};
  Call call = named("tiu.fdw_conv", a);
  Numbers r(1);
  Values values = randomValues(call, r);
  const double x[] = {2048, 1, 1, 1};
  for (int64_t k = 0; k < 4; ++k)
    values["input"].setValue(k, x[k]);
  ASSERT_TRUE(evaluate(call, values).isOk());
  EXPECT_EQ(values["output"].value(0), 2050); // (2048 + 1) + (1 + 1)
}

TEST(TiuConv, tinyBf16ProductsRoundBeforeTheyAreFlushed) {
  Arguments a = {{"output", local(kBf16, {1, 1, 1, 1})},
                 {"input", local(kBf16, {1, 1, 1, 1})},
                 {"weight", local(kBf16, {1, 1, 1, 1}, kCompact)},
                 {"k_shape", list({1, 1})}};
  Call call = named("tiu.fdw_conv", a);
  Numbers r(1);
  auto product = [&](double x, double weight) {
    Values values = randomValues(call, r);
    values["input"].setValue(0, x);
    values["weight"].setValue(0, weight);
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["output"].value(0);
  };
  EXPECT_EQ(product(-0x1.1ep-126, -0x1.cap-1), 0x1p-126);
  EXPECT_EQ(product(0x1.02p-126, 0x1.fap-1), 0);
}

TEST(TiuConv, shiftsRoundByTheirMode) {
  const int64_t expected[] = {-2, -3, -2, -3, -2, -2, -3};
  for (int mode = 0; mode < 7; ++mode) {
    Call call = named("tiu.dw_conv", {{"dst", local(kI8, {1, 1, 1, 1})},
                                      {"src", local(kI8, {1, 1, 1, 1})},
                                      {"weight", number(1)},
                                      {"k_shape", list({1, 1})},
                                      {"rshift", number(1)},
                                      {"round_mode", number(mode)}});
    Numbers r(1);
    Values values = randomValues(call, r);
    values["src"].setBits(0, uint64_t(-5) & 0xff);
    ASSERT_TRUE(evaluate(call, values).isOk());
    EXPECT_EQ(values["dst"].integer(0), expected[mode]) << mode;
  }
}
