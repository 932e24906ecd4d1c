//===- Passes.h - programs of vector operations -----------------*- C++ -*-===//

#ifndef WEFT_PASSES_ZHOUYI_PASSES_H
#define WEFT_PASSES_ZHOUYI_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace weft::zhouyi {

#define GEN_PASS_DECL
#include "passes/zhouyi/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/zhouyi/Passes.h.inc"

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_PASSES_H
