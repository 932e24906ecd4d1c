//===- OutputParts.h - what an output joins ---------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_OUTPUTPARTS_H
#define WEFT_TOOLS_DRIVER_OUTPUTPARTS_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace weft::driver {

/// Elements of an output that were one value before they were joined.
struct OutputPart {
  std::string name;              ///< of the ONNX value, or its number
  std::vector<int64_t> elements; ///< ascending places in the output
};

/// By the name of an output: what its concatenations join.
using OutputParts = std::map<std::string, std::vector<OutputPart>>;

/// Of the outputs of the float graph `module` that are concatenations, also
/// through reshapes, transposes and casts, and of such. Boxes up to 640 beside
/// scores up to 1 are all that is seen in one number for both. Constants are
/// no parts. An output of more than 16 parts has none: that is a sequence, not
/// several answers.
OutputParts outputPartsOf(mlir::ModuleOp module);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_OUTPUTPARTS_H
