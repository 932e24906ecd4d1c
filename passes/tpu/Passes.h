//===- Passes.h - grouping, tiling and placement of tpu graphs --*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_PASSES_H
#define WEFT_PASSES_TPU_PASSES_H

#include "passes/tpu/GroupSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace weft::tpu {

#define GEN_PASS_DECL
#include "passes/tpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/tpu/Passes.h.inc"

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_PASSES_H
