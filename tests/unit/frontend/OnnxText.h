//===- OnnxText.h - small models for the importer's tests -------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_FRONTEND_ONNXTEXT_H
#define WEFT_TESTS_UNIT_FRONTEND_ONNXTEXT_H

#include "frontend/onnx/Import.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <string>
#include <vector>

namespace weft::test {

/// The bytes of a model written in ONNX's text format; empty, with a test
/// failure, if the text is wrong.
std::string onnxBytes(const std::string &text);

/// A model of the given opset with one graph: `onnxGraph(13, "(float[2] x) =>
/// (float[2] y) { y = Relu(x) }")`.
std::string onnxGraph(int opset, const std::string &graph);

/// One initializer whose data lie in an external file.
struct ExternalTensor {
  std::string location;
  std::string offset, length; // left out if empty
};
/// Adds float[4] 'w' with external data to serialized model `bytes`.
std::string withExternalTensor(const std::string &bytes,
                               const ExternalTensor &tensor);
/// Adds initializer 'w' of the given data type, dims and raw bytes.
std::string withInitializer(const std::string &bytes, int type,
                            const std::vector<int64_t> &dims,
                            const std::string &raw);
/// Adds a sparse initializer.
std::string withSparseInitializer(const std::string &bytes,
                                  const std::string &name);
/// A model whose node attributes nest `depth` graphs.
std::string nestedModel(int depth);

/// An import with everything it printed.
struct Imported {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages;
  /// The module as text; empty if the import failed.
  std::string text;
};
using Shapes = std::map<std::string, std::vector<int64_t>>;
/// Imports bytes under the name "m.onnx".
Imported importBytes(const std::string &bytes, const Shapes &shapes = {});
/// The same with ImportOptions::selectsBranches.
Imported importSelecting(const std::string &bytes);
/// The same with constants in place of inputs.
Imported importBound(const std::string &bytes,
                     const std::map<std::string, numeric::HostTensor> &bindings,
                     const Shapes &shapes = {});
Imported importFile(const std::string &path, const Shapes &shapes = {});

/// The messages of an import that must fail.
std::string failure(const std::string &bytes, const Shapes &shapes = {});

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_FRONTEND_ONNXTEXT_H
