//===- Pack.h - encoded commands to a bmodel file ---------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_PACK_H
#define WEFT_CODEGEN_PACK_PACK_H

#include "codegen/encode/Encode.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::codegen {

struct PackOptions {
  /// Leaves the debug map and the names of the weights out.
  bool strip = false;
  /// Free text of Model.time; empty keeps the file reproducible.
  std::string time;
  /// Compiler that wrote the file, "weft 0.1.0".
  std::string producer;
  /// Operators of the ONNX nodes by position in the graph, for the debug map.
  std::vector<std::string> nodeOpTypes;
};

/// The bytes of a bmodel with one static net of one stage: inputs, outputs,
/// weights and memory map from `net`, commands and debug map from `encoded`.
/// The same arguments give the same bytes. Reports on `net` and fails if an
/// input or output has a type that a bmodel cannot store, or a weight no bytes.
mlir::FailureOr<std::vector<uint8_t>> packBmodel(ppl::NetOp net,
                                                 const EncodedProgram &encoded,
                                                 const PackOptions &options);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_PACK_H
