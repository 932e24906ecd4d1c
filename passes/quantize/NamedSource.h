//===- NamedSource.h - where moved values have a calibrated range -*- C++
//-*-===//

#ifndef WEFT_PASSES_QUANTIZE_NAMEDSOURCE_H
#define WEFT_PASSES_QUANTIZE_NAMEDSOURCE_H

#include "mlir/IR/Value.h"

namespace weft::quantize {

/// `value` or, if that has no ONNX name, the named value whose elements (and
/// perhaps zeros, which every quantized type has) it only moves: rewriting and
/// composing make such values.
mlir::Value namedSource(mlir::Value value);

/// True if `value` or its source has an ONNX name, so that a calibration table
/// can know its range.
bool hasCalibratedName(mlir::Value value);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_NAMEDSOURCE_H
