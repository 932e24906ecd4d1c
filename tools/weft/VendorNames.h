//===- VendorNames.h - what the vendor's tools call a value -----*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_VENDORNAMES_H
#define WEFT_TOOLS_WEFT_VENDORNAMES_H

#include "tools/weft/Reference.h"

#include <string>

namespace weft::cli {

/// The tensor of `reference` that stands for the value `name`: of that name;
/// else, if either side may be the vendor's, the longest ONNX name that `name`
/// is the vendor's for, or the one that is the vendor's for `name`.
///
/// The vendor's compiler (tpu-mlir 1.30) calls the ONNX value `y` by the type
/// of its operation, what is made of it and what it was cast to: `y_Relu`,
/// `y_Relu_f32`, `y_Softmax__softmax_reshape_f32`. `name` itself if there is
/// none, or more than one: operations of several types.
std::string referenceName(const std::string &name, bool isOnnxName,
                          const NamedTensors &reference);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_VENDORNAMES_H
