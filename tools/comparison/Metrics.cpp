#include "tools/comparison/Metrics.h"
#include "runtime/numeric/TensorValues.h"
#include "tools/comparison/Parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::comparison;
using numeric::ElementType;
using numeric::elementTypeName;
using numeric::HostTensor;
using numeric::shapeText;

static ElementType npzType(ElementType type) {
  return type == ElementType::BF16 ? ElementType::F32 : type;
}

/// "element 5 of the result is nan (3 of 8 are not finite)"; empty if all are
/// finite, but for infinities that the other side has, too. Counts them.
static std::string notFinite(const char *side,
                             const std::vector<double> &values,
                             const std::vector<double> &others,
                             int64_t &count) {
  std::string first;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) || values[i] == others[i])
      continue;
    if (++count == 1)
      first = "element " + std::to_string(i) + " of the " + side + " is " +
              (std::isnan(values[i]) ? "nan" : "infinite");
  }
  if (count > 1)
    first += " (" + std::to_string(count) + " of " +
             std::to_string(values.size()) + " are not finite)";
  return first;
}

static std::string findProblem(const HostTensor &result,
                               const HostTensor &reference, bool anyType) {
  if (result.shape() != reference.shape())
    return "shape is " + shapeText(result.shape()) + ", the reference's is " +
           shapeText(reference.shape());
  if (!anyType && npzType(result.type()) != npzType(reference.type()))
    return std::string("type is ") + elementTypeName(result.type()) +
           ", the reference's is " + elementTypeName(reference.type());
  return "";
}

static int64_t countUnequal(const HostTensor &result,
                            const HostTensor &reference) {
  std::vector<int64_t> a = numeric::loadIntegers(result),
                       b = numeric::loadIntegers(reference);
  int64_t unequal = 0;
  for (size_t i = 0; i < a.size(); ++i)
    unequal += a[i] != b[i];
  return unequal;
}

/// A complex tensor as reals with one more axis, of real and imaginary parts;
/// others unchanged.
static HostTensor asReals(const HostTensor &tensor) {
  std::optional<ElementType> part;
  if (tensor.type() == ElementType::C64)
    part = ElementType::F32;
  if (tensor.type() == ElementType::C128)
    part = ElementType::F64;
  if (!part)
    return tensor;
  std::vector<int64_t> shape = tensor.shape();
  shape.push_back(2);
  HostTensor reals(*part, std::move(shape));
  std::copy_n(tensor.bytes(), tensor.sizeBytes(), reals.bytes());
  return reals;
}

static double meanOf(const std::vector<double> &values) {
  double mean = 0;
  for (double value : values)
    mean += value / double(values.size());
  return mean;
}

/// Figures of all elements together. `mean`: of the reference.
static void measureWhole(const Pair &pair, const Kind &kind, double mean,
                         Metrics &metrics) {
  double dot = 0, resultSquares = 0, referenceSquares = 0, errorSquares = 0;
  auto [least, most] =
      std::minmax_element(pair.reference.begin(), pair.reference.end());
  metrics.range = *most - *least;
  metrics.isWhole =
      std::all_of(pair.reference.begin(), pair.reference.end(),
                  [](double value) { return value == std::floor(value); });
  Sums sums;
  for (size_t i = 0; i < pair.result.size(); ++i) {
    double a = pair.result[i], b = pair.reference[i];
    double error = std::fabs(a - b);
    dot += a * b;
    resultSquares += a * a;
    referenceSquares += b * b;
    errorSquares += error * error;
    sums.add(a - mean, b - mean);
    if (error > metrics.maxError) {
      metrics.maxError = error;
      metrics.maxErrorAt = int64_t(i);
    }
    metrics.meanError += error / double(pair.result.size());
  }
  metrics.deviation = std::sqrt(sums.variance());
  double visible = visibleDeviation(kind, mean);
  if (sums.count >= kFewestOfLine && metrics.deviation > visible)
    metrics.line = sums.line();
  metrics.spike = std::max(0.0, metrics.maxError - 4 * visible);
  if (errorSquares == 0) {
    metrics.cosine = 1;
    metrics.sqnrDb = std::numeric_limits<double>::infinity();
    return;
  }
  double lengths = std::sqrt(resultSquares) * std::sqrt(referenceSquares);
  metrics.cosine = lengths == 0 ? 0 : dot / lengths;
  metrics.sqnrDb = referenceSquares == 0
                       ? -std::numeric_limits<double>::infinity()
                       : 10 * std::log10(referenceSquares / errorSquares);
  metrics.normRatio = referenceSquares == 0
                          ? std::numeric_limits<double>::infinity()
                          : std::sqrt(resultSquares / referenceSquares);
}

/// What is so large is far beyond the other numbers.
static double leastMask(const std::vector<double> &reference) {
  // -1e4 is the smallest number that is used as a mask; half of a tensor may
  // be one, and a quarter is none.
  constexpr double kLeastMask = 1e4, kBeyondOthers = 1e3;
  std::vector<double> sizes;
  for (double value : reference)
    if (!std::isnan(value))
      sizes.push_back(std::fabs(value));
  if (sizes.empty())
    return kLeastMask;
  auto quartile = sizes.begin() + ptrdiff_t(sizes.size() / 4);
  std::nth_element(sizes.begin(), quartile, sizes.end());
  return std::max(kLeastMask, kBeyondOthers * *quartile);
}

/// Masks that the stored type does not have become 0 on both sides.
static int64_t setOverflownMasksAside(double mostStored,
                                      std::vector<double> &result,
                                      std::vector<double> &reference) {
  auto isInfinite = [](double value) { return std::isinf(value); };
  if (mostStored == 0 || std::none_of(result.begin(), result.end(), isInfinite))
    return 0;
  double least = std::max(leastMask(reference), mostStored);
  int64_t count = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    if (!std::isinf(result[i]) || !std::isfinite(reference[i]) ||
        std::fabs(reference[i]) <= least ||
        std::signbit(result[i]) != std::signbit(reference[i]))
      continue;
    result[i] = reference[i] = 0;
    ++count;
  }
  return count;
}

/// Elements that both sides have far beyond the others (-3.4e38 of a mask, or
/// an infinity) become 0 on both: beside them nothing else would be seen.
static int64_t setMasksAside(Precision precision, std::vector<double> &result,
                             std::vector<double> &reference) {
  constexpr double kAgree[] = {1e-5, 2e-3, 1e-2, 1e-2};
  double least = leastMask(reference);
  int64_t count = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    double a = result[i], b = reference[i];
    if (!std::isinf(b) &&
        (std::fabs(b) < least ||
         std::fabs(a - b) > kAgree[size_t(precision)] * std::fabs(b)))
      continue;
    result[i] = reference[i] = 0;
    ++count;
  }
  return count;
}

Metrics comparison::measure(const HostTensor &givenResult,
                            const HostTensor &givenReference,
                            const Kind &kind) {
  Metrics metrics;
  metrics.problem = findProblem(givenResult, givenReference, kind.anyType);
  if (!metrics.problem.empty())
    return metrics;
  if (givenReference.elements() == 0) {
    metrics.cosine = 1;
    metrics.sqnrDb = std::numeric_limits<double>::infinity();
    return metrics;
  }
  HostTensor result = asReals(givenResult), reference = asReals(givenReference);
  std::vector<double> a = numeric::loadDoubles(result),
                      b = numeric::loadDoubles(reference);
  metrics.setAside = setOverflownMasksAside(kind.mostStored, a, b);
  std::string ofResult = notFinite("result", a, b, metrics.nonFiniteResult);
  std::string ofReference =
      notFinite("reference", b, a, metrics.nonFiniteReference);
  metrics.problem = ofResult.empty() ? ofReference : ofResult;
  if (!metrics.problem.empty())
    return metrics;
  metrics.elements = int64_t(a.size());
  for (double value : b)
    if (std::isfinite(value))
      metrics.most = std::max(metrics.most, std::fabs(value));
  if (numeric::isFloatType(reference.type()))
    metrics.setAside += setMasksAside(kind.precision, a, b);
  Pair pair{result.shape(), a, b};
  double mean = meanOf(b);
  measureWhole(pair, kind, mean, metrics);
  if (!numeric::isFloatType(result.type()) &&
      !numeric::isFloatType(reference.type())) {
    metrics.unequal = countUnequal(result, reference);
    return metrics;
  }
  measureSlices(pair, kind, mean, metrics);
  measureRows(pair, kind, metrics);
  metrics.shift = findShift(pair);
  return metrics;
}
