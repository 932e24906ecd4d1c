#include "tools/comparison/Parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::comparison;

namespace {
/// Where the elements of the rows along an axis lie.
struct RowPlaces {
  size_t length, stride, count;

  RowPlaces(const std::vector<int64_t> &shape, size_t axis, size_t elements)
      : length(size_t(shape[axis])), stride(1), count(elements / length) {
    for (size_t i = axis + 1; i < shape.size(); ++i)
      stride *= size_t(shape[i]);
  }
  /// Of the element `i` of a row.
  size_t at(size_t row, size_t i) const {
    return row / stride * stride * length + row % stride + i * stride;
  }
};
} // namespace

/// Whether each row is a distribution: no negative number, sum 1.
static bool addUpToOne(const std::vector<double> &values,
                       const RowPlaces &rows) {
  constexpr double kSumError = 1e-3; // of what was stored as f16
  for (size_t row = 0; row < rows.count; ++row) {
    double sum = 0;
    for (size_t i = 0; i < rows.length; ++i) {
      double value = values[rows.at(row, i)];
      if (value < 0)
        return false;
      sum += value;
    }
    if (std::fabs(sum - 1) > kSumError)
      return false;
  }
  return true;
}

/// The axis of a softmax; the last of several.
static std::optional<size_t> findRowAxis(const Pair &pair) {
  for (size_t axis = pair.shape.size(); axis-- > 0;)
    if (pair.shape[axis] >= 3 &&
        addUpToOne(pair.reference,
                   RowPlaces(pair.shape, axis, pair.result.size())))
      return axis;
  return std::nullopt;
}

static double powerAroundMean(const std::vector<double> &numbers) {
  double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) /
                double(std::max<size_t>(1, numbers.size()));
  double power = 0;
  for (double number : numbers)
    power += (number - mean) * (number - mean);
  return power;
}

/// The places in the row of its `most` largest numbers, of equal ones the
/// first.
static std::vector<size_t> largest(const std::vector<double> &row,
                                   size_t most) {
  std::vector<size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  most = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + ptrdiff_t(most), order.end(),
                    [&](size_t a, size_t b) {
                      return row[a] != row[b] ? row[a] > row[b] : a < b;
                    });
  order.resize(most);
  return order;
}

void comparison::measureRows(const Pair &pair, const Kind &kind,
                             Metrics &metrics) {
  std::optional<size_t> axis = findRowAxis(pair);
  if (!axis)
    return;
  // Smaller ones are where a program's exp ends; of those that both sides have
  // there nothing is said.
  constexpr double kLeast[] = {1e-6, 1e-4, 1e-4, 1e-4};
  double least = std::max(kLeast[size_t(kind.precision)], kind.step);
  RowPlaces rows(pair.shape, *axis, pair.result.size());
  metrics.rowAxis = int64_t(*axis);
  double power = 0, error = 0, logarithms = 0;
  size_t same1 = 0, same5 = 0, places5 = 0;
  std::vector<double> result, reference, logs, errors;
  for (size_t row = 0; row < rows.count; ++row) {
    result.clear();
    reference.clear();
    logs.clear();
    errors.clear();
    for (size_t i = 0; i < rows.length; ++i) {
      double a = pair.result[rows.at(row, i)],
             b = pair.reference[rows.at(row, i)];
      result.push_back(a);
      reference.push_back(b);
      if (std::max(a, b) < least)
        continue;
      logs.push_back(std::log(std::max(b, least)));
      errors.push_back(std::log(std::max(a, least)) - logs.back());
    }
    power += powerAroundMean(logs);
    error += powerAroundMean(errors);
    logarithms += double(logs.size());
    std::vector<size_t> want = largest(reference, 5), got = largest(result, 5);
    same1 += want.front() == got.front();
    places5 += want.size();
    for (size_t place : want)
      same5 += std::find(got.begin(), got.end(), place) != got.end();
  }
  metrics.top1 = double(same1) / double(rows.count);
  metrics.top5 = double(same5) / double(places5);
  // Rows of one number have no shape.
  constexpr double kShapeless = 1e-3;
  if (power > kShapeless * logarithms)
    metrics.logSqnrDb = error > 0 ? 10 * std::log10(power / error)
                                  : std::numeric_limits<double>::infinity();
}
