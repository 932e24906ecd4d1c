//===- Tpu.cpp - the tpu dialect -----------------------------------------===//

#include "dialects/tpu/Tpu.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::tpu;

#include "dialects/tpu/TpuDialect.cpp.inc"
#include "dialects/tpu/TpuEnums.cpp.inc"

void TpuDialect::initialize() {
#define WEFT_FAMILY(name) register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  registerGroup();
}

bool weft::tpu::isUniformQuant(Type type) {
  auto quant = dyn_cast<quant::UniformQuantizedType>(type);
  if (!quant || !quant.getExpressedType().isF32())
    return false;
  int64_t zeroPoint = quant.getZeroPoint();
  unsigned bits = quant.getStorageTypeIntegralWidth();
  return zeroPoint == 0 ? bits == 8 || bits == 16
                        : bits == 8 && zeroPoint >= quant.getStorageTypeMin() &&
                              zeroPoint <= quant.getStorageTypeMax();
}

bool weft::tpu::isSymmetricQuant(Type type) {
  return isUniformQuant(type) && zeroPointOf(type) == 0;
}

Type weft::tpu::elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

bool weft::tpu::isQuantized(Value value) {
  return isa<quant::UniformQuantizedType>(elementOf(value));
}

bool weft::tpu::elementIsSigned(Value value) {
  return cast<quant::UniformQuantizedType>(elementOf(value)).isSigned();
}

double weft::tpu::scaleOf(Type element) {
  auto quant = dyn_cast<quant::UniformQuantizedType>(element);
  return quant ? quant.getScale() : 1.0;
}

int64_t weft::tpu::zeroPointOf(Type element) {
  auto quant = dyn_cast<quant::UniformQuantizedType>(element);
  return quant ? quant.getZeroPoint() : 0;
}

bool weft::tpu::isClippedAtZero(Type element) {
  auto quant = dyn_cast<quant::UniformQuantizedType>(element);
  return !quant || (!quant.isSigned() && quant.getZeroPoint() == 0);
}

quant::UniformQuantizedType weft::tpu::quantElement(MLIRContext *context,
                                                    double scale, bool isSigned,
                                                    int64_t zeroPoint) {
  return quant::UniformQuantizedType::get(
      isSigned ? quant::QuantizationFlags::Signed : 0,
      IntegerType::get(context, 8), Float32Type::get(context), scale, zeroPoint,
      isSigned ? -128 : 0, isSigned ? 127 : 255);
}

unsigned weft::tpu::elementBytes(Type element) {
  if (auto quant = dyn_cast<quant::UniformQuantizedType>(element))
    return quant.getStorageTypeIntegralWidth() / 8;
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t weft::tpu::windowOutputSize(int64_t size, int64_t kernel,
                                    int64_t stride, int64_t padBegin,
                                    int64_t padEnd, int64_t dilation) {
  int64_t room = size + padBegin + padEnd - ((kernel - 1) * dilation + 1);
  return room < 0 ? 0 : room / stride + 1;
}

std::pair<int64_t, int64_t> weft::tpu::integerBounds(IntegerType type) {
  unsigned width = type.getWidth();
  if (type.isUnsigned())
    return {0, (int64_t(1) << width) - 1};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}

bool weft::tpu::isBroadcastOf(ArrayRef<ArrayRef<int64_t>> operands,
                              ArrayRef<int64_t> result) {
  for (auto [axis, size] : llvm::enumerate(result)) {
    bool reached = size == 1;
    for (ArrayRef<int64_t> operand : operands) {
      if (operand[axis] != size && operand[axis] != 1)
        return false;
      reached |= operand[axis] == size;
    }
    if (!reached)
      return false;
  }
  return true;
}

LogicalResult weft::tpu::verifyTwoOperands(Operation *op, Value lhs, Value rhs,
                                           Value output, bool hasConstant) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> shapes[] = {shapeOf(lhs), shapeOf(rhs ? rhs : lhs)};
  if (!isBroadcastOf(shapes, shapeOf(output)))
    return op->emitOpError(
        "result shape must be the broadcast shape of the operands");
  if ((rhs != nullptr) == hasConstant)
    return op->emitOpError(
        "needs exactly one of a second operand and constant");
  return success();
}

Dims weft::tpu::dimsOf(Value value) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  Dims dims{1, 1, 1, 1};
  for (size_t i = 0; i < shape.size() && i < 4; ++i)
    dims[4 - shape.size() + i] = shape[i];
  return dims;
}

SmallVector<int64_t, 4> weft::tpu::reducedShape(Value value, unsigned axis) {
  SmallVector<int64_t, 4> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  shape[axis] = 1;
  return shape;
}

unsigned weft::tpu::elementBits(Type elementType) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(elementType))
    return quantized.getStorageTypeIntegralWidth();
  return elementType.getIntOrFloatBitWidth();
}

int64_t weft::tpu::tensorBytes(Value value) {
  return Box::whole(dimsOf(value)).elements() * elementBits(elementOf(value)) /
         8;
}
