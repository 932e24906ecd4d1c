//===- Convolve.h - convolutions as top ops ---------------------*- C++ -*-===//
//
// What the machine has is a convolution of two spatial axes with a constant
// filter. Other forms are composed of it, or of slices and matrix products.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_CONVOLVE_H
#define WEFT_FRONTEND_ONNX_CONVOLVE_H

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Window.h"

namespace weft::onnx {

/// The operands of a convolution of floats: `input` N,C,spatial.., `filter`
/// O,C/group,kernel.., `bias` O or null. The kernel of `window` is that of the
/// filter; negative pads crop.
struct Convolution {
  mlir::Value input, filter, bias;
  Window window;
  int64_t group = 1;
};

/// ONNX Conv-11 of any number of spatial axes; one `top.conv` where filter and
/// bias are constant and there are one or two of them.
mlir::Value convolve(Compose &c, const Convolution &conv);

/// The transposed convolution (ONNX ConvTranspose-11): `filter` is
/// C,O/group,kernel..; `window.pads` is what is cut off the whole result, and
/// `output` has the spatial sizes of what is left.
mlir::Value convolveTransposed(Compose &c, const Convolution &conv,
                               llvm::ArrayRef<int64_t> output);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_CONVOLVE_H
