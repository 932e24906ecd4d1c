//===- DecisionsBuilder.h - decisions for the debug map ---------*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_DECISIONSBUILDER_H
#define WEFT_CODEGEN_PACK_DECISIONSBUILDER_H

#include "dialects/tpu/Decision.h"
#include "runtime/bmodel/bmodel_generated.h"

#include <functional>
#include <memory>

namespace weft::codegen {

/// What the debug map knows already.
struct DebugMapIndices {
  /// Of DebugMap.sources; kNoIndex for a location without nodes.
  std::function<uint32_t(mlir::Location)> sourceOf;
  /// Of DebugMap.tensors by the name of the value; kNoIndex if it has none.
  std::function<uint32_t(llvm::StringRef)> tensorOf;
};

/// The wire form of `decisions`. Reports and fails if a value has a type that a
/// bmodel cannot name.
mlir::FailureOr<std::unique_ptr<rt::wire::DecisionsT>>
buildDecisions(tpu::DecisionsAttr decisions, const DebugMapIndices &indices);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_DECISIONSBUILDER_H
