//===- KernelLowering.cpp - recorded kernels to commands ------------------===//

#include "tools/driver/KernelLowering.h"
#include "dialects/ppl/Memory.h"
#include "passes/ppl/Passes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::driver;

/// Bytes of L2 that the tensors of a kernel, or else the scratch of its
/// functions, may take; asked before the functions are expanded.
static uint64_t l2BytesOf(ppl::NetOp recorded,
                          const frontend::Recorder &recorder) {
  const Chip &chip = recorder.chip;
  if (chip.cores > 1)
    return chip.l2MemoryBytes / chip.cores * recorder.blocks;
  // The manual offers kernels no L2 on chips with one core; what expansions
  // need for themselves finds place there.
  bool isForKernel = false;
  recorded.getBody().walk([&](ppl::AllocOp alloc) {
    isForKernel |= alloc.getTensor().getType().isL2();
  });
  return isForKernel ? 0 : chip.l2MemoryBytes;
}

/// From the recorded order to places.
static int pipelineAndPlace(ppl::NetOp net, const frontend::Recorder &recorder,
                            KernelLowering how, uint64_t l2Bytes,
                            bool serialSingles) {
  PassManager passes(net.getContext(), ppl::NetOp::getOperationName());
  passes.addPass(ppl::createPplPipeline({how.serial, serialSingles}));
  if (failed(passes.run(net)))
    return kFinalError;
  FailureOr<int> code = ppl::allocateTensors(net, recorder.allocationMethod,
                                             l2Bytes, how.commands);
  return failed(code) ? kFinalError : *code;
}

int driver::lowerKernel(ppl::NetOp net, ArrayRef<ppl::NetOp> blocks,
                        const frontend::Recorder &recorder,
                        KernelLowering how) {
  uint64_t l2Bytes = l2BytesOf(net, recorder);
  // Before rounds of loops change their order: tensors go by their number.
  if (recorder.blocks > 1)
    if (int code = ppl::placeSharedL2(net, blocks, l2Bytes))
      return code;
  if (how.serial || !how.keepsOrderOfSingles || !ppl::hasLoopOfOneRound(net))
    return pipelineAndPlace(net, recorder, how, l2Bytes, false);
  OwningOpRef<ppl::NetOp> spare = cast<ppl::NetOp>(net->clone());
  std::vector<Diagnostic> held;
  int code = 0;
  {
    ScopedDiagnosticHandler hold(net.getContext(), [&](Diagnostic &diagnostic) {
      held.push_back(std::move(diagnostic));
      return success();
    });
    code = pipelineAndPlace(net, recorder, how, l2Bytes, false);
  }
  if (code == kNoLocalMemory || code == kNoL2Memory) {
    net.getBodyRegion().takeBody(spare->getBodyRegion());
    return pipelineAndPlace(net, recorder, how, l2Bytes, true);
  }
  for (Diagnostic &diagnostic : held)
    net.getContext()->getDiagEngine().emit(std::move(diagnostic));
  return code;
}

int driver::memoryCodeOf(ppl::NetOp recorded,
                         const frontend::Recorder &recorder) {
  ScopedDiagnosticHandler silence(recorded.getContext(),
                                  [](Diagnostic &) { return success(); });
  OwningOpRef<ppl::NetOp> copy = cast<ppl::NetOp>(recorded->clone());
  KernelLowering how;
  how.commands = recorder.chip.hasCommands();
  how.keepsOrderOfSingles = false;
  int code = lowerKernel(*copy, recorded, recorder, how);
  return code == kFinalError ? 0 : code;
}
