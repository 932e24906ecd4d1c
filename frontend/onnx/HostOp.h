//===- HostOp.h - calls of host kernels -------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_HOSTOP_H
#define WEFT_FRONTEND_ONNX_HOSTOP_H

#include "dialects/top/Host.h"

namespace weft::onnx {

/// A `top.host` with an operand for each slot of the kernel, null for those
/// that are absent.
top::HostOp createHostOp(mlir::OpBuilder &builder, mlir::Location location,
                         mlir::StringRef kernel,
                         mlir::ArrayRef<mlir::Value> slots,
                         mlir::ArrayRef<mlir::Type> results,
                         mlir::DictionaryAttr parameters);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_HOSTOP_H
