//===- ExactGraph.h - what a program must compute, bit by bit ---*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_EXACTGRAPH_H
#define WEFT_TOOLS_DRIVER_EXACTGRAPH_H

#include "tools/driver/Compile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft {
struct EvaluationAids;
} // namespace weft

namespace weft::driver {

/// The elements of `from` in the type of `to`, which has as many.
void convertStored(const numeric::HostTensor &from, numeric::HostTensor &to);

/// The graph of a conversion with its numbers (Stage::Numbers) on the exact
/// evaluator of `tpu`: what the program stores, whatever groups, slices, lanes
/// and commands it has.
class ExactGraph {
public:
  /// Tensors by ONNX name.
  using Tensors = std::map<std::string, numeric::HostTensor>;

  /// Imports and lowers the model. Fails with what the compiler says of it.
  static rt::Result<std::unique_ptr<ExactGraph>>
  open(const CompilationSource &source, const CompileOptions &options);

  /// For each of `values`, what a program stores (in ONNX's order of elements),
  /// what the operations since the values before it give from these: equal to
  /// it, bit by bit, if the program has done these right. Values of names or
  /// element counts that the graph has not are left out, and codes where it has
  /// reals; of another stored type (where a cast moved) they are rounded to it.
  struct OwnValues {
    Tensors layers;
    /// As they are stored, in the order of n, c, h, w; from the last of
    /// `values`.
    Tensors outputs;
    /// Of `layers`, in the order of computation.
    std::vector<std::string> order;
  };
  /// `inputs` are the program's own, of the user's types and shapes.
  rt::Result<OwnValues> evaluateOnOwnInputs(const Tensors &inputs,
                                            const Tensors &values);

  /// What 8-bit codes can be of a value that is a float in the program.
  struct CodeRange {
    double least = 0, most = 0;
  };
  /// Of named floats that operations read as codes, by name.
  std::map<std::string, CodeRange> codesOfFloats();

private:
  ExactGraph() = default;

  rt::Result<Tensors> run(const Tensors &inputs, const EvaluationAids &aids);
  rt::Status failure();

  std::string problems; ///< what the compiler printed
  std::unique_ptr<llvm::raw_string_ostream> stream;
  std::unique_ptr<Compilation> compilation;
  std::map<std::string, bool> channelsLast; ///< of named values
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_EXACTGRAPH_H
