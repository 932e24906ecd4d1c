//===- RangeCollector.h - the ranges of named values ------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_RANGECOLLECTOR_H
#define WEFT_PASSES_QUANTIZE_RANGECOLLECTOR_H

#include "passes/quantize/Calibration.h"
#include "passes/quantize/ValueHistogram.h"

#include "llvm/Support/Error.h"

#include <utility>

namespace weft::quantize {

/// Collects the ranges of named values and turns them into a table.
class RangeCollector {
public:
  /// Counts one tensor of the value `name`, without the infinities (of masks)
  /// that stand beside numbers. An error names the value if it holds NaN, or no
  /// numbers.
  llvm::Error add(llvm::StringRef name, llvm::ArrayRef<float> values);
  /// One sample is complete.
  void endSample() { ++samples; }
  /// A line about the values of which `table` clips more than 1 %; "" if there
  /// are none.
  std::string muchClipped(const CalibrationTable &table) const;
  CalibrationTable finish(const CalibrationOptions &options) const;
  /// The values in order of first sight.
  llvm::ArrayRef<std::pair<std::string, ValueHistogram>> histograms() const {
    return values;
  }

private:
  std::vector<std::pair<std::string, ValueHistogram>>
      values; ///< in order of first sight
  llvm::StringMap<size_t> indexOfName;
  int64_t samples = 0;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_RANGECOLLECTOR_H
