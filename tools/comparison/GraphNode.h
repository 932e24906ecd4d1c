//===- GraphNode.h - an operation of a float graph --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_COMPARISON_GRAPHNODE_H
#define WEFT_TOOLS_COMPARISON_GRAPHNODE_H

#include <cstdint>
#include <string>
#include <vector>

namespace weft::comparison {

/// An operation of a graph, or an input of it.
struct GraphNode {
  std::vector<std::string> values; ///< ONNX names of its results; may lack some
  std::string node;                ///< name of the ONNX node; "": an input
  std::string opType;              ///< ONNX's; "": unknown, or an input
  std::vector<int64_t> shape;      ///< of the first result
  /// Places of the nodes that it reads in the list that it is in, each once;
  /// all before its own.
  std::vector<uint32_t> inputs;
};

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_GRAPHNODE_H
