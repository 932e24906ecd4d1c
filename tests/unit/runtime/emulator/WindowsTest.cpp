#include "runtime/emulator/kernels/Windows.h"

#include "runtime/emulator/FloatMode.h"
#include "runtime/emulator/Rows.h"
#include "tests/unit/runtime/emulator/OnEachTarget.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace weft::emulator;
using namespace weft::numeric;

namespace {

constexpr size_t kLanes = 2 * kLaneBlock, kTerms = 9;

class Windows : public OnEachTarget {
protected:
  Windows() {
    for (size_t k = 0; k < kTerms; ++k)
      offsets.push_back(uint32_t(k / 3 * 11 + k % 3));
  }

  template <class T>
  WindowTerms<T> termsOf(const std::vector<T> &vectors) const {
    WindowTerms<T> terms;
    terms.vectors = vectors.data();
    terms.offsets = offsets.data();
    terms.terms = kTerms;
    terms.lanes = kLanes;
    return terms;
  }
  FlushSubnormals flush;
  std::vector<uint32_t> offsets;
};

/// Values of a 16-bit format, special ones included.
std::vector<float> values(size_t count, Precision precision) {
  std::mt19937 random(unsigned(count) + unsigned(precision));
  std::vector<float> result(count);
  for (float &value : result) {
    uint16_t bits = uint16_t(random());
    bool any = random() % 24 == 0;
    value = precision == Precision::Fp16
                ? halfToFloat(any ? bits : uint16_t(bits & 0xcfff))
                : bf16ToFloat(any ? bits : uint16_t((bits & 0x83ff) | 0x3c00));
  }
  return result;
}

bool sameNumber(float a, float b) {
  return floatBits(a) == floatBits(b) || (a != a && b != b);
}

} // namespace

TEST_P(Windows, everyStepOfHalfProductsIsRounded) {
  for (Precision precision : {Precision::Fp16, Precision::Bf16}) {
    auto vectors = values(kLanes + 64, precision);
    auto scalars = values(kTerms, precision), sums = values(kLanes, precision);
    std::vector<float> starts = sums;
    roundedProducts(termsOf(vectors), scalars.data(), precision, -0.0f,
                    sums.data());
    for (size_t f = 0; f < kLanes; ++f) {
      float parts[2] = {-0.0f, starts[f]};
      for (size_t k = 0; k < kTerms; ++k) {
        float product =
            roundedTo(precision, scalars[k] * vectors[offsets[k] + f]);
        parts[k & 1] = roundedTo(precision, parts[k & 1] + product);
      }
      ASSERT_TRUE(sameNumber(sums[f], parts[0] + parts[1]))
          << f << ": " << sums[f] << " for " << parts[0] + parts[1];
    }
  }
}

TEST_P(Windows, tinyBf16ProductsRoundBeforeTheyAreFlushed) {
  // Seen on the machine: -0x1.1ep-126 * -0x1.cap-1 is 2^-126, a little less
  // than 0x1.ffp-127 is 0.
  struct Product {
    float x, y, result;
  };
  for (const Product &p :
       {Product{-0x1.1ep-126f, -0x1.cap-1f, 0x1p-126f},
        Product{0x1.1ep-126f, -0x1.cap-1f, -0x1p-126f},
        Product{0x1.02p-126f, 0x1.fap-1f, 0.0f},
        Product{0x1.fep-63f, 0x1.p-64f, 0.0f},
        Product{0x1p127f, 0x1p-126f, 2.0f}, Product{0x1p100f, 0.0f, 0.0f}}) {
    std::vector<float> vectors(kLanes + 64, p.x), scalars(kTerms, 0.0f),
        sums(kLanes, 0.0f);
    scalars[0] = p.y;
    roundedProducts(termsOf(vectors), scalars.data(), Precision::Bf16, 0.0f,
                    sums.data());
    for (size_t f = 0; f < kLanes; ++f)
      ASSERT_EQ(sums[f], p.result) << p.x << " * " << p.y;
  }
}

TEST_P(Windows, theLastOfEqualMaximaWinsAndSubnormalsStay) {
  auto vectors = values(kLanes + 64, Precision::Bf16);
  vectors[0] = floatFromBits(1);
  vectors[1] = 0.0f;
  vectors[2] = -0.0f;
  std::vector<float> results(kLanes);
  largestFloats(termsOf(vectors), -1e30f, results.data());
  for (size_t f = 0; f < kLanes; ++f) {
    float largest = -1e30f;
    for (uint32_t offset : offsets)
      if (!(largest > vectors[offset + f]))
        largest = vectors[offset + f];
    ASSERT_EQ(floatBits(results[f]), floatBits(largest)) << f;
  }
}

TEST_P(Windows, integersHaveTheirMaximum) {
  std::mt19937 random(1);
  std::vector<int32_t> vectors(kLanes + 64), results(kLanes);
  for (int32_t &value : vectors)
    value = int32_t(random() % 256) - 128;
  largestIntegers(termsOf(vectors), results.data());
  for (size_t f = 0; f < kLanes; ++f) {
    int32_t largest = -128;
    for (uint32_t offset : offsets)
      largest = std::max(largest, vectors[offset + f]);
    ASSERT_EQ(results[f], largest) << f;
  }
}

WEFT_ON_EACH_TARGET(Windows);
