//===- GraphCut.h - a part of a model in place of the whole -----*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_GRAPHCUT_H
#define WEFT_FRONTEND_ONNX_GRAPHCUT_H

#include <string>
#include <vector>

namespace weft::onnx {

struct Model;

/// Values of the main graph between which a model is imported. A text that is
/// no value's name is a list of names between commas.
struct GraphCut {
  /// What become the inputs, in place of those that the graph has; empty: they
  /// stay. Their types are what the file declares or ONNX's rules infer.
  std::vector<std::string> inputs;
  /// What become the outputs; empty: they stay.
  std::vector<std::string> outputs;

  bool isWhole() const { return inputs.empty() && outputs.empty(); }
  bool operator==(const GraphCut &other) const {
    return inputs == other.inputs && outputs == other.outputs;
  }
};

/// Cuts `model`: nodes that its outputs do not need are left out, the others
/// keep their positions in the file (Node::index). Inputs that are made
/// constants, or that were there before and that nothing needs any more, go.
/// Gives what is wrong, one text a problem, and then leaves `model` as it is: a
/// name that no value has, an input that the outputs do not need, or one that
/// they need besides. `cut` gets one name an entry.
std::vector<std::string> cutGraph(Model &model, GraphCut &cut);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_GRAPHCUT_H
