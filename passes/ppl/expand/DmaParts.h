//===- DmaParts.h - what expansions of dma and hau are made of -*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_EXPAND_DMAPARTS_H
#define WEFT_PASSES_PPL_EXPAND_DMAPARTS_H

#include "passes/ppl/Expansion.h"
#include "runtime/isa/Isa.h"

namespace weft::ppl {

/// A GDMA command without an op of its own, set field by field.
class Command {
public:
  Command(Expansion &e, isa::GdmaType type, unsigned func)
      : e(e), type(int32_t(type)), func(int32_t(func)) {}
  Command &set(llvm::StringRef field, int64_t value);
  /// The element type's code.
  Command &format(llvm::StringRef field, TensorViewType tensor);
  /// Four fields, `side`_nsize to `side`_wsize; `side` is "src" or "dst".
  Command &sizes(llvm::StringRef side, const catalog::Dims &shape);
  Command &strides(llvm::StringRef side, const catalog::Dims &strides);
  Command &bind(llvm::StringRef name, mlir::Value tensor,
                Expansion::Access access);
  void emit();

private:
  Expansion &e;
  int32_t type, func;
  llvm::SmallVector<Expansion::Field> fields;
  llvm::SmallVector<Expansion::Binding> bindings;
};

bool isGlobal(mlir::Value tensor);

/// Visits pieces of at most 65535 on each axis, the most that a command takes.
void eachPiece(const catalog::Dims &shape,
               llvm::function_ref<void(llvm::ArrayRef<int64_t> offset,
                                       llvm::ArrayRef<int64_t> shape)>
                   visit);

/// The part of a tensor with its strides; the tensor itself if it is all of it.
mlir::Value part(Expansion &e, mlir::Value tensor,
                 llvm::ArrayRef<int64_t> offset, llvm::ArrayRef<int64_t> shape);

/// The same bytes with another shape and other strides.
mlir::Value seenAs(Expansion &e, mlir::Value tensor, const catalog::Dims &shape,
                   const catalog::Dims &strides);

/// The number rounded to the element type of `like` (to the nearest, ties to
/// even), as an operand of a command.
mlir::Value constantLike(Expansion &e, TensorViewType like, double value);

/// A tensor in L2 for the time of the function.
mlir::Value scratch(Expansion &e, llvm::ArrayRef<int64_t> shape,
                    mlir::Type element);

/// The commands of dma.mask_select and dma.nonzero, to any memory but local.
void selectMasked(Expansion &e, mlir::Value dst, mlir::Value src,
                  mlir::Value mask);
void listNonzero(Expansion &e, mlir::Value dst, mlir::Value src, int64_t base);

/// A result that the kernel language made room for and that nobody reads.
bool isUnread(mlir::Value result);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_EXPAND_DMAPARTS_H
