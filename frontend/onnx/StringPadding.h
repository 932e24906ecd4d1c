//===- StringPadding.h - whether strings may be a tensor --------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_STRINGPADDING_H
#define WEFT_FRONTEND_ONNX_STRINGPADDING_H

#include <cstdint>
#include <string>

namespace weft::onnx {

/// Strings that are to be a tensor, where each takes the bytes of the longest.
/// A small file must not take a large memory, so some are refused.
struct StringPadding {
  uint64_t count = 0, longest = 1, ownBytes = 0;

  void add(const std::string &text) {
    ++count;
    longest = longest < text.size() ? text.size() : longest;
    ownBytes += text.size();
  }
  /// Why they are refused: "has .."; "" if they are not.
  std::string problem() const;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_STRINGPADDING_H
