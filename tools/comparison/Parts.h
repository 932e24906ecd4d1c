//===- Parts.h - figures of parts of a tensor -------------------*- C++ -*-===//
//
// What Metrics.cpp puts together.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_COMPARISON_PARTS_H
#define WEFT_TOOLS_COMPARISON_PARTS_H

#include "tools/comparison/Metrics.h"

namespace weft::comparison {

/// Two tensors of one shape as doubles, row-major.
struct Pair {
  const std::vector<int64_t> &shape;
  const std::vector<double> &result, &reference;
};

/// Sums of pairs of numbers, taken around a number near the mean of the
/// reference so that a large offset costs no digits.
struct Sums {
  double count = 0, result = 0, reference = 0;
  double resultSquares = 0, referenceSquares = 0, products = 0;
  /// Of the result.
  double least = 0, most = 0;

  void add(double a, double b);
  double meanSquaredError() const {
    return (resultSquares - 2 * products + referenceSquares) / count;
  }
  /// Of the reference.
  double variance() const;
  double meanReference() const { return reference / count; }
  Line line() const;
  bool isResultConstant() const { return least == most; }
};

/// The least deviation that a reference around `mean` must have for its shape
/// to be seen in numbers of `kind`.
double visibleDeviation(const Kind &kind, double mean);

/// Figures of slices, into `metrics`. `around`: the mean of the reference.
void measureSlices(const Pair &pair, const Kind &kind, double around,
                   Metrics &metrics);
/// The move that explains the difference, if one does.
std::optional<Shift> findShift(const Pair &pair);
/// Figures of rows that add up to 1, if the reference has them.
void measureRows(const Pair &pair, const Kind &kind, Metrics &metrics);

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_PARTS_H
