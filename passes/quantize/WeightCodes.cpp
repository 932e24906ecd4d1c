//===- WeightCodes.cpp - weights in 4 or 8 bits for f16 products ----------===//

#include "passes/quantize/WeightCodes.h"

#include "runtime/numeric/Float16.h"

#include <cmath>

using namespace weft;
using namespace weft::quantize;

static float asHalf(double value) {
  return numeric::halfToFloat(numeric::floatToHalf(static_cast<float>(value)));
}

//===----------------------------------------------------------------------===//
// Codes of the graph
//===----------------------------------------------------------------------===//

namespace {
/// Numbers as whole steps.
struct Steps {
  double size;
  int low, high; ///< of all, with 0
};
} // namespace

/// Writes numbers as whole steps, at most `most` between the lowest and the
/// highest. Each number, and the largest, that the step is taken from, was
/// rounded to f32 once or twice: off by 2^-14 steps. std::nullopt if they are
/// no such.
static std::optional<Steps> wholeSteps(llvm::ArrayRef<float> numbers, int most,
                                       int16_t *steps) {
  constexpr double kNearWhole = 0x1p-10;
  float largest = 0;
  for (float number : numbers)
    if (std::fabs(number) > std::fabs(largest))
      largest = number;
  if (largest == 0) {
    std::fill_n(steps, numbers.size(), 0);
    return Steps{1, 0, 0};
  }
  for (int count = 1; count <= most; ++count) {
    Steps found{std::fabs(static_cast<double>(largest)) / count, 0, 0};
    bool areWhole = true;
    for (size_t i = 0; i < numbers.size() && areWhole; ++i) {
      double real = numbers[i] / found.size, whole = std::nearbyint(real);
      areWhole = std::fabs(real - whole) < kNearWhole;
      steps[i] = static_cast<int16_t>(whole);
      found.low = std::min<int>(found.low, steps[i]);
      found.high = std::max<int>(found.high, steps[i]);
    }
    if (areWhole && found.high - found.low <= most)
      return found;
  }
  return std::nullopt;
}

/// Of f16, without loss of digits.
static bool isGoodScale(double scale) {
  return scale >= 0x1p-14 && scale <= 65504;
}

/// The codes in groups of `size`, or none.
static std::optional<WeightCodes> codesInGroups(const FloatConstant &filter,
                                                int64_t bits, int64_t size) {
  int64_t count = filter.values.size(), inner = filter.shape[1],
          levels = int64_t(1) << bits, half = levels / 2;
  std::vector<int16_t> steps(count);
  std::vector<float> numbers(size);
  std::vector<uint8_t> zeros;
  WeightCodes found{bits, inner / size, {}, {}, {}};
  bool areSigned = true;
  PagesBehind read = filter.values.pagesBehind();
  for (int64_t first = 0; first < count; first += size) {
    read.reach(first * sizeof(float));
    for (int64_t i = 0; i < size; ++i)
      numbers[i] = filter.values[first + i];
    std::optional<Steps> whole =
        wholeSteps(numbers, static_cast<int>(levels - 1), &steps[first]);
    if (!whole || !isGoodScale(whole->size))
      return std::nullopt;
    areSigned = areSigned && whole->low >= -half && whole->high < half;
    found.scales.push_back(asHalf(whole->size));
    zeros.push_back(static_cast<uint8_t>(-whole->low));
  }
  found.codes.resize(count);
  for (int64_t i = 0; i < count; ++i)
    found.codes[i] =
        static_cast<int8_t>(steps[i] + (areSigned ? 0 : zeros[i / size]));
  if (!areSigned)
    found.zeros = std::move(zeros);
  return found;
}

/// Whether f16 holds what codes stand for, the largest of them rounded up by
/// half a step of 4 bits.
static bool fitsHalf(const FloatConstant &filter, bool isRounded) {
  const float most = isRounded ? 65504.0F * 14 / 15 : 65504.0F;
  PagesBehind read = filter.values.pagesBehind();
  for (size_t i = 0; i < filter.values.size(); ++i) {
    read.reach(i * sizeof(float));
    if (!(std::fabs(filter.values[i]) <= most))
      return false;
  }
  return true;
}

std::optional<WeightCodes>
weft::quantize::ownCodes(const FloatConstant &filter) {
  if (!fitsHalf(filter, /*isRounded=*/false))
    return std::nullopt;
  int64_t inner = filter.shape[1];
  for (int64_t bits : {4, 8})
    for (int64_t size : {inner, int64_t(256), int64_t(128), int64_t(64),
                         int64_t(32), int64_t(16)})
      if (inner % size == 0 && size % 2 == 0)
        if (auto found = codesInGroups(filter, bits, size))
          return found;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Codes of floats
//===----------------------------------------------------------------------===//

/// Half to even, of what a code may be; unlike std::nearbyint in a few
/// instructions for several numbers at a time.
static double rounded(double value) {
  constexpr double kWholeFromHere = 0x1.8p52;
  return value + kWholeFromHere - kWholeFromHere;
}

namespace {
/// How a group is coded, and the squared error of that.
struct Coding {
  float scale = 0;
  double zero = 0, low = 0, high = 0; ///< codes lie in [low, high]
  double error = 0;

  double codeOf(float number, double perScale) const {
    return std::min(std::max(rounded(number * perScale) + zero, low), high);
  }
  double codeOf(float number) const {
    return codeOf(number, scale == 0 ? 0 : 1 / static_cast<double>(scale));
  }
  /// Whether the rounding of the scale to f16 moves no number by more than a
  /// quarter of a step. Subnormal scales are off by up to 2^-25.
  bool hasGoodScale() const {
    return std::fabs(scale) >= (high - low) * 0x1p-23;
  }
};

/// What groups lose that are coded in one way.
struct Loss {
  double error = 0;    ///< of those with good scales
  double unscaled = 0; ///< the squares of all others' numbers

  void add(const Coding &coding, double squares) {
    if (coding.hasGoodScale())
      error += coding.error;
    else
      unscaled += squares;
  }
  double all() const { return error + unscaled; }
};
} // namespace

/// `scale`, and then the best one for the codes that it gives: the better of
/// both.
static void refine(Coding &best, llvm::ArrayRef<float> numbers, double scale,
                   double zero) {
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds; ++round) {
    Coding coding{asHalf(scale), zero, best.low, best.high, 0};
    if (coding.scale == 0 || !std::isfinite(coding.scale))
      return;
    double perScale = 1 / static_cast<double>(coding.scale), products = 0,
           squares = 0;
    for (float number : numbers) {
      double step = coding.codeOf(number, perScale) - zero,
             difference = step * coding.scale - number;
      coding.error += difference * difference;
      products += step * number;
      squares += step * step;
    }
    if (coding.error < best.error)
      best = coding;
    if (squares == 0)
      return;
    scale = products / squares;
  }
}

static double squaresOf(llvm::ArrayRef<float> numbers) {
  double sum = 0;
  for (float number : numbers)
    sum += static_cast<double>(number) * number;
  return sum;
}

/// Ranges that are tried, in parts of the whole one: what lies outside is cut
/// off, what lies inside has finer steps.
static constexpr double kRanges[] = {1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7};

/// With signed codes. The scale has the sign that gives the largest number the
/// code of largest magnitude, the lowest one.
static Coding signedCoding(llvm::ArrayRef<float> numbers, int64_t bits) {
  double half = 1 << (bits - 1);
  Coding best{0, 0, -half, half - 1, squaresOf(numbers)};
  float largest = 0;
  for (float number : numbers)
    if (std::fabs(number) > std::fabs(largest))
      largest = number;
  for (double range : kRanges) {
    refine(best, numbers, -range * largest / half, 0);
    refine(best, numbers, range * largest / (half - 1), 0);
  }
  return best;
}

/// With a zero point.
static Coding shiftedCoding(llvm::ArrayRef<float> numbers, int64_t bits) {
  double levels = (1 << bits) - 1;
  Coding best{0, 0, 0, levels, squaresOf(numbers)};
  double low = 0, high = 0;
  for (float number : numbers) {
    low = std::min<double>(low, number);
    high = std::max<double>(high, number);
  }
  for (double range : kRanges) {
    double scale = range * (high - low) / levels;
    if (scale > 0)
      refine(best, numbers, scale, rounded(-range * low / scale));
  }
  return best;
}

std::optional<WeightCodes>
weft::quantize::nearestCodes(const FloatConstant &filter, int64_t bits,
                             int64_t groupSize) {
  /// Of the error with zero points to that without, where they are worth their
  /// bytes and commands.
  constexpr double kWorthZeros = 0.8;
  if (!fitsHalf(filter, /*isRounded=*/true))
    return std::nullopt;
  int64_t count = filter.values.size(), inner = filter.shape[1],
          size = groupSize == 0 ? inner : groupSize;
  while (inner % size != 0)
    size /= 2;
  std::vector<Coding> codings[2];
  Loss losses[2];
  std::vector<float> numbers(size);
  auto readGroup = [&](int64_t first) {
    for (int64_t i = 0; i < size; ++i)
      numbers[i] = filter.values[first + i];
  };
  PagesBehind read = filter.values.pagesBehind();
  for (int64_t first = 0; first < count; first += size) {
    read.reach(first * sizeof(float));
    readGroup(first);
    codings[0].push_back(signedCoding(numbers, bits));
    codings[1].push_back(shiftedCoding(numbers, bits));
    double squares = squaresOf(numbers);
    for (int way : {0, 1})
      losses[way].add(codings[way].back(), squares);
  }
  bool hasZeros = losses[1].all() < kWorthZeros * losses[0].all();
  // Channels that training has switched off are no reason against codes.
  if (losses[hasZeros].unscaled > losses[hasZeros].error)
    return std::nullopt;
  WeightCodes result{bits, inner / size, std::vector<int8_t>(count), {}, {}};
  for (int64_t first = 0; first < count; first += size) {
    const Coding &coding = codings[hasZeros][first / size];
    readGroup(first);
    for (int64_t i = 0; i < size; ++i)
      result.codes[first + i] =
          static_cast<int8_t>(static_cast<int>(coding.codeOf(numbers[i])));
    result.scales.push_back(coding.scale);
    if (hasZeros)
      result.zeros.push_back(static_cast<uint8_t>(coding.zero));
  }
  return result;
}
