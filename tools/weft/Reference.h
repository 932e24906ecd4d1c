//===- Reference.h - what an ONNX model should give -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_REFERENCE_H
#define WEFT_TOOLS_WEFT_REFERENCE_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"
#include "tools/preprocess/Preprocess.h"

#include <map>
#include <optional>
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

/// What gives the values.
struct ReferenceModel {
  std::string onnx;    ///< path
  std::string program; ///< path of what was made from it
  /// In place of inputs.
  NamedTensors bindings;
  std::vector<std::string> plugins; ///< paths of libraries of operators
  /// If set, steps in front of the graph, as convert --fuse-preprocess has
  /// them.
  std::optional<preprocess::Options> fused;
};

/// Evaluates an ONNX model on the float evaluator of `top`, with the shapes of
/// `inputs`, which must be exactly those of the model that are not bound.
/// Code::Unsupported in a build without the compiler: reference values must
/// then come from a file.
rt::Result<ReferenceValues> evaluateOnnx(const ReferenceModel &model,
                                         const NamedTensors &inputs,
                                         bool withLayers);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_REFERENCE_H
