//===- Conv.cpp - tpu ops of the Conv family ---===//

#include "dialects/tpu/Conv.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerConv
#define WEFT_OPS "dialects/tpu/Conv.cpp.inc"
#include "dialects/OpDefinitions.inc"

bool ConvOp::isDepthwise() {
  int64_t group = static_cast<int64_t>(getGroup());
  return group == getInput().getType().getDimSize(1) &&
         group == getFilter().getType().getDimSize(0);
}

bool ConvOp::isRoundedFirst() {
  return getScales() && getBias() && !elementOf(getBias()).isF32();
}

int64_t ConvOp::groupOf(int64_t channel) {
  return FilterGroups{static_cast<int64_t>(getGroup()), getInterleaved()}.of(
      channel, getFilter().getType().getDimSize(0));
}

/// How a window moves: 2 positive strides and dilations, 4 pads of 0 or more.
static bool isMovement(ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                       ArrayRef<int64_t> pads) {
  auto positive = [](int64_t v) { return v > 0; };
  return strides.size() == 2 && dilations.size() == 2 && pads.size() == 4 &&
         llvm::all_of(strides, positive) && llvm::all_of(dilations, positive) &&
         llvm::none_of(pads, [](int64_t v) { return v < 0; });
}

/// (C1)-(C4): shapes and window.
static LogicalResult verifyShapes(ConvOp op) {
  auto input = op.getInput().getType(), filter = op.getFilter().getType(),
       output = op.getOutput().getType();
  int64_t group = static_cast<int64_t>(op.getGroup());
  if (group < 1 || input.getDimSize(1) != filter.getDimSize(1) * group ||
      filter.getDimSize(0) % group) // (C1)
    return op.emitOpError("input channels ")
           << input.getDimSize(1) << ", filter " << filter.getDimSize(0) << "x"
           << filter.getDimSize(1) << " and group " << group
           << " do not fit; input channels must be filter channels times "
              "group, and group must divide the filters";
  if (op.getInterleaved() && (group == 1 || op.isDepthwise())) // (C8)
    return op.emitOpError("interleaved needs several groups that are not one "
                          "channel each");
  auto strides = op.getStrides(), pads = op.getPads(),
       dilations = op.getDilations();
  if (!isMovement(strides, dilations, pads)) // (C2)
    return op.emitOpError("needs 2 positive strides, 2 positive dilations and "
                          "4 non-negative pads");
  int64_t height = windowOutputSize(input.getDimSize(2), filter.getDimSize(2),
                                    strides[0], pads[0], pads[2], dilations[0]);
  int64_t width = windowOutputSize(input.getDimSize(3), filter.getDimSize(3),
                                   strides[1], pads[1], pads[3], dilations[1]);
  int64_t expected[] = {input.getDimSize(0), filter.getDimSize(0), height,
                        width};
  if (output.getShape() != ArrayRef<int64_t>(expected)) // (C3)
    return op.emitOpError("result must be ")
           << expected[0] << "x" << expected[1] << "x" << height << "x"
           << width;
  if (op.getBias()) { // (C4)
    int64_t biasShape[] = {1, filter.getDimSize(0), 1, 1};
    if (op.getBias().getType().getShape() != ArrayRef<int64_t>(biasShape))
      return op.emitOpError("bias must be 1x")
             << filter.getDimSize(0) << "x1x1";
  }
  return success();
}

LogicalResult ConvOp::verify() {
  if (failed(verifyShapes(*this)))
    return failure();
  Type input = elementOf(getInput()), filter = elementOf(getFilter()),
       output = elementOf(getOutput());
  Type bias = getBias() ? elementOf(getBias()) : Type();
  size_t outChannels = getFilter().getType().getDimSize(0);
  if (!isQuantized(getInput())) {
    bool result = output == input || (output.isF32() && !input.isF32());
    if (getNarrowSums()) { // (C10)
      if (!isDepthwise() || !input.isF16() || filter != input ||
          output != input || (bias && bias != input))
        return emitOpError("narrow_sums needs a depthwise convolution with "
                           "f16 for input, filter, bias and result");
    } else if (filter != input || !result || (bias && !bias.isF32())) // (C5)
      return emitOpError("float form needs one type for input and filter, that "
                         "type or f32 as result, and an f32 bias");
    if (getMultipliers() || getRshifts() || getScales() ||
        getFilterZeroPoints()) // (C6)
      return emitOpError("float form takes no multipliers, rshifts, scales or "
                         "filter_zero_points");
    return success();
  }
  if (getNarrowSums()) // (C10)
    return emitOpError("the int8 form takes no narrow_sums");
  if (!filter.isInteger(8)) // (C5)
    return emitOpError("int8 form needs an i8 filter");
  bool fixedPoint = getMultipliers() && getRshifts();
  if (fixedPoint == getScales().has_value() ||
      getMultipliers().has_value() != getRshifts().has_value()) // (C6)
    return emitOpError(
        "int8 form needs either scales or both multipliers and rshifts");
  bool canRoundFirst = !fixedPoint && isQuantized(getOutput());
  if (bias && bias.isF32() == fixedPoint && !canRoundFirst) // (C5)
    return emitOpError("bias must be i32 with multipliers and f32 with scales "
                       "and a float result");
  if (getFilterZeroPoints() &&
      (getGroup() != 1 || getFilterZeroPoints()->size() != outChannels ||
       llvm::any_of(*getFilterZeroPoints(), [](int32_t zero) {
         return zero < INT8_MIN || zero > INT8_MAX;
       }))) // (C9)
    return emitOpError("needs one group and ")
           << outChannels << " filter_zero_points in [-128, 127]";
  if (fixedPoint) {
    if (!isQuantized(getOutput())) // (C5)
      return emitOpError("multipliers need a quantized result");
    if (getMultipliers()->size() != outChannels ||
        getRshifts()->size() != outChannels ||
        llvm::any_of(*getRshifts(),
                     [](int32_t s) { return s < 0 || s > 63; })) // (C6)
      return emitOpError("needs ")
             << outChannels << " multipliers and rshifts, rshifts in [0, 63]";
  } else if (getScales()->size() != outChannels) { // (C6)
    return emitOpError("needs ") << outChannels << " scales";
  }
  if (getRelu() && !isClippedAtZero(output)) // (C7)
    return emitOpError("relu with a quantized result needs an unsigned one "
                       "with zero point 0");
  return success();
}

LogicalResult UnfoldOp::verify() {
  auto input = getInput().getType(), output = getOutput().getType();
  auto kernel = getKernel(), strides = getStrides(), pads = getPads(),
       dilations = getDilations();
  if (kernel.size() != 2 || kernel[0] < 1 || kernel[1] < 1 ||
      !isMovement(strides, dilations, pads)) // (C1)
    return emitOpError("needs 2 positive kernel sizes, 2 positive strides, 2 "
                       "positive dilations and 4 non-negative pads");
  int64_t expected[] = {
      input.getDimSize(0), input.getDimSize(1) * kernel[0] * kernel[1],
      windowOutputSize(input.getDimSize(2), kernel[0], strides[0], pads[0],
                       pads[2], dilations[0]),
      windowOutputSize(input.getDimSize(3), kernel[1], strides[1], pads[1],
                       pads[3], dilations[1])};
  if (output.getShape() != ArrayRef<int64_t>(expected)) // (C2)
    return emitOpError("result must be ")
           << expected[0] << "x" << expected[1] << "x" << expected[2] << "x"
           << expected[3];
  if (input.getElementType() != output.getElementType() ||
      (isQuantized(getInput()) && elementBytes(elementOf(getInput())) != 1))
    return emitOpError("needs floats or 8 bits, and a result of the element "
                       "type of the input"); // (C3)
  return success();
}
