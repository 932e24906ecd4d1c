//===- Tpu.h - the tpu dialect --------------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_TPU_H
#define WEFT_DIALECTS_TPU_TPU_H

#include "dialects/Evaluate.h"
#include "dialects/tpu/LocalBuffer.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/QuantOps.h"
#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace weft::tpu {

/// Discardable attribute on an op: element type and shape that its result has
/// in the ONNX graph (TypeAttr).
inline constexpr llvm::StringLiteral kOnnxTypeAttr = "tpu.onnx_type";
/// Encoding (a string) of that type where ONNX has the channels last: the
/// result is n,c,h,w, the type n,h,w,c.
inline constexpr llvm::StringLiteral kChannelsLast = "channels_last";
/// Function argument/result attribute: name, type and shape of an input or
/// output of the ONNX graph (dictionary).
inline constexpr llvm::StringLiteral kIoAttr = "tpu.io";
/// On ops outside of groups and function arguments: the DRAM address that
/// --tpu-place-global gave (i64).
inline constexpr llvm::StringLiteral kAddressAttr = "tpu.address";
/// Discardable attribute on an op: its result is an image in bands
/// (#tpu.bands). --tpu-cut-bands writes it; --tpu-fill-lanes leaves such ops
/// alone, and what is observed of them is the image.
inline constexpr llvm::StringLiteral kBandsAttr = "tpu.bands";
/// Module attributes: the name of the chip, and the precision that was asked
/// for.
inline constexpr llvm::StringLiteral kChipAttr = "tpu.chip";
inline constexpr llvm::StringLiteral kPrecisionAttr = "tpu.precision";
/// Module attribute: which part of the multiplications of products
/// (convolutions, matrix products) are of floats, f64. Those of the model:
/// bands and groups that are multiplied with zeros do not count.
inline constexpr llvm::StringLiteral kFloatShareAttr = "tpu.float_share";

/// True for `!quant.uniform<i8|u8|i16|u16:f32, S:Z>`, the quantized elements of
/// the dialect. A zero point Z other than 0 is a code of 8 bits.
bool isUniformQuant(mlir::Type type);

/// The same with zero point 0: all that most ops compute with.
bool isSymmetricQuant(mlir::Type type);

/// True for a tensor that the host can hold: an ONNX element type, static or
/// bounded sizes, any rank.
bool isHostTensor(mlir::Type type);

/// n, c, h, w of a tensor of rank <= 4 (missing leading axes are 1).
Dims dimsOf(mlir::Value value);

/// The shape of `value` with 1 on `axis`.
llvm::SmallVector<int64_t, 4> reducedShape(mlir::Value value, unsigned axis);

/// Bits of an element in memory: the storage type of `!quant`, else the type's
/// own width.
unsigned elementBits(mlir::Type elementType);

/// Bytes of a tensor in DRAM; cannot overflow where `checkGraph` has seen it.
int64_t tensorBytes(mlir::Value value);

/// Element type of a tensor value or type; the type itself if it is no tensor.
mlir::Type elementOf(mlir::Value value);

/// True if the element of `value` is quantized.
bool isQuantized(mlir::Value value);

/// True if the storage of a quantized element is signed.
bool elementIsSigned(mlir::Value value);

/// Real value of one step of a quantized element type (a scale S, value = S *
/// (q - Z)); 1 of any other type.
double scaleOf(mlir::Type element);

/// The code Z of the number 0; 0 of any type that is not quantized.
int64_t zeroPointOf(mlir::Type element);

/// Whether saturation to `element` is the clip at 0 of a relu: floats do not
/// saturate, codes do that are unsigned and count from 0.
bool isClippedAtZero(mlir::Type element);

/// The element type `!quant.uniform<i8:f32, scale:zeroPoint>`, or u8 if not
/// `isSigned`; range [-128,127] or [0,255].
mlir::quant::UniformQuantizedType quantElement(mlir::MLIRContext *context,
                                               double scale, bool isSigned,
                                               int64_t zeroPoint = 0);

/// Bytes of one element as stored: f32/i32 4, f16/bf16/i16 2, i8 and 8-bit
/// quant 1.
unsigned elementBytes(mlir::Type element);

/// Least and greatest number of an integer element type of at most 32 bits.
std::pair<int64_t, int64_t> integerBounds(mlir::IntegerType type);

/// True if `result` is what the 4-D shapes `operands` broadcast to: axis by
/// axis each has its size or 1, and one has its size.
bool isBroadcastOf(llvm::ArrayRef<llvm::ArrayRef<int64_t>> operands,
                   llvm::ArrayRef<int64_t> result);

/// Verifies an element-wise op of two tensors, or of a tensor and a constant:
/// the result has their broadcast shape, and there is one of the two.
mlir::LogicalResult verifyTwoOperands(mlir::Operation *op, mlir::Value lhs,
                                      mlir::Value rhs, mlir::Value output,
                                      bool hasConstant);

/// Output extent of a sliding window: floor((size + padBegin + padEnd -
/// ((kernel-1)*dilation+1)) / stride) + 1; 0 if the window does not fit. All in
/// elements.
int64_t windowOutputSize(int64_t size, int64_t kernel, int64_t stride,
                         int64_t padBegin, int64_t padEnd, int64_t dilation);

} // namespace weft::tpu

#include "dialects/tpu/TpuDialect.h.inc"
#include "dialects/tpu/TpuEnums.h.inc"

// After the dialect: the interface's methods mention boxes and buffers.
#include "dialects/tpu/TilingInterface.h.inc"

#endif // WEFT_DIALECTS_TPU_TPU_H
