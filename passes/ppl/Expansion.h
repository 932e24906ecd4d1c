//===- Expansion.h - functions of PPL become commands -----------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_EXPANSION_H
#define WEFT_PASSES_PPL_EXPANSION_H

#include "dialects/ppl/Command.h"
#include "dialects/ppl/Function.h"
#include "dialects/ppl/Memory.h"

namespace weft::ppl {

/// One function op while it becomes commands. Ops are made before it; the pass
/// erases it afterwards.
class Expansion {
public:
  Expansion(FunctionOp function, mlir::OpBuilder &builder, const Chip &chip)
      : function(function), builder(builder), chip(chip),
        loc(function.operation()->getLoc()) {}

  FunctionOp function;
  mlir::OpBuilder &builder;
  const Chip &chip;
  mlir::Location loc;

  // The arguments by slot.
  /// Null if the slot holds a number or nothing.
  mlir::Value tensor(llvm::StringRef slot) const {
    return function.tensor(slot);
  }
  TensorViewType type(llvm::StringRef slot) const;
  bool has(llvm::StringRef slot) const;
  /// Integer, flag or choice; the slot's fallback if left out.
  int64_t integer(llvm::StringRef slot) const;
  double real(llvm::StringRef slot) const;
  mlir::ArrayRef<int64_t> integers(llvm::StringRef slot) const;
  /// Where the tensor lies, as far as it is known.
  catalog::Tensor described(llvm::StringRef slot) const;
  /// The tensor, or its number as a constant: f32 beside float tensors, i32
  /// beside integer ones (`like`).
  mlir::Value operand(llvm::StringRef slot, TensorViewType like);

  // Making ops.
  template <class Op, class... Args>
  Op create(Args &&...args) {
    return builder.create<Op>(loc, std::forward<Args>(args)...);
  }
  mlir::Value f32(double value);
  mlir::Value i32(int64_t value);
  /// Scratch memory in lane 0.
  mlir::Value temporary(mlir::ArrayRef<int64_t> shape, mlir::Type element,
                        Layout layout = Layout::Aligned);
  /// The same with channel 0 in `lane`, as commands want it whose operands all
  /// start in one lane.
  mlir::Value temporary(mlir::ArrayRef<int64_t> shape, mlir::Type element,
                        Layout layout, unsigned lane);
  /// The tensor as unsigned integers of its width, for commands that move
  /// bits: the machine has no 8-bit floats, and a NaN stays what it is.
  mlir::Value bits(mlir::Value tensor);
  /// The tensor with its layout named: a part may lie as the layout's rule says
  /// and yet have strides of its own. The function's rules have checked it.
  mlir::Value named(mlir::Value tensor, Layout layout);
  /// The same bytes (or a part from `offset` on) as another type.
  mlir::Value view(mlir::Value source, TensorViewType type,
                   mlir::ArrayRef<int64_t> offset = {0, 0, 0, 0},
                   int64_t bytes = 0);
  /// `type` with another shape, element type or layout.
  static TensorViewType withShape(TensorViewType type,
                                  mlir::ArrayRef<int64_t> shape);
  static TensorViewType withElement(TensorViewType type, mlir::Type element);

  /// Calls `emit` with the tensors, or, where strides of n or c do not fit into
  /// the 16 bits that a command has, with one image or one row of lanes of each
  /// after the other. All have the same n and c and start in `lane`.
  void eachPart(mlir::ArrayRef<mlir::Value> tensors, unsigned lane,
                llvm::function_ref<void(mlir::ArrayRef<mlir::Value>)> emit);

  /// Another function of the catalog, which is expanded in turn.
  mlir::Operation *call(llvm::StringRef name,
                        mlir::ArrayRef<FunctionArgument> arguments);
  FunctionArgument argument(mlir::Value tensor) { return {tensor, {}}; }
  FunctionArgument argument(int64_t number) {
    return {{}, builder.getI64IntegerAttr(number)};
  }
  FunctionArgument argument(double number) {
    return {{}, builder.getF64FloatAttr(number)};
  }

  /// A field of `command`: a name of the instruction table and its value.
  struct Field {
    llvm::StringRef name;
    int64_t value;
  };
  enum Access : int32_t { Reads = 1, Writes = 2, Updates = 3 };
  /// A tensor whose address goes into the field `name` (or its two halves
  /// `name`_l32 and `name`_h8).
  struct Binding {
    llvm::StringRef name;
    mlir::Value tensor;
    Access access;
  };
  /// An instruction without an op of its own.
  void command(Engine engine, int32_t type, int32_t func,
               mlir::ArrayRef<Field> fields, mlir::ArrayRef<Binding> bindings);

  /// `unsupported: ...` at the call.
  mlir::LogicalResult unsupported(const llvm::Twine &why);
};

using Expand = mlir::LogicalResult (*)(Expansion &);
struct ExpandRow {
  llvm::StringLiteral name; ///< of the function: "tiu.fadd"
  Expand expand;
};

// One table a group of the catalog, in expand/<Group>.cpp. A function without
// a row has no commands on chips with commands: it is interpreted only.
mlir::ArrayRef<ExpandRow> dmaExpansions();
mlir::ArrayRef<ExpandRow> sdmaExpansions();
mlir::ArrayRef<ExpandRow> hauExpansions();
mlir::ArrayRef<ExpandRow> tiuPointwiseExpansions();
mlir::ArrayRef<ExpandRow> tiuComparisonExpansions();
mlir::ArrayRef<ExpandRow> tiuIndexExpansions();
mlir::ArrayRef<ExpandRow> tiuConvExpansions();
mlir::ArrayRef<ExpandRow> tiuMatMulExpansions();
mlir::ArrayRef<ExpandRow> tiuPoolExpansions();
mlir::ArrayRef<ExpandRow> tiuQuantExpansions();
mlir::ArrayRef<ExpandRow> tiuSpecialExpansions();
mlir::ArrayRef<ExpandRow> tiuMoveExpansions();

/// Null if there is none.
Expand expansionOf(const catalog::Operation &function);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_EXPANSION_H
