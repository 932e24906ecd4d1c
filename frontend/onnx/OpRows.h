//===- OpRows.h - the registry of importable operators ----------*- C++ -*-===//
//
// One row a form of an ONNX operator, written beside its import function in the
// family's file. Rows have ranges of opsets instead of using ONNX's version
// converter: the converter lacks adapters for many operators and rewrites
// nodes, so that messages would speak of a graph the user has never seen.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_OPROWS_H
#define WEFT_FRONTEND_ONNX_OPROWS_H

#include "frontend/onnx/OnnxModel.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::onnx {

class NodeImporter;
struct StructureNode;

/// Imports one node: binds operands and attributes, builds ops, sets outputs.
/// Whatever does not fit has been reported when it returns failure.
using ImportFunction = llvm::LogicalResult (*)(NodeImporter &);

/// The same for operators on graphs, sequences and optionals (Importer.h).
using StructureFunction = llvm::LogicalResult (*)(StructureNode &);

struct OpRow {
  llvm::StringRef name;
  /// Opsets whose form of the operator `import` understands, both included.
  int64_t firstOpset;
  int64_t lastOpset;
  ImportFunction import;
  /// What is left out, for the table of supported operators; may be empty.
  llvm::StringRef limits = "";
  llvm::StringRef domain = "";
  /// The kind of `top.unary` or `top.binary` that the row becomes, as the text
  /// form spells it; "" for other ops and if the value is only passed on.
  llvm::StringRef kind = "";
  llvm::StringRef family = "";
  /// If set, called in place of `import`.
  StructureFunction structure = nullptr;
};

class OpRegistry {
public:
  /// The registry with the rows of every family.
  static const OpRegistry &get();

  /// Adds rows of a family of ops; called by the register functions. `domain`
  /// is that of all rows; the default is ONNX's own.
  void add(llvm::StringRef family, std::vector<OpRow> rows,
           llvm::StringRef domain = "");

  /// The row for an operator at an opset, null if there is none.
  const OpRow *find(llvm::StringRef domain, llvm::StringRef name,
                    int64_t opset) const;
  /// All rows by domain, name and first opset.
  std::vector<const OpRow *> all() const;

private:
  std::map<std::pair<std::string, std::string>, std::vector<OpRow>> rows;
};

// Rows that need no family of ops: control flow, and operators that are
// decomposed into ops of several families.
#define WEFT_ROWS(name) void register##name##Rows(OpRegistry &registry);
#include "frontend/onnx/RowFiles.def"

// One function a family; called from the list in cmake/OpFamilies.cmake.
#define WEFT_FAMILY(name) void register##name##Rows(OpRegistry &registry);
#include "OpFamilies.inc"
#undef WEFT_FAMILY

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPROWS_H
