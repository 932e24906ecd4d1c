//===- HazardsTest.cpp - waits between the engines -----------------------===//

#include "codegen/encode/Hazards.h"
#include <array>
#include <gtest/gtest.h>
#include <random>

using namespace weft::codegen;
using weft::isa::Engine;

namespace {
constexpr size_t kBytes = 64;

/// The same rule byte by byte: what each engine did last to each byte.
struct Reference {
  struct PerEngine {
    std::array<uint32_t, kBytes> read{}, written{};
    uint32_t waitedFor = 0;
  };
  PerEngine engines[2];

  uint32_t add(Engine engine, uint32_t id, const std::vector<ByteRange> &reads,
               const std::vector<ByteRange> &writes) {
    PerEngine &own = engines[size_t(engine)],
              &other = engines[1 - size_t(engine)];
    uint32_t dep = 0;
    auto each = [](const std::vector<ByteRange> &ranges, auto visit) {
      for (ByteRange range : ranges)
        for (uint64_t i = range.begin; i < range.end; ++i)
          visit(i);
    };
    each(reads, [&](uint64_t i) { dep = std::max(dep, other.written[i]); });
    each(writes, [&](uint64_t i) {
      dep = std::max({dep, other.written[i], other.read[i]});
    });
    each(reads, [&](uint64_t i) { own.read[i] = id; });
    each(writes, [&](uint64_t i) { own.written[i] = id; });
    if (dep <= own.waitedFor)
      return 0;
    own.waitedFor = dep;
    return dep;
  }
};
} // namespace

TEST(Hazards, AgreesWithBytewiseReference) {
  std::mt19937 random(1);
  auto range = [&] {
    uint64_t begin = random() % kBytes;
    return ByteRange{begin, begin + random() % (kBytes - begin + 1)};
  };
  for (int round = 0; round < 200; ++round) {
    HazardTracker tracker;
    Reference reference;
    uint32_t ids[2] = {0, 0};
    for (int step = 0; step < 100; ++step) {
      Engine engine = random() % 2 ? Engine::Tiu : Engine::Gdma;
      std::vector<ByteRange> reads(random() % 3), writes(random() % 2);
      for (ByteRange &r : reads)
        r = range();
      for (ByteRange &w : writes)
        w = range();
      uint32_t id = ++ids[size_t(engine)];
      ASSERT_EQ(tracker.add(engine, id, reads, writes),
                reference.add(engine, id, reads, writes))
          << "round " << round << " step " << step;
    }
  }
}

TEST(Hazards, ReadAfterReadNeedsNoWait) {
  HazardTracker tracker;
  EXPECT_EQ(tracker.add(Engine::Gdma, 1, {{0, 64}}, {}), 0u);
  EXPECT_EQ(tracker.add(Engine::Tiu, 1, {{0, 64}}, {}), 0u);
}

TEST(LastTouch, ForgottenPiecesAreScannedOnce) {
  // Small writes of one engine under wide reads of the other: without
  // forgetting, each read would scan all pieces again (10^9 steps here).
  constexpr uint64_t kPieces = 4096;
  LastTouch touch;
  for (uint64_t i = 1; i <= 200000; ++i) {
    uint64_t at = (i % kPieces) * 64;
    touch.assign({at, at + 64}, i);
    EXPECT_EQ(touch.largest({0, kPieces * 64}, i - 1), i);
    ASSERT_EQ(touch.pieces(), 1u) << "after " << i;
  }
  EXPECT_EQ(touch.largest({0, kPieces * 64}, 200000), 0u);
  EXPECT_EQ(touch.pieces(), 0u);
}

TEST(LastTouch, KeepsTheLastValueOfEveryByte) {
  LastTouch touch;
  touch.assign({0, 100}, 1);
  touch.assign({20, 30}, 2);
  touch.assign({25, 60}, 3);
  EXPECT_EQ(touch.largest({0, 20}), 1u);
  EXPECT_EQ(touch.largest({0, 21}), 2u);
  EXPECT_EQ(touch.largest({24, 25}), 2u);
  EXPECT_EQ(touch.largest({25, 26}), 3u);
  EXPECT_EQ(touch.largest({60, 100}), 1u);
  EXPECT_EQ(touch.largest({100, 200}), 0u);
  touch.assign({10, 10}, 9);
  EXPECT_EQ(touch.largest({0, 20}), 1u);
}
