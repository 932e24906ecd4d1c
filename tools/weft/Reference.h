//===- Reference.h - what an ONNX model should give -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_REFERENCE_H
#define WEFT_TOOLS_WEFT_REFERENCE_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <map>
#include <string>
#include <vector>

namespace weft::cli {

/// Tensors by ONNX name.
using NamedTensors = std::map<std::string, numeric::HostTensor>;

/// Values of a model for one set of inputs.
struct ReferenceValues {
  NamedTensors outputs;
  /// Intermediate values by ONNX value name, if asked for.
  NamedTensors layers;
};

/// Evaluates an ONNX model on the float evaluator of `top`, with the inputs'
/// shapes, `bindings` in place of inputs and the operators of the libraries
/// `plugins`. Inputs must be exactly the rest of
/// the model's. Code::Unsupported in a build
/// without the compiler: reference values must then come from a file.
rt::Result<ReferenceValues>
evaluateOnnx(const std::string &path, const NamedTensors &inputs,
             const NamedTensors &bindings,
             const std::vector<std::string> &plugins, bool withLayers);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_REFERENCE_H
