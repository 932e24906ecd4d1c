//===- DmaMeaningTest.cpp - what dma, sdma and hau compute ---------------===//
//
// Expected values come from the formulas of the rows, over small numbers, or
// are worked out by hand beside the case.

#include "tests/unit/runtime/ppl/CallBuilder.h"

#include "runtime/chips/Chips.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::catalog;

using T = DataType;
using Numbers = std::vector<double>;

static const Chip &k84 = chips::bm1684x, &k90 = chips::bm1690,
                  &k80 = chips::sg2380;

/// first, first + 1, ..
static Numbers ramp(int64_t count, double first = 0) {
  Numbers values(size_t(count), 0);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Runs `name` on a dst and src of these shapes, src a ramp.
static Numbers moved(std::string_view name, const Chip &chip, const Dims &to,
                     const Dims &from, bool toLocal, bool fromLocal,
                     const std::map<std::string_view, int> &more = {},
                     T type = T::Int16) {
  CallBuilder builder(name, chip);
  builder.set("dst",
              toLocal ? builder.local(type, to) : builder.global(type, to));
  builder.set("src", fromLocal ? builder.local(type, from)
                               : builder.global(type, from));
  for (auto [slot, value] : more)
    builder.set(slot, value);
  Bench bench(builder);
  bench.put("src", ramp(from[0] * from[1] * from[2] * from[3]));
  bench.run();
  return bench.get("dst");
}

TEST(DmaMeaning, copiesKeepEveryElement) {
  Dims shape = {2, 70, 3, 5}; // two rows of lanes on BM1684X
  Numbers all = ramp(2 * 70 * 3 * 5);
  EXPECT_EQ(moved("dma.load", k84, shape, shape, true, false), all);
  EXPECT_EQ(moved("dma.store", k84, shape, shape, false, true), all);
  EXPECT_EQ(moved("dma.move", k84, shape, shape, true, true), all);
  EXPECT_EQ(moved("dma.move", k80, shape, shape, false, false), all);
  EXPECT_EQ(moved("sdma.move", k90, shape, shape, false, false), all);
  EXPECT_EQ(
      moved("sdma.move_compact", k90, {1, 1, 42, 50}, shape, false, false),
      all);
}

TEST(DmaMeaning, compactCopiesKeepEveryElement) {
  Dims shape = {2, 33, 1, 3};
  for (bool loads : {true, false}) {
    CallBuilder b(loads ? "dma.load_compact" : "dma.store_compact", k84);
    Tensor local = b.local(T::Fp32, shape, AlignMode::Compact);
    Tensor global = b.global(T::Fp32, shape);
    b.set("dst", loads ? local : global).set("src", loads ? global : local);
    Bench bench(b);
    bench.put("src", ramp(198));
    bench.run();
    EXPECT_EQ(bench.get("dst"), ramp(198));
  }
}

TEST(DmaMeaning, transposesExchangeTheirAxes) {
  Dims from = {2, 3, 2, 5}, cw = {2, 5, 2, 3}, nc = {3, 2, 2, 5};
  Numbers wantedCw, wantedNc; // of src(n,c,h,w) = 30n + 10c + 5h + w
  for (int n = 0; n < 2; ++n)
    for (int c = 0; c < 5; ++c)
      for (int h = 0; h < 2; ++h)
        for (int w = 0; w < 3; ++w)
          wantedCw.push_back(30 * n + 10 * w + 5 * h + c);
  for (int n = 0; n < 3; ++n)
    for (int c = 0; c < 2; ++c)
      for (int h = 0; h < 2; ++h)
        for (int w = 0; w < 5; ++w)
          wantedNc.push_back(30 * c + 10 * n + 5 * h + w);
  using Mode = std::map<std::string_view, int>;
  const Mode byCw = {{"trans_mode", 1}}, byNc = {{"trans_mode", 0}};
  for (auto [name, toLocal, fromLocal] :
       {std::tuple("dma.load_transpose", true, false),
        std::tuple("dma.store_transpose", false, true),
        std::tuple("dma.transpose", true, true),
        std::tuple("sdma.transpose", false, false)}) {
    EXPECT_EQ(moved(name, k90, cw, from, toLocal, fromLocal, byCw), wantedCw);
    EXPECT_EQ(moved(name, k90, nc, from, toLocal, fromLocal, byNc), wantedNc);
    std::string base = name;
    EXPECT_EQ(moved(base + "_cw", k90, cw, from, toLocal, fromLocal), wantedCw)
        << name;
    EXPECT_EQ(moved(base + "_nc", k90, nc, from, toLocal, fromLocal), wantedNc)
        << name;
  }
}

TEST(DmaMeaning, reverseTurnsOneAxis) {
  Dims shape = {2, 2, 2, 2}; // element = 8n + 4c + 2h + w
  auto reversed = [&](int dim) {
    return moved("dma.reverse", k80, shape, shape, false, false,
                 {{"dim", dim}});
  };
  for (int dim = 0; dim < 4; ++dim) {
    Numbers wanted;
    for (int i = 0; i < 16; ++i)
      wanted.push_back(i ^ (8 >> dim));
    EXPECT_EQ(reversed(dim), wanted) << dim;
  }
}

TEST(DmaMeaning, fillsConvertTheConstantAndLeaveGaps) {
  for (std::string_view name : {"dma.fill", "sdma.fill"}) {
    CallBuilder b(name, k90);
    Tensor dst = b.global(T::Fp16, {1, 1, 2, 3});
    dst.layout = AlignMode::Free;
    dst.strides = {20, 20, 8, 2};
    b.set("dst", dst).set("C", 1.0 / 3);
    Bench bench(b);
    bench.run();
    Tensor all = dst;
    all.shape = {1, 1, 1, 16};
    all.strides = {16, 16, 16, 1};
    rt::Result<Dense> seen = read(all, bench.machine);
    ASSERT_TRUE(seen.isOk());
    for (int i = 0; i < 16; ++i) {
      bool isElement =
          i == 0 || i == 2 || i == 4 || i == 8 || i == 10 || i == 12;
      EXPECT_EQ(seen->bits(i), isElement ? 0x3555u : 0u) << i; // fp16(1/3)
    }
  }
}

TEST(DmaMeaning, fillRoundsToTheNearestEvenInEveryType) {
  auto bitsFor = [](T type, double value) {
    CallBuilder b("dma.fill", k90);
    b.set("dst", b.global(type, {1, 1, 1, 1})).set("C", value);
    Bench bench(b);
    bench.run();
    return read(*b.call.tensor("dst"), bench.machine)->bits(0);
  };
  EXPECT_EQ(bitsFor(T::Bf16, 1 + 1.0 / 256), 0x3f80u); // a tie, to even
  EXPECT_EQ(bitsFor(T::Bf16, 1 + 3.0 / 256), 0x3f82u);
  EXPECT_EQ(bitsFor(T::Fp20, 1 + 1.0 / 4096), 0x3f800u); // 11 fraction bits
  EXPECT_EQ(bitsFor(T::Fp20, 1 + 3.0 / 4096), 0x3f802u);
  EXPECT_EQ(bitsFor(T::Fp8e4m3, 17), 0x58u); // 16 or 18: a tie
  EXPECT_EQ(bitsFor(T::Int8, 200), 200u);    // a bit pattern
  EXPECT_EQ(bitsFor(T::Uint32, 4294967295.0), 0xffffffffu);
}

TEST(DmaMeaning, zeroesEverywhere) {
  for (std::string_view name : {"dma.zero", "sdma.zero"}) {
    CallBuilder b(name, k90);
    b.set("dst", b.global(T::Fp32, {2, 3, 1, 2}));
    Bench bench(b);
    bench.put("dst", ramp(12, 5));
    bench.run();
    EXPECT_EQ(bench.get("dst"), Numbers(12, 0));
  }
}

TEST(DmaMeaning, broadcastsRepeatOneChannel) {
  for (std::string_view name : {"dma.load_broadcast", "dma.broadcast"}) {
    CallBuilder b(name, k84);
    b.set("dst", b.local(T::Fp32, {2, 4, 1, 2}));
    b.set("src", name == "dma.broadcast" ? b.local(T::Fp32, {2, 1, 1, 2})
                                         : b.global(T::Fp32, {2, 1, 1, 2}));
    b.set("num", 3);
    Bench bench(b);
    bench.put("src", {1, 2, 3, 4});
    bench.put("dst", Numbers(16, -9));
    bench.run();
    EXPECT_EQ(bench.get("dst"), (Numbers{1, 2, 1, 2, 1, 2, -9, -9, //
                                         3, 4, 3, 4, 3, 4, -9, -9}));
  }
}

TEST(DmaMeaning, broadcastWorksInPlace) {
  CallBuilder b("dma.broadcast", k84);
  Tensor dst = b.local(T::Fp32, {1, 64, 1, 2}), src = dst;
  src.shape[1] = 1;
  b.set("dst", dst).set("src", src);
  Bench bench(b);
  Numbers before = ramp(128, 1), after;
  bench.put("dst", before);
  bench.run();
  for (int i = 0; i < 128; ++i)
    after.push_back(1 + i % 2);
  EXPECT_EQ(bench.get("dst"), after);
}

//===----------------------------------------------------------------------===//
// Rows and channels by index
//===----------------------------------------------------------------------===//

static const Numbers kIndex = {0, 1, 2, 3, 7, 8, 9, 10, 4294967295.0};

TEST(DmaMeaning, gatherTakesRowsOrTheConstant) {
  auto gathered = [](std::string_view name, int start) {
    bool isRows = name != "dma.gather_c";
    CallBuilder b(name, k90);
    b.set("dst",
          b.global(T::Fp32, isRows ? Dims{1, 1, 9, 1} : Dims{1, 9, 1, 1}));
    b.set("param",
          b.global(T::Fp32, isRows ? Dims{1, 1, 8, 1} : Dims{1, 8, 1, 1}));
    b.set("index",
          b.global(T::Uint32, isRows ? Dims{1, 1, 9, 1} : Dims{1, 9, 1, 1}));
    b.set("C", 99);
    if (start)
      b.set("index_start_pos", start);
    Bench bench(b);
    bench.put("param", {0, 2, 4, 6, 8, 10, 12, 14});
    bench.put("index", kIndex);
    bench.run();
    return bench.get("dst");
  };
  Numbers from0 = {0, 2, 4, 6, 14, 99, 99, 99, 99},
          from2 = {99, 99, 0, 2, 10, 12, 14, 99, 99};
  for (std::string_view name : {"dma.gather_h", "dma.gather_c"}) {
    EXPECT_EQ(gathered(name, 0), from0) << name;
    EXPECT_EQ(gathered(name, 2), from2) << name;
  }
  EXPECT_EQ(gathered("sdma.gather_h", 0), from0);
}

TEST(DmaMeaning, gatherTakesAnIndexAChannel) {
  CallBuilder b("dma.gather_h", k84);
  b.set("dst", b.local(T::Int8, {1, 2, 2, 2}));
  b.set("param", b.local(T::Int8, {1, 2, 3, 2}));
  b.set("index", b.global(T::Uint32, {1, 2, 2, 1})).set("C", -1);
  Bench bench(b);
  bench.put("param", ramp(12));
  bench.put("index", {2, 0, 1, 3});
  bench.run();
  EXPECT_EQ(bench.get("dst"), (Numbers{4, 5, 0, 1, 8, 9, -1, -1}));
}

static Numbers scattered(std::string_view name, T type, int start, bool adds,
                         const Numbers &param, const Numbers &index, double old,
                         int64_t rows) {
  bool isRows = name != "dma.scatter_c";
  auto shape = [&](int64_t count) {
    return isRows ? Dims{1, 1, count, 1} : Dims{1, count, 1, 1};
  };
  CallBuilder b(name, k90);
  b.set("dst", b.global(type, shape(rows)));
  b.set("param", b.global(type, shape(int64_t(param.size()))));
  b.set("index", b.global(T::Uint32, shape(int64_t(index.size()))));
  b.set("start_pos", start)
      .set(name == "sdma.scatter_h" ? "result_add" : "inplace_add", adds);
  Bench bench(b);
  bench.put("dst", Numbers(size_t(rows), old));
  bench.put("param", param);
  bench.put("index", index);
  bench.run();
  return bench.get("dst");
}

TEST(DmaMeaning, scatterPutsOrAddsRows) {
  Numbers param = {1, 3, 5, 7, 9, 11, 13},
          index = {0, 1, 2, 2, 5, 6, 4294967295.0};
  for (std::string_view name :
       {"dma.scatter_h", "sdma.scatter_h", "dma.scatter_c"}) {
    auto run = [&](int start, bool adds) {
      return scattered(name, T::Fp32, start, adds, param, index, 100, 6);
    };
    EXPECT_EQ(run(0, false), (Numbers{1, 3, 7, 100, 100, 9})) << name;
    EXPECT_EQ(run(2, false), (Numbers{7, 100, 100, 9, 11, 100})) << name;
    EXPECT_EQ(run(0, true), (Numbers{101, 103, 112, 100, 100, 109})) << name;
  }
}

TEST(DmaMeaning, scatterAddsInTheElementType) {
  auto added = [](T type, const Numbers &values) {
    return scattered("dma.scatter_h", type, 0, true, values,
                     Numbers(values.size(), 0), 0, 1)[0];
  };
  EXPECT_EQ(added(T::Int8, {100, 100, 100}), 44);
  EXPECT_EQ(added(T::Uint16, {65535, 2}), 1);
  // Every addition is rounded: 2048 + 1 ties to 2048, twice.
  EXPECT_EQ(added(T::Fp16, {2048, 1, 1}), 2048);
  EXPECT_EQ(added(T::Bf16, {256, 1, 3}), 260); // 256 + 1 -> 256, 259 -> 260
  EXPECT_EQ(added(T::Fp32, {16777216, 1, 1}), 16777216);
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

static double reduced(std::string_view name, T type, int psum, int opcode,
                      double dst, double src) {
  CallBuilder b(name, k90);
  b.set("dst", b.global(type, {1, 1, 1, 1}, Memory::L2));
  b.set("src", b.global(type, {1, 1, 1, 1}));
  b.set("psum", psum).set("opcode", opcode);
  Bench bench(b);
  bench.put("dst", {dst});
  bench.put("src", {src});
  bench.run();
  return bench.get("dst")[0];
}

TEST(DmaMeaning, reduceCopiesOrCombines) {
  constexpr int nop = 0, mul = 1, max = 2, min = 3, add = 4;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::string_view name : {"dma.reduce", "sdma.reduce"}) {
    EXPECT_EQ(reduced(name, T::Fp32, 0, nop, 5, 7), 7);
    EXPECT_EQ(reduced(name, T::Fp32, 1, nop, 5, 7), 7);
    EXPECT_EQ(reduced(name, T::Fp32, 1, mul, 5, 7), 35);
    EXPECT_EQ(reduced(name, T::Fp32, 1, max, 5, 7), 7);
    EXPECT_EQ(reduced(name, T::Fp32, 1, min, 5, 7), 5);
    EXPECT_EQ(reduced(name, T::Int32, 1, add, 2147483647, 1), -2147483648.0);
    EXPECT_EQ(reduced(name, T::Int32, 1, max, 100, -1), 100);
    // One rounding, to even: 2049 ties between 2048 and 2050.
    EXPECT_EQ(reduced(name, T::Fp16, 1, add, 2048, 1), 2048);
    EXPECT_EQ(reduced(name, T::Bf16, 1, mul, 257.0 / 256 * 256, 1), 256);
    EXPECT_EQ(reduced(name, T::Fp16, 1, mul, 65504, 2), INFINITY);
    // NaN: max keeps dst, min takes src, add gives NaN.
    EXPECT_EQ(reduced(name, T::Fp32, 1, max, 3, nan), 3);
    EXPECT_TRUE(std::isnan(reduced(name, T::Fp32, 1, max, nan, 3)));
    EXPECT_TRUE(std::isnan(reduced(name, T::Fp32, 1, min, 3, nan)));
    EXPECT_EQ(reduced(name, T::Fp32, 1, min, nan, 3), 3);
    EXPECT_TRUE(std::isnan(reduced(name, T::Fp32, 1, add, nan, 3)));
    EXPECT_TRUE(std::signbit(reduced(name, T::Fp32, 1, max, -0.0, 0.0)));
    EXPECT_TRUE(std::signbit(reduced(name, T::Fp32, 1, min, -0.0, 0.0)));
  }
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

TEST(DmaMeaning, maskSelectPacksAndCounts) {
  CallBuilder b("dma.mask_select", k84);
  b.set("dst", b.global(T::Fp16, {1, 1, 1, 8}));
  b.set("src", b.local(T::Fp16, {2, 2, 1, 2}));
  b.set("mask", b.global(T::Int8, {2, 2, 1, 2}));
  b.set("count", b.global(T::Uint32, {1, 1, 1, 1}));
  Bench bench(b);
  bench.put("dst", Numbers(8, -5));
  bench.put("src", ramp(8));
  bench.put("mask", {0, 1, 0, -1, 1, 0, 0, 0});
  bench.run();
  EXPECT_EQ(bench.get("dst"), (Numbers{1, 3, 4, -5, -5, -5, -5, -5}));
  EXPECT_EQ(bench.get("count"), Numbers{3});
}

TEST(DmaMeaning, nonzeroListsPositions) {
  CallBuilder b("dma.nonzero", k84);
  b.set("dst", b.global(T::Int32, {1, 1, 1, 8}));
  b.set("src", b.local(T::Int16, {1, 2, 1, 4})).set("base_idx", 1000);
  b.set("count", b.global(T::Uint32, {1, 1, 1, 1}));
  Bench bench(b);
  bench.put("src", {0, 5, 0, -1, 2, 0, 0, 3});
  bench.put("dst", Numbers(8, 6));
  bench.run();
  EXPECT_EQ(bench.get("dst"), (Numbers{1001, 1003, 1004, 1007, 6, 6, 6, 6}));
  EXPECT_EQ(bench.get("count"), Numbers{4});
}

TEST(DmaMeaning, nonzeroWrapsNarrowPositions) {
  CallBuilder b("dma.nonzero", k84);
  b.set("dst", b.global(T::Int8, {1, 1, 1, 3}));
  b.set("src", b.global(T::Uint8, {1, 1, 1, 3})).set("base_idx", 126);
  Bench bench(b);
  bench.put("src", {1, 1, 1});
  bench.run();
  EXPECT_EQ(bench.get("dst"), (Numbers{126, 127, -128}));
}

TEST(DmaMeaning, floatMasksTakeFp32SubnormalsForZero) {
  auto positions = [](T type, const Numbers &values) {
    CallBuilder b("dma.nonzero", k90);
    Dims shape = {1, 1, 1, int64_t(values.size())};
    b.set("dst", b.global(T::Int32, shape)).set("src", b.global(type, shape));
    b.set("count", b.global(T::Uint32, {1, 1, 1, 1}));
    Bench bench(b);
    bench.put("src", values);
    bench.run();
    Numbers found = bench.get("dst");
    found.resize(size_t(bench.get("count")[0]));
    return found;
  };
  const double tiny = 1e-40, nan = NAN;
  EXPECT_EQ(positions(T::Fp32, {0, -0.0, tiny, nan, INFINITY, 1e-37}),
            (Numbers{3, 4, 5}));
  EXPECT_EQ(positions(T::Fp16, {0x1p-24, 0, -0.0}), (Numbers{0}));
}

TEST(DmaMeaning, maskBatchBcastPacksEveryChannel) {
  for (int isRepeat : {0, 1}) {
    CallBuilder b("dma.mask_batch_bcast", k84);
    // Two rows of lanes: channels 64 and 65 read lanes 0 and 1 again.
    Dims shape = {2, 66, 1, 3};
    b.set("dst", b.local(T::Bf16, shape));
    b.set("count", b.local(T::Uint16, {2, 66, 1, 1}, AlignMode::Compact));
    b.set("src", b.local(T::Bf16, {1, isRepeat ? 64 : 66, 1, 3}));
    b.set("mask", b.local(T::Uint16, shape)).set("is_repeat", isRepeat);
    Bench bench(b);
    Numbers src, mask, wanted, counts;
    for (int c = 0; c < (isRepeat ? 64 : 66); ++c)
      for (int w = 0; w < 3; ++w)
        src.push_back(3 * (c % 80) + w);
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 66; ++c) {
        int count = 0;
        for (int w = 0; w < 3; ++w) {
          bool isTaken = (n + c + w) % 3 != 0;
          mask.push_back(isTaken);
          if (isTaken) {
            wanted.push_back(3 * (isRepeat ? c % 64 : c) + w);
            ++count;
          }
        }
        for (int w = count; w < 3; ++w)
          wanted.push_back(-9);
        counts.push_back(count);
      }
    bench.put("src", src);
    bench.put("mask", mask);
    bench.put("dst", Numbers(2 * 66 * 3, -9));
    bench.run();
    EXPECT_EQ(bench.get("dst"), wanted) << isRepeat;
    EXPECT_EQ(bench.get("count"), counts) << isRepeat;
  }
}

//===----------------------------------------------------------------------===//
// Vector registers
//===----------------------------------------------------------------------===//

/// A kernel of two moves: what the first puts into registers or memory the
/// second takes out.
static Numbers throughRegisters(const std::function<void(CallBuilder &)> &in,
                                std::string_view inName,
                                const std::function<void(CallBuilder &)> &out,
                                std::string_view outName, int64_t count) {
  CallBuilder first(inName, k80), second(outName, k80);
  for (CallBuilder *b : {&first, &second})
    b->set("ew", 16).set("lmul", 2).set("v_len", 64);
  in(first);
  out(second);
  Bench bench(first);
  if (first.call.tensor("src"))
    bench.put("src", ramp(count));
  bench.run();
  bench.call = second.call;
  bench.run();
  return bench.get("dst");
}

TEST(DmaMeaning, registersKeepTheOrderOfElements) {
  Dims line = {1, 1, 2, 64}, dealt = {1, 32, 1, 4};
  auto load = [&](CallBuilder &b) {
    b.set("dst_v_idx", 2).set("src", b.global(T::Int16, line));
  };
  auto storeTo = [&](CallBuilder &b) {
    b.set("v_idx", 2).set("dst", b.global(T::Int16, line));
  };
  auto toLocal = [&](CallBuilder &b) {
    b.set("v_idx", 2).set("dst", b.local(T::Int16, dealt));
  };
  EXPECT_EQ(throughRegisters(load, "dma.vload", storeTo, "dma.vstore", 128),
            ramp(128));
  EXPECT_EQ(throughRegisters(load, "dma.vload", toLocal, "dma.move_tv", 128),
            ramp(128));
  // Element i at place i mod 4 of lane i / 4: with one row of lanes and h * w
  // = 4 that is row-major again.
  EXPECT_EQ(throughRegisters(load, "dma.vload", toLocal, "dma.move_distv", 128),
            ramp(128));
  auto collect = [&](CallBuilder &b) {
    b.set("dst_v_idx", 2).set("src", b.local(T::Int16, dealt));
  };
  EXPECT_EQ(
      throughRegisters(collect, "dma.move_vcoll", storeTo, "dma.vstore", 128),
      ramp(128));
  EXPECT_EQ(
      throughRegisters(collect, "dma.move_vt", storeTo, "dma.vstore", 128),
      ramp(128));
}

TEST(DmaMeaning, dealtElementsFollowTheLanesOverRows) {
  // 2 rows of 32 lanes, 2 elements each: lane L has 4 elements, two of channel
  // L and two of channel 32 + L.
  auto load = [&](CallBuilder &b) {
    b.set("dst_v_idx", 0).set("src", b.global(T::Int16, {1, 1, 1, 128}));
  };
  auto deal = [&](CallBuilder &b) {
    b.set("v_idx", 0).set("dst", b.local(T::Int16, {1, 64, 1, 2}));
  };
  Numbers wanted;
  for (int c = 0; c < 64; ++c)
    for (int w = 0; w < 2; ++w)
      wanted.push_back(c % 32 * 4 + c / 32 * 2 + w);
  EXPECT_EQ(throughRegisters(load, "dma.vload", deal, "dma.move_distv", 128),
            wanted);
}

TEST(DmaMeaning, staticMemoryHoldsGroups) {
  CallBuilder load("dma.vload", k80), put("dma.move_tv", k80),
      take("dma.move_vt", k80), both("dma.move_vv", k80),
      dealt("dma.move_distvv", k80);
  for (CallBuilder *b : {&load, &put, &take, &both, &dealt})
    b->set("ew", 16).set("lmul", 2).set("v_len", 64);
  load.set("dst_v_idx", 4).set("src", load.global(T::Int16, {1, 1, 1, 128}));
  put.set("dst", 1024).set("v_idx", 4);
  take.set("dst_v_idx", 8).set("src", 1024 + 8); // 4 elements later
  both.set("dst", both.local(T::Int16, {1, 1, 1, 256}));
  both.set("v_idx0", 8).set("v_idx1", 4);
  dealt.set("dst", dealt.local(T::Int16, {1, 32, 1, 8}));
  dealt.set("v_idx0", 8).set("v_idx1", 4);
  Bench bench(load);
  bench.put("src", ramp(128));
  for (CallBuilder *b : {&load, &put, &take, &both}) {
    bench.call = b->call;
    bench.run();
  }
  Numbers wanted = ramp(124, 4);
  wanted.resize(128, 0); // static memory behind the group was 0
  for (double value : ramp(128))
    wanted.push_back(value);
  EXPECT_EQ(bench.get("dst"), wanted);
  bench.call = dealt.call;
  bench.run();
  EXPECT_EQ(bench.get("dst"), wanted);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

struct Sorted {
  Numbers values, indices;
};

static Sorted topk(const Chip &chip, T type, int64_t rows, const Numbers &src,
                   int count, bool descends, const Numbers &given = {}) {
  CallBuilder b("hau.topk", chip);
  int64_t length = int64_t(src.size()) / rows;
  b.set("dst", b.global(type, {1, 1, rows, count}));
  b.set("dst_idx", b.global(T::Int32, {1, 1, rows, count}));
  b.set("src", b.global(type, {1, 1, rows, length}));
  if (!given.empty())
    b.set("src_idx", b.global(T::Int32, {1, 1, rows, length}));
  b.set("K", count).set("descended", descends);
  Bench bench(b);
  bench.put("src", src);
  if (!given.empty())
    bench.put("src_idx", given);
  bench.run();
  return {bench.get("dst"), bench.get("dst_idx")};
}

TEST(HauMeaning, topkKeepsTheOrderOfEqualValues) {
  Numbers src = {3, 1, 2, 3, -5, 3};
  Sorted down = topk(k84, T::Fp32, 1, src, 4, true);
  EXPECT_EQ(down.values, (Numbers{3, 3, 3, 2}));
  EXPECT_EQ(down.indices, (Numbers{0, 3, 5, 2}));
  Sorted up = topk(k84, T::Int32, 1, src, 4, false);
  EXPECT_EQ(up.values, (Numbers{-5, 1, 2, 3}));
  EXPECT_EQ(up.indices, (Numbers{4, 1, 2, 0}));
}

TEST(HauMeaning, topkOrdersEqualValuesByGivenIndex) {
  Sorted down = topk(k84, T::Fp32, 1, {3, 1, 2, 3, -5, 3}, 6, true,
                     {50, 40, 30, 20, 10, 35});
  EXPECT_EQ(down.values, (Numbers{3, 3, 3, 2, 1, -5}));
  EXPECT_EQ(down.indices, (Numbers{20, 35, 50, 30, 40, 10}));
  // Compared as unsigned numbers: -7 comes last.
  EXPECT_EQ(topk(k84, T::Fp32, 1, {1, 1}, 2, false, {-7, 5}).indices,
            (Numbers{5, -7}));
}

TEST(HauMeaning, topkSortsEachRow) {
  Sorted rows = topk(k90, T::Int32, 2, {1, 2, 3, 6, 5, 4}, 2, true,
                     {10, 11, 12, 20, 21, 22});
  EXPECT_EQ(rows.values, (Numbers{3, 2, 6, 5}));
  EXPECT_EQ(rows.indices, (Numbers{12, 11, 20, 21}));
}

TEST(HauMeaning, topkComparesByType) {
  EXPECT_EQ(topk(k84, T::Uint32, 1, {1, 4294967295.0, 2}, 1, true).values,
            Numbers{4294967295.0});
  // Zeros and subnormals are equal: their order stays.
  EXPECT_EQ(topk(k90, T::Fp32, 1, {1e-40, -0.0, 0.0, -1}, 4, false).indices,
            (Numbers{3, 0, 1, 2}));
}

TEST(HauMeaning, topkRefusesNan) {
  CallBuilder b("hau.topk", k84);
  b.set("dst", b.global(T::Fp32, {1, 1, 1, 1}));
  b.set("src", b.global(T::Fp32, {1, 1, 1, 2})).set("K", 1);
  Bench bench(b);
  bench.put("src", {1, NAN});
  rt::Status status = interpret(bench.call, bench.machine);
  EXPECT_EQ(status.message(),
            "hau.topk: row 0 has a NaN, which has no place in an order; "
            "replace it first");
}

TEST(HauMeaning, topkLeavesTheRestOfALongerResult) {
  CallBuilder b("hau.topk", k84);
  b.set("dst", b.global(T::Fp32, {1, 1, 1, 4}));
  b.set("src", b.global(T::Fp32, {1, 1, 1, 4})).set("K", 2);
  b.set("descended", 1);
  Bench bench(b);
  bench.put("src", {1, 2, 3, 4});
  bench.put("dst", {-1, -1, -1, -1});
  bench.run();
  EXPECT_EQ(bench.get("dst"), (Numbers{4, 3, -1, -1}));
}

TEST(HauMeaning, gatherLineTakesTheLinesOfItsWindow) {
  for (int fills : {0, 1}) {
    CallBuilder b("hau.gather_line", k84);
    b.set("dst", b.global(T::Fp32, {1, 1, 8, 2}));
    b.set("param", b.global(T::Fp32, {1, 1, 8, 2}));
    b.set("index", b.global(T::Uint32, {1, 1, 1, 8}));
    b.set("C", 99).set("start", 2).set("end", 5).set("fill_const", fills);
    Bench bench(b);
    bench.put("param", ramp(16)); // line r: 2r, 2r + 1
    bench.put("dst", Numbers(16, -1));
    bench.put("index", {0, 1, 2, 3, 4, 5, 6, 4294967295.0});
    bench.run();
    double o = fills ? 99 : -1;
    EXPECT_EQ(bench.get("dst"),
              (Numbers{o, o, o, o, 0, 1, 2, 3, 4, 5, 6, 7, o, o, o, o}));
  }
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

TEST(DmaMeaning, everyFunctionThatWritesHasOne) {
  for (const Operation &operation : operations()) {
    if (operation.unit == Unit::Tiu)
      continue;
    bool writes = false;
    for (const Slot &slot : operation.slots)
      writes |= slot.kind != SlotKind::Integer && slot.access != Access::Read;
    bool fillsRegisters = operation.slot("dst_v_idx") != nullptr;
    EXPECT_EQ(evaluatorOf(operation) != nullptr, writes || fillsRegisters)
        << operation.name;
  }
}
