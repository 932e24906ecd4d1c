//===- Passes.h - numbers and a chip for the graph -------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_PASSES_H
#define WEFT_PASSES_QUANTIZE_PASSES_H

#include "runtime/chips/Targets.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace weft::quantize {

#define GEN_PASS_DECL
#include "passes/quantize/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/quantize/Passes.h.inc"

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_PASSES_H
