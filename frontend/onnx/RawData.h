//===- RawData.h - the weights of a mapped model stay there -----*- C++ -*-===//
//
// Protobuf copies every byte that it reads. A model's weights are nearly all of
// its bytes, and they already lie in the mapped file: protobuf is given the
// model without them.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_RAWDATA_H
#define WEFT_FRONTEND_ONNX_RAWDATA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace weft::onnx {

/// Key of the entry of TensorProto.external_data that stands for raw data which
/// was left out; its value is "<offset> <size>", bytes of the file. A file may
/// have such an entry of its own: it is checked like every other offset.
inline constexpr llvm::StringLiteral kRawDataKey = "weft.raw_data";

/// A ModelProto like `model`, but large raw data of the main graph's
/// initializers is an entry with kRawDataKey. std::nullopt if that saves less
/// than half, or if `model` is no well-formed message: protobuf has to say so.
std::optional<std::string> leaveOutRawData(llvm::ArrayRef<char> model);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_RAWDATA_H
