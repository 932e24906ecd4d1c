//===- PrecisionTable.h - the precision of single ops -----------*- C++ -*-===//
//
// A precision table says which ops of a model are computed in another precision
// than the rest, by the ONNX value that they give or by the name of their node.
//
// YAML:
//
//   # made by weft; any text
//   ops:
//     conv2d_0.tmp_0: f16
//     "/head/Conv": f32
//
// or, for a program that no choice of single ops makes,
//
//   precision: f16
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_PRECISIONTABLE_H
#define WEFT_PASSES_QUANTIZE_PRECISIONTABLE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace weft::quantize {

/// Arithmetic asked for. I8: products in 8 bits, everything between them in
/// f16. W8, W4: f16, with the weights of matrix products in 8 or 4 bits.
enum class Precision { F32, F16, BF16, I8, W8, W4 };
/// "f32", "f16", "bf16", "int8", "w8f16", "w4f16".
std::optional<Precision> symbolizePrecision(llvm::StringRef name);
llvm::StringRef stringifyPrecision(Precision precision);

/// The precision of ops of a graph in the top dialect.
using OpPrecisions = llvm::DenseMap<mlir::Operation *, Precision>;

/// The ops of a graph in the top dialect by what a precision table calls them.
using OpsByName = llvm::StringMap<llvm::SmallVector<mlir::Operation *, 2>>;

/// By ONNX value: the op that gives it, with the product that it takes along
/// as its bias or relu. By node: all ops that it has become.
OpsByName nameOps(mlir::func::FuncOp func);

/// What the entries of a table name in one graph.
struct NamedOps {
  struct Entry {
    std::string name;
    Precision precision;
    llvm::SmallVector<mlir::Operation *, 2> ops;
    bool isIdle = false; ///< set by warnOfIdleEntries()
  };
  std::vector<Entry> entries;
  OpPrecisions precisions;
};

struct PrecisionTable {
  struct Entry {
    std::string name; ///< of an ONNX value or node
    Precision precision;
  };
  std::vector<Entry> entries; ///< names differ
  /// Entries have the names of the vendor's compiler (VendorTables.h), some of
  /// ops that only it has: those that no value or node has are left out, with
  /// one warning for all.
  bool isVendors = false;
  /// In place of entries: the program of this precision without a table.
  std::optional<Precision> whole = std::nullopt;

  /// The table as text, with `comment` (of any number of lines) at its top.
  std::string str(llvm::StringRef comment = "") const;
  /// Parses `text`, which may be a table of the vendor's. Errors read
  /// "<source>:<line>: ...".
  static llvm::Expected<PrecisionTable> parse(llvm::StringRef text,
                                              llvm::StringRef source);
  /// Reads and parses a file. Text of several lines is the table itself.
  static llvm::Expected<PrecisionTable> read(llvm::StringRef path);

  /// The precision of the program that this table makes of one of `program`: a
  /// whole one of f16 may take the place of int8. std::nullopt if the two do
  /// not go together.
  std::optional<Precision> programOf(Precision program) const;
  /// The ops that the entries name: that which gives a value, with those that a
  /// product takes along (bias, relu), and all of a node. Reports a name that
  /// is not in the model, and a precision that a program of `program` does not
  /// mix: products in 8 bits are those of an int8 program, whose other ops may
  /// be f16 or f32; ops of f16 and bf16 programs may be f32. Where ops may be
  /// f16, their weights may have 8 or 4 bits, and the other way round.
  mlir::FailureOr<NamedOps> resolve(mlir::func::FuncOp func,
                                    Precision program) const;
};

/// What decides besides a table, of the graph that it names ops of.
struct TableSetting {
  Precision program;
  /// Products that are floats in an int8 program if nobody asks for codes
  /// (isFloatAmongCodes) are codes.
  bool noFloat = false;
  /// Computed in f32, whatever is asked for.
  const llvm::DenseSet<mlir::Operation *> &wide;
};

/// Warns of entries that ask for what their ops have anyway, or cannot have.
void warnOfIdleEntries(mlir::Location location, NamedOps &named,
                       const TableSetting &setting);

/// Warns of other entries for few weight bits of which no op is among the
/// products of `coded`. Reads no op.
void warnOfUncodedEntries(mlir::Location location, const NamedOps &named,
                          const llvm::DenseSet<mlir::Operation *> &coded);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_PRECISIONTABLE_H
