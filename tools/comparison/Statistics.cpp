#include "tools/comparison/Statistics.h"

#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::comparison;
using Values = std::vector<double>;

namespace {
/// Finite numbers taken together.
struct Spread {
  double count = 0, sum = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least;

  void add(const Values &values) {
    for (double value : values) {
      if (!std::isfinite(value))
        continue;
      count += 1;
      sum += value;
      squares += value * value;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  double mean() const { return sum / count; }
  /// Around the mean.
  double deviation() const {
    return std::sqrt(std::max(0.0, squares / count - mean() * mean()));
  }
  /// Around 0.
  double root() const { return std::sqrt(squares / count); }
};
} // namespace

constexpr double kDeviations = 8;

static Histogram count(const Values &values, double least, double most) {
  Histogram histogram{least, most, std::vector<uint32_t>(kHistogramParts)};
  for (double value : values) {
    if (!std::isfinite(value))
      continue;
    double part = most > least
                      ? (value - least) / (most - least) * kHistogramParts
                      : kHistogramParts / 2.0;
    ++histogram
          .counts[size_t(std::clamp(part, 0.0, double(kHistogramParts - 1)))];
  }
  return histogram;
}

static Values differences(const Values &result, const Values &reference) {
  Values errors(result.size());
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] = result[i] - reference[i];
  return errors;
}

static void countValues(const Values &result, const Values &reference,
                        Statistics &statistics) {
  Spread spread;
  spread.add(result);
  spread.add(reference);
  double least = 0, most = 0;
  if (spread.count > 0) {
    double reach = kDeviations * spread.deviation();
    least = std::max(spread.least, spread.mean() - reach);
    most = std::min(spread.most, spread.mean() + reach);
  }
  // Rounding of the sums, where all numbers are one.
  most = std::max(least, most);
  statistics.result = count(result, least, most);
  statistics.reference = count(reference, least, most);
}

static void countErrors(const Values &result, const Values &reference,
                        const Values *own, Statistics &statistics) {
  Values errors = differences(result, reference), added;
  if (own)
    added = differences(result, *own);
  double reach = 0;
  for (const Values *list : {&errors, &added}) {
    Spread spread;
    spread.add(*list);
    if (spread.count > 0)
      reach = std::max(reach, std::min(std::max(-spread.least, spread.most),
                                       kDeviations * spread.root()));
  }
  statistics.error = count(errors, -reach, reach);
  if (own)
    statistics.addedError = count(added, -reach, reach);
}

static Saturation saturationOf(const Values &result, const Values &reference,
                               const CodeRange &codes) {
  Saturation found;
  double half = codes.step / 2, one = 1 / double(result.size());
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] < codes.least + half) {
      found.atLeast += one;
      if (reference[i] < codes.least - half)
        found.cutAtLeast += one;
    } else if (result[i] > codes.most - half) {
      found.atMost += one;
      if (reference[i] > codes.most + half)
        found.cutAtMost += one;
    }
  }
  return found;
}

Statistics comparison::statisticsOf(const numeric::HostTensor &result,
                                    const numeric::HostTensor &reference,
                                    const numeric::HostTensor *own,
                                    const CodeRange &codes) {
  Values a = numeric::loadDoubles(result), b = numeric::loadDoubles(reference),
         c;
  if (own)
    c = numeric::loadDoubles(*own);
  Statistics statistics;
  countValues(a, b, statistics);
  countErrors(a, b, own ? &c : nullptr, statistics);
  if (codes.step > 0)
    statistics.saturation = saturationOf(a, own ? c : b, codes);
  return statistics;
}
