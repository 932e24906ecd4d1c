//===- Quantize.h - quotients of quantizations ------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_QUANTIZE_H
#define WEFT_FRONTEND_ONNX_QUANTIZE_H

#include "frontend/onnx/Compose.h"

namespace weft::onnx {

/// value / divisor, corrected by its remainder: the chip's quotient is a few
/// ulp off, but one that is representable must come out exactly, or a tie is
/// rounded the wrong way. With `nearest` every quotient is rounded to nearest.
/// (Quantize.cpp)
mlir::Value exactQuotient(Compose &c, mlir::Value value, mlir::Value divisor,
                          bool nearest = false);

/// DynamicQuantizeLinear-11 of `input`: ui8 numbers, scale and zero point.
/// (Quantize.cpp)
struct DynamicallyQuantized {
  mlir::Value values, scale, zeroPoint;
};
DynamicallyQuantized quantizeDynamically(Compose &c, mlir::Value input);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_QUANTIZE_H
