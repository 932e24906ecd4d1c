//===- Pack.h - encoded commands to a bmodel file ---------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_PACK_H
#define WEFT_CODEGEN_PACK_PACK_H

#include "codegen/encode/Encode.h"
#include "runtime/bmodel/PackedFile.h"

#include <cstdint>
#include <map>
#include <set>
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
  /// What it was asked for, for the first stage's debug map.
  rt::wire::ConversionT conversion;
};

/// What the users of a stage should know of its inputs and outputs beside their
/// types, by their names.
struct InterfaceNotes {
  /// Names of the dimensions in the ONNX model; "" if one has none.
  std::map<std::string, std::vector<std::string>> symbols;
  /// Tensors of bytes that are strings in the ONNX model.
  std::set<std::string> strings;
  /// Axis along which zeros may be added to the inputs and the same number of
  /// entries cut off the outputs; none if that is not exact.
  std::map<std::string, int32_t> batchAxes;
};

/// One stage: inputs, outputs, weights and memory map from `net`, commands and
/// debug map from `encoded`.
struct StageProgram {
  ppl::NetOp net;
  const EncodedProgram *encoded = nullptr;
  /// Operators of the ONNX nodes by position in the graph, for the debug map.
  std::vector<std::string> nodeOpTypes;
  InterfaceNotes notes;
  /// The nodes of the debug map are lines of a kernel's source; their texts by
  /// position (driver::nameSourceLines).
  bool hasLines = false;
  std::vector<std::string> sourceLines = {};
};

/// The weights stay where they are, in the contexts of the nets, which must
/// live longer.
using rt::PackedFile;

/// The bmodel of one static net. Several stages share one weight area
/// (WeightArea has moved them). The same arguments give the same bytes. Reports
/// on a net and fails if an input or output has a type that a bmodel cannot
/// store, or a weight no bytes.
mlir::FailureOr<PackedFile> packBmodel(llvm::ArrayRef<StageProgram> stages,
                                       const PackOptions &options);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_PACK_H
