//===- Passes.h - passes over the top dialect ---------------------*- C++
//-*-===//

#ifndef WEFT_PASSES_TOP_PASSES_H
#define WEFT_PASSES_TOP_PASSES_H

#include "dialects/top/Top.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace weft::top {

// The factories (createTopFoldConstants, createTopCanonicalize), option structs
// and registerTopPasses() are generated.
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/top/Passes.h.inc"

} // namespace weft::top

#endif // WEFT_PASSES_TOP_PASSES_H
