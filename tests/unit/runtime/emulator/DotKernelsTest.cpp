#include "runtime/emulator/DotKernels.h"
#include "runtime/numeric/Float16.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace weft::emulator;
using namespace weft::numeric;

namespace {

/// Operands of one format; `extremes` mixes in NaN, infinities, zeros of both
/// signs, subnormals.
std::vector<float> operands(size_t count, unsigned seed, bool isBf16,
                            bool extremes) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    uint16_t bits = uint16_t(random());
    if (!extremes || random() % 64)
      bits = isBf16 ? uint16_t((bits & 0x83ff) | 0x3c00)
                    : uint16_t((bits & 0xbfff) % 0xfbff);
    value = isBf16 ? bf16ToFloat(bits) : halfToFloat(bits);
  }
  return values;
}

bool sameNumber(float a, float b) {
  return floatBits(a) == floatBits(b) || (a != a && b != b);
}

} // namespace

TEST(DotKernels, fastPathsEqualTheReference) {
  for (unsigned used : {1u, 3u, 31u, 32u})
    for (bool extremes : {false, true})
      for (bool isBf16 : {false, true}) {
        size_t terms = 5 * kHalfBlock;
        auto scalars = operands(terms, used, isBf16, extremes);
        auto vectors = operands(terms * kVector, used + 9, isBf16, extremes);
        HalfBlocks blocks{5, 2, used};
        float fast[kVector] = {1.5f, -0.0f}, slow[kVector] = {1.5f, -0.0f};
        (isBf16 ? dotBf16 : dotFp16)(scalars.data(), vectors.data(), blocks,
                                     fast);
        dotHalfReference(scalars.data(), vectors.data(), blocks, slow);
        for (unsigned j = 0; j < kVector; ++j)
          EXPECT_TRUE(sameNumber(fast[j], slow[j]))
              << j << ": " << fast[j] << " " << slow[j];
        for (size_t odd : {size_t(1), size_t(2), size_t(37)}) {
          float a[kVector] = {}, b[kVector] = {}, c[kVector] = {},
                d[kVector] = {};
          dotFloat(scalars.data(), vectors.data(), odd, a, b);
          dotFloatReference(scalars.data(), vectors.data(), odd, c, d);
          for (unsigned j = 0; j < kVector; ++j)
            EXPECT_TRUE(sameNumber(a[j], c[j]) && sameNumber(b[j], d[j]));
        }
      }
}

TEST(DotKernels, integersAreExactAtTheirExtremes) {
  std::vector<int16_t> scalars(5000, -510), vectors(5000 * kVector, 510);
  int64_t fast[kVector] = {7}, slow[kVector] = {7};
  dotInteger(scalars.data(), vectors.data(), 5000, fast);
  dotIntegerReference(scalars.data(), vectors.data(), 5000, slow);
  EXPECT_EQ(0, std::memcmp(fast, slow, sizeof(fast)));
  EXPECT_EQ(fast[1], -5000 * int64_t(510) * 510);
}
