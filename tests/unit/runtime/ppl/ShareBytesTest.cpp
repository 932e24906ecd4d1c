//===- ShareBytesTest.cpp - which tensors have bytes in common -----------===//

#include "tests/unit/runtime/ppl/CallBuilder.h"

#include "runtime/chips/Chips.h"

#include <set>

using namespace weft;
using namespace weft::catalog;

using T = DataType;

static const Chip &kChip = chips::bm1684x;

static Tensor at(Memory memory, T type, uint64_t address, const Dims &shape,
                 const Dims &strides, unsigned lane = 0) {
  Tensor tensor;
  tensor.type = type;
  tensor.memory = memory;
  tensor.layout = AlignMode::Free;
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.lane = lane;
  tensor.address = address;
  return tensor;
}

static Tensor global(T type, uint64_t address, const Dims &shape,
                     const Dims &strides) {
  return at(Memory::Global, type, address, shape, strides);
}

static Sharing sharing(const Tensor &a, const Tensor &b) {
  Sharing found = shareBytes(a, b, kChip);
  EXPECT_EQ(shareBytes(b, a, kChip), found);
  return found;
}

/// (lane, byte in the lane) of everything a tensor takes.
static std::set<std::pair<int64_t, uint64_t>> bytesOfAll(const Tensor &t) {
  std::set<std::pair<int64_t, uint64_t>> bytes;
  bool isLocal = t.memory == Memory::Local;
  for (int64_t n = 0; n < t.shape[0]; ++n)
    for (int64_t c = 0; c < t.shape[1]; ++c)
      for (int64_t h = 0; h < t.shape[2]; ++h)
        for (int64_t w = 0; w < t.shape[3]; ++w) {
          int64_t lanes = kChip.lanes, place = int64_t(t.lane) + c;
          int64_t row = isLocal ? place / lanes : c;
          int64_t element = n * t.strides[0] + row * t.strides[1] +
                            h * t.strides[2] + w * t.strides[3];
          uint64_t bit = uint64_t(element) * bitsOf(t.type);
          for (uint64_t b = bit / 8; b * 8 < bit + bitsOf(t.type); ++b)
            bytes.insert({isLocal ? place % lanes : 0, *t.address + b});
        }
  return bytes;
}

TEST(ShareBytes, agreesWithSetsOfBytes) {
  uint32_t state = 1;
  auto below = [&](uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return int64_t((state >> 8) % limit);
  };
  constexpr T types[] = {T::Int8, T::Fp16, T::Fp32, T::Int4};
  constexpr int kTries = 5000;
  int sharing[2] = {0, 0};
  for (int i = 0; i < kTries; ++i) {
    bool isLocal = i % 2;
    Tensor parts[2];
    T type = types[below(4)];
    for (Tensor &part : parts) {
      if (below(4) == 0)
        type = types[below(4)];
      int64_t c = isLocal ? 1 + below(130) : 1 + below(4);
      Dims shape = {1 + below(3), c, 1 + below(3), 1 + below(4)};
      // Nested, equal, repeated and entirely irregular steps.
      Dims strides = {below(60), below(30), below(12), 1 + below(3)};
      if (&part == &parts[1] && below(2) == 0)
        strides = parts[0].strides;
      part = at(isLocal ? Memory::Local : Memory::Global, type,
                uint64_t(below(80)) * bytesOf(type), shape, strides,
                isLocal ? unsigned(below(64)) : 0);
      if (isLocal && below(2) == 0)
        part.shape[1] = 1 + below(8); // few lanes
    }
    auto x = bytesOfAll(parts[0]), y = bytesOfAll(parts[1]);
    bool share = std::any_of(x.begin(), x.end(),
                             [&](const auto &b) { return y.count(b); });
    sharing[isLocal] += share;
    EXPECT_EQ(shareBytes(parts[0], parts[1], kChip),
              share ? Sharing::Shares : Sharing::Apart)
        << i;
  }
  for (int count : sharing) { // both answers came often
    EXPECT_GT(count, kTries / 20);
    EXPECT_LT(count, kTries / 2 * 9 / 10);
  }
}

TEST(ShareBytes, findsOverlapsOfLargeTensors) {
  // Rows of 1024 that go apart: the later ones of b lie in the gaps of none.
  Dims shape = {1, 1, 1098, 1024};
  Tensor dense = global(T::Fp32, 0, shape, {1, 1, 1024, 1}),
         wider = global(T::Fp32, 2048, shape, {1, 1, 1040, 1});
  EXPECT_EQ(sharing(dense, wider), Sharing::Shares);
  // Behind the last byte of the first.
  wider.address = uint64_t(1098) * 4096;
  EXPECT_EQ(sharing(dense, wider), Sharing::Apart);
  *wider.address -= 4;
  EXPECT_EQ(sharing(dense, wider), Sharing::Shares);
}

TEST(ShareBytes, tellsLargePartsOfOneTensorApart) {
  constexpr int64_t rows = 60000, width = 4096;
  auto tile = [&](int64_t column, int64_t columns) {
    return global(T::Fp16, uint64_t(2 * column), {1, 16, rows, columns},
                  {0, rows * width, width, 1});
  };
  EXPECT_EQ(sharing(tile(0, 2048), tile(2048, 2048)), Sharing::Apart);
  EXPECT_EQ(sharing(tile(0, 2049), tile(2048, 2048)), Sharing::Shares);
  // Even and odd columns, of 16 and of 8 bits.
  Tensor even = global(T::Fp16, 0, {1, 16, rows, width / 2},
                       {0, rows * width, width, 2}),
         odd = even;
  *odd.address += 2;
  EXPECT_EQ(sharing(even, odd), Sharing::Apart);
  odd.type = T::Int8;
  odd.shape[3] = width;
  odd.strides = {0, 2 * rows * width, 2 * width, 2};
  *odd.address = 1; // the upper halves of the elements
  EXPECT_EQ(sharing(even, odd), Sharing::Shares);
  even.type = T::Int8;
  even.strides = odd.strides;
  EXPECT_EQ(sharing(even, odd), Sharing::Apart);
}

TEST(ShareBytes, readsStridesThatDiffer) {
  // A column each of matrices with rows of 8 and of 12 bytes meet where the
  // distance is a multiple of 4.
  Tensor a = global(T::Int8, 0, {1, 1, 60000, 1}, {0, 0, 8, 1}),
         b = global(T::Int8, 6, {1, 1, 60000, 1}, {0, 0, 12, 1});
  EXPECT_EQ(sharing(a, b), Sharing::Apart);
  b.address = 4;
  EXPECT_EQ(sharing(a, b), Sharing::Shares);
  // 1 + 31256 * 100003 = 31251 * 100019, and nothing before.
  a = global(T::Int8, 1, {1, 1, 31257, 1}, {0, 0, 100003, 1});
  b = global(T::Int8, 0, {1, 1, 31252, 1}, {0, 0, 100019, 1});
  EXPECT_EQ(sharing(a, b), Sharing::Shares);
  a.shape[2] -= 1;
  EXPECT_EQ(sharing(a, b), Sharing::Apart);
}

TEST(ShareBytes, goesByLanes) {
  auto local = [](unsigned lane, int64_t channels, uint64_t address = 0) {
    return at(Memory::Local, T::Fp32, address, {1, channels, 100, 400},
              {80000, 40000, 400, 1}, lane);
  };
  EXPECT_EQ(sharing(local(0, 8), local(8, 56)), Sharing::Apart);
  EXPECT_EQ(sharing(local(0, 8), local(8, 57)), Sharing::Apart); // next row
  EXPECT_EQ(sharing(local(0, 8, 4), local(8, 57)), Sharing::Shares);
  EXPECT_EQ(sharing(local(0, 9), local(8, 56)), Sharing::Shares);
  EXPECT_EQ(sharing(local(0, 64), local(0, 64, 160000)), Sharing::Apart);
  Tensor system = local(0, 8);
  system.memory = Memory::L2;
  EXPECT_EQ(sharing(local(0, 8), system), Sharing::Apart);
}

TEST(ShareBytes, refusesWhatItCannotTell) {
  CallBuilder builder("dma.move", kChip);
  // Six steps that nothing divides, and millions of sums of them.
  uint64_t base = uint64_t(1) << 32;
  Dims shape = {600, 600, 600, 1};
  Tensor dst = global(T::Int32, base, shape, {7000003, 5000011, 3000017, 1}),
         src =
             global(T::Int32, base + 4, shape, {6999997, 4999999, 2999999, 1});
  EXPECT_EQ(sharing(dst, src), Sharing::Unknown);
  builder.set("dst", dst).set("src", src);
  EXPECT_EQ(builder.problem(),
            "dst at 4294967296 may overlap src at 4294967300 (their strides "
            "are too irregular to tell); dst must be exactly a source or lie "
            "apart from it");
  // In the other half of every word it is clear again.
  for (Tensor *t : {&dst, &src})
    t->type = T::Int16;
  for (int64_t &stride : src.strides)
    stride *= 2;
  for (int64_t &stride : dst.strides)
    stride *= 2;
  src.address = base + 2;
  EXPECT_EQ(sharing(dst, src), Sharing::Apart);
  src.address.reset(); // no place yet: no rule is broken
  EXPECT_EQ(sharing(dst, src), Sharing::Unknown);
  EXPECT_EQ(builder.set("dst", dst).set("src", src).problem(), "");
}

TEST(ShareBytes, theSamePlaceGoesByWhatSteps) {
  Tensor a = global(T::Fp32, 64, {1, 3, 1, 5}, {7, 5, 9, 1}), b = a;
  b.strides = {8, 5, 1, 1};
  EXPECT_TRUE(isSamePlace(a, b, kChip));
  b.strides[1] = 6;
  EXPECT_FALSE(isSamePlace(a, b, kChip));
  b = a;
  b.shape[0] = 2;
  EXPECT_FALSE(isSamePlace(a, b, kChip));
  // In one row of lanes the step from row to row does not count.
  a.memory = b.memory = Memory::Local;
  b.shape = a.shape;
  b.strides[1] = 6;
  EXPECT_TRUE(isSamePlace(a, b, kChip));
  a.lane = b.lane = 62;
  EXPECT_FALSE(isSamePlace(a, b, kChip));
}
