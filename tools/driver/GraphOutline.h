//===- GraphOutline.h - nodes and edges of a float graph --------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_GRAPHOUTLINE_H
#define WEFT_TOOLS_DRIVER_GRAPHOUTLINE_H

#include "frontend/onnx/Import.h"
#include "tools/comparison/GraphNode.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft::driver {

/// The inputs of the float graph `module` and its operations in their order,
/// without constants. `titles` are those of its import.
std::vector<comparison::GraphNode> graphOutline(mlir::ModuleOp module,
                                                const onnx::NodeTitles &titles);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_GRAPHOUTLINE_H
