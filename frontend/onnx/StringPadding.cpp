//===- StringPadding.cpp - whether strings may be a tensor ----------------===//

#include "frontend/onnx/StringPadding.h"
#include "frontend/onnx/OnnxModel.h"

#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

std::string weft::onnx::StringPadding::problem() const {
  // The longest of a list of words has some ten times the bytes of a usual one.
  constexpr uint64_t kFree = uint64_t(16) << 20, kOfOwn = 64;
  uint64_t padded = count * longest; // of 31 bits each
  if (padded <= uint64_t(kMaxElements) &&
      padded <= std::max(kFree, kOfOwn * ownBytes))
    return "";
  return llvm::formatv("has {0} strings, the longest of {1} bytes; each takes "
                       "as many, {2} in all; shorten the longest",
                       count, longest, padded)
      .str();
}
