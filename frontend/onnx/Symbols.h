//===- Symbols.h - named dimensions of inputs and outputs -------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_SYMBOLS_H
#define WEFT_FRONTEND_ONNX_SYMBOLS_H

#include "frontend/onnx/Import.h"
#include "frontend/onnx/OnnxModel.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>
#include <string>

namespace weft::onnx {

/// The size that `--shape batch=4` gives to a dimension named 'batch'. An input
/// of that name comes first, and a name takes one size.
std::optional<int64_t> sizeOfSymbol(const Model &model,
                                    const ImportOptions &options,
                                    const Dimension &dim);

/// A size of an axis, and how it was given: "--shape x[0]", "--batch".
struct GivenSize {
  std::string option;
  int64_t size;
};
/// Those that `options` give to one axis of an input by the name of its
/// dimension, as "x[0]" and with kBatchKey, in this order.
std::vector<GivenSize> givenSizes(const Model &model,
                                  const ImportOptions &options,
                                  const ValueInfo &input, size_t axis);
/// The first of them.
std::optional<int64_t> sizeOfAxis(const Model &model,
                                  const ImportOptions &options,
                                  const ValueInfo &input, size_t axis);

/// Whether `key` of ImportOptions::shapes gives a size to an axis of one of the
/// inputs, by its dimension's name or its number.
bool namesAxis(const Model &model, llvm::StringRef key);

/// The names of the inputs' dimensions, each once, in their order.
std::vector<std::string> symbolsOf(const Model &model);

/// The attributes of an argument or result of rank `rank`: its name, and the
/// names of its dimensions if it has any.
mlir::DictionaryAttr interfaceAttributes(mlir::MLIRContext *context,
                                         const ValueInfo &value, size_t rank);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_SYMBOLS_H
