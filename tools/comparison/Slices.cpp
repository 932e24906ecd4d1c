#include "tools/comparison/Parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::comparison;

void Sums::add(double a, double b) {
  least = count == 0 ? a : std::min(least, a);
  most = count == 0 ? a : std::max(most, a);
  count += 1;
  result += a;
  reference += b;
  resultSquares += a * a;
  referenceSquares += b * b;
  products += a * b;
}

double Sums::variance() const {
  double mean = reference / count;
  return std::max(0.0, referenceSquares / count - mean * mean);
}

Line Sums::line() const {
  Line found;
  double covariance = products / count - result / count * (reference / count);
  double ofResult =
      std::max(0.0, resultSquares / count - result / count * (result / count));
  double ofReference = variance();
  found.gain = covariance / ofReference;
  double rest = std::max(0.0, ofResult - found.gain * covariance);
  found.gainError = std::sqrt(rest / (count * ofReference));
  found.bias = (result - reference) / count;
  found.biasError = std::sqrt(rest / count);
  return found;
}

double comparison::visibleDeviation(const Kind &kind, double mean) {
  // Neighbours of 1 in f32, f16 and bf16; of 8-bit codes from 0 to 1.
  constexpr double kNeighbour[] = {0x1p-23, 0x1p-10, 0x1p-7, 0x1p-8};
  constexpr double kSteps = 4;
  return kSteps * std::max(kind.step, kNeighbour[size_t(kind.precision)] *
                                          std::fabs(mean));
}

namespace {
/// The slices along one axis.
struct AxisSlices {
  int64_t axis;
  std::vector<Sums> slices;
};
} // namespace

static AxisSlices sumSlices(const Pair &pair, int64_t axis, double around) {
  AxisSlices sums{axis, std::vector<Sums>(size_t(pair.shape[size_t(axis)]))};
  size_t inner = 1, length = sums.slices.size();
  for (size_t i = size_t(axis) + 1; i < pair.shape.size(); ++i)
    inner *= size_t(pair.shape[i]);
  for (size_t at = 0, block = 0; at < pair.result.size(); ++block) {
    Sums &slice = sums.slices[block % length];
    for (size_t end = at + inner; at < end; ++at)
      slice.add(pair.result[at] - around, pair.reference[at] - around);
  }
  return sums;
}

static double errorOf(const Sums &slice) {
  return std::max(0.0, slice.meanSquaredError());
}

static double decibels(double power, double error) {
  return error > 0 ? 10 * std::log10(power / error)
                   : std::numeric_limits<double>::infinity();
}

namespace {
/// The worst slices of an axis, each by its own figure.
struct WorstSlices {
  std::optional<Slice> sqnr, gain, bias;

  void add(const Slice &slice) {
    if (!sqnr || slice.sqnrDb < sqnr->sqnrDb)
      sqnr = slice;
    if (!slice.line)
      return;
    if (!gain || slice.line->surelyOff() > gain->line->surelyOff())
      gain = slice;
    if (!bias || slice.biasInDeviations() > bias->biasInDeviations())
      bias = slice;
  }
};
} // namespace

void comparison::measureSlices(const Pair &pair, const Kind &kind,
                               double around, Metrics &metrics) {
  // A slice whose signal is in the noise of the others says nothing.
  constexpr double kAboveNoise = 4;
  // Below the deviation of the whole: where a hard swish of -3 is 0 or not.
  constexpr double kNearlyConstant = 1e-5;
  for (size_t axis = 0; axis < pair.shape.size(); ++axis) {
    size_t length = size_t(pair.shape[axis]);
    if (length < 2 ||
        double(pair.result.size()) / double(length) < kFewestOfLine)
      continue;
    AxisSlices sums = sumSlices(pair, int64_t(axis), around);
    double errors = 0;
    for (const Sums &slice : sums.slices)
      errors += errorOf(slice);
    WorstSlices worst;
    std::vector<int64_t> dead;
    for (size_t i = 0; i < length; ++i) {
      const Sums &slice = sums.slices[i];
      double variance = slice.variance();
      double visible =
          std::max(visibleDeviation(kind, slice.meanReference() + around),
                   kNearlyConstant * metrics.deviation);
      if (variance <= visible * visible) {
        // What should be constant is held against the signal of the whole.
        if (metrics.deviation > visible)
          worst.add(
              {int64_t(axis), int64_t(i),
               decibels(metrics.deviation * metrics.deviation, errorOf(slice)),
               0, std::nullopt});
        continue;
      }
      if (slice.isResultConstant())
        dead.push_back(int64_t(i));
      // Of the others: its own error is what is in question.
      double noise = (errors - errorOf(slice)) / double(length - 1);
      if (variance > kAboveNoise * noise)
        worst.add({int64_t(axis), int64_t(i),
                   decibels(variance, errorOf(slice)), std::sqrt(variance),
                   slice.line()});
    }
    if (worst.sqnr)
      metrics.worstSlices.push_back(*worst.sqnr);
    if (worst.gain)
      metrics.worstGains.push_back(*worst.gain);
    if (worst.bias)
      metrics.worstBiases.push_back(*worst.bias);
    if (double share = double(dead.size()) / double(length);
        share > metrics.deadSlices) {
      metrics.deadSlices = share;
      metrics.deadAxis = int64_t(axis);
      metrics.deadIndices = std::move(dead);
    }
  }
}

/// Mean squared differences of what both have after a move along an axis.
struct MovedErrors {
  double before = 0, after = 0; ///< of result and reference
  double own = 0;               ///< of the reference and itself, moved
  double count = 0;
};

static MovedErrors moveBy(const Pair &pair, size_t axis, int64_t by) {
  size_t inner = 1, length = size_t(pair.shape[axis]);
  for (size_t i = axis + 1; i < pair.shape.size(); ++i)
    inner *= size_t(pair.shape[i]);
  size_t begin = by < 0 ? size_t(-by) : 0,
         end = by > 0 ? length - size_t(by) : length;
  ptrdiff_t distance = ptrdiff_t(by) * ptrdiff_t(inner);
  MovedErrors errors;
  for (size_t block = 0; block < pair.result.size(); block += length * inner)
    for (size_t i = block + begin * inner; i < block + end * inner; ++i) {
      double a = pair.result[i], b = pair.reference[i],
             moved = pair.reference[size_t(ptrdiff_t(i) + distance)];
      errors.before += (a - b) * (a - b);
      errors.after += (a - moved) * (a - moved);
      errors.own += (b - moved) * (b - moved);
      errors.count += 1;
    }
  return errors;
}

std::optional<Shift> comparison::findShift(const Pair &pair) {
  constexpr double kFewestMoved = 32;
  std::optional<Shift> best;
  for (size_t axis = 0; axis < pair.shape.size(); ++axis)
    for (int64_t by : {-1, 1}) {
      if (pair.shape[axis] < 4)
        continue;
      MovedErrors errors = moveBy(pair, axis, by);
      // What noise there is comes on top of what a move costs.
      if (errors.count < kFewestMoved || errors.before <= errors.own / 2)
        continue;
      double factor =
          errors.before / std::max(errors.after, 1e-12 * errors.before);
      if (factor > 1 && (!best || factor > best->factor))
        best = Shift{int64_t(axis), by, factor};
    }
  return best;
}
