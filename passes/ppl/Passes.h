//===- Passes.h - passes over kernels ---------------------------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_PASSES_H
#define WEFT_PASSES_PPL_PASSES_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace weft::ppl {

/// `--ppl-expand`: the functions of PPL become commands.
std::unique_ptr<mlir::Pass> createExpandPass();

void registerPplPasses();

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_PASSES_H
