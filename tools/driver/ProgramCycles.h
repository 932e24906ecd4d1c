//===- ProgramCycles.h - predicted cycles of a net --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_PROGRAMCYCLES_H
#define WEFT_TOOLS_DRIVER_PROGRAMCYCLES_H

#include "codegen/encode/Encode.h"
#include "runtime/chips/Chip.h"

#include "llvm/ADT/MapVector.h"

namespace weft::driver {

/// An ONNX node as locations name it: its name, and its position in the graph.
using NodeKey = std::pair<mlir::StringAttr, int64_t>;

/// The nodes that `location` names, fused ones in order, each once.
llvm::SmallVector<NodeKey, 2> nodesOf(mlir::Location location);

/// A run of a net, predicted.
struct ProgramCycles {
  uint64_t total = 0; ///< those of `weft profile`
  /// Cycles on the critical path by where their commands come from; together
  /// they are the total.
  llvm::MapVector<mlir::Location, uint64_t> critical;
  size_t commands = 0;  ///< of both engines
  size_t hostParts = 0; ///< which cost no cycles here
};

/// Encodes `net`, its commands in `order`, and predicts its run on `chip`.
/// std::nullopt if it cannot be encoded, which is reported, or cannot run.
std::optional<ProgramCycles>
predictCycles(ppl::NetOp net, const Chip &chip,
              codegen::Order order = codegen::Order::Scheduled);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PROGRAMCYCLES_H
