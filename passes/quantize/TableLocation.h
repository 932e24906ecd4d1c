//===- TableLocation.h - where a table's problems are -----------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_TABLELOCATION_H
#define WEFT_PASSES_QUANTIZE_TABLELOCATION_H

#include "mlir/IR/Location.h"

namespace weft::quantize {

/// Of errors of a calibration or precision table that is read from `table`, its
/// path or its text: they name the file themselves, so nothing, above all not
/// the model, stands in front of them.
inline mlir::Location tableLocation(mlir::MLIRContext *context,
                                    llvm::StringRef table) {
  return mlir::NameLoc::get(mlir::StringAttr::get(
      context, table.contains('\n') ? llvm::StringRef("table") : table));
}

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_TABLELOCATION_H
