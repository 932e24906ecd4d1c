//===- TiuConv.cpp - TIU convolution and pooling -------------------------===//

#include "dialects/ppl/TiuConv.h"
#include "dialects/ppl/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

void PplDialect::registerTiuConv() {
  addOperations<
#define GET_OP_LIST
#include "dialects/ppl/TiuConv.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/ppl/TiuConv.cpp.inc"

static LogicalResult verifyValues(Operation *op, StringRef name,
                                  ArrayRef<int64_t> values, size_t count,
                                  int64_t low, int64_t high) {
  if (values.size() != count)
    return op->emitOpError() << name << " has " << values.size()
                             << " values, must have " << count;
  for (int64_t value : values)
    if (failed(expectRange(op, name, value, low, high)))
      return failure();
  return success();
}

// (W1) (W2) (W3) (W4)
template <typename WindowOp>
static LogicalResult verifyWindow(WindowOp op, bool hasInsertions = true) {
  ArrayRef<int64_t> kernel = op.getKernel(), strides = op.getStrides(),
                    pads = op.getPads();
  ArrayRef<int64_t> dilations = op.getDilations(),
                    insertions = op.getInsertions();
  const Chip &chip = chipOf(op);
  int64_t step = chip.maxWindowStep;
  if (failed(verifyValues(op, "kernel", kernel, 2, 1, chip.maxShape)) ||
      failed(verifyValues(op, "strides", strides, 2, 1, step)) ||
      failed(verifyValues(op, "pads", pads, 4, 0, step)) ||
      failed(verifyValues(op, "dilations", dilations, 2, 1, step)) ||
      failed(verifyValues(op, "insertions", insertions, 2, 0,
                          hasInsertions ? 14 : 0)))
    return failure();
  TensorViewType dst = op.getDst().getType(), input = op.getInput().getType();
  if (dst.getN() != input.getN())
    return op.emitOpError()
           << "dst has n = " << dst.getN() << ", input " << input.getN();
  for (int axis : {0, 1}) {
    int64_t in = input.getShape()[2 + axis];
    int64_t padded =
        in + (in - 1) * insertions[axis] + pads[2 * axis] + pads[2 * axis + 1];
    int64_t window = (kernel[axis] - 1) * dilations[axis] + 1;
    int64_t out = padded < window ? 0 : (padded - window) / strides[axis] + 1;
    if (out != dst.getShape()[2 + axis])
      return op.emitOpError()
             << "dst has " << (axis ? "w" : "h") << " = "
             << dst.getShape()[2 + axis] << ", the window over " << in
             << " samples gives " << out;
  }
  return expectLayout(op, "dst", dst, {Layout::Aligned});
}

// The filter of a convolution: one packed row for each output channel.
template <typename ConvOpType>
static LogicalResult verifyFilter(ConvOpType op) {
  TensorViewType filter = tensorOf(op.getFilter()),
                 input = op.getInput().getType();
  TensorViewType dst = op.getDst().getType();
  if (!filter)
    return success();
  int64_t pack = chipOf(op).channelPack(*precisionOf(filter.getElementType()));
  int64_t row = (input.getC() + pack - 1) / pack * pack * op.getKernel()[0] *
                op.getKernel()[1];
  if (filter.getN() != 1 || filter.getC() != dst.getC() ||
      filter.getH() * filter.getW() != row)
    return op.emitOpError()
           << "filter has " << filter.getN() << "x" << filter.getC()
           << " rows of " << filter.getH() * filter.getW()
           << " elements, must be 1x" << dst.getC() << " rows of " << row
           << " (input channels packed by " << pack << ")";
  return expectLayout(op, "filter", filter, {Layout::Compact});
}

static LogicalResult verifyConvInput(Operation *op, TensorViewType input) {
  if (failed(
          expectLayout(op, "input", input, {Layout::Aligned, Layout::Strided})))
    return failure();
  for (int64_t stride : input.getStrides())
    if (stride > 65535)
      return op->emitOpError() << "a stride of the input is " << stride
                               << ", must be below 65536";
  return success();
}

LogicalResult FConvOp::verify() {
  TensorViewType dst = getDst().getType(), input = getInput().getType();
  if (failed(verifyWindow(*this)) || failed(verifyFilter(*this)) || // (C2)
      failed(expectSameElements(*this, "input", input, "filter",
                                tensorOf(getFilter()))) || // (C1)
      failed(verifyConvInput(*this, input)) ||             // (C4)
      failed(expectPerChannel(*this, "bias", tensorOf(getBias()),
                              dst.getC()))) // (C3)
    return failure();
  if (!input.isFloat() || (dst.getElementType() != input.getElementType() &&
                           !dst.getElementType().isF32()))
    return emitOpError() << "input is " << input.getElementType() << " and dst "
                         << dst.getElementType()
                         << ", must be floats, dst of the input's type or f32";
  if (getBias() && !getBias().getType().getElementType().isF32())
    return emitOpError() << "bias is " << getBias().getType().getElementType()
                         << ", must be f32";
  if (isScalar(getFilter()) &&
      !mlir::isa<FloatType>(getFilter().getType())) // (C6)
    return emitOpError() << "a scalar filter is i32, must be f32";
  return success();
}

// pad_value fits the 8-bit input
static LogicalResult verifyPadValue(Operation *op, TensorViewType input,
                                    int64_t value) {
  bool isSignedInput = isSigned(input);
  return expectRange(op, "pad_value", value, isSignedInput ? -128 : 0,
                     isSignedInput ? 127 : 255);
}

LogicalResult ConvOp::verify() {
  TensorViewType dst = getDst().getType(), input = getInput().getType();
  TensorViewType filter = tensorOf(getFilter());
  if (!isInt8(input) || (filter && !isInt8(filter)) || !isInteger(dst)) // (C1)
    return emitOpError() << "input and filter must be si8 or ui8 and dst an "
                            "integer; input is "
                         << input.getElementType() << ", dst "
                         << dst.getElementType();
  if (failed(verifyWindow(*this)) || failed(verifyFilter(*this)) || // (C2)
      failed(verifyConvInput(*this, input)))                        // (C4)
    return failure();
  if (getAccumulate() &&
      dst.getElementType().getIntOrFloatBitWidth() != 32) // (C7)
    return emitOpError() << "accumulates into " << dst.getElementType()
                         << ", must be 32 bits wide";
  TensorViewType zero =
      getKernelZeroPoint() ? tensorOf(getKernelZeroPoint()) : TensorViewType();
  if (failed(expectPerChannel(*this, "kernel_zero_point", zero,
                              dst.getC())) || // (C3)
      failed(expectSameElements(*this, "filter", filter, "kernel_zero_point",
                                zero)))
    return failure();
  return verifyPadValue(*this, input, getPadValue()); // (C6)
}

LogicalResult ConvRqOp::verify() {
  TensorViewType dst = getDst().getType(), input = getInput().getType();
  TensorViewType filter = tensorOf(getFilter()), bias = tensorOf(getBias());
  if (!isInt8(input) || (filter && !isInt8(filter)) || !isInt8(dst) ||
      isSigned(dst) == getRelu()) // (C1)
    return emitOpError() << "input, filter and dst must be 8-bit, dst ui8 "
                            "exactly with relu; input "
                            "is "
                         << input.getElementType() << ", dst "
                         << dst.getElementType();
  if (failed(verifyWindow(*this)) || failed(verifyFilter(*this)) ||
      failed(verifyConvInput(*this, input)) ||
      failed(expectPerChannel(*this, "bias", bias, dst.getC())))
    return failure();
  if (bias && (!isInteger(bias) || elementBytesOf(bias) != 2)) // (C3)
    return emitOpError() << "bias is " << bias.getElementType()
                         << ", must be si16 or ui16";
  if (failed(expectRange(*this, "rshift", int32_t(getRshift()), 0, 31))) // (C6)
    return failure();
  return verifyPadValue(*this, input, getPadValue());
}

LogicalResult DepthwiseOp::verify() {
  TensorViewType dst = getDst().getType(), input = getInput().getType();
  TensorViewType filter = tensorOf(getFilter()), bias = tensorOf(getBias());
  if (failed(verifyWindow(*this)) ||
      failed(expectLayout(*this, "input", input, {Layout::Aligned})) || // (C3)
      failed(expectShape(
          *this, "filter", filter,
          {1, dst.getC(), getKernel()[0], getKernel()[1]})) || // (C2)
      failed(expectLayout(*this, "filter", filter, {Layout::Compact})) ||
      failed(expectPerChannel(*this, "bias", bias, dst.getC())))
    return failure();
  if (input.getC() != dst.getC())
    return emitOpError() << "input has " << input.getC() << " channels, dst "
                         << dst.getC();
  if (failed(expectRange(*this, "rshift", int32_t(getRshift()), 0,
                         input.isFloat() ? 0 : 31))) // (C4)
    return failure();
  if (input.isFloat()) { // (C1)
    if (failed(expectSameElements(*this, "dst", dst, "input", input)) ||
        failed(expectSameElements(*this, "input", input, "filter", filter)) ||
        failed(expectSameElements(*this, "input", input, "bias", bias)))
      return failure();
    return expectRange(*this, "pad_value", getPadValue(), 0, 0);
  }
  if (!isInt8(input) || (filter && !isInt8(filter)) || !isInteger(dst) ||
      (bias && (!isInteger(bias) || elementBytesOf(bias) != 4)))
    return emitOpError() << "integer depthwise takes 8-bit input and filter "
                            "and a 32-bit bias; "
                            "input is "
                         << input.getElementType() << ", dst "
                         << dst.getElementType();
  return verifyPadValue(*this, input, getPadValue());
}

LogicalResult PoolOp::verify() {
  TensorViewType dst = getDst().getType(), input = getInput().getType();
  if (failed(verifyWindow(*this, /*hasInsertions=*/false)) ||         // (C4)
      failed(expectLayout(*this, "input", input, {Layout::Aligned}))) // (C2)
    return failure();
  if (input.getC() != dst.getC())
    return emitOpError() << "input has " << input.getC() << " channels, dst "
                         << dst.getC();
  bool isMax = getKind() == PoolKind::Max;
  bool mayWiden = !isMax && isInt8(input) && isInteger(dst) &&
                  isSigned(dst) == isSigned(input);
  if (dst.getElementType() != input.getElementType() && !mayWiden) // (C1)
    return emitOpError() << "dst is " << dst.getElementType() << ", input "
                         << input.getElementType()
                         << "; only an 8-bit average widens its sum";
  if (!input.isFloat() && !isInt8(input))
    return emitOpError() << "input is " << input.getElementType()
                         << ", must be a float or 8-bit";
  bool isIntAverage = !isMax && !input.isFloat(); // (C3)
  if (failed(expectRange(*this, "multiplier", int32_t(getMultiplier()),
                         isIntAverage ? 0 : 1, isIntAverage ? 255 : 1)))
    return failure();
  return expectRange(*this, "rshift", int32_t(getRshift()), 0,
                     isIntAverage ? 31 : 0);
}
