//===- DebugMapBuilder.h - origins and places of an encoded net -*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_DEBUGMAPBUILDER_H
#define WEFT_CODEGEN_PACK_DEBUGMAPBUILDER_H

#include "codegen/encode/Encode.h"
#include "dialects/tpu/Decision.h"
#include "runtime/bmodel/bmodel_generated.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::codegen {

/// The debug map of `program`: for every command the ONNX nodes that its
/// location names (NameLoc over FileLineColLoc, fused ones all), for every
/// observed ONNX value its pieces in the order in which they are complete.
/// `nodeOpTypes` gives the operator of a node by its position in the graph; it
/// may be shorter or empty. `sourceLines` are texts by the same position, of
/// nodes that are lines of a kernel. `decisions` may be null. Reports and fails
/// if a value has a type that the map cannot name.
mlir::FailureOr<std::unique_ptr<rt::wire::DebugMapT>> buildDebugMap(
    const EncodedProgram &program, const std::vector<std::string> &nodeOpTypes,
    const std::vector<std::string> &sourceLines, tpu::DecisionsAttr decisions);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_DEBUGMAPBUILDER_H
