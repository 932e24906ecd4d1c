//===- Conversion.h - what a bmodel says of its making ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_CONVERSION_H
#define WEFT_RUNTIME_BMODEL_CONVERSION_H

#include "runtime/bmodel/Bmodel.h"

#include <optional>
#include <string_view>
#include <vector>

namespace weft::rt {

/// An option of `weft convert` by its name there.
struct ConversionOption {
  std::string_view key, value; ///< without a "=" there is no value
};

/// The record of a conversion (table Conversion); parts of the bmodel's bytes.
struct Conversion {
  std::string_view compiler;             ///< "weft 0.1.0"
  std::vector<ConversionOption> options; ///< those that are not the defaults
  /// Texts of the tables; empty: none, or too long to be kept.
  std::string_view calibration, precisionTable;
  /// Of the whole calibration table; empty if there was none.
  ByteSpan calibrationDigest;
  /// Of the ONNX model (Conversion.model_sha256); empty in older files.
  ByteSpan modelDigest;

  bool hasCalibration() const { return calibrationDigest.size != 0; }
  /// The value of an option; std::nullopt if it is the default.
  std::optional<std::string_view> find(std::string_view key) const;
};

/// What `net` tells of the conversion of stage `stage`, if it does: files of
/// other compilers, stripped ones and older ones do not. A record is that of
/// all stages up to the next one (of a net that was combined of several files).
/// The bmodel outlives the result.
std::optional<Conversion> readConversion(const NetSpec &net, size_t stage = 0);

/// Whether stage `stage` has a record in its own map.
bool hasOwnConversion(const StageSpec &stage);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_CONVERSION_H
