//===- Reference.h - what an ONNX model should give -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_REFERENCE_H
#define WEFT_TOOLS_WEFT_REFERENCE_H

#include "frontend/onnx/GraphCut.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/digest/Sha256.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"
#include "tools/comparison/GraphNode.h"
#include "tools/comparison/OutputPart.h"
#include "tools/comparison/ZeroFloor.h"
#include "tools/preprocess/Preprocess.h"

#include <functional>
#include <map>
#include <memory>
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

/// The shape of an image in the other of NCHW and NHWC, by the name of the
/// input of a program that takes one image as bytes; nothing of others.
std::optional<std::map<std::string, std::vector<int64_t>>>
inOtherLayout(const NamedTensors &inputs);

/// What evaluates models: "weft 0.1.0, ONNX library 1.23.2"; empty in a build
/// without the compiler.
std::string evaluatorVersion();

/// The part of its model that a program was made of, if it tells; the whole
/// model in a build without the compiler. Errors as driver::recordedCut().
rt::Result<onnx::GraphCut> recordedCut(const rt::NetSpec &net,
                                       const std::string &path);

/// ReferenceModel::emptyInputs of a program, if it tells; none in a build
/// without the compiler. Errors as driver::recordedEmptyInputs().
rt::Result<std::map<std::string, std::vector<int64_t>>>
recordedEmptyInputs(const rt::NetSpec &net, const std::string &path);

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
  onnx::GraphCut cut = {}; ///< the part of it that was converted
  /// Of its empty sequences and optionals without a value, which no input of
  /// the program tells (onnx::ImportOptions::emptyInputs).
  std::map<std::string, std::vector<int64_t>> emptyInputs = {};
};

/// An ONNX model on the float evaluator of `top`.
class OnnxReference {
public:
  /// Code::Unsupported in a build without the compiler: reference values must
  /// then come from a file. `model` outlives what is opened.
  static rt::Result<std::unique_ptr<OnnxReference>>
  open(const ReferenceModel &model);
  virtual ~OnnxReference() = default;

  /// Called for each layer that was evaluated, with its number from 1 and how
  /// many there are; may be null.
  std::function<void(size_t layer, size_t layers)> progress = nullptr;

  /// Of the model, as conversions record it (rt::Conversion::modelDigest); once
  /// something was evaluated.
  virtual const std::optional<rt::Digest> &digest() const = 0;
  /// The values for `inputs`, which must be exactly those of the model that are
  /// not bound; the graph takes their shapes.
  virtual rt::Result<ReferenceValues> evaluate(const NamedTensors &inputs,
                                               bool withLayers) = 0;
  /// For each of `values`, by ONNX value name, what the operations since the
  /// values before it give from these: what a layer should have given for the
  /// inputs that it really had. Of the graph evaluated last; values of another
  /// element count than the graph's are left out.
  virtual rt::Result<NamedTensors>
  evaluateOnOwnInputs(const NamedTensors &inputs,
                      const NamedTensors &values) = 0;
  /// What rounding does to the values of the graph for these inputs.
  virtual rt::Result<comparison::RoundingNoise>
  roundingNoise(const NamedTensors &inputs) = 0;
  /// Of its values that functions of a known range give.
  virtual rt::Result<comparison::RangeEnds>
  rangeEnds(const NamedTensors &inputs) = 0;
  /// What the outputs of the graph for these inputs join.
  virtual rt::Result<comparison::OutputParts>
  outputParts(const NamedTensors &inputs) = 0;
  /// Nodes and edges of the graph for these inputs.
  virtual rt::Result<std::vector<comparison::GraphNode>>
  outline(const NamedTensors &inputs) = 0;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_REFERENCE_H
