//===- Pool.cpp - tpu ops of the Pool family ---===//

#include "dialects/tpu/Pool.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerPool
#define WEFT_OPS "dialects/tpu/Pool.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult PoolOp::verify() {
  auto input = getInput().getType(), output = getOutput().getType();
  auto kernel = getKernel(), strides = getStrides(), pads = getPads();
  auto positive = [](int64_t v) { return v > 0; };
  if (kernel.size() != 2 || strides.size() != 2 || pads.size() != 4 ||
      !llvm::all_of(kernel, positive) ||
      !llvm::all_of(strides, positive)) // (C1)
    return emitOpError(
        "needs 2 positive kernel sizes, 2 positive strides and 4 pads");
  for (int i = 0; i < 4; ++i)
    if (pads[i] < 0 || pads[i] >= kernel[i % 2]) // (C1)
      return emitOpError(
          "pads must be non-negative and smaller than the kernel");
  int64_t expected[] = {input.getDimSize(0), input.getDimSize(1),
                        windowOutputSize(input.getDimSize(2), kernel[0],
                                         strides[0], pads[0], pads[2], 1),
                        windowOutputSize(input.getDimSize(3), kernel[1],
                                         strides[1], pads[1], pads[3], 1)};
  if (output.getShape() != ArrayRef<int64_t>(expected)) // (C2)
    return emitOpError("result must be ")
           << expected[0] << "x" << expected[1] << "x" << expected[2] << "x"
           << expected[3];
  bool average = getKind() == PoolKind::Avg,
       quantized = isQuantized(getInput());
  if ((!average || !quantized) &&
      input.getElementType() != output.getElementType()) // (C3)
    return emitOpError("result must have the element type of the input");
  if (average && !getCountIncludePad() && llvm::any_of(pads, positive)) // (C4)
    return emitOpError("average with pads needs count_include_pad");
  bool scaled = average && quantized;
  if (getMultiplier().has_value() != scaled ||
      getRshift().has_value() != scaled ||
      (scaled &&
       (getMultiplier().value() > 255 || getRshift().value() > 31))) // (C5)
    return emitOpError("quantized average needs multiplier in [0, 255] and "
                       "rshift in [0, 31], other forms none");
  if (scaled && !isQuantized(getOutput())) // (C3)
    return emitOpError("quantized average needs a quantized result");
  if (scaled && (zeroPointOf(input.getElementType()) != 0 ||
                 zeroPointOf(output.getElementType()) != 0)) // (C6)
    return emitOpError(
        "quantized average needs zero point 0; dequantize it first");
  if (scaled &&
      elementIsSigned(getInput()) != elementIsSigned(getOutput())) // (C7)
    return emitOpError("quantized average of ")
           << input.getElementType() << " to " << output.getElementType()
           << "; the result must be signed exactly if the input is";
  return success();
}
