//===- ElementCommands.h - commands of element functions --------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_ELEMENTCOMMANDS_H
#define WEFT_PASSES_PPL_ELEMENTCOMMANDS_H

#include "passes/ppl/Expansion.h"

namespace weft::ppl {

/// An operand of a command: a tensor, or the bits of a constant.
struct Element {
  mlir::Value tensor;
  mlir::Type type; ///< of the elements, also of a constant
  uint32_t bits = 0;

  bool isConstant() const { return !tensor; }
};

/// What some functions of AR take besides two operands.
struct ArithOptions {
  int64_t code = 0; ///< `opd2_n_str`: rounding, or Newton steps - 1
  /// The third operand: a constant, or one int8 a channel.
  std::optional<uint32_t> third = std::nullopt;
  mlir::Value shift = nullptr;
  mlir::Type thirdType = nullptr;
  bool readsResult = false;
  bool firstIsUnsigned = false;
};

/// Makes the commands of one function of the catalog whose tensors have the
/// shape of its result, or are repeated along some axes, and start in its lane.
class ElementCommands {
public:
  /// `result`: the slot that gives shape and lane.
  ElementCommands(Expansion &expansion, llvm::StringRef result);

  // Operands.
  mlir::Type typeOf(llvm::StringRef slot) const {
    return e.type(slot).getElementType();
  }
  mlir::Type f32() const { return e.builder.getF32Type(); }
  mlir::Type integer(unsigned bits, bool isSigned) const {
    return e.builder.getIntegerType(bits, isSigned);
  }
  Element of(mlir::Value tensor) const;
  /// The tensor of a slot, or its number as an element of `type`.
  Element operand(llvm::StringRef slot, mlir::Type type) const;
  /// The same for integers of any type: a number has 32 bits and the sign
  /// that `isSigned` prefers, if it fits.
  Element wholeOperand(llvm::StringRef slot, bool isSigned) const;
  Element constant(mlir::Type type, double value) const;
  Element bits(mlir::Type type, uint32_t value) const {
    return {nullptr, type, value};
  }
  /// The same bytes as another element type of that width.
  mlir::Value as(mlir::Value tensor, mlir::Type type) const;

  // Memory.
  /// Scratch memory of the result's shape and lane, aligned.
  mlir::Value room(mlir::Type type);
  /// `tensor`, or a copy of it that is aligned.
  mlir::Value aligned(mlir::Value tensor);
  /// The first `count` entries of a table of static memory in every lane. One
  /// that has no form of `type` is converted.
  mlir::Value table(int64_t mode, int64_t count, mlir::Type type);

  // Commands.
  /// AR `func`. Operands are repeated to the shape of `dst`.
  mlir::LogicalResult arith(unsigned func, mlir::Value dst,
                            mlir::ArrayRef<Element> operands,
                            const ArithOptions &options = {});
  void copy(mlir::Value dst, const Element &src);
  void cast(mlir::Value dst, mlir::Value src, int64_t rounding = 0);
  /// One fp32 operation of tensors or constants.
  void fp32(unsigned func, mlir::Value dst, const Element &a,
            const Element &b) {
    (void)arith(func, dst, {a, b});
  }
  /// CMP `func`; all tensors are aligned and of the result's shape, but the
  /// first two may have one element a channel in one row of lanes. `extreme` is
  /// null or gets the larger or smaller of these two.
  void select(unsigned func, mlir::Value dst, mlir::ArrayRef<Element> sources,
              mlir::Value extreme = nullptr);
  /// Horner's rule; dst and src are aligned.
  void taylor(mlir::Value dst, mlir::Value src, mlir::Value table,
              int64_t count);
  /// SFU `func` with `code` in `opd2_n_str`; dst and src are aligned.
  void special(unsigned func, mlir::Value dst, mlir::Value src, int64_t code,
               int64_t steps = 0);

  Expansion &e;
  const unsigned lane;

private:
  using Fields = llvm::SmallVector<Expansion::Field>;
  using Bindings = llvm::SmallVector<Expansion::Binding>;

  /// A source as a tensor of the shape of `dst`, with stride 0 along the axes
  /// on which it is repeated.
  mlir::Value spread(mlir::Value source, TensorViewType dst);
  mlir::Value replicated(mlir::Value source);
  void setShape(Fields &fields, TensorViewType type) const;

  llvm::SmallVector<int64_t> shape;
};

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_ELEMENTCOMMANDS_H
