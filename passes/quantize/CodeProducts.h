//===- CodeProducts.h - products that may be codes --------------*- C++ -*-===//
//
// Which products of a float graph an int8 program can compute in 8 bits, as
// whoever chooses precisions sees them: by names that a precision table has. An
// ONNX node may have become several products (the directions of an LSTM, the
// phases of a transposed convolution); they have one name and one precision.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_CODEPRODUCTS_H
#define WEFT_PASSES_QUANTIZE_CODEPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace weft::quantize {

/// Whether `op` multiplies by constant floats a value that has a calibrated
/// range: what an int8 program computes in codes if nothing speaks against it.
/// Others are floats in every program.
bool mayBeCodes(mlir::Operation *op);

/// The first ONNX node that `location` names; "?" if there is none.
llvm::StringRef nodeOf(mlir::Location location);

/// Products that have their precision together.
struct CodeProduct {
  /// Of the value that it gives, else of the node that it comes from; "?" if it
  /// has neither.
  std::string name;
  /// What a precision table names all of `ops` by; none: it cannot.
  std::vector<std::string> entries;
  llvm::SmallVector<mlir::Operation *, 1> ops; ///< in their order
  /// int8 programs compute all of them as floats (isFloatAmongCodes).
  bool isFloatAmongCodes = false;
};

/// All of `func`, a graph in the top dialect, in their order. No name of one
/// names an op that another has to do with.
std::vector<CodeProduct> codeProductsOf(mlir::func::FuncOp func);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_CODEPRODUCTS_H
