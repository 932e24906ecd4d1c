#include "tests/unit/runtime/ppl/Calls.h"

#include <cstring>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

static constexpr DataType kI4 = DataType::Int4;
static constexpr AlignMode kRows = AlignMode::RowAligned;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuMove, moveAcceptsAndRejects) {
  Argument dst = local(kF16, {2, 3, 4, 5}),
           src = strided(kF16, {2, 3, 4, 5}, {100, 40, 10, 2});
  EXPECT_EQ(problem("tiu.move", {dst, src}), "");
  EXPECT_EQ(
      problem("tiu.move",
              {local(kI4, {2, 3, 4, 6}), local(kI4, {2, 3, 4, 6}, kCompact)},
              chips::bm1690),
      "");
  EXPECT_EQ(problem("tiu.move", {local(kI4, {2, 3, 4, 6}),
                                 local(kI4, {2, 3, 4, 6}, kCompact)}),
            "dst is int4; on bm1684x dst must be fp32, fp16, bf16, fp8e5m2, "
            "fp8e4m3, int32, uint32, int16, uint16, int8 or uint8");
  EXPECT_EQ(problem("tiu.move", {dst, local(kF16, {2, 3, 4, 6})}),
            "dst has shape 2x3x4x5, src 2x3x4x6; dst and src must have one "
            "shape");
  EXPECT_EQ(
      problem("tiu.move",
              {dst, local(kF16, {2, 3, 4, 5}, AlignMode::Aligned, 1)}),
      "dst starts in lane 0, src in lane 1; dst and src must start in one "
      "lane");
  EXPECT_EQ(problem("tiu.move",
                    {dst, strided(kF16, {2, 3, 4, 5}, {65536, 40, 10, 2})}),
            "src has stride 65536 on axis n; strides must be at most 65535 "
            "elements");
  EXPECT_EQ(problem("tiu.move",
                    {local(kI4, {2, 3, 4, 6}),
                     strided(kI4, {2, 3, 4, 6}, {99, 33, 6, 1})},
                    chips::bm1690),
            "src has strides 99, 33, 6, 1; a 4-bit tensor with explicit "
            "strides must have w stride 1 and even strides on n, c and h");
  EXPECT_EQ(
      problem("tiu.move", {at(64, local(kF16, {2, 3, 4, 5})),
                           at(128, local(kF16, {2, 3, 4, 5}))}),
      "dst at 64 overlaps src at 128; dst must be exactly a source or lie "
      "apart from it");
}

TEST(TiuMove, broadcastAcceptsAndRejects) {
  Argument dst = local(kF16, {2, 64, 4, 5}), src = local(kF16, {2, 1, 4, 5});
  EXPECT_EQ(problem("tiu.broadcast", {dst, src}), "");
  EXPECT_EQ(
      problem("tiu.broadcast", {local(kF16, {2, 70, 4, 5}), src, number(64)}),
      "");
  EXPECT_EQ(problem("tiu.broadcast", {dst, local(kF16, {2, 2, 4, 5})}),
            "src has shape 2x2x4x5; src must have shape ?x1x?x?");
  EXPECT_EQ(
      problem("tiu.broadcast", {local(kF16, {2, 20, 4, 5}), src, number(21)}),
      "num is 21, dst has 20 channels; num must be at most c of dst");
  EXPECT_EQ(problem("tiu.broadcast",
                    {local(kF16, {2, 20, 4, 5}, AlignMode::Aligned, 50), src}),
            "20 channels from lane 50 on, the chip has 64 lanes; the channels "
            "must end at the last lane or before; copy more with one call for "
            "every row of lanes");
}

TEST(TiuMove, moveCrossLaneAcceptsAndRejects) {
  Argument dst = at(0, local(kF16, {2, 70, 4, 5})),
           src = at(4096, local(kF16, {2, 70, 4, 5}, AlignMode::Aligned, 9));
  EXPECT_EQ(problem("tiu.move_cross_lane", {dst, src}), "");
  EXPECT_EQ(
      problem("tiu.move_cross_lane",
              {dst, at(0, local(kF16, {2, 70, 4, 5}, AlignMode::Aligned, 9))}),
      "dst at 0 overlaps src at 0; dst must lie apart from src");
  EXPECT_EQ(problem("tiu.move_cross_lane",
                    {dst, local(kF16, {2, 70, 4, 5}, kCompact)}),
            "src is compact; the layout of src must be N-byte aligned");
}

TEST(TiuMove, fillAcceptsAndRejects) {
  EXPECT_EQ(problem("tiu.fill", {local(kF16, {2, 3, 4, 5}), number(1.5)}), "");
  EXPECT_EQ(problem("tiu.fill", {strided(kI32, {2, 3, 4, 5}, {99, 33, 7, 1}),
                                 number(int64_t(0xffffffff))}),
            "");
  EXPECT_EQ(problem("tiu.fill", {local(kU8, {2, 3, 4, 5}), number(-128)}), "")
      << "bits of an int8";
  EXPECT_EQ(problem("tiu.fill", {local(kU8, {2, 3, 4, 5}), number(-129)}),
            "scalar is -129.000000, dst is uint8; scalar must be in the range "
            "of the element type of dst");
  EXPECT_EQ(problem("tiu.fill", {local(kU8, {2, 3, 4, 5})}),
            "scalar is missing");
  EXPECT_EQ(problem("tiu.fill",
                    {strided(kU8, {2, 3, 4, 5}, {60, 20, 0, 1}), number(0)}),
            "dst is written but has stride 0 on axis h of size 4; a repeated "
            "element is for sources only");
}

TEST(TiuMove, transposesAcceptAndReject) {
  Argument src = local(kF16, {2, 5, 4, 3});
  EXPECT_EQ(
      problem("tiu.transpose_cw", {local(kF16, {2, 3, 4, 5}, kRows), src}), "");
  EXPECT_EQ(problem("tiu.transpose_wc", {local(kF16, {2, 3, 4, 5}), src}), "");
  EXPECT_EQ(problem("tiu.transpose_wc",
                    {local(kF16, {2, 3, 4, 5}),
                     local(kF16, {2, 5, 4, 3}, AlignMode::Aligned, 7)}),
            "");
  EXPECT_EQ(problem("tiu.transpose_cw", {local(kF16, {2, 3, 4, 5}), src}),
            "dst is N-byte aligned; the layout of dst must be row aligned");
  EXPECT_EQ(
      problem("tiu.transpose_wc", {local(kF16, {2, 3, 4, 5}, kRows), src}),
      "dst is row aligned; the layout of dst must be N-byte aligned");
  EXPECT_EQ(problem("tiu.transpose_cw",
                    {local(kF16, {2, 3, 4, 5}, kRows),
                     local(kF16, {2, 5, 4, 3}, AlignMode::Aligned, 7)}),
            "src starts in lane 7; src must start in lane 0");
  EXPECT_EQ(problem("tiu.transpose_wc",
                    {local(kF16, {2, 3, 4, 5}, AlignMode::Aligned, 7), src}),
            "dst starts in lane 7; dst must start in lane 0");
  EXPECT_EQ(problem("tiu.transpose_wc", {local(kF16, {2, 5, 4, 3}), src}),
            "src has 5 there, dst 3; axis c of src must equal axis w of dst");
  EXPECT_EQ(problem("tiu.transpose_wc",
                    {at(0, local(kF16, {2, 3, 4, 5})), at(0, src)}),
            "dst at 0 overlaps src at 0; dst must lie apart from src");
}

TEST(TiuMove, tablesOfStaticMemoryAcceptAndReject) {
  EXPECT_EQ(problem("tiu.smem_bcast", {local(kF32, {1, 64, 1, 32}), number(0)}),
            "");
  EXPECT_EQ(
      problem("tiu.smem_bcast", {local(kBf16, {1, 64, 1, 16}), number(3)}), "");
  EXPECT_EQ(
      problem("tiu.smem_bcast", {local(kI32, {1, 64, 1, 64}), number(30)}), "");
  EXPECT_EQ(
      problem("tiu.smem_bcast", {local(kF32, {1, 64, 1, 33}), number(0)}),
      "w is 33, the table has 32 entries; dst must not be longer than the "
      "table");
  EXPECT_EQ(problem("tiu.smem_bcast", {local(kF16, {1, 64, 1, 16}), number(4)}),
            "dst is fp16, coeff_mode is 4; SERIAL_NUMBER is int32, EXP, LOG, "
            "SIN and COS are fp32, fp16 or bf16, the others fp32");
  EXPECT_EQ(problem("tiu.smem_bcast", {local(kF32, {1, 64, 1, 8}), number(7)}),
            "coeff_mode is 7; coeff_mode must be EXP, LOG, SIN, COS, TAN, "
            "ARCSIN, ERF or SERIAL_NUMBER");
  EXPECT_EQ(problem("tiu.smem_bcast", {local(kF32, {1, 65, 1, 8}), number(0)}),
            "65 channels from lane 0 on, the chip has 64 lanes; c must be at "
            "most the number of lanes");
}

TEST(TiuMove, arangeAcceptsAndRejects) {
  Argument dst = local(kI32, {1, 64, 1, 100});
  auto with = [&](Argument d, int num, int c) {
    return problem("tiu.arange_broadcast",
                   {d, number(5), number(-3), number(num), number(c)});
  };
  EXPECT_EQ(with(dst, 100, 0), "");
  EXPECT_EQ(with(local(kI32, {1, 64, 1, 100}, kRows), 70, 3), "");
  EXPECT_EQ(with(dst, 101, 0),
            "num is 101, c is 0, dst has 64 channels of 100; num must be at "
            "most w of dst, c at most its channels");
  EXPECT_EQ(with(local(kF32, {1, 64, 1, 100}), 100, 0),
            "dst is fp32, must be int32");
  EXPECT_EQ(
      with(local(kI32, {1, 65, 1, 100}), 100, 0),
      "dst has 65 channels; dst must have at most as many channels as the "
      "chip has lanes");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

TEST(TiuMove, copiesAreBitsThroughLayoutsAndLanes) {
  for (bool crosses : {false, true}) {
    Machine machine(chips::bm1684x, 0);
    Numbers numbers(21);
    for (uint8_t &byte : machine.local)
      byte = uint8_t(numbers.next());
    Call call = crosses
                    ? callOf("tiu.move_cross_lane",
                             {at(0, local(kF16, {2, 70, 3, 5})),
                              at(8192, local(kF16, {2, 70, 3, 5},
                                             AlignMode::Aligned, 40))})
                    : callOf("tiu.move", {at(0, local(kF16, {2, 70, 3, 5})),
                                          at(8192, strided(kF16, {2, 70, 3, 5},
                                                           {200, 90, 21, 4}))});
    ASSERT_EQ(problemOf(call), "");
    ASSERT_TRUE(interpret(call, machine).isOk());
    auto byteAt = [&](uint64_t address, unsigned lane) {
      return *machine.at(Memory::Local, address, 1, lane);
    };
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 70; ++c)
        for (int h = 0; h < 3; ++h)
          for (int w = 0; w < 5; ++w)
            for (int byte = 0; byte < 2; ++byte) {
              // Aligned, 16 bits: 32 elements a channel; two rows of lanes.
              int to = 2 * (n * 64 + c / 64 * 32 + h * 5 + w) + byte;
              int lane = (crosses ? 40 + c : c) % 64,
                  row = (crosses ? 40 + c : c) / 64;
              int from = crosses
                             ? 2 * (n * 64 + row * 32 + h * 5 + w) + byte
                             : 2 * (n * 200 + row * 90 + h * 21 + w * 4) + byte;
              EXPECT_EQ(byteAt(uint64_t(to), unsigned(c % 64)),
                        byteAt(uint64_t(8192 + from), unsigned(lane)));
            }
  }
}

TEST(TiuMove, broadcastFillsTheFirstChannels) {
  for (int64_t num : {0, 3}) {
    Call call =
        callOf("tiu.broadcast", {local(kI16, {2, 5, 2, 3}),
                                 local(kI16, {2, 1, 2, 3}), number(num)});
    Numbers numbers(22);
    Values values = randomValues(call, numbers), old = values;
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 5; ++c)
        for (int64_t i = 0; i < 6; ++i) {
          int64_t at = (n * 5 + c) * 6 + i;
          EXPECT_EQ(values["dst"].integer(at),
                    num && c >= num ? old["dst"].integer(at)
                                    : old["src"].integer(n * 6 + i));
        }
  }
}

TEST(TiuMove, fillConvertsTheNumber) {
  auto filled = [](DataType type, Argument scalar) {
    Call call = callOf("tiu.fill", {local(type, {1, 2, 1, 3}), scalar});
    Numbers numbers(23);
    Values values = randomValues(call, numbers);
    EXPECT_TRUE(evaluate(call, values).isOk());
    for (int64_t i = 1; i < 6; ++i)
      EXPECT_EQ(values["dst"].bits(i), values["dst"].bits(0));
    return values["dst"].bits(0);
  };
  EXPECT_EQ(filled(kI8, number(-3)), 0xfdu);
  EXPECT_EQ(filled(kI16, number(-2.9)), 0xfffeu);
  EXPECT_EQ(filled(kI32, number(int64_t(0xfffffff0))), 0xfffffff0u);
  EXPECT_EQ(filled(kF32, number(1)), 0x3f800000u);
  EXPECT_EQ(filled(kF16, number(1.0 / 3)), 0x3555u);
  EXPECT_EQ(filled(kF16, number(70000)), 0x7c00u);
  EXPECT_EQ(filled(kBf16, number(1.0 / 3)), 0x3eabu);
  EXPECT_EQ(filled(DataType::Fp8e4m3, number(1.5)), 0x3cu);
}

TEST(TiuMove, transposesExchangeChannelsAndW) {
  for (std::string_view name : {"tiu.transpose_cw", "tiu.transpose_wc"}) {
    AlignMode layout = name == "tiu.transpose_cw" ? kRows : AlignMode::Aligned;
    Call call = callOf(
        name, {local(kI16, {2, 3, 4, 5}, layout), local(kI16, {2, 5, 4, 3})});
    Numbers numbers(24);
    Values values = randomValues(call, numbers);
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 3; ++c)
        for (int64_t h = 0; h < 4; ++h)
          for (int64_t w = 0; w < 5; ++w)
            EXPECT_EQ(values["dst"].integer(((n * 3 + c) * 4 + h) * 5 + w),
                      values["src"].integer(((n * 5 + w) * 4 + h) * 3 + c));
  }
}

TEST(TiuMove, tablesAreTheSeries) {
  auto table = [](DataType type, int64_t mode, int64_t count) {
    Call call =
        callOf("tiu.smem_bcast", {local(type, {1, 2, 1, count}), number(mode)});
    Numbers numbers(25);
    Values values = randomValues(call, numbers);
    EXPECT_TRUE(evaluate(call, values).isOk());
    for (int64_t w = 0; w < count; ++w)
      EXPECT_EQ(values["dst"].bits(count + w), values["dst"].bits(w));
    return values["dst"];
  };
  Dense exponential = table(kF32, 0, 13), half = table(kF16, 0, 16),
        logarithm = table(kF32, 1, 64), sine = table(kF32, 2, 4),
        cosine = table(kF32, 3, 4), arcsine = table(kF32, 5, 4),
        numbers = table(kI32, 30, 64);
  double factorial = 1;
  for (int64_t k = 0; k < 13; ++k) {
    EXPECT_EQ(float(exponential.value(k)), float(1 / factorial)) << k;
    Dense rounded(kF16, {1, 1, 1, 1});
    rounded.setValue(0, 1 / factorial);
    EXPECT_EQ(half.bits(k), rounded.bits(0)) << k;
    factorial *= double(k + 1);
  }
  EXPECT_EQ(logarithm.value(0), 0);
  for (int64_t k = 1; k < 64; ++k)
    EXPECT_EQ(float(logarithm.value(k)),
              float((k % 2 ? 1.0 : -1.0) / double(k)));
  const double pi = 3.14159265358979323846;
  EXPECT_EQ(float(sine.value(0)), float(2 * pi));
  EXPECT_EQ(float(sine.value(1)), float(-8 * pi * pi * pi / 6));
  EXPECT_EQ(float(cosine.value(1)), float(-4 * pi * pi / 2));
  EXPECT_EQ(float(arcsine.value(1)), float(1.0 / 6));
  EXPECT_EQ(float(arcsine.value(2)), float(3.0 / 40));
  for (int64_t k = 0; k < 64; ++k)
    EXPECT_EQ(numbers.integer(k), k);
}

TEST(TiuMove, arangeCountsAndKeepsTheRest) {
  Call call = callOf("tiu.arange_broadcast",
                     {local(kI32, {1, 4, 1, 100}), number(2000000000),
                      number(-3000000), number(90), number(3)});
  Numbers numbers(26);
  Values values = randomValues(call, numbers), old = values;
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int64_t c = 0; c < 4; ++c)
    for (int64_t w = 0; w < 100; ++w)
      EXPECT_EQ(values["dst"].integer(c * 100 + w),
                c < 3 && w < 90 ? 2000000000 - 3000000 * w
                                : old["dst"].integer(c * 100 + w));
}
