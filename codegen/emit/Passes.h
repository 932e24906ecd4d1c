//===- Passes.h - passes of codegen/emit ------------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_PASSES_H
#define WEFT_CODEGEN_EMIT_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace weft::emit {

#define GEN_PASS_DECL
#include "codegen/emit/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/emit/Passes.h.inc"

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_PASSES_H
