//===- StructuredInputs.h - sequences and optionals as inputs ---*- C++ -*-===//
//
// A program takes tensors. A sequence that is an input of the model becomes as
// many inputs as it has tensors, an optional one or none: how many is a part of
// what `--shape` gives.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_STRUCTUREDINPUTS_H
#define WEFT_FRONTEND_ONNX_STRUCTUREDINPUTS_H

#include "frontend/onnx/Import.h"
#include "frontend/onnx/OnnxModel.h"

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace weft::onnx {

/// An input of the model that is no single tensor of the program.
struct StructuredInput {
  std::string name;
  /// An optional without a value; else a sequence of `tensors`.
  bool isAbsent = false;
  std::vector<std::string> tensors; ///< by their names as inputs
};

/// "S[2]": what a program calls tensor 2 of the sequence S.
std::string tensorOfSequence(llvm::StringRef sequence, size_t i);

/// "x=AxBx3": how `--shape` has to look for an input.
std::string shapeTemplate(const ValueInfo &input);

/// Puts the tensors of sequences among the inputs of `model` in their places
/// and takes out optionals without a value, by what `options` say of them;
/// `structured` gets what these inputs were. Gives what is wrong, one text a
/// problem with the option to give; `model` is then not to be imported.
std::vector<std::string>
takeInputsApart(Model &model, const ImportOptions &options,
                std::vector<StructuredInput> &structured);

/// The input that the program calls `name`, in a model whose inputs are not
/// taken apart: one of them, or a tensor of a sequence; null if there is none.
const ValueInfo *findInput(const Model &model, llvm::StringRef name);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_STRUCTUREDINPUTS_H
