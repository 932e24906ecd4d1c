//===- Reducer.h - the smallest model that still fails ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_REDUCER_H
#define WEFT_TOOLS_DRIVER_REDUCER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft::driver {

/// Whether a model (the bytes of a file) still shows the failure.
using FailureCheck = std::function<bool(const std::string &bytes)>;

struct ReducedModel {
  std::string bytes;
  size_t nodesBefore = 0, nodesAfter = 0;
  size_t checks = 0;
};

/// Cuts a model down by delta debugging, as long as `stillFails`:
///
/// * nodes: halves, quarters .. single ones go; what they made becomes an input
///   of the graph, what nobody reads any more an output,
/// * a node passes on an input of the same type and shape as its result,
/// * a constant becomes an input, or zeros,
/// * attributes, outputs, unused inputs, constants and functions go.
///
/// Ends when nothing can be left out, or after `maxChecks` checks. The result
/// is the last model that failed; the given one must. External data is taken
/// into the model. Fails if the file cannot be read.
llvm::Expected<ReducedModel> reduceModel(llvm::StringRef path,
                                         const FailureCheck &stillFails,
                                         size_t maxChecks);

/// Shapes of values by their names.
using Shapes = std::map<std::string, std::vector<int64_t>>;

/// The nodes at the positions `nodes` of a graph, and what is computed of
/// constants for them, as a model of their own: what they read is an input, of
/// the shape in `shapes` if it is there; a sequence is made of its tensors if
/// their shapes are there ("S[0]", "S[1]" ..). Fails if the file cannot be
/// read, or if it has functions.
llvm::Expected<ReducedModel> cutOutNodes(llvm::StringRef path,
                                         llvm::ArrayRef<int32_t> nodes,
                                         const Shapes &shapes);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_REDUCER_H
