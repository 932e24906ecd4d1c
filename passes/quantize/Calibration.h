//===- Calibration.h - value ranges of a model -----------------*- C++ -*-===//
//
// A calibration table says, for every ONNX value of a model, where its 8-bit
// form clips it: at a magnitude if it is symmetric, at two ends if it is not.
//
// Text format, one line a value, in graph order:
//
//   # weft calibration table 2
//   # method: percentile 99.9
//   # samples: 32
//   # name threshold min max low high
//   x 1 -1.5 0.25 -1 0.25
//
// The first line is the version. Version 1 has no low and high; they are then
// min and max, clipped at the threshold. Lines that start with # are comments,
// except that `# method:`, `# samples:` and `# recovered:` (a line a product,
// RecoveredProduct.h) are kept. Blanks, control characters, # and % inside a
// name are written %XX (hexadecimal byte).
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_CALIBRATION_H
#define WEFT_PASSES_QUANTIZE_CALIBRATION_H

#include "passes/quantize/RecoveredProduct.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::quantize {

/// How a threshold is chosen from the values seen.
/// Auto: for each value the one with which the products that read it err least.
enum class CalibrationMethod { Max, Percentile, Mse, Kl, Auto };

/// "max", "percentile", "mse", "kl", "auto".
llvm::StringRef stringifyMethod(CalibrationMethod method);
std::optional<CalibrationMethod> symbolizeMethod(llvm::StringRef name);

/// Method and its parameter. The default is the best measured one
/// (docs/rationale/0002-quantization.md).
struct CalibrationOptions {
  CalibrationMethod method = CalibrationMethod::Auto;
  double percentile = 99.99; ///< of all |x|, zeros included; in (0, 100]
  /// Weights, too, by the errors of products on the samples.
  bool recoversWeights = true;

  /// Takes the percentile that a user gives. An error, that begins with
  /// "percentile", if it is out of range, or the method has none.
  llvm::Error setPercentile(double given);
  /// Method and percentile, for `# method:`.
  std::string str() const;
  /// Whether Calibrator::keepRows() has to be called.
  bool needsRows() const {
    return recoversWeights || method == CalibrationMethod::Auto;
  }
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

/// 8-bit codes of a value: value = scale * (code - zeroPoint).
struct CodeForm {
  double scale; ///< an f32 number > 0
  int64_t zeroPoint;
  bool isSigned; ///< -128..127 with a zero point, -127..127 without; or 0..255

  int64_t lowest() const {
    return !isSigned ? 0 : zeroPoint != 0 ? INT8_MIN : -INT8_MAX;
  }
  int64_t highest() const { return isSigned ? INT8_MAX : UINT8_MAX; }
  /// What the code of `value` stands for.
  float seen(float value) const {
    auto zero = static_cast<float>(zeroPoint), step = static_cast<float>(scale);
    float code = std::nearbyintf(value / step) + zero;
    return step * (std::clamp(code, static_cast<float>(lowest()),
                              static_cast<float>(highest())) -
                   zero);
  }
};

/// The codes of an entry's value: unsigned if nothing is negative; else with a
/// zero point where that `hasZeroPoints` and makes the steps finer; else
/// symmetric.
CodeForm codeFormOf(const CalibrationEntry &entry, bool hasZeroPoints);

/// Entries in graph order, found by name.
class CalibrationTable {
public:
  std::string method;  ///< as written after `# method:`
  int64_t samples = 0; ///< as written after `# samples:`
  std::string path;    ///< of the file that it was read from; or empty
  /// Entries are also found without the type of an operation that the vendor's
  /// compiler puts behind a value's name (VendorTables.h).
  bool isVendors = false;

  /// For messages: "the calibration table 'cls.table'".
  std::string title() const {
    return "the calibration table" + (path.empty() ? "" : " '" + path + "'");
  }

  /// Adds an entry; false if the name is there already.
  bool add(CalibrationEntry entry);
  /// Takes the place of the entry of the same name, which is there.
  void replace(CalibrationEntry entry) {
    list[indexOfName.at(entry.name)] = std::move(entry);
  }
  /// The entry of an ONNX value, or null.
  const CalibrationEntry *find(llvm::StringRef name) const;
  llvm::ArrayRef<CalibrationEntry> entries() const { return list; }

  /// Adds weights that were chosen for the ranges of the table; false if the
  /// product has some already.
  bool add(RecoveredProduct product);
  /// Those of the product that gives an ONNX value, or null.
  const RecoveredProduct *findRecovered(llvm::StringRef name) const;
  llvm::ArrayRef<RecoveredProduct> recovered() const { return products; }

  /// The table as text; parsing it gives an equal table (9 significant digits).
  std::string str() const;
  /// Parses `text`. Errors read "<source>:<line>: ...".
  /// A table of the vendor's is read, too.
  static llvm::Expected<CalibrationTable> parse(llvm::StringRef text,
                                                llvm::StringRef source);
  /// Reads and parses a file. Text of several lines is the table itself.
  static llvm::Expected<CalibrationTable> read(llvm::StringRef path);

private:
  std::vector<CalibrationEntry> list;
  llvm::StringMap<size_t> indexOfName;
  llvm::StringMap<size_t> indexOfValue; ///< of the vendor's, without the type
  std::vector<RecoveredProduct> products;
  llvm::StringMap<size_t> indexOfProduct;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_CALIBRATION_H
