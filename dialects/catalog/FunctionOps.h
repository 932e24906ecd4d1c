//===- FunctionOps.h - the functions of a set as ops ----------*- C++ -*-===//
//
// One op a function of runtime/catalog, `ppl.tiu.fadd` for `tiu.fadd` of PPL.
// They are dynamic ops, made from the catalog when a dialect is loaded: so many
// classes take minutes to compile, and keep what Python, the machines and the
// manual need where only MLIR can read it.
//
//   ppl.tiu.fadd dst = %y, src0 = %x, src1 = 1.5 : f64 : !t, !t
//   zhouyi.vadd x = %a, y = 3, mask = "3T5F" : vector<8xsi32> -> vector<8xsi32>
//
// Names are the catalog's slots; those left out have the function's fallback.
// The verifier is catalog::problemOf. A dialect says what its values are in a
// FunctionDialect and calls registerFunctions.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_CATALOG_FUNCTIONOPS_H
#define WEFT_DIALECTS_CATALOG_FUNCTIONOPS_H

#include "runtime/catalog/Catalog.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace weft::catalog {

class FunctionOp;

/// The element type of IR for a type of the catalog and back: f32, f16, bf16,
/// tf32, f8E5M2, f8E4M3FN and integers with their sign. FP4 and FP20, for which
/// MLIR has none, give null; other types of IR std::nullopt.
mlir::Type mlirTypeOf(DataType type, mlir::MLIRContext *context);
std::optional<DataType> dataTypeOf(mlir::Type type);

/// How a dialect hosts the functions of a set.
class FunctionDialect : public mlir::DialectInterface::Base<FunctionDialect> {
public:
  /// Of the dialect that `op` belongs to; null if it hosts no functions.
  static const FunctionDialect *of(mlir::Operation *op);

  Language language() const { return theLanguage; }
  /// The machine whose rules the functions under `op` obey.
  virtual const Chip &chipOf(mlir::Operation *op) const = 0;
  /// Whether a value of `type` can be the argument of some slot, and what it
  /// must be, for the message: "a tensor".
  virtual bool isArgument(mlir::Type type) const = 0;
  virtual llvm::StringRef argumentWords() const = 0;
  /// The argument that a value of such a type is for `slot`.
  virtual Argument argumentOf(mlir::Value value, const Slot &slot,
                              const Chip &chip) const = 0;
  /// The type of a result; only asked if a function of the set has one.
  virtual mlir::Type typeOf(const VectorType &result) const;
  /// Whether the text of a number says its type: `1.5 : f64`.
  virtual bool typesNumbers() const { return false; }

  /// Hooks of MLIR; without them nothing is folded.
  virtual mlir::LogicalResult
  fold(const FunctionOp &function, llvm::ArrayRef<mlir::Attribute> operands,
       llvm::SmallVectorImpl<mlir::OpFoldResult> &results) const;
  virtual void
  addCanonicalizationPatterns(const Operation &function,
                              mlir::RewritePatternSet &patterns) const;

protected:
  FunctionDialect(mlir::Dialect *dialect, Language language)
      : Base(dialect), theLanguage(language) {}

private:
  Language theLanguage;
};

/// Adds the op of every function of the set; the dialect must have its
/// FunctionDialect by then.
void registerFunctions(mlir::ExtensibleDialect &dialect);

/// For Dialect::getRegisteredInterfaceForOp: functions without a result write
/// to memory where their slots say so and read it; others have no effect, so
/// that those without uses are removed.
void *functionEffects(mlir::TypeID interface, mlir::OperationName name);

/// An argument of a function in IR: a value, an attribute (I64, F64,
/// DenseI64Array; for choices and masks a String, for masks DenseBoolArray) or,
/// both null, left out.
struct FunctionArgument {
  mlir::Value value;
  mlir::Attribute attribute;
};

/// A function op with its parts by slot.
class FunctionOp {
public:
  /// Null if `op` is no function of the catalog.
  explicit FunctionOp(mlir::Operation *op);
  explicit operator bool() const { return theFunction != nullptr; }

  mlir::Operation *operation() const { return op; }
  const FunctionDialect &dialect() const { return *theDialect; }
  const Operation &function() const { return *theFunction; }
  /// The value in a slot; null if there is none.
  mlir::Value value(llvm::StringRef slot) const;
  /// Its position among the operands; std::nullopt if there is none.
  std::optional<unsigned> operandIndex(llvm::StringRef slot) const;
  /// The number, numbers or text in a slot; null if there are none.
  mlir::Attribute attribute(llvm::StringRef slot) const;
  FunctionArgument argument(llvm::StringRef slot) const {
    return {value(slot), attribute(slot)};
  }
  /// All of them, one a slot.
  llvm::SmallVector<FunctionArgument> arguments() const;
  /// The whole call, for problemOf and evaluators.
  Call call(const Chip &chip) const;
  Call call() const { return call(theDialect->chipOf(op)); }

private:
  mlir::Operation *op = nullptr;
  const FunctionDialect *theDialect = nullptr;
  const Operation *theFunction = nullptr;
};

/// The call of `function` with one argument a slot; trailing ones may be
/// missing. An attribute that no slot takes becomes an argument that problemOf
/// refuses.
Call callOf(const FunctionDialect &dialect, const Operation &function,
            llvm::ArrayRef<FunctionArgument> arguments, const Chip &chip);

/// Makes the op of `function`, which returns a value of `result` (null: none).
/// Arguments as of callOf.
mlir::Operation *createFunction(mlir::OpBuilder &builder, mlir::Location loc,
                                const Operation &function,
                                llvm::ArrayRef<FunctionArgument> arguments,
                                mlir::Type result = {});

/// The same with the type of the result that the function has, after a check of
/// the call. An illegal one gives one error at `loc` and null.
mlir::Operation *
createCheckedFunction(mlir::OpBuilder &builder, mlir::Location loc,
                      const FunctionDialect &dialect, const Operation &function,
                      llvm::ArrayRef<FunctionArgument> arguments,
                      const Chip &chip);

} // namespace weft::catalog

#endif // WEFT_DIALECTS_CATALOG_FUNCTIONOPS_H
