//===- Calibration.h - value ranges of a model -----------------*- C++ -*-===//
//
// A calibration table says, for every ONNX value of a model, at which magnitude
// the symmetric 8-bit form clips it.
//
// Text format, one line a value, in graph order:
//
//   # weft calibration table 1
//   # method: percentile 99.99
//   # samples: 32
//   # name threshold min max
//   x 1 -1 1
//
// The first line is the version. Lines that start with # are comments, except
// that `# method:` and `# samples:` are kept. Blanks, control characters, # and
// % inside a name are written %XX (hexadecimal byte).
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_CALIBRATION_H
#define WEFT_PASSES_QUANTIZE_CALIBRATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::quantize {

/// How a threshold is chosen from the values seen.
enum class CalibrationMethod { Max, Percentile, Mse };

/// "max", "percentile", "mse".
llvm::StringRef stringifyMethod(CalibrationMethod method);
std::optional<CalibrationMethod> symbolizeMethod(llvm::StringRef name);

/// Method and its parameter. The default is the best measured one
/// (docs/rationale/0002-quantization.md).
struct CalibrationOptions {
  CalibrationMethod method = CalibrationMethod::Percentile;
  double percentile = 99.99; ///< of all |x|, zeros included; in (0, 100]
};

/// The range of one ONNX value.
struct CalibrationEntry {
  std::string name;
  double threshold; ///< magnitude at which the value is clipped, > 0
  double min, max;  ///< smallest and largest value seen; min >= 0 makes the
                    ///< value unsigned

  bool isSigned() const { return min < 0; }
};

/// Entries in graph order, found by name.
class CalibrationTable {
public:
  std::string method;  ///< as written after `# method:`
  int64_t samples = 0; ///< as written after `# samples:`

  /// Adds an entry; false if the name is there already.
  bool add(CalibrationEntry entry);
  /// The entry of an ONNX value, or null.
  const CalibrationEntry *find(llvm::StringRef name) const;
  llvm::ArrayRef<CalibrationEntry> entries() const { return list; }

  /// The table as text; parsing it gives an equal table (9 significant digits).
  std::string str() const;
  /// Parses `text`. Errors read "<source>:<line>: ...".
  static llvm::Expected<CalibrationTable> parse(llvm::StringRef text,
                                                llvm::StringRef source);
  /// Reads and parses a file.
  static llvm::Expected<CalibrationTable> read(llvm::StringRef path);

private:
  std::vector<CalibrationEntry> list;
  llvm::StringMap<size_t> indexOfName;
};

/// Histogram of |x| over everything seen of one value, in constant memory. The
/// result does not depend on the order of the samples: the range is a power of
/// two that only grows, by merging neighbours.
class MagnitudeHistogram {
public:
  static constexpr int kBins =
      8192; ///< at least 4096 of them below the maximum: thresholds to 0.025 %

  /// Counts `values`. False (and nothing counted) if one is NaN or infinite.
  bool add(llvm::ArrayRef<float> values);

  double min() const { return smallest; }
  double max() const { return largest; }
  double absMax() const;
  uint64_t count() const { return total; }

  /// Magnitude below which `percentile` percent of the values lie, linear
  /// inside a bin; at most absMax().
  double percentile(double percentile) const;
  /// Threshold with the smallest mean squared error of 8-bit rounding and
  /// clipping, of 46 candidates from 10 % to 100 % of absMax(); values count at
  /// the middle of their bin.
  double leastSquares() const;

private:
  void growTo(double magnitude);

  std::vector<uint64_t> bins;
  int exponent = 0; ///< the bins cover [0, 2^exponent)
  uint64_t total = 0;
  double smallest = 0, largest = 0;
};

/// Collects the ranges of named values and turns them into a table.
class RangeCollector {
public:
  /// Counts one tensor of the value `name`. An error names the value if it
  /// holds NaN or Inf.
  llvm::Error add(llvm::StringRef name, llvm::ArrayRef<float> values);
  /// One sample is complete.
  void endSample() { ++samples; }
  CalibrationTable finish(const CalibrationOptions &options) const;

private:
  std::vector<std::pair<std::string, MagnitudeHistogram>>
      values; ///< in order of first sight
  llvm::StringMap<size_t> indexOfName;
  int64_t samples = 0;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_CALIBRATION_H
