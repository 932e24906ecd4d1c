//===- Pooling.h - pools as top ops -----------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_POOLING_H
#define WEFT_FRONTEND_ONNX_POOLING_H

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Window.h"

namespace weft::top {
enum class PoolKind : uint32_t;
}

namespace weft::onnx {

/// The largest value, or the mean with all padding counted as zeros, of every
/// window over the spatial axes of `input` (N,C,spatial.., floats). One
/// `top.pool` where the padding is smaller than the kernel, dilations are 1 and
/// there are one or two axes.
mlir::Value poolWindows(Compose &c, top::PoolKind kind, mlir::Value input,
                        Window window);

/// The mean of the input values in each window; with `includePad` the padding
/// counts, but not the cells that ceil_mode has added.
mlir::Value averageWindows(Compose &c, mlir::Value input, const Window &window,
                           bool includePad);

/// The largest value of each window; `indices` gets its place in the flat input
/// as i64 (ONNX MaxPool-12), the first of equal ones. `columnMajor` counts the
/// places inside a plane with the first spatial axis fastest.
mlir::Value largestWithIndices(Compose &c, mlir::Value input,
                               const Window &window, bool columnMajor,
                               mlir::Value &indices);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_POOLING_H
