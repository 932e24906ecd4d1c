//===- KernelLowering.h - recorded kernels to commands -----------*- C++
//-*-===//

#ifndef WEFT_TOOLS_DRIVER_KERNELLOWERING_H
#define WEFT_TOOLS_DRIVER_KERNELLOWERING_H

#include "frontend/ppl/Recorder.h"

namespace weft::driver {

/// How far, and how.
struct KernelLowering {
  /// Rounds of pipelined loops stay one after the other.
  bool serial = false;
  /// Functions become commands; without, tensors only get their addresses.
  bool commands = true;
  /// Loops of one round that do not fit by stages keep the order that is
  /// written, with a warning. Who tries sizes wants smaller ones instead.
  bool keepsOrderOfSingles = true;
};

/// PPL's codes of failure (PPL 2.4).
constexpr int kNoLocalMemory = 0x11, kFinalError = 0x17, kNoL2Memory = 0x1A;

/// Pipelines, expands and places the net that `recorder` has recorded: 0, or
/// one of the codes above, and the reason is reported. `blocks` are the nets of
/// all blocks as recorded, which share L2.
int lowerKernel(ppl::NetOp net, llvm::ArrayRef<ppl::NetOp> blocks,
                const frontend::Recorder &recorder, KernelLowering how);

/// The code for memory that lowering a copy of the net would give; 0 if it
/// fits or fails for another reason, which is reported when it is lowered.
/// Reports nothing.
int memoryCodeOf(ppl::NetOp recorded, const frontend::Recorder &recorder);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_KERNELLOWERING_H
