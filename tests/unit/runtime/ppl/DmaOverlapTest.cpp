//===- DmaOverlapTest.cpp - which moves may share memory -----------------===//

#include "tests/unit/runtime/ppl/CallBuilder.h"

#include "runtime/chips/Chips.h"

#include <set>

using namespace weft;
using namespace weft::catalog;

using T = DataType;

TEST(DmaRules, letColumnsOfOneMatrixBeCopied) {
  CallBuilder builder("dma.move", chips::bm1684x);
  Tensor matrix = builder.global(T::Fp32, {1, 1, 64, 8});
  Tensor left = matrix, right = matrix;
  left.shape[3] = right.shape[3] = 4;
  left.layout = right.layout = AlignMode::Free;
  *right.address += 16;
  builder.set("dst", left).set("src", right);
  EXPECT_EQ(builder.problem(), "");
  *builder.tensor("src").address -= 4; // one column is in both
  EXPECT_NE(builder.problem(), "");
}

TEST(DmaRules, refuseWhatNoMemoryHolds) {
  CallBuilder builder("dma.zero", chips::bm1684x);
  builder.set("dst", builder.global(T::Fp32, {1, 1, 1, 1}));
  builder.tensor("dst").shape = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  std::string_view message =
      "dst has more elements, or elements farther apart, "
      "than any memory holds; make it smaller";
  EXPECT_EQ(builder.problem(), message);
  builder.tensor("dst").shape = {2, 1, 1, 1};
  builder.tensor("dst").strides = {INT64_MAX, 1, 1, 1};
  EXPECT_EQ(builder.problem(), message);
}

TEST(DmaRules, findEveryOverlapOfParts) {
  uint32_t state = 1;
  auto below = [&](uint32_t limit) {
    state = state * 1664525 + 1013904223;
    return int64_t((state >> 8) % limit);
  };
  int overlapping = 0;
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    CallBuilder builder("dma.move", chips::bm1684x);
    Tensor parts[2] = {builder.global(T::Int16, {1, 1, 1, 1}), {}};
    parts[1] = parts[0];
    Dims shape = {1 + below(2), 1 + below(3), 1 + below(3), 1 + below(4)};
    int64_t w = 1 + below(2), h = w * 4 + below(9), c = h * 3 + below(9);
    for (Tensor &part : parts) {
      part.shape = shape;
      part.layout = AlignMode::Free;
      part.strides = {c * 3 + below(2), c, h, w}; // now and then different
      *part.address += uint64_t(2 * below(60));
    }
    std::set<uint64_t> bytes[2];
    for (int side : {0, 1}) {
      const Tensor &t = parts[side];
      for (int64_t n = 0; n < shape[0]; ++n)
        for (int64_t ch = 0; ch < shape[1]; ++ch)
          for (int64_t y = 0; y < shape[2]; ++y)
            for (int64_t x = 0; x < shape[3]; ++x)
              bytes[side].insert(
                  *t.address +
                  2 * uint64_t(n * t.strides[0] + ch * t.strides[1] +
                               y * t.strides[2] + x * t.strides[3]));
    }
    bool meet = std::any_of(bytes[0].begin(), bytes[0].end(),
                            [&](uint64_t b) { return bytes[1].count(b); });
    bool isSame = parts[0].address == parts[1].address &&
                  (shape[0] == 1 || parts[0].strides == parts[1].strides);
    builder.set("dst", parts[0]).set("src", parts[1]);
    EXPECT_EQ(builder.problem().empty(), !meet || isSame) << i;
    overlapping += meet && !isSame;
  }
  EXPECT_GT(overlapping, kTries / 10);
  EXPECT_LT(overlapping, kTries * 9 / 10);
}

TEST(DmaRules, tellLanesApart) {
  CallBuilder builder("dma.move", chips::bm1684x);
  Tensor low = builder.local(T::Fp32, {1, 8, 1, 4}), high = low;
  high.lane = 8;
  builder.set("dst", low).set("src", high);
  EXPECT_EQ(builder.problem(), "");
  builder.tensor("src").lane = 7;
  EXPECT_NE(builder.problem(), "");
}
