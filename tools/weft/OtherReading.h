//===- OtherReading.h - where two evaluators of ONNX part -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_OTHERREADING_H
#define WEFT_TOOLS_WEFT_OTHERREADING_H

#include "tools/weft/ComparisonRows.h"

namespace weft::cli {

/// Looks for the first value, in the order of computation, for which
/// `evaluator` gives other numbers than ONNX Runtime, whose values `theirs`
/// are, and adds it to `found` with a warning. They may differ by what sums in
/// another order do in the precision that the model itself has.
void addOtherReading(OnnxReference &evaluator, const NamedTensors &inputs,
                     const NamedTensors &theirs, SampleComparison &found);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_OTHERREADING_H
