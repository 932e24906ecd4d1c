//===- RangeChoice.cpp - where 8-bit forms clip a value -------------------===//

#include "passes/quantize/RangeChoice.h"

#include "passes/quantize/QuantScale.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace weft::quantize;

using Bins = std::vector<ValueHistogram::Bin>;

/// The fraction in [smallest, 1] with the smallest `cost`, to `kFineStep`: the
/// best of a coarse grid, then of a fine one around it.
static double bestFraction(double smallest,
                           llvm::function_ref<double(double)> cost) {
  constexpr double kCoarseStep = 0.02, kFineStep = 0.002;
  double best = 1, least = HUGE_VAL;
  auto tryUpTo = [&](double from, double to, double step) {
    int steps = static_cast<int>(std::lround((to - from) / step));
    for (int i = steps; i >= 0; --i) // of equals the widest
      if (double fraction = from + i * step, here = cost(fraction);
          here < least) {
        least = here;
        best = fraction;
      }
  };
  tryUpTo(smallest, 1, kCoarseStep);
  tryUpTo(std::max(best - kCoarseStep, smallest),
          std::min(best + kCoarseStep, 1.0), kFineStep);
  return best;
}

/// Sum of the squared errors of values in steps of `scale` from `lowest` to
/// `highest` steps.
static double squaredError(const Bins &bins, double scale, double lowest,
                           double highest) {
  // Adding it rounds to a whole number, half to even; |value / scale| is far
  // below 2^51. Much faster than a call of nearbyint.
  constexpr double kRounder = 0x1.8p52;
  double error = 0, stepsPerUnit = 1 / scale;
  for (const ValueHistogram::Bin &bin : bins) {
    double steps = (bin.value * stepsPerUnit + kRounder) - kRounder;
    double rest =
        std::min(std::max(steps, lowest), highest) * scale - bin.value;
    error += bin.count * rest * rest;
  }
  return error;
}

static double leastSquaresThreshold(const Bins &bins,
                                    const ValueHistogram &histogram) {
  bool isSigned = histogram.min() < 0;
  double levels = isSigned ? kSignedLevels : kUnsignedLevels;
  double fraction = bestFraction(0.1, [&](double fraction) {
    return squaredError(bins, fraction * histogram.absMax() / levels,
                        isSigned ? -levels : 0, levels);
  });
  return fraction * histogram.absMax();
}

/// Moves the ends of `entry` in turn to where the error is smallest.
static void moveEndsToLeastSquares(const Bins &bins, CalibrationEntry &entry) {
  double min = std::min(entry.min, 0.0), max = std::max(entry.max, 0.0);
  auto error = [&](double low, double high) {
    double scale = (high - low) / kUnsignedLevels;
    if (scale <= 0)
      return HUGE_VAL;
    double zeroPoint = std::nearbyint(-low / scale);
    return squaredError(bins, scale, -zeroPoint, kUnsignedLevels - zeroPoint);
  };
  constexpr int kRounds = 2; // they start near, at the threshold's
  for (int round = 0; round < kRounds; ++round) {
    if (max > 0)
      entry.high = max * bestFraction(0, [&](double fraction) {
                     return error(entry.low, max * fraction);
                   });
    if (min < 0)
      entry.low = 0.0 + min * bestFraction(0, [&](double fraction) { // no -0
                          return error(min * fraction, entry.high);
                        });
  }
}

/// Divergence of the first `kept` of `counts`, the rest added to the last of
/// them, from their mean in each of `levels` groups. Infinite if a mean of 0
/// stands for something.
static double divergence(const std::vector<double> &counts, size_t kept,
                         size_t levels) {
  double outside = 0, inside = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    (i < kept ? inside : outside) += counts[i];
  double sum = 0;
  for (size_t level = 0; level < levels; ++level) {
    size_t begin = level * kept / levels, end = (level + 1) * kept / levels;
    double all = 0, filled = 0;
    for (size_t i = begin; i < end; ++i) {
      all += counts[i];
      filled += counts[i] > 0;
    }
    for (size_t i = begin; i < end; ++i) {
      double given = counts[i] + (i + 1 == kept ? outside : 0);
      if (given == 0)
        continue;
      if (counts[i] == 0)
        return HUGE_VAL;
      sum += given *
             std::log(given * inside * filled / ((inside + outside) * all));
    }
  }
  return sum / (inside + outside);
}

/// The fraction of `largest` with the smallest divergence in `levels` codes, of
/// magnitudes of the values that `isMeant`; 1 if there are none.
static double leastDivergence(const Bins &bins, double largest, size_t levels,
                              llvm::function_ref<bool(double)> isMeant) {
  constexpr size_t kCounts = 2048, kStep = 16; // 2048 as published
  std::vector<double> counts(kCounts);
  for (const ValueHistogram::Bin &bin : bins)
    if (isMeant(bin.value))
      counts[std::min<size_t>(
          static_cast<size_t>(std::fabs(bin.value) / largest * kCounts),
          kCounts - 1)] += bin.count;
  counts[0] = counts[1]; // where zeros lie
  size_t best = kCounts;
  double least = divergence(counts, kCounts, levels);
  for (size_t kept = kCounts - kStep; kept >= levels; kept -= kStep)
    if (double here = divergence(counts, kept, levels); here < least) {
      least = here;
      best = kept;
    }
  return static_cast<double>(best) / kCounts;
}

/// The range of least divergence; each end has half of the codes, or all.
static CalibrationEntry leastDivergenceRange(const Bins &bins,
                                             CalibrationEntry entry) {
  size_t levels = (entry.isSigned() ? kSignedLevels : kUnsignedLevels) + 1;
  entry.threshold *= leastDivergence(bins, entry.threshold, levels,
                                     [](double) { return true; });
  if (entry.low < 0 && entry.high > 0)
    levels = kSignedLevels + 1;
  if (entry.high > 0)
    entry.high *= leastDivergence(bins, entry.high, levels,
                                  [](double value) { return value > 0; });
  if (entry.low < 0)
    entry.low *= leastDivergence(bins, -entry.low, levels,
                                 [](double value) { return value < 0; });
  return entry;
}

CalibrationEntry
weft::quantize::chooseRange(std::string name, const ValueHistogram &histogram,
                            const CalibrationOptions &options) {
  auto clippedAt = [&](double threshold) {
    return CalibrationEntry::clippedAt(std::move(name),
                                       usableThreshold(threshold),
                                       histogram.min(), histogram.max());
  };
  if (options.method == CalibrationMethod::Percentile ||
      options.method == CalibrationMethod::Auto)
    return clippedAt(histogram.percentile(options.percentile));
  if (options.method == CalibrationMethod::Max ||
      histogram.absMax() < kSmallestThreshold)
    return clippedAt(histogram.absMax());
  Bins bins = histogram.filledBins();
  if (options.method == CalibrationMethod::Kl)
    return leastDivergenceRange(bins, clippedAt(histogram.absMax()));
  CalibrationEntry entry = clippedAt(leastSquaresThreshold(bins, histogram));
  moveEndsToLeastSquares(bins, entry);
  return entry;
}
