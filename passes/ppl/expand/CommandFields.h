//===- CommandFields.h - one command while it is expanded -------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_EXPAND_COMMANDFIELDS_H
#define WEFT_PASSES_PPL_EXPAND_COMMANDFIELDS_H

#include "passes/ppl/Expansion.h"

#include "llvm/ADT/SmallVector.h"

namespace weft::ppl {

/// Fields and tensors of one TIU command.
class CommandFields {
public:
  explicit CommandFields(Expansion &e) : e(e) {}

  CommandFields &set(llvm::StringRef field, int64_t value) {
    fields.push_back({field, value});
    return *this;
  }
  CommandFields &reads(llvm::StringRef address, mlir::Value tensor) {
    bindings.push_back({address, tensor, Expansion::Reads});
    return *this;
  }
  /// Address, shape and precision of the result. With `adds` it is read too,
  /// as `accumulator` if that is not null.
  CommandFields &result(mlir::Value dst, bool adds = false,
                        mlir::Value accumulator = {});
  /// n, c, h, w of the result.
  CommandFields &resultShape(TensorViewType type);
  /// Operand `which` is a tensor, or the constant `bits` if that is null.
  CommandFields &operand(unsigned which, mlir::Value tensor, uint32_t bits);
  /// Window, padding and the h and w of operand 0, from the call's arguments.
  CommandFields &window(TensorViewType src);
  void make(isa::TiuType type, int32_t func) {
    e.command(Engine::Tiu, int32_t(type), func, fields, bindings);
  }

private:
  Expansion &e;
  llvm::SmallVector<Expansion::Field> fields;
  llvm::SmallVector<Expansion::Binding> bindings;
};

int64_t precisionCode(TensorViewType type);
/// Bits of the number in `slot` as an element of a float type.
uint32_t floatElement(mlir::Type type, double value);

/// True if the operand counts as signed; see catalog::isSignedOperand.
bool isSignedOperand(const Expansion &e, llvm::StringRef slot);

/// Scratch memory with the channels of a tensor that starts in `lane`.
mlir::Value scratch(Expansion &e, llvm::ArrayRef<int64_t> shape,
                    mlir::Type element, Layout layout, unsigned lane);

/// What lies at `dst`, seen as the accumulator of result_add; null if it has
/// the type of dst.
mlir::Value accumulatorOf(Expansion &e, llvm::StringRef dst);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_EXPAND_COMMANDFIELDS_H
