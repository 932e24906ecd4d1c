//===- OnnxView.h - MLIR types in the wire's words --------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_ONNXVIEW_H
#define WEFT_CODEGEN_PACK_ONNXVIEW_H

#include "runtime/bmodel/bmodel_generated.h"

#include "mlir/IR/BuiltinTypes.h"

#include <memory>
#include <optional>

namespace weft::codegen {

/// ONNX element type and shape of `type`; null if ONNX has no such element.
std::unique_ptr<rt::wire::OnnxViewT> makeOnnxView(mlir::RankedTensorType type);

/// The wire's type of a stored element; std::nullopt for types that a bmodel
/// holds in a narrower one only (a ppl.net says what lies in memory).
std::optional<rt::wire::DataType> wireType(mlir::Type type);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_ONNXVIEW_H
