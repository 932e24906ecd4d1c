//===- Passes.h - moves of Ascend for float graphs --------------*- C++ -*-===//

#ifndef WEFT_PASSES_ASCEND_PASSES_H
#define WEFT_PASSES_ASCEND_PASSES_H

#include "dialects/ascend/Ascend.h"
#include "dialects/top/Top.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace weft::ascend {

// createAscendPlanInputs, its options and registerAscendPasses() are generated.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/ascend/Passes.h.inc"

} // namespace weft::ascend

#endif // WEFT_PASSES_ASCEND_PASSES_H
