#include "runtime/emulator/kernels/Products.h"

#include "runtime/emulator/FloatMode.h"
#include "runtime/emulator/HalfBlock.h"
#include "runtime/emulator/kernels/Pairs.h"
#include "runtime/numeric/Float16.h"
#include "tests/unit/runtime/emulator/OnEachTarget.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace weft::emulator;
using namespace weft::numeric;

namespace {

class Products : public OnEachTarget {
  FlushSubnormals flush;
};

enum class Format { Fp32, Fp16, Bf16 };

/// Numbers of mixed size; `extremes` mixes in NaN, infinities, zeros of both
/// signs, subnormals and the largest.
std::vector<float> numbers(size_t count, unsigned seed, Format format,
                           bool extremes) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    bool any = extremes && random() % 48 == 0;
    uint32_t bits = random();
    if (format == Format::Fp32)
      value = floatFromBits(any ? bits : (bits & 0x83ffffff) | 0x3c000000);
    else if (format == Format::Fp16)
      value = halfToFloat(any ? uint16_t(bits) : uint16_t(bits & 0xbbff));
    else
      value = bf16ToFloat(uint16_t(any ? bits : ((bits & 0x87ff) | 0x3c00)));
  }
  return values;
}

bool sameNumber(float a, float b) {
  return floatBits(a) == floatBits(b) || (a != a && b != b);
}

template <class T>
std::vector<T *> rowsOf(std::vector<T> &values, size_t rows, size_t length) {
  std::vector<T *> pointers;
  for (size_t r = 0; r < rows; ++r)
    pointers.push_back(values.data() + r * length);
  return pointers;
}

constexpr size_t kLanes = 3 * kLaneBlock, kRows = 7;

/// fp32 by the definition, one output.
float floatByDefinition(const float *row, const float *vectors,
                        const std::vector<uint32_t> &offsets, float start,
                        const float *old) {
  float sums[2] = {old ? start : 0.0f, old ? *old : start};
  for (size_t k = 0; k < offsets.size(); ++k) {
    float product = row[k] * vectors[offsets[k]];
    sums[k & 1] = sums[k & 1] + product;
  }
  return sums[0] + sums[1];
}

void testFloats(size_t terms, bool extremes, bool hasOld) {
  auto scalars =
      numbers(kRows * terms, unsigned(terms), Format::Fp32, extremes);
  auto vectors = numbers((terms + 1) * kLanes, unsigned(terms) + 1,
                         Format::Fp32, extremes);
  auto starts = numbers(kRows * kLanes, 2, Format::Fp32, extremes);
  auto olds = numbers(kRows * kLanes, 3, Format::Fp32, extremes);
  std::vector<uint32_t> offsets;
  for (size_t k = 0; k < terms; ++k)
    offsets.push_back(uint32_t((terms - 1 - k) * kLanes + k % 5));
  std::vector<float> sums = starts;
  auto rows = rowsOf(scalars, kRows, terms),
       sumRows = rowsOf(sums, kRows, kLanes),
       oldRows = rowsOf(olds, kRows, kLanes);
  FloatProducts task;
  task.rows = rows.data();
  task.rowCount = kRows;
  task.vectors = vectors.data();
  task.offsets = offsets.data();
  task.terms = terms;
  task.sums = sumRows.data();
  task.old = hasOld ? oldRows.data() : nullptr;
  task.lanes = kLanes;
  floatProducts(task);
  for (size_t r = 0; r < kRows; ++r)
    for (size_t f = 0; f < kLanes; ++f) {
      float expected = floatByDefinition(
          rows[r], vectors.data() + f, offsets, starts[r * kLanes + f],
          hasOld ? &olds[r * kLanes + f] : nullptr);
      ASSERT_TRUE(sameNumber(sumRows[r][f], expected))
          << "row " << r << ", lane " << f << ", " << terms
          << " terms: " << sumRows[r][f] << " for " << expected;
    }
}

void testHalves(Format format, unsigned used, bool extremes) {
  constexpr size_t blocks = 5;
  auto scalars = numbers(kRows * blocks * kHalfBlock, used, format, extremes);
  auto vectors =
      numbers(blocks * kHalfBlock * kLanes, used + 9, format, extremes);
  auto sums = numbers(kRows * kLanes, 4, Format::Fp32, false);
  auto starts = sums;
  std::vector<Segment> segments;
  for (unsigned b = 0; b < blocks; ++b)
    segments.push_back({b * kHalfBlock, uint32_t(b * kHalfBlock * kLanes),
                        b % 2 ? used : kHalfBlock});
  auto rows = rowsOf(scalars, kRows, blocks * kHalfBlock),
       sumRows = rowsOf(sums, kRows, kLanes);
  HalfProducts task;
  task.rows = rows.data();
  task.rowCount = kRows;
  task.vectors = vectors.data();
  task.step = kLanes;
  task.segments = segments.data();
  task.segmentCount = segments.size();
  task.sums = sumRows.data();
  task.lanes = kLanes;
  halfProducts(task);
  for (size_t r = 0; r < kRows; ++r)
    for (size_t f = 0; f < kLanes; ++f) {
      float expected = starts[r * kLanes + f];
      for (const Segment &s : segments)
        expected = expected + halfBlockSum(rows[r] + s.scalar,
                                           vectors.data() + s.vector + f,
                                           kLanes, s.count);
      ASSERT_TRUE(sameNumber(sumRows[r][f], expected))
          << "row " << r << ", lane " << f << ": " << sumRows[r][f] << " for "
          << expected;
    }
}

} // namespace

TEST_P(Products, floatsFollowTheDefinition) {
  for (size_t terms : {1, 2, 37, 64})
    for (bool extremes : {false, true})
      for (bool hasOld : {false, true})
        testFloats(terms, extremes, hasOld);
}

TEST_P(Products, halvesFollowTheDefinition) {
  for (unsigned used : {1u, 3u, 31u, 32u})
    for (bool extremes : {false, true})
      for (Format format : {Format::Fp16, Format::Bf16})
        testHalves(format, used, extremes);
}

TEST_P(Products, pairsAreExactAtTheirExtremes) {
  constexpr size_t pairs = 2048; // no sum reaches 2^31
  std::vector<int32_t> scalars(kRows * pairs, pairOf(-510, -510)),
      vectors(pairs * kLanes, pairOf(255, 510)), sums(kRows * kLanes, 5);
  scalars[0] = pairOf(3, -32768);
  vectors[1] = pairOf(-7, 32767);
  auto rows = rowsOf(scalars, kRows, pairs),
       sumRows = rowsOf(sums, kRows, kLanes);
  Segment segments[] = {{0, 0, 1}, {1, uint32_t(kLanes), pairs - 1}};
  PairProducts task;
  task.rows = rows.data();
  task.rowCount = kRows;
  task.vectors = vectors.data();
  task.step = kLanes;
  task.segments = segments;
  task.segmentCount = 2;
  task.sums = sumRows.data();
  task.lanes = kLanes;
  pairProducts(task);
  constexpr int64_t pair = -510 * 255 - 510 * 510;
  EXPECT_EQ(sumRows[1][0], 5 + int64_t(pairs) * pair);
  EXPECT_EQ(sumRows[0][0],
            5 + int64_t(pairs - 1) * pair + 3 * 255 - 32768 * 510);
  EXPECT_EQ(sumRows[0][1],
            5 + int64_t(pairs - 1) * pair - 3 * 7 - int64_t(32768) * 32767);
}

TEST_P(Products, bytesBecomePairs) {
  std::vector<uint8_t> first(71), second(71);
  for (size_t i = 0; i < first.size(); ++i) {
    first[i] = uint8_t(i * 37);
    second[i] = uint8_t(i * 91 + 5);
  }
  for (bool isSigned : {false, true})
    for (uint64_t step : {0, 1, 2}) {
      std::vector<int32_t> pairs(35), alone(35);
      std::vector<int16_t> wide(35);
      pairBytes(first.data(), second.data(), step, isSigned, pairs.data(), 35);
      pairBytes(first.data(), nullptr, step, isSigned, alone.data(), 35);
      widenBytes(first.data(), step, isSigned, 100, wide.data(), 35);
      for (size_t i = 0; i < 35; ++i) {
        int a = isSigned ? int8_t(first[i * step]) : first[i * step];
        int b = isSigned ? int8_t(second[i * step]) : second[i * step];
        ASSERT_EQ(int16_t(pairs[i] & 0xffff), a);
        ASSERT_EQ(pairs[i] >> 16, b);
        ASSERT_EQ(alone[i], pairOf(a, 0));
        ASSERT_EQ(wide[i], a - 100);
      }
    }
}

WEFT_ON_EACH_TARGET(Products);
