//===- TiuMatMulTest.cpp - rules and meaning of the matrix products -------===//

#include "tests/unit/runtime/ppl/Calls.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

//===----------------------------------------------------------------------===//
// Rules of folded matrices
//===----------------------------------------------------------------------===//

/// 6x20 times 20x24.
static Arguments folded(DataType dst, DataType left, DataType right) {
  return {{"dst", local(dst, {6, 3, 1, 8})},
          {"left", local(left, {6, 2, 1, 10})},
          {"right", local(right, {20, 3, 1, 8})}};
}

TEST(TiuMatMul, foldedAccepts) {
  EXPECT_EQ(problemNamed("tiu.fmm", folded(kF32, kF32, kF32)), "");
  EXPECT_EQ(problemNamed("tiu.fmm", with(with(folded(kF32, kF32, kF32), "left",
                                              local(kF32, {20, 3, 1, 2})),
                                         "ltrans", number(1))),
            "");
  EXPECT_EQ(problemNamed("tiu.fmm", with(with(folded(kF32, kF32, kF32), "left",
                                              number(1.5)),
                                         "bias", local(kF32, {1, 3, 1, 8}))),
            "");
  for (auto [left, right] : {std::pair(kI8, kI8), std::pair(kU8, kI8),
                             std::pair(kI16, kU16), std::pair(kI32, kI32)})
    EXPECT_EQ(problemNamed("tiu.mm", folded(kI32, left, right)), "");
  EXPECT_EQ(problemNamed("tiu.mm", folded(kU32, kU16, kU16)), "");
  EXPECT_EQ(problemNamed("tiu.mm",
                         with(folded(kI32, kI32, kI32), "rshift", number(9))),
            "");
  Arguments narrow = folded(kI8, kI8, kU8);
  narrow["result_add"] = number(1);
  narrow["lshift"] = number(3);
  narrow["rshift"] = number(8);
  narrow["bias"] = local(kI16, {1, 3, 1, 8});
  EXPECT_EQ(problemNamed("tiu.mm", narrow), "");
}

TEST(TiuMatMul, foldedRejects) {
  Arguments good = folded(kF32, kF32, kF32);
  auto problemWith = [&](std::string_view slot, Argument value) {
    return problemNamed("tiu.fmm", with(good, slot, std::move(value)));
  };
  const std::string shapes =
      "; a matrix of R rows and Q columns is the aligned tensor [R, Q/w, 1, "
      "w]: left [M, K/w, 1, w] (ltrans: [K, M/w, 1, w]), right [K, N/w, 1, w], "
      "dst [M, N/w, 1, w]";
  EXPECT_EQ(problemWith("left", local(kF32, {6, 2, 1, 9})),
            "left has 18 columns, right 20 rows" + shapes);
  EXPECT_EQ(problemWith("left", local(kF32, {5, 2, 1, 10})),
            "left has 5 rows, dst 6" + shapes);
  EXPECT_EQ(problemWith("right", local(kF32, {20, 2, 1, 12})),
            "dst has shape 6x3x1x8, right 20x2x1x12" + shapes);
  EXPECT_EQ(problemWith("left", local(kF32, {6, 2, 2, 5})),
            "left has shape 6x2x2x5" + shapes);
  EXPECT_EQ(problemWith("bias", local(kF32, {2, 3, 1, 8})),
            "bias has shape 2x3x1x8, a row of dst is 1x3x1x8" + shapes);
  EXPECT_EQ(problemWith("rtrans", number(1)),
            "rtrans is set; no chip multiplies with a transposed right matrix: "
            "transpose it first");
  EXPECT_EQ(problemWith("right", local(kF32, {20, 3, 1, 8}, kCompact)),
            "right is compact; the layout of right must be N-byte aligned");
  EXPECT_EQ(problemNamed("tiu.fmm", folded(kF16, kF32, kF32)),
            "dst is fp16, must be fp32");
  EXPECT_EQ(
      problemNamed("tiu.mm", folded(kI32, kI16, kI8)),
      "left is int16, right int8; left and right must have one width; dst "
      "of 8 or 16 bits needs int8 or uint8 operands");
  EXPECT_EQ(problemNamed("tiu.mm", folded(kI8, kI16, kI16)).substr(0, 28),
            "dst is int8, right int16; le");
  EXPECT_EQ(
      problemNamed("tiu.mm", folded(kU32, kI8, kI8)),
      "dst is uint32 and an operand is signed; dst must be signed exactly "
      "if an operand is and do_relu is not set");
  EXPECT_EQ(
      problemNamed("tiu.mm", with(folded(kI32, kI8, kI8), "rshift", number(3))),
      "rshift is 3, right is int8 and dst int32; accumulation, bias, relu "
      "and lshift need dst of 8 or 16 bits, rshift that or operands of 32 "
      "bits");
  EXPECT_EQ(problemNamed("tiu.mm",
                         with(folded(kI32, kI8, kI8), "result_add", number(1)))
                .substr(0, 34),
            "result_add is 1 and dst is int32; ");
  EXPECT_EQ(problemNamed("tiu.mm", with(folded(kI8, kI8, kI8), "bias",
                                        local(kI32, {1, 3, 1, 8}))),
            "bias is int32 on bm1684x; bias has 16 bits on bm1684x and 32 "
            "elsewhere; bm1690 has neither shifts nor result_add, bm1688 no "
            "result_add");
  EXPECT_EQ(problemNamed("tiu.mm",
                         with(folded(kI8, kI8, kI8), "rshift", number(3)),
                         chips::bm1690)
                .substr(0, 20),
            "rshift is 3 on bm169");
}

//===----------------------------------------------------------------------===//
// Rules of matrices with a row in a lane
//===----------------------------------------------------------------------===//

/// 6x20 times 20x24.
static Arguments rows(std::string_view form, std::string_view result,
                      DataType dst, DataType type) {
  bool tt = form == "tt", nn = form == "nn";
  return {
      {result, tt ? local(dst, {1, 24, 1, 6}) : local(dst, {1, 6, 1, 24})},
      {"left", tt ? local(type, {1, 20, 1, 6}) : local(type, {1, 6, 1, 20})},
      {"right",
       nn ? local(type, {1, 20, 1, 24}) : local(type, {1, 24, 1, 20})}};
}

TEST(TiuMatMul, rowsAccept) {
  for (std::string form : {"nn", "nt", "tt"}) {
    Arguments bytes = rows(form, "rst", kI32, kI8),
              halves = rows(form, "dst", kF32, kF16);
    EXPECT_EQ(problemNamed("tiu.mm2_" + form, bytes), "");
    EXPECT_EQ(problemNamed("tiu.fmm2_" + form, halves), "");
    EXPECT_EQ(
        problemNamed("tiu.mm2_" + form,
                     with(bytes, "r_zp",
                          form == "tt" ? local(kI8, {1, 24, 1, 1}, kCompact)
                                       : local(kI8, {1, 64, 1, 24}))),
        "");
    EXPECT_EQ(problemNamed("tiu.mm2_" + form, with(bytes, "right", number(-3))),
              "");
    EXPECT_EQ(problemNamed("tiu.fmm2_" + form, with(halves, "left", number(2))),
              "");
    EXPECT_EQ(problemNamed("tiu.fmm2_" + form,
                           with(halves, "result_add", number(form != "nt"))),
              "");
    // What BM1684X lacks.
    Arguments rich = rows(form, "rst", kI8, kI8);
    rich["bias"] = form == "tt" ? local(kI32, {1, 24, 1, 1}, kCompact)
                                : local(kI32, {1, 32, 1, 24});
    rich["requant"] = form == "tt" ? local(kI32, {1, 24, 1, 2}, kCompact)
                                   : local(kI32, {1, 32, 24, 2});
    rich["do_relu"] = number(1);
    EXPECT_EQ(problemNamed("tiu.mm2_" + form, rich, chips::bm1688), "");
  }
  Arguments small = rows("nn", "dst", kBf16, DataType::Fp8e5m2);
  small["requant"] = number(0.5);
  EXPECT_EQ(problemNamed("tiu.fmm2_nn", small, chips::bm1690), "");
}

TEST(TiuMatMul, rowsReject) {
  Arguments bytes = rows("nn", "rst", kI32, kI8),
            halves = rows("nt", "dst", kF32, kF16);
  const std::string nn =
      "; left [1, M, 1, K], right [1, K, 1, N], result [1, M, 1, N] (n and h "
      "are 1)";
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(bytes, "left", local(kI8, {1, 6, 1, 19}))),
            "K is 19 in left and 20 in right" + nn);
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(bytes, "left", local(kI8, {1, 7, 1, 20}))),
            "M is 7 in left and 6 in rst" + nn);
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(bytes, "right", local(kI8, {1, 20, 2, 12}))),
            "right has shape 1x20x2x12" + nn);
  EXPECT_EQ(problemNamed("tiu.mm2_tt", bytes).substr(0, 30),
            "M is 20 in left and 24 in rst;");
  EXPECT_EQ(problemNamed("tiu.mm2_nn", with(bytes, "left",
                                            local(kI8, {1, 6, 1, 20},
                                                  AlignMode::Aligned, 2))),
            "left starts in lane 2; left must start in lane 0");
  EXPECT_EQ(problemNamed("tiu.mm2_nn", with(with(bytes, "left", number(1)),
                                            "right", number(1))),
            "all are numbers; at least one of left and right must be a tensor");
  EXPECT_EQ(problemNamed("tiu.mm2_nn", with(bytes, "do_relu", number(1)))
                .substr(0, 16),
            "do_relu is set; ");
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(bytes, "r_zp", local(kI8, {1, 32, 1, 24}))),
            "r_zp has shape 1x32x1x24, takes 1x64x1x24; r_zp must be aligned "
            "[1, LANE_NUM, 1, N], the same in every lane");
  EXPECT_EQ(
      problemNamed("tiu.mm2_nn", with(bytes, "r_zp", number(300))),
      "r_zp is 300.000000; a number in place of a tensor of bytes must be "
      "whole and -128 to 255");
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(bytes, "r_zp", local(kU8, {1, 64, 1, 24})))
                .substr(0, 38),
            "r_zp is unsigned, right is signed; bm1");
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(rows("nn", "rst", kI32, kU8), "r_zp", number(-1)))
                .substr(0, 35),
            "right is unsigned, r_zp is signed; ");
  EXPECT_EQ(problemNamed("tiu.mm2_nn",
                         with(rows("nn", "rst", kI8, kI8), "r_zp", none()))
                .substr(0, 28),
            "rst is int8 without requant;");
  EXPECT_EQ(problemNamed("tiu.mm2_nt", with(rows("nt", "rst", kI32, kI8),
                                            "result_add", number(1)))
                .substr(0, 18),
            "result_add is set;");
  EXPECT_EQ(problemNamed("tiu.mm2_nn", rows("nn", "rst", kU32, kI8)),
            "rst is uint32 and an operand is signed; rst must be signed if an "
            "operand is");
  EXPECT_EQ(
      problemNamed("tiu.fmm2_nt", with(halves, "result_add", number(1))),
      "result_add is set; bm1684x does not add to the result of a product "
      "with a transposed right matrix alone: use nn or tt");
  EXPECT_EQ(problemNamed("tiu.fmm2_nt",
                         with(halves, "bias", local(kF32, {1, 64, 1, 24})))
                .substr(0, 25),
            "bias is given on bm1684x;");
  EXPECT_EQ(problemNamed("tiu.fmm2_nt",
                         with(halves, "left", local(kBf16, {1, 6, 1, 20})))
                .substr(0, 25),
            "left is bf16, right fp16;");
  EXPECT_EQ(problemNamed("tiu.fmm2_nt", rows("nt", "dst", kF32, kF32)),
            "left is fp32, must be fp16, bf16, fp8e5m2 or fp8e4m3");
  EXPECT_EQ(problemNamed("tiu.fmm2_tt", rows("tt", "dst", kF32, kF32)),
            "left is fp32, must be fp16, bf16, fp8e5m2 or fp8e4m3");
  EXPECT_EQ(problemNamed("tiu.fmm2_nn",
                         rows("nn", "dst", kBf16, DataType::Fp8e5m2),
                         chips::bm1688)
                .substr(0, 26),
            "left is fp8e5m2 on bm1688;");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// sum_k left(m, k) * right(k, n) by two functions of indices.
template <class Left, class Right>
static double dot(int64_t depth, Left left, Right right) {
  double sum = 0;
  for (int64_t k = 0; k < depth; ++k)
    sum += left(k) * right(k);
  return sum;
}

static double clipped(double value, DataType type) {
  double high = std::exp2(double(bitsOf(type)) - isSigned(type)) - 1,
         low = isSigned(type) ? -high - 1 : 0;
  return std::min(std::max(value, low), high);
}

TEST(TiuMatMul, foldedBytesFollowTheFormula) {
  Numbers r(61);
  for (int round = 0; round < 40; ++round) {
    int64_t lc = r.in(1, 4), lw = r.in(1, 9), nc = r.in(1, 4), nw = r.in(1, 9),
            rowsOfDst = r.in(1, 6);
    bool transposed = r.in(0, 1), relu = r.in(0, 1), adds = r.in(0, 1);
    int64_t m = transposed ? lc * lw : rowsOfDst,
            k = transposed ? rowsOfDst : lc * lw, n = nc * nw;
    DataType dst = relu ? (r.in(0, 1) ? kU8 : kU16) : (r.in(0, 1) ? kI8 : kI16);
    int64_t lshift = r.in(0, 6), rshift = r.in(0, 12);
    Arguments a = {{"dst", local(dst, {m, nc, 1, nw})},
                   {"left", local(kI8, {rowsOfDst, lc, 1, lw})},
                   {"right", local(kU8, {k, nc, 1, nw})},
                   {"bias", local(kI16, {1, nc, 1, nw})},
                   {"ltrans", number(int(transposed))},
                   {"do_relu", number(int(relu))},
                   {"result_add", number(int(adds))},
                   {"lshift", number(lshift)},
                   {"rshift", number(rshift)}};
    Call call = named("tiu.mm", a);
    Values values = randomValues(call, r);
    Dense old(kI16, {m, nc, 1, nw});
    for (int64_t i = 0; i < old.elements(); ++i)
      old.setBits(i, r.next() & 0xffff);
    if (dst != kI16)
      values["accumulator"] = old;
    else
      values["dst"] = old;
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = dot(
            k,
            [&](int64_t t) {
              return values["left"].value(transposed ? t * lc * lw + i
                                                     : i * lc * lw + t);
            },
            [&](int64_t t) { return values["right"].value(t * n + j); });
        sum += values["bias"].value(j);
        if (adds)
          sum += old.value(i * n + j) * std::exp2(double(lshift));
        if (relu)
          sum = std::max(sum, 0.0);
        ASSERT_EQ(
            values["dst"].value(i * n + j),
            clipped(std::floor(sum / std::exp2(double(rshift)) + 0.5), dst));
      }
  }
}

TEST(TiuMatMul, productsOf32BitsSaturateAndShift) {
  auto product = [](DataType type, int64_t left, int64_t right, int64_t shift) {
    DataType dst = type == kU32 ? kU32 : kI32;
    Call call = named("tiu.mm", {{"dst", local(dst, {1, 1, 1, 1})},
                                 {"left", local(type, {1, 1, 1, 2})},
                                 {"right", local(type, {2, 1, 1, 1})},
                                 {"rshift", number(shift)}});
    Numbers r(1);
    Values values = randomValues(call, r);
    for (int64_t i = 0; i < 2; ++i) {
      values["left"].setBits(i, uint64_t(left));
      values["right"].setBits(i, uint64_t(right));
    }
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].integer(0);
  };
  EXPECT_EQ(product(kI32, 3, -5, 0), -30);
  EXPECT_EQ(product(kI32, 1 << 20, 1 << 20, 0), INT32_MAX);
  EXPECT_EQ(product(kI32, 1 << 20, -(1 << 20), 0), INT32_MIN);
  EXPECT_EQ(product(kI32, 1 << 20, 1 << 20, 31), 1 << 10);
  EXPECT_EQ(product(kI32, 3, 1, 2), 2); // 1.5, half up
  EXPECT_EQ(product(kU32, 1 << 20, 1 << 20, 0), UINT32_MAX);
  EXPECT_EQ(product(kU32, 0xffffffff, 0xffffffff, 1),
            UINT32_MAX); // modulo 2^64
  // Narrower operands wrap.
  EXPECT_EQ(product(kI16, -32768, -32768, 0), INT32_MIN);
}

TEST(TiuMatMul, foldedFloatsAddInTwoAccumulators) {
  Numbers r(62);
  for (int round = 0; round < 20; ++round) {
    int64_t lc = r.in(1, 3), lw = r.in(1, 9), nc = r.in(1, 3), nw = r.in(1, 5),
            rowsOfLeft = r.in(1, 6);
    bool transposed = r.in(0, 1), adds = r.in(0, 1);
    int64_t m = transposed ? lc * lw : rowsOfLeft,
            k = transposed ? rowsOfLeft : lc * lw, n = nc * nw;
    Arguments a = {{"dst", local(kF32, {m, nc, 1, nw})},
                   {"left", local(kF32, {rowsOfLeft, lc, 1, lw})},
                   {"right", local(kF32, {k, nc, 1, nw})},
                   {"ltrans", number(int(transposed))},
                   {"result_add", number(int(adds))}};
    Call call = named("tiu.fmm", a);
    Values values = wholeValues(call, r, 9), old = values;
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        ASSERT_EQ(
            values["dst"].value(i * n + j),
            dot(
                k,
                [&](int64_t t) {
                  return values["left"].value(transposed ? t * lc * lw + i
                                                         : i * lc * lw + t);
                },
                [&](int64_t t) { return values["right"].value(t * n + j); }) +
                (adds ? old["dst"].value(i * n + j) : 0));
  }
  auto product = [](std::vector<float> left) {
    Call call = named(
        "tiu.fmm", {{"dst", local(kF32, {1, 1, 1, 1})},
                    {"left", local(kF32, {1, 1, 1, int64_t(left.size())})},
                    {"right", local(kF32, {int64_t(left.size()), 1, 1, 1})}});
    Numbers numbers(1);
    Values values = randomValues(call, numbers);
    for (size_t k = 0; k < left.size(); ++k) {
      values["left"].setValue(int64_t(k), left[k]);
      values["right"].setValue(int64_t(k), 1);
    }
    EXPECT_TRUE(evaluate(call, values).isOk());
    return values["dst"].value(0);
  };
  EXPECT_EQ(product({0x1p30f, 1, -0x1p30f, 2}), 3);
  EXPECT_EQ(product({0x1p30f, -0x1p30f, 1}), 0);
}

/// Element (r, c) of an operand [1, R, 1, C], or (c, r) if it is transposed.
static double at(const Dense &matrix, int64_t row, int64_t column,
                 bool isTransposed) {
  return isTransposed ? matrix.value(matrix.at(0, column, 0, row))
                      : matrix.value(matrix.at(0, row, 0, column));
}

TEST(TiuMatMul, byteProductsFollowTheFormula) {
  Numbers r(63);
  for (std::string form : {"nn", "nt", "tt"})
    for (int round = 0; round < 12; ++round) {
      bool lt = form == "tt", rt = form != "nn", adds = rt == lt && r.in(0, 1);
      int64_t m = r.in(1, 9), k = r.in(1, 80), n = r.in(1, 70);
      Arguments a = {
          {"rst", lt ? local(kI32, {1, n, 1, m}) : local(kI32, {1, m, 1, n})},
          {"left", lt ? local(kU8, {1, k, 1, m}) : local(kU8, {1, m, 1, k})},
          {"right", rt ? local(kI8, {1, n, 1, k}) : local(kI8, {1, k, 1, n})},
          {"r_zp",
           lt ? local(kI8, {1, n, 1, 1}, kCompact) : local(kI8, {1, 64, 1, n})},
          {"result_add", number(int(adds))}};
      Call call = named("tiu.mm2_" + form, a);
      Values values = randomValues(call, r);
      for (int64_t i = 0; !lt && i < 64 * n; ++i) // alike in every lane
        values["r_zp"].setBits(i, values["r_zp"].bits(i % n));
      Values old = values;
      ASSERT_TRUE(evaluate(call, values).isOk());
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double zero = values["r_zp"].value(j);
          double sum = dot(
              k, [&](int64_t t) { return at(values["left"], i, t, lt); },
              [&](int64_t t) { return at(values["right"], t, j, rt) - zero; });
          double before = at(old["rst"], i, j, lt);
          ASSERT_EQ(
              at(values["rst"], i, j, lt),
              double(int32_t(uint32_t(int64_t(sum + (adds ? before : 0))))))
              << form;
        }
    }
}

TEST(TiuMatMul, byteProductsAreRequantisedElsewhere) {
  Numbers r(64);
  const int64_t m = 5, k = 7, n = 6;
  Arguments a = {{"rst", local(kI8, {1, m, 1, n})},
                 {"left", local(kI8, {1, m, 1, k})},
                 {"right", local(kI8, {1, k, 1, n})},
                 {"bias", local(kI32, {1, 32, 1, n})},
                 {"requant", local(kI32, {1, 32, n, 2})},
                 {"do_relu", number(1)},
                 {"saturate", number(1)},
                 {"round_mode", number(3)}};
  Call call = named("tiu.mm2_nn", a, chips::bm1688);
  Values values = randomValues(call, r);
  for (int64_t j = 0; j < n; ++j) {
    values["bias"].setBits(j, uint64_t(r.in(-9000, 9000)));
    values["requant"].setBits(2 * j, uint32_t(j - 3)); // multiplier
    values["requant"].setBits(2 * j + 1, uint64_t(j * 7 - 20) << 16 | 0xfa);
  }
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = dot(
          k, [&](int64_t t) { return at(values["left"], i, t, false); },
          [&](int64_t t) { return at(values["right"], t, j, false); });
      sum = std::max(sum + values["bias"].value(j), 0.0);
      double scaled = std::floor(sum * double(j - 3) / 64); // shift -6, down
      ASSERT_EQ(values["rst"].value(i * n + j),
                std::max(clipped(scaled + double(j * 7 - 20), kI8), -127.0));
    }
}

TEST(TiuMatMul, halfProductsFollowTheFormula) {
  Numbers r(65);
  for (std::string form : {"nn", "nt", "tt"})
    for (DataType type : {kF16, kBf16})
      for (int round = 0; round < 8; ++round) {
        bool lt = form == "tt", rt = form != "nn",
             adds = rt == lt && r.in(0, 1);
        int64_t m = r.in(1, 9), k = r.in(1, 80), n = r.in(1, 70);
        Arguments a = {
            {"dst", lt ? local(kF32, {1, n, 1, m}) : local(kF32, {1, m, 1, n})},
            {"left",
             lt ? local(type, {1, k, 1, m}) : local(type, {1, m, 1, k})},
            {"right",
             rt ? local(type, {1, n, 1, k}) : local(type, {1, k, 1, n})},
            {"result_add", number(int(adds))}};
        Call call = named("tiu.fmm2_" + form, a);
        Values values = wholeValues(call, r, 9), old = values;
        ASSERT_TRUE(evaluate(call, values).isOk());
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j)
            ASSERT_EQ(
                at(values["dst"], i, j, lt),
                dot(
                    k, [&](int64_t t) { return at(values["left"], i, t, lt); },
                    [&](int64_t t) { return at(values["right"], t, j, rt); }) +
                    (adds ? at(old["dst"], i, j, lt) : 0))
                << form;
      }
}

/// fmm2_nn of one row and one column; right is ones.
static double sumOf(const std::vector<double> &left, DataType dst,
                    Arguments more = {}, const Chip &chip = chips::bm1684x) {
  int64_t k = int64_t(left.size());
  more["dst"] = local(dst, {1, 1, 1, 1});
  more["left"] = local(kF16, {1, 1, 1, k});
  more["right"] = local(kF16, {1, k, 1, 1});
  Call call = named("tiu.fmm2_nn", more, chip);
  Numbers r(1);
  Values values = randomValues(call, r);
  for (int64_t i = 0; i < k; ++i) {
    values["left"].setValue(i, left[size_t(i)]);
    values["right"].setValue(i, 1);
  }
  if (call.tensor("bias"))
    for (int64_t i = 0; i < values["bias"].elements(); ++i)
      values["bias"].setValue(i, -3);
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values["dst"].value(0);
}

TEST(TiuMatMul, halfProductsAddInBlocks) {
  std::vector<double> x(33, 0.0);
  x[0] = 0x1p10;
  x[1] = -0x1p10;
  x[2] = 0x1p-15; // 25 bits below the largest of the block: cut off
  EXPECT_EQ(sumOf(x, kF32), 0);
  x[2] = 0;
  x[32] = 0x1p-15; // a block of its own
  EXPECT_EQ(sumOf(x, kF32), 0x1p-15);
  // Blocks of 16 on BM1688.
  x.assign(33, 0.0);
  x[0] = 0x1p10;
  x[1] = -0x1p10;
  x[16] = 0x1p-15;
  EXPECT_EQ(sumOf(x, kF32, {}, chips::bm1688), 0x1p-15);
  EXPECT_EQ(sumOf(x, kF32), 0);
  // fp16 rounds once, to even.
  EXPECT_EQ(sumOf({2048, 1}, kF16), 2048);
  EXPECT_EQ(sumOf({2048, 3}, kF16), 2052);
}

TEST(TiuMatMul, halfProductsHaveBiasReluAndScaleElsewhere) {
  Arguments more = {{"bias", local(kF32, {1, 64, 1, 1})},
                    {"do_relu", number(1)},
                    {"requant", number(0.5)}};
  EXPECT_EQ(sumOf({1, 9}, kF32, more, chips::bm1690), 3.5);
  EXPECT_EQ(sumOf({1, 1}, kF32, more, chips::bm1690), 0);
  more.erase("do_relu");
  EXPECT_EQ(sumOf({1, 1}, kF32, more, chips::bm1690), -0.5);
}
