//===- OnnxFuzz.cpp - any bytes as an ONNX file ---------------------------===//
//
// Reading must give a model, with its problems listed, or an error. Nothing may
// crash, hang or throw.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/OnnxModel.h"

#include <cstddef>
#include <cstdint>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  llvm::ArrayRef<char> content(reinterpret_cast<const char *>(bytes), size);
  llvm::Expected<onnx::Model> model = onnx::readModelBytes(content);
  if (!model)
    llvm::consumeError(model.takeError());
  return 0;
}
