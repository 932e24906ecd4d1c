//===- VendorTables.h - tables of the vendor's compiler ---------*- C++ -*-===//
//
// What `run_calibration` of TPU-MLIR writes, beside Weft's own tables: ranges,
//
//   # histogram number: 2048
//   ###
//   # op_name    threshold    min    max
//   input 1.0000080 0.0000000 1.0000080
//   y_Relu 14.1838938 0.0000000 21.0120354
//   #int4_th
//   ..
//
// and precisions, "y_Conv F16" a line. It calls the ONNX value `y` by the type
// of the operation that gives it, `y_Relu`; inputs keep their names.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_VENDORTABLES_H
#define WEFT_PASSES_QUANTIZE_VENDORTABLES_H

#include "passes/quantize/Calibration.h"
#include "passes/quantize/PrecisionTable.h"

namespace weft::quantize {

/// What some editors write in front of a text.
inline constexpr llvm::StringLiteral kByteOrderMark = "\xEF\xBB\xBF";

/// "y" of "y_Relu"; "" of a name that does not end like a type.
llvm::StringRef valueOfVendorName(llvm::StringRef name);

/// Whether the lines of `text` that are no comments begin with one of four
/// words, or of a name and a word of letters and digits.
bool isVendorCalibration(llvm::StringRef text);
bool isVendorPrecisions(llvm::StringRef text);

/// Entries are found by both names. Sections behind the ranges (`#int4_th`,
/// `#asym_op`) are of other forms and left out. Errors read
/// "<source>:<line>: ...".
llvm::Expected<CalibrationTable> parseVendorCalibration(llvm::StringRef text,
                                                        llvm::StringRef source);
/// BF16 becomes f32, which holds all of it: no program of Weft mixes bf16 with
/// codes.
llvm::Expected<PrecisionTable> parseVendorPrecisions(llvm::StringRef text,
                                                     llvm::StringRef source);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_VENDORTABLES_H
