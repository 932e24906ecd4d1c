//===- ValueHistogram.h - what values a tensor takes ------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_VALUEHISTOGRAM_H
#define WEFT_PASSES_QUANTIZE_VALUEHISTOGRAM_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace weft::quantize {

/// Histogram of everything seen of one value, in constant memory. It does not
/// depend on the order in which values come: its range is a power of two that
/// only grows, by merging neighbours.
class ValueHistogram {
public:
  /// Bins on each side of 0, at least half of them below the largest magnitude:
  /// thresholds to 0.025 %.
  static constexpr int kBins = 8192;

  /// Values that count as one.
  struct Bin {
    double value; ///< the middle of the bin
    double count;
  };

  /// Counts `values`. False (and nothing counted) if one is NaN or infinite.
  bool add(llvm::ArrayRef<float> values);
  /// Counts all that `other` has counted.
  void merge(const ValueHistogram &other);

  double min() const { return smallest; }
  double max() const { return largest; }
  double absMax() const;
  uint64_t count() const { return total; }

  /// Magnitude below which `percentile` percent of the values lie, linear
  /// inside a bin; at most absMax().
  double percentile(double percentile) const;

  /// Part of the values in bins that lie above `magnitude`.
  double shareAbove(double magnitude) const;

  /// Mean square, over all values, of what lies below `low` or above `high`.
  double powerBeyond(double low, double high) const;

  /// The bins that are not empty, by ascending value.
  std::vector<Bin> filledBins() const;

private:
  /// Makes the bins cover [-2^needed, 2^needed].
  void growTo(int needed);
  bool hasZerosOnly() const;
  /// Counts values inside the range.
  void countBins(llvm::ArrayRef<float> values);

  /// Bin i of the values >= 0 is bins[kBins + i], of those below bins[kBins - 1
  /// - i]; it covers the magnitudes [i, i + 1) * 2^exponent / kBins.
  std::vector<uint64_t> bins;
  int exponent = 0;
  uint64_t total = 0;
  double smallest = 0, largest = 0;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_VALUEHISTOGRAM_H
