//===- OutputPart.h - one of several answers in an output -------*- C++ -*-===//

#ifndef WEFT_TOOLS_COMPARISON_OUTPUTPART_H
#define WEFT_TOOLS_COMPARISON_OUTPUTPART_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::comparison {

/// Elements of an output that were one value before they were joined.
struct OutputPart {
  std::string name;              ///< of the ONNX value, or its number
  std::vector<int64_t> elements; ///< ascending places in the output
};

/// By the name of an output: what its concatenations join.
using OutputParts = std::map<std::string, std::vector<OutputPart>>;

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_OUTPUTPART_H
