//===- GraphOrder.h - the order in which nodes can run ----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_GRAPHORDER_H
#define WEFT_FRONTEND_ONNX_GRAPHORDER_H

#include "frontend/onnx/OnnxModel.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace weft::onnx {

/// A wrong connection: at a node, or at the graph if `node` is negative.
struct OrderProblem {
  int64_t node;
  std::string message;
};

/// The nodes in an order in which every value is made before it is used (the
/// file's order where it is one already), and what stands against it: values
/// nobody makes, values made twice, cycles. Nodes on a cycle, and nodes that
/// need a value from one, are left out.
struct GraphOrder {
  std::vector<unsigned> nodes;
  std::vector<OrderProblem> problems;
};

/// `given` are the names that exist before the first node: inputs and
/// initializers.
GraphOrder orderNodes(llvm::ArrayRef<Node> nodes,
                      llvm::ArrayRef<std::string> given);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_GRAPHORDER_H
