//===- Passes.h - passes over kernels ---------------------------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_PASSES_H
#define WEFT_PASSES_PPL_PASSES_H

#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace weft::ppl {

class NetOp;

/// `--ppl-pipeline`: transfers and computations of marked loops overlap; with
/// `serial` their rounds only follow each other.
std::unique_ptr<mlir::Pass> createPipelinePass(bool serial = false);

/// `--ppl-allocate`: tensors get their addresses.
std::unique_ptr<mlir::Pass> createAllocatePass();

/// What `--ppl-allocate` does: 0, or an error is reported and the answer is
/// 0x11 (local memory is too small) or 0x1A (L2 is), the numbers that the
/// manual's callers wait for to try a smaller block; failure after any other
/// error. `method` is a memory_alloc_method_t; `l2Bytes` what the program may
/// use of L2; with `hasCommands`, functions get the scratch memory of their
/// commands.
mlir::FailureOr<int> allocateTensors(NetOp net, unsigned method,
                                     uint64_t l2Bytes, bool hasCommands);

void registerPplPasses();

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_PASSES_H
