//===- RecoveredProduct.h - weights chosen with the samples -----*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_RECOVEREDPRODUCT_H
#define WEFT_PASSES_QUANTIZE_RECOVEREDPRODUCT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::quantize {

/// Two sums by which a table knows the weights that it was made for: of their
/// magnitudes, and of the weights times fixed irregular numbers in [-1, 1), one
/// a place.
struct WeightSums {
  double magnitudes = 0, pattern = 0;

  static WeightSums of(llvm::ArrayRef<float> weights);
  /// Equal but for the last digits of folded constants, which another build of
  /// Weft may round differently. Training moves weights by far more.
  bool isLike(const WeightSums &other) const;
};

/// 8-bit weights of a product with constant weights that answer for the
/// rounding of its input: they are good for these codes of the input only. A
/// filter is shifted as a whole by what its sums were off on average.
struct RecoveredProduct {
  std::string name; ///< the ONNX value that the product gives, without relu
  double inputScale = 0;
  int64_t inputZeroPoint = 0;
  bool inputIsSigned = false;
  std::vector<float> scales; ///< of each output channel, > 0
  std::vector<float> shifts; ///< added to the bias of each output channel
  /// Channels x terms (input channels, rows and columns of the window), in
  /// [-127, 127].
  std::vector<int8_t> codes;
  /// Empty; or of each input channel, f16 numbers > 0: the codes are of the
  /// input times these, and the weights are divided by them (InputFactors.h).
  std::vector<float> inputFactors = {};
  WeightSums weightSums = {}; ///< of the float weights (channels x terms)

  int64_t channels() const { return scales.size(); }
  int64_t terms() const { return codes.size() / scales.size(); }

  /// One line of a calibration table: name, scale, zero point and sign (i8, u8)
  /// of the input, channels, terms, both sums of the float weights, and in
  /// base64 the little-endian scales and shifts (f32) and the codes; then, if
  /// there are some, the factors of the input in base64; and `crc32:` with the
  /// checksum of all that, in hexadecimal.
  std::string str() const;
  /// Parses such a line, whatever it holds. Older versions wrote no checksum.
  static llvm::Expected<RecoveredProduct> parse(llvm::StringRef line);
};

/// `name` as one word of a calibration table: blanks, control characters, # and
/// % as %XX.
std::string escapeName(llvm::StringRef name);
/// The name that such a word stands for; std::nullopt if a % has no two
/// hexadecimal digits.
std::optional<std::string> unescapeName(llvm::StringRef text);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_RECOVEREDPRODUCT_H
