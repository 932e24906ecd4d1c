#include "tests/unit/runtime/ppl/Calls.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::testing;

static constexpr AlignMode kRows = AlignMode::RowAligned;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

TEST(TiuIndex, gatherWAcceptsBothFormsWithAndWithoutConstant) {
  Argument dst = local(kF16, {2, 70, 1, 9}),
           shared = local(kF16, {2, 70, 1, 5});
  Argument list = local(kU8, {1, 9, 1, 1}, kCompact);
  EXPECT_EQ(problem("tiu.gather_w", {dst, shared, list}), "");
  EXPECT_EQ(problem("tiu.gather_w",
                    {dst, shared, list, number(1.5), none(), number(1)}),
            "");
  Argument table = local(kF16, {1, 70, 1, 5}),
           each = local(kU16, {2, 70, 1, 9});
  for (int repeated : {0, 1})
    EXPECT_EQ(problem("tiu.gather_w", {dst, table, each, number(7),
                                       number(repeated), number(0)}),
              "");
  // One table a lane may be given by as many channels as there are lanes.
  EXPECT_EQ(problem("tiu.gather_w",
                    {dst, local(kF16, {1, 64, 1, 5}), each, none(), number(1)}),
            "");
}

TEST(TiuIndex, gatherWRejects) {
  Argument dst = local(kF16, {2, 70, 1, 9}), param = local(kF16, {2, 70, 1, 5});
  Argument list = local(kU8, {1, 9, 1, 1}, kCompact);
  auto problemWith = [&](Argument d, Argument p, Argument i) {
    return problem("tiu.gather_w", {d, p, i});
  };
  EXPECT_EQ(problemWith(dst, local(kF32, {2, 70, 1, 5}), list),
            "dst is fp16, param is fp32; dst and param must have one element "
            "type");
  EXPECT_EQ(problemWith(dst, param, local(kI8, {1, 9, 1, 1}, kCompact)),
            "index is int8, must be uint16 or uint8");
  EXPECT_EQ(problemWith(dst, param, local(kU8, {1, 8, 1, 1}, kCompact)),
            "index has 8 there, dst 9; without is_param_repeated axis c of "
            "index must equal axis w of dst");
  EXPECT_EQ(problemWith(dst, param, local(kU8, {1, 9, 1, 1})),
            "index is N-byte aligned; without is_param_repeated the layout of "
            "index must be compact");
  EXPECT_EQ(problemWith(dst, param, local(kU8, {1, 9, 1, 1}, kCompact, 3)),
            "index starts in lane 3; without is_param_repeated index must "
            "start in lane 0");
  EXPECT_EQ(
      problemWith(dst, local(kF16, {2, 70, 1, 5}, AlignMode::Aligned, 1), list),
      "dst starts in lane 0, param in lane 1; dst and param must start in "
      "one lane");
  EXPECT_EQ(problemWith(local(kF16, {2, 70, 2, 9}), param, list),
            "dst has shape 2x70x2x9; dst must have shape ?x?x1x?");
  EXPECT_EQ(problemWith(local(DataType::Int4, {2, 70, 1, 9}), param, list),
            "dst is int4, must be fp32, fp16, bf16, fp8e5m2, fp8e4m3, int32, "
            "uint32, int16, uint16, int8 or uint8");
  EXPECT_EQ(problem("tiu.gather_w",
                    {dst, local(kF16, {1, 70, 1, 5}), list, none(), number(0)}),
            "index has 1 there, dst 2; with is_param_repeated axis n of index "
            "must equal axis n of dst")
      << "a list of all channels in the form with one a channel";
  EXPECT_EQ(
      problem("tiu.gather_w", {dst, param, list, none(), none(), number(1)}),
      "C is missing; fill_const needs the constant");
  EXPECT_EQ(problem("tiu.gather_w",
                    {local(kI8, {2, 70, 1, 9}), local(kI8, {2, 70, 1, 5}), list,
                     number(256), none(), number(1)}),
            "C is 256.000000, dst is int8; C must be in the range of the "
            "element type of dst");
  EXPECT_EQ(
      problem("tiu.gather_w", {at(0, dst), at(16384, param), at(20004, list)}),
      "index starts at byte 20004 of its lane, not at a multiple of 64; "
      "index must start at a multiple of the bytes of an EU row");
  EXPECT_EQ(
      problem("tiu.gather_w", {at(0, dst), at(128, param), at(20032, list)}),
      "dst at 0 overlaps param at 128; dst must lie apart from param and "
      "index");
}

TEST(TiuIndex, tablesOfLanesLieInTheFirstRow) {
  Argument dst = local(kF16, {1, 10, 1, 9}, AlignMode::Aligned, 60);
  Argument param = local(kF16, {1, 10, 1, 5}, AlignMode::Aligned, 60);
  Argument index = local(kU8, {1, 10, 1, 9}, AlignMode::Aligned, 60);
  EXPECT_EQ(problem("tiu.gather_w", {dst, param, index, none(), number(0)}),
            "");
  EXPECT_EQ(problem("tiu.gather_w", {dst, param, index, none(), number(1)}),
            "param has 10 tables from lane 60 on, the chip has 64 lanes; the "
            "first LANE_NUM channels of a repeated param must lie in the first "
            "row of lanes");
}

TEST(TiuIndex, scatterWAcceptsAndRejects) {
  Argument dst = local(kI32, {2, 3, 1, 9}), param = local(kI32, {2, 3, 1, 5});
  EXPECT_EQ(problem("tiu.scatter_w",
                    {dst, param, local(kU16, {1, 5, 1, 1}, kCompact)}),
            "");
  EXPECT_EQ(problem("tiu.scatter_w", {dst, local(kI32, {1, 3, 1, 5}),
                                      local(kU16, {2, 3, 1, 5}), number(1)}),
            "");
  EXPECT_EQ(problem("tiu.scatter_w",
                    {dst, param, local(kU16, {1, 9, 1, 1}, kCompact)}),
            "index has 9 there, param 5; without is_param_repeated axis c "
            "of index must equal axis w of param");
}

TEST(TiuIndex, hwFunctionsAcceptAndReject) {
  Argument dst = local(kF32, {1, 4, 3, 5}), param = local(kF32, {1, 4, 6, 7});
  Argument list = local(kU16, {1, 15, 1, 2}, kCompact);
  EXPECT_EQ(problem("tiu.gather_hw", {dst, param, list}), "");
  EXPECT_EQ(
      problem("tiu.gather_hw", {dst, param, list, number(2.5), number(1)}), "");
  EXPECT_EQ(problem("tiu.scatter_hw", {param, dst, list}), "");
  EXPECT_EQ(problem("tiu.gather_hw",
                    {dst, param, local(kU16, {1, 42, 1, 2}, kCompact)}),
            "index has 42 there, dst has 15; axis c of index must be h * w of "
            "dst");
  EXPECT_EQ(
      problem("tiu.scatter_hw",
              {param, dst, local(kU16, {1, 42, 1, 2}, kCompact)}),
      "index has 42 there, param has 15; axis c of index must be h * w of "
      "param");
  EXPECT_EQ(problem("tiu.gather_hw",
                    {dst, param, local(kU8, {1, 15, 1, 2}, kCompact)}),
            "index is uint8, must be uint16");
  EXPECT_EQ(problem("tiu.scatter_hw", {param, local(kF32, {2, 4, 3, 5}), list}),
            "param has 2 there, dst 1; axis n of param must equal axis n of "
            "dst");
}

TEST(TiuIndex, rowFunctionsAcceptAndReject) {
  Argument dst = local(kF16, {2, 3, 4, 9}, kRows),
           param = local(kF16, {1, 3, 6, 9}, kRows),
           index = local(kU8, {2, 3, 4, 1});
  EXPECT_EQ(problem("tiu.gather_h", {dst, param, index, none(), number(0)}),
            "");
  EXPECT_EQ(problem("tiu.gather_h",
                    {dst, param, index, number(1), number(1), number(1)}),
            "");
  EXPECT_EQ(problem("tiu.scatter_h",
                    {local(kF16, {2, 3, 6, 9}, kRows),
                     local(kF16, {1, 3, 4, 9}, kRows), index, number(0)}),
            "");
  EXPECT_EQ(problem("tiu.gather_h", {dst, param, index}),
            "is_param_repeated is missing");
  EXPECT_EQ(problem("tiu.gather_h", {local(kF16, {2, 3, 4, 9}), param, index,
                                     none(), number(0)}),
            "dst is N-byte aligned; the layout of dst must be row aligned");
  EXPECT_EQ(problem("tiu.scatter_h", {dst, param, index, number(0)}),
            "index has 4 there, param 6; axis h of index must equal axis h "
            "of param");
}

TEST(TiuIndex, nonzeroAcceptsAndRejects) {
  Argument list = local(kI16, {2, 3, 1, 9}),
           count = local(kU16, {2, 3, 1, 1}, kCompact),
           src = local(kI8, {2, 3, 1, 9});
  EXPECT_EQ(problem("tiu.nonzero", {list, count, src}), "");
  EXPECT_EQ(problem("tiu.nonzero", {list, count, src}, chips::sg2380), "");
  EXPECT_EQ(problem("tiu.nonzero", {list, count, src}, chips::bm1690),
            "exists on bm1684x, sg2380, sg2260e or sg2262 only, not on bm1690; "
            "the manual names SG2380 only; the gather unit of BM1684X has the "
            "instruction too");
  EXPECT_EQ(problem("tiu.nonzero", {list, count, local(kF16, {2, 3, 1, 9})}),
            "src is fp16, must be int32, uint32, int16, uint16, int8 or uint8");
  EXPECT_EQ(problem("tiu.nonzero", {local(kI16, {1, 1, 1, 40000}),
                                    local(kU16, {1, 1, 1, 1}, kCompact),
                                    local(kI8, {1, 1, 1, 40000})}),
            "w is 40000, dst_idx is int16; positions in w must fit the type of "
            "dst_idx");
}

TEST(TiuIndex, maskSelectAcceptsAndRejects) {
  Argument dst = local(kF16, {2, 3, 1, 9}),
           count = local(kU16, {2, 3, 1, 1}, kCompact),
           src = local(kF16, {1, 3, 1, 9}), mask = local(kU8, {2, 3, 1, 9});
  EXPECT_EQ(problem("tiu.mask_select", {dst, count, src, mask}), "");
  EXPECT_EQ(problem("tiu.mask_select",
                    {dst, count, local(kF16, {1, 1, 1, 9}, kCompact), mask}),
            "");
  EXPECT_EQ(
      problem("tiu.mask_select", {dst, count, local(kF16, {1, 2, 1, 9}), mask}),
      "src has 2 there, dst 3; with more than one row axis c of src "
      "must equal axis c of dst");
  EXPECT_EQ(
      problem("tiu.mask_select", {dst, count, src, local(kF16, {2, 3, 1, 9})}),
      "mask is fp16, must be uint32, uint16 or uint8");
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// Random values with every index below `limit`, some of them all ones.
static Values valuesOf(const Call &call, Numbers &numbers, int64_t limit,
                       bool withNone) {
  Values values = randomValues(call, numbers);
  Dense &index = values.at("index");
  for (int64_t i = 0; i < index.elements(); ++i)
    index.setBits(i, withNone && numbers.in(0, 3) == 0
                         ? 0xffff
                         : uint64_t(numbers.in(0, limit - 1)));
  return values;
}

TEST(TiuIndex, gatherWPicksByOneListForAllChannels) {
  for (bool fills : {false, true}) {
    Call call = callOf("tiu.gather_w",
                       {local(kI16, {2, 3, 1, 20}), local(kI16, {2, 3, 1, 7}),
                        local(kU8, {1, 20, 1, 1}, kCompact), number(-300),
                        none(), number(int(fills))});
    Numbers numbers(1);
    Values values = valuesOf(call, numbers, 7, true), old = values;
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 3; ++c)
        for (int64_t w = 0; w < 20; ++w) {
          int64_t index = old["index"].integer(w);
          int64_t at = (n * 3 + c) * 20 + w;
          EXPECT_EQ(values["dst"].integer(at),
                    index != 255 ? old["param"].integer((n * 3 + c) * 7 + index)
                    : fills      ? -300
                                 : old["dst"].integer(at));
        }
  }
}

TEST(TiuIndex, gatherWPicksByAListAChannelFromTheTablesOfLanes) {
  for (bool repeated : {false, true}) {
    Call call =
        callOf("tiu.gather_w",
               {local(kI16, {2, 70, 1, 4}), local(kI16, {1, 70, 1, 7}),
                local(kU16, {2, 70, 1, 4}), none(), number(int(repeated))});
    Numbers numbers(2);
    Values values = valuesOf(call, numbers, 7, false), old = values;
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t c = 0; c < 70; ++c)
        for (int64_t w = 0; w < 4; ++w) {
          int64_t at = (n * 70 + c) * 4 + w, s = repeated ? c % 64 : c;
          EXPECT_EQ(values["dst"].integer(at),
                    old["param"].integer(s * 7 + old["index"].integer(at)));
        }
  }
}

TEST(TiuIndex, gatherRefusesAnIndexOutOfRange) {
  Call call = callOf("tiu.gather_w",
                     {local(kI16, {1, 1, 1, 2}), local(kI16, {1, 1, 1, 7}),
                      local(kU8, {1, 2, 1, 1}, kCompact)});
  Numbers numbers(3);
  Values values = valuesOf(call, numbers, 7, false);
  values["index"].setBits(1, 7);
  EXPECT_EQ(evaluate(call, values).message(),
            "index 7 at element 1 of the index list, must be below 7");
  // Without the constant an index of all ones is out of range as well.
  values["index"].setBits(1, 255);
  EXPECT_EQ(evaluate(call, values).message(),
            "index 255 at element 1 of the index list, must be below 7");
}

TEST(TiuIndex, scatterWKeepsTheLastAndTheRest) {
  Call call = callOf("tiu.scatter_w",
                     {local(kI16, {1, 2, 1, 6}), local(kI16, {1, 2, 1, 4}),
                      local(kU8, {1, 4, 1, 1}, kCompact)});
  Numbers numbers(4);
  Values values = valuesOf(call, numbers, 6, false), old = values;
  const int64_t places[] = {5, 2, 5, 0};
  for (int64_t i = 0; i < 4; ++i)
    values["index"].setBits(i, uint64_t(places[i]));
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int64_t c = 0; c < 2; ++c) {
    auto param = [&](int64_t w) { return old["param"].integer(c * 4 + w); };
    auto before = [&](int64_t w) { return old["dst"].integer(c * 6 + w); };
    const int64_t expected[] = {param(3),  before(1), param(1),
                                before(3), before(4), param(2)};
    for (int64_t w = 0; w < 6; ++w)
      EXPECT_EQ(values["dst"].integer(c * 6 + w), expected[w]) << w;
  }
}

TEST(TiuIndex, pairsAreWThenH) {
  Call call =
      callOf("tiu.gather_hw",
             {local(kI32, {1, 2, 2, 3}), local(kI32, {1, 2, 4, 5}),
              local(kU16, {1, 6, 1, 2}, kCompact), number(9), number(1)});
  Numbers numbers(5);
  Values values = valuesOf(call, numbers, 4, true), old = values;
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int64_t c = 0; c < 2; ++c)
    for (int64_t k = 0; k < 6; ++k) {
      int64_t w = old["index"].integer(2 * k),
              h = old["index"].integer(2 * k + 1);
      bool isNone = w == 65535 || h == 65535;
      EXPECT_EQ(values["dst"].integer(c * 6 + k),
                isNone ? 9 : old["param"].integer((c * 4 + h) * 5 + w));
    }
  // Back again: every place that the pairs name gets its element.
  Call back = callOf("tiu.scatter_hw",
                     {local(kI32, {1, 2, 4, 5}), local(kI32, {1, 2, 2, 3}),
                      local(kU16, {1, 6, 1, 2}, kCompact)});
  Values plane = randomValues(back, numbers), before = plane;
  for (int64_t k = 0; k < 6; ++k) {
    plane["index"].setBits(2 * k, uint64_t(k % 5));     // w
    plane["index"].setBits(2 * k + 1, uint64_t(k / 2)); // h
  }
  ASSERT_TRUE(evaluate(back, plane).isOk());
  for (int64_t c = 0; c < 2; ++c)
    for (int64_t i = 0; i < 20; ++i) {
      int64_t expected = before["dst"].integer(c * 20 + i);
      for (int64_t k = 0; k < 6; ++k)
        if (k / 2 * 5 + k % 5 == i)
          expected = before["param"].integer(c * 6 + k);
      EXPECT_EQ(plane["dst"].integer(c * 20 + i), expected);
    }
}

TEST(TiuIndex, rowsArePickedAndPlaced) {
  Call call = callOf("tiu.gather_h", {local(kI16, {2, 3, 4, 5}, kRows),
                                      local(kI16, {1, 3, 6, 5}, kRows),
                                      local(kU8, {2, 3, 4, 1}), number(1),
                                      number(0), number(0)});
  Numbers numbers(6);
  Values values = valuesOf(call, numbers, 6, true), old = values;
  ASSERT_TRUE(evaluate(call, values).isOk());
  for (int64_t row = 0; row < 2 * 3 * 4; ++row)
    for (int64_t w = 0; w < 5; ++w) {
      int64_t index = old["index"].integer(row), c = row / 4 % 3;
      EXPECT_EQ(values["dst"].integer(row * 5 + w),
                index == 255 ? old["dst"].integer(row * 5 + w)
                             : old["param"].integer((c * 6 + index) * 5 + w));
    }
  Call back = callOf("tiu.scatter_h", {local(kI16, {1, 3, 6, 5}, kRows),
                                       local(kI16, {1, 3, 4, 5}, kRows),
                                       local(kU8, {1, 3, 4, 1}), number(0)});
  Values placed = valuesOf(back, numbers, 6, false), before = placed;
  ASSERT_TRUE(evaluate(back, placed).isOk());
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t h = 0; h < 6; ++h)
      for (int64_t w = 0; w < 5; ++w) {
        int64_t at = (c * 6 + h) * 5 + w, expected = before["dst"].integer(at);
        for (int64_t i = 0; i < 4; ++i) // the last one stays
          if (before["index"].integer(c * 4 + i) == h)
            expected = before["param"].integer((c * 4 + i) * 5 + w);
        EXPECT_EQ(placed["dst"].integer(at), expected);
      }
}

TEST(TiuIndex, nonzeroListsPositionsAndKeepsTheTail) {
  Call call = callOf("tiu.nonzero", {local(kI16, {1, 2, 1, 5}),
                                     local(kU16, {1, 2, 1, 1}, kCompact),
                                     local(kI8, {1, 2, 1, 5})});
  Numbers numbers(7);
  Values values = randomValues(call, numbers), old = values;
  const int64_t elements[2][5] = {{0, -1, 0, 0, 100}, {0, 0, 0, 0, 0}};
  for (int64_t c = 0; c < 2; ++c)
    for (int64_t w = 0; w < 5; ++w)
      values["src"].setBits(c * 5 + w, uint64_t(elements[c][w]));
  ASSERT_TRUE(evaluate(call, values).isOk());
  EXPECT_EQ(values["dst_cnt"].integer(0), 2);
  EXPECT_EQ(values["dst_cnt"].integer(1), 0);
  EXPECT_EQ(values["dst_idx"].integer(0), 1);
  EXPECT_EQ(values["dst_idx"].integer(1), 4);
  for (int64_t i = 2; i < 10; ++i)
    EXPECT_EQ(values["dst_idx"].integer(i), old["dst_idx"].integer(i)) << i;
}

TEST(TiuIndex, maskSelectPacksAndKeepsTheTail) {
  for (int64_t rows : {1, 3}) {
    Call call =
        callOf("tiu.mask_select",
               {local(kF16, {2, 3, 1, 8}), local(kU16, {2, 3, 1, 1}, kCompact),
                local(kF16, {1, rows, 1, 8}), local(kU8, {2, 3, 1, 8})});
    Numbers numbers(8);
    Values values = randomValues(call, numbers);
    for (int64_t i = 0; i < 48; ++i)
      values["mask"].setBits(i, uint64_t(numbers.in(0, 2))); // 2 picks, too
    Values old = values;
    ASSERT_TRUE(evaluate(call, values).isOk());
    for (int64_t row = 0; row < 6; ++row) {
      std::vector<uint64_t> expected;
      for (int64_t w = 0; w < 8; ++w)
        if (old["mask"].bits(row * 8 + w))
          expected.push_back(
              old["src"].bits((rows == 1 ? 0 : row % 3) * 8 + w));
      EXPECT_EQ(values["dst_cnt"].integer(row), int64_t(expected.size()));
      for (int64_t w = int64_t(expected.size()); w < 8; ++w)
        expected.push_back(old["dst"].bits(row * 8 + w));
      for (int64_t w = 0; w < 8; ++w)
        EXPECT_EQ(values["dst"].bits(row * 8 + w), expected[size_t(w)]);
    }
  }
}

TEST(TiuIndex, interpretsThroughLanesAndLayouts) {
  Machine machine(chips::bm1684x, 0);
  Call call =
      callOf("tiu.gather_h",
             {at(0, local(kI16, {1, 3, 2, 5}, kRows, 63)),
              at(1024, local(kI16, {1, 3, 4, 5}, kRows, 63)),
              at(4096, local(kU8, {1, 3, 2, 1}, AlignMode::Aligned, 63)),
              none(), number(0)});
  ASSERT_EQ(problemOf(call), "");
  auto put = [&](unsigned lane, uint64_t byte, uint16_t value) {
    *machine.at(Memory::Local, byte, 1, lane) = uint8_t(value);
    *machine.at(Memory::Local, byte + 1, 1, lane) = uint8_t(value >> 8);
  };
  // Channel 0 lies in lane 63, channels 1 and 2 in lanes 0 and 1, row 1. A
  // channel of param takes 4 rows of 64 bytes, one of dst 2, one of index 64
  // bytes.
  put(1, 1024 + 256 + 3 * 64 + 4 * 2, 0x1234);         // param(0,2,3,4)
  *machine.at(Memory::Local, 4096 + 64 + 1, 1, 1) = 3; // index(0,2,1,0)
  ASSERT_TRUE(interpret(call, machine).isOk());
  EXPECT_EQ(*machine.at(Memory::Local, 128 + 64 + 8, 1, 1), 0x34);
  EXPECT_EQ(*machine.at(Memory::Local, 128 + 64 + 9, 1, 1), 0x12);
}
