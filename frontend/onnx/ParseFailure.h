//===- ParseFailure.h - why bytes are no ONNX model -------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_PARSEFAILURE_H
#define WEFT_FRONTEND_ONNX_PARSEFAILURE_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace weft::onnx {

/// Depth of messages within messages that protobuf is allowed to follow.
inline constexpr int kMaxNesting = 100;

/// Walks the top-level fields of bytes that protobuf refused and says why: "is
/// truncated: ..". At most 2 GiB.
std::string explainParseFailure(llvm::ArrayRef<char> bytes);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_PARSEFAILURE_H
