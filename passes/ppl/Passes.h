//===- Passes.h - passes over kernels ---------------------------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_PASSES_H
#define WEFT_PASSES_PPL_PASSES_H

#include "dialects/ppl/Net.h"

#include "mlir/Pass/Pass.h"

#include <cstdint>
#include <memory>

namespace weft::ppl {

#define GEN_PASS_DECL
#include "passes/ppl/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/ppl/Passes.h.inc"

/// Whether a pipelined loop has one round alone. By stages its engines overlap,
/// but all of its tensors are live at the same time.
bool hasLoopOfOneRound(NetOp net);

/// What `--ppl-allocate` does: 0, or an error is reported and the answer is
/// 0x11 (local memory is too small) or 0x1A (L2 is), the numbers that the
/// manual's callers wait for to try a smaller block; failure after any other
/// error. `method` is a memory_alloc_method_t; `l2Bytes` what the program may
/// use of L2; with `hasCommands`, functions get the scratch memory of their
/// commands.
mlir::FailureOr<int> allocateTensors(NetOp net, unsigned method,
                                     uint64_t l2Bytes, bool hasCommands);

/// Places the L2 tensors of one block of several. The n-th one is one tensor in
/// all of them, so `blocks` (as recorded, `net` may be a copy of one) decide
/// together, and two tensors only share bytes if a barrier stands between all
/// their uses. 0, or an error is reported and the answer is 0x1A.
int placeSharedL2(NetOp net, llvm::ArrayRef<NetOp> blocks, uint64_t l2Bytes);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_PASSES_H
