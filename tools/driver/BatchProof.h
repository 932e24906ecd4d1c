//===- BatchProof.h - which batches a stage may be padded to ----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_BATCHPROOF_H
#define WEFT_TOOLS_DRIVER_BATCHPROOF_H

#include "tools/driver/Compile.h"

namespace weft::driver {

/// Whether the stages of a model may be run with fewer entries along axis 0 of
/// their inputs than they were compiled for.
struct BatchProof {
  /// By the names of inputs and outputs; empty if nothing is proven.
  std::map<std::string, int32_t> axes;
  /// Largest batch; 0 if axis 0 is of one size or nothing is proven.
  int64_t largest = 0;
  /// Why nothing is proven; empty if axis 0 is of one size.
  std::string obstacle;
};

/// Imports the model for every size of the batch up to the largest stage's (and
/// every combination of the other sizes). The claim is proven if the largest
/// graph keeps the entries of the batch apart op by op (top::findBatchAxes) and
/// all graphs are the same one but for the size of the batch. `shapes` are
/// those of the arguments of each stage, by name.
BatchProof proveBatch(const std::string &path,
                      const std::vector<InputShapes> &shapes,
                      const InputBindings &bindings,
                      const Plugins &plugins = {},
                      const onnx::GraphCut &cut = {});

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_BATCHPROOF_H
