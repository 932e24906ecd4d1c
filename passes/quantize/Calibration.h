//===- Calibration.h - value ranges of a model -----------------*- C++ -*-===//
//
// A calibration table says, for every ONNX value of a model, where its 8-bit
// form clips it: at a magnitude if it is symmetric, at two ends if it is not.
//
// Text format, one line a value, in graph order:
//
//   # weft calibration table 2
//   # method: percentile 99.99
//   # samples: 32
//   # name threshold min max low high
//   x 1 -1.5 0.25 -1 0.25
//
// The first line is the version. Version 1 has no low and high; they are then
// min and max, clipped at the threshold. Lines that start with # are comments,
// except that `# method:` and `# samples:` are kept. Blanks, control
// characters, # and % inside a name are written %XX (hexadecimal byte).
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
#include <vector>

namespace weft::quantize {

/// How a threshold is chosen from the values seen.
enum class CalibrationMethod { Max, Percentile, Mse, Kl };

/// "max", "percentile", "mse", "kl".
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
  double threshold; ///< magnitude at which a symmetric form clips, > 0
  double min, max;  ///< smallest and largest value seen; min >= 0 makes the
                    ///< value unsigned
  double low, high; ///< where a form with a zero point clips: low <= 0 <= high,
                    ///< low < high

  /// An entry whose low and high are min and max, clipped at `threshold`.
  static CalibrationEntry clippedAt(std::string name, double threshold,
                                    double min, double max);

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
  /// Reads and parses a file. Text of several lines is the table itself.
  static llvm::Expected<CalibrationTable> read(llvm::StringRef path);

private:
  std::vector<CalibrationEntry> list;
  llvm::StringMap<size_t> indexOfName;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_CALIBRATION_H
