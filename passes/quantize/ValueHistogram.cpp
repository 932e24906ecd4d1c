//===- ValueHistogram.cpp - what values a tensor takes --------------------===//

#include "passes/quantize/ValueHistogram.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace weft::quantize;

/// Below every magnitude that matters, even divided by kBins.
static constexpr int kSmallestExponent = -64;

double ValueHistogram::absMax() const { return std::max(-smallest, largest); }

bool ValueHistogram::hasZerosOnly() const {
  return bins[kBins] + bins[kBins - 1] == total;
}

/// Bin i of `side` becomes the sum of bins 2i and 2i + 1; `step` leads from the
/// bin at 0 outward.
static void halve(uint64_t *side, int step) {
  for (int i = 0; i < ValueHistogram::kBins; ++i)
    side[i * step] = i < ValueHistogram::kBins / 2
                         ? side[2 * i * step] + side[(2 * i + 1) * step]
                         : 0;
}

void ValueHistogram::growTo(int needed) {
  if (bins.empty()) {
    bins.assign(2 * kBins, 0);
    exponent = kSmallestExponent;
  }
  // Nothing but what lies in the bins at 0: any range fits.
  if (hasZerosOnly())
    exponent = std::max(exponent, needed);
  for (; exponent < needed; ++exponent) {
    halve(bins.data() + kBins, 1);
    halve(bins.data() + kBins - 1, -1);
  }
}

/// The bits of a float as an integer that orders like the float.
static int32_t orderedBits(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits ^ (bits >> 31 & INT32_MAX);
}

static float floatOf(int32_t ordered) {
  int32_t bits = ordered ^ (ordered >> 31 & INT32_MAX);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool ValueHistogram::add(ArrayRef<float> values) {
  if (values.empty())
    return true;
  // As integers, so that NaN takes a place in the order: beyond infinity.
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (float value : values) {
    int32_t bits = orderedBits(value);
    low = std::min(low, bits);
    high = std::max(high, bits);
  }
  double newMin = floatOf(low) + 0.0, newMax = floatOf(high) + 0.0; // no -0
  if (!std::isfinite(newMin) || !std::isfinite(newMax))
    return false;
  smallest = total ? std::min(smallest, newMin) : newMin;
  largest = total ? std::max(largest, newMax) : newMax;
  int needed = kSmallestExponent;
  if (double magnitude = std::max(-newMin, newMax))
    std::frexp(magnitude, &needed); // magnitude < 2^needed
  growTo(needed);
  countBins(values);
  total += values.size();
  return true;
}

/// Values that are placed at once: so many that loops over a block of constant
/// length are vectorized.
static constexpr size_t kBlock = 512;

/// Where `kBlock` values are counted, from the first bin of those >= 0.
static void placesOf(const float *values, float binsPerUnit, int32_t *places) {
  int32_t signs[kBlock];
  std::memcpy(signs, values, sizeof signs);
  for (size_t i = 0; i < kBlock; ++i) {
    // ~i is -1 - i, the place of bin i below 0.
    places[i] = static_cast<int32_t>(std::fabs(values[i]) * binsPerUnit) ^
                signs[i] >> 31;
  }
}

void ValueHistogram::countBins(ArrayRef<float> values) {
  // A power of two: the product is exact but for what underflows, to bin 0.
  auto binsPerUnit = static_cast<float>(std::ldexp(kBins, -exponent));
  // Many values in a row fall into one bin (zeros behind a ReLU), and counting
  // there waits for the count before. Two counts in turn halve that; the second
  // pays for large tensors only.
  constexpr size_t kLarge = 1 << 15;
  std::vector<uint64_t> second(values.size() >= kLarge ? bins.size() : 0);
  uint64_t *even = bins.data() + kBins,
           *odd = second.empty() ? even : second.data() + kBins;
  int32_t places[kBlock];
  float last[kBlock] = {};
  for (; !values.empty();
       values = values.drop_front(std::min(kBlock, values.size()))) {
    size_t count = std::min(kBlock, values.size());
    const float *block = values.data();
    if (count < kBlock)
      block = std::copy(values.begin(), values.end(), last) - count;
    placesOf(block, binsPerUnit, places);
    for (size_t i = 0; i + 1 < count; i += 2) {
      ++even[places[i]];
      ++odd[places[i + 1]];
    }
    if (count % 2)
      ++even[places[count - 1]];
  }
  for (size_t i = 0; i < second.size(); ++i)
    bins[i] += second[i];
}

void ValueHistogram::merge(const ValueHistogram &other) {
  if (other.total == 0)
    return;
  ValueHistogram grown = other;
  growTo(other.hasZerosOnly() ? kSmallestExponent : other.exponent);
  grown.growTo(exponent);
  smallest = total ? std::min(smallest, grown.smallest) : grown.smallest;
  largest = total ? std::max(largest, grown.largest) : grown.largest;
  for (int i = 0; i < 2 * kBins; ++i)
    bins[i] += grown.bins[i];
  total += grown.total;
}

double ValueHistogram::percentile(double percentile) const {
  double wanted = static_cast<double>(total) * percentile / 100, below = 0;
  for (int i = 0; i < kBins && total; ++i) {
    auto here = static_cast<double>(bins[kBins + i] + bins[kBins - 1 - i]);
    if (here > 0 && below + here >= wanted) {
      double edge = i + (wanted - below) / here;
      return std::min(std::ldexp(edge / kBins, exponent), absMax());
    }
    below += here;
  }
  return absMax();
}

double ValueHistogram::shareAbove(double magnitude) const {
  double above = 0, first = std::ldexp(magnitude, -exponent) * kBins;
  for (int i = 0; i < kBins && total; ++i)
    if (i > first) // not the bin that it lies in or begins
      above += static_cast<double>(bins[kBins + i] + bins[kBins - 1 - i]);
  return total ? above / static_cast<double>(total) : 0;
}

double ValueHistogram::powerBeyond(double low, double high) const {
  double power = 0;
  for (const Bin &bin : filledBins()) {
    double beyond = std::max({0.0, bin.value - high, low - bin.value});
    power += bin.count * beyond * beyond;
  }
  return total ? power / static_cast<double>(total) : 0;
}

std::vector<ValueHistogram::Bin> ValueHistogram::filledBins() const {
  std::vector<Bin> filled;
  double width = std::ldexp(1.0 / kBins, exponent);
  for (int i = 0; i < static_cast<int>(bins.size()); ++i)
    if (bins[i])
      filled.push_back(
          {(i - kBins + 0.5) * width, static_cast<double>(bins[i])});
  return filled;
}
