//===- Accesses.h - what functions and commands touch -----------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_ACCESSES_H
#define WEFT_PASSES_PPL_ACCESSES_H

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"

namespace weft::ppl {

/// A tensor that an op reads or writes.
struct TensorAccess {
  mlir::Value tensor; ///< as the op names it
  mlir::Value root;   ///< the tensor that it is a view of
  bool reads = false;
  bool writes = false;
  /// Writes every element of `root`.
  bool coversRoot = false;
};

/// The tensor that `tensor` is a view of.
mlir::Value rootOf(mlir::Value tensor);

/// The tensors of L2 that a block leaves to the compiler, used or not, in their
/// order: the n-th is one tensor in all blocks.
llvm::SmallVector<AllocOp> sharedTensorsOf(NetOp net);

/// What a function does to the tensor of a slot: a result with the flag
/// result_add is read only if that is set.
catalog::Access accessOf(const FunctionOp &function, const catalog::Slot &slot);

/// What a function of the catalog touches.
llvm::SmallVector<TensorAccess> accessesOf(const FunctionOp &function);

/// True if the two may have bytes in common: by elements, so that column tiles
/// of one matrix are apart. Local tensors of one root always may.
bool mayOverlap(mlir::Value a, mlir::Value b, const Chip &chip);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_ACCESSES_H
