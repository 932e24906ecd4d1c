//===- Kinds.h - kinds of element-wise and pooling operations -----*- C++
//-*-===//
//
// The enums, names and facts of UnaryKinds.def and BinaryKinds.def. No MLIR op
// is needed to read them: the importer, the quantizer and the tests use the
// same rows.
//
//===------------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TOP_KINDS_H
#define WEFT_DIALECTS_TOP_KINDS_H

#include "runtime/host/Kinds.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include "mlir/IR/DialectImplementation.h"

#include <optional>

namespace weft::top {

using host::BinaryKind;
using host::UnaryKind;
enum class PoolKind : uint32_t { Max, Avg };

enum class ReduceKind : uint32_t { Sum, Prod, Max, Min };

/// Element types that a kind accepts.
enum class KindTypes { Float, Number, Integer, Bool, Any };
/// Element type of the result: that of the first operand, or i1.
enum class KindResult { Same, Bool };
/// Where the float function is defined; see UnaryKinds.def.
enum class KindDomain {
  Real,
  NonZero,
  Positive,
  NonNegative,
  Unit,
  OpenUnit,
  AboveOne
};

/// One row of UnaryKinds.def without its formula.
struct UnaryKindRow {
  UnaryKind kind;
  llvm::StringRef spelling;
  llvm::StringRef onnxName; ///< empty if ONNX has no such operator
  int onnxOpset;            ///< first opset with the operator
  KindTypes types;
  KindResult result;
  std::optional<double> alpha; ///< default; std::nullopt: no such attribute
  std::optional<double> beta;  ///< default; std::nullopt: no such attribute
  KindDomain domain;
  bool tablePossible; ///< a table of 256 entries can serve 8 bits
};

/// One row of BinaryKinds.def without its formula.
struct BinaryKindRow {
  BinaryKind kind;
  llvm::StringRef spelling;
  llvm::StringRef onnxName;
  int onnxOpset;
  KindTypes types;
  KindResult result;
  bool commutes;
  KindDomain domain;
};

llvm::ArrayRef<UnaryKindRow> unaryKindRows();
llvm::ArrayRef<BinaryKindRow> binaryKindRows();
const UnaryKindRow &unaryKindRow(UnaryKind kind);
const BinaryKindRow &binaryKindRow(BinaryKind kind);

llvm::StringRef stringifyUnaryKind(UnaryKind kind);
llvm::StringRef stringifyBinaryKind(BinaryKind kind);
llvm::StringRef stringifyPoolKind(PoolKind kind);
llvm::StringRef stringifyReduceKind(ReduceKind kind);
std::optional<UnaryKind> symbolizeUnaryKind(llvm::StringRef spelling);
std::optional<BinaryKind> symbolizeBinaryKind(llvm::StringRef spelling);
std::optional<PoolKind> symbolizePoolKind(llvm::StringRef spelling);
std::optional<ReduceKind> symbolizeReduceKind(llvm::StringRef spelling);

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, PoolKind kind);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, ReduceKind kind);

} // namespace weft::top

// In the namespace of the kinds, where an unqualified name is looked up.
namespace weft::host {
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, UnaryKind kind);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, BinaryKind kind);
} // namespace weft::host

namespace mlir {
template <>
struct FieldParser<weft::top::UnaryKind> {
  static FailureOr<weft::top::UnaryKind> parse(AsmParser &parser);
};
template <>
struct FieldParser<weft::top::BinaryKind> {
  static FailureOr<weft::top::BinaryKind> parse(AsmParser &parser);
};
template <>
struct FieldParser<weft::top::PoolKind> {
  static FailureOr<weft::top::PoolKind> parse(AsmParser &parser);
};
template <>
struct FieldParser<weft::top::ReduceKind> {
  static FailureOr<weft::top::ReduceKind> parse(AsmParser &parser);
};
} // namespace mlir

#endif // WEFT_DIALECTS_TOP_KINDS_H
