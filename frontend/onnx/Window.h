//===- Window.h - strides and pads of convolutions and pools ----*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_WINDOW_H
#define WEFT_FRONTEND_ONNX_WINDOW_H

#include "frontend/onnx/NodeImporter.h"

namespace weft::onnx {

/// The longest axis that a machine's command takes: rows and columns of a plane
/// are seen as one axis up to so many.
constexpr int64_t kLongestAxis = 65535;

/// The longest step and padding of a machine's window: what steps further is
/// cut out first, and longer padding is written into the tensor.
constexpr int64_t kLongStep = 15;

/// A sliding window over the spatial axes, everything explicit.
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  llvm::SmallVector<int64_t> pads; // all begins, then all ends
  /// How much of each end of `pads` ceil_mode has added: cells that not even
  /// count_include_pad counts.
  llvm::SmallVector<int64_t> added;
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode of a node whose input
/// has the spatial sizes `input` and whose kernel has the sizes `kernel`
/// (`auto_pad` and `ceil_mode` are resolved into pads; ONNX Conv-11,
/// MaxPool-12).
mlir::FailureOr<Window> readWindow(NodeImporter &n,
                                   llvm::ArrayRef<int64_t> input,
                                   llvm::ArrayRef<int64_t> kernel);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_WINDOW_H
