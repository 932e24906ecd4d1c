//===- Numbers.cpp - rounding and loading shared by the evaluators --------===//

#include "dialects/tpu/evaluate/Numbers.h"

#include "runtime/numeric/Float16.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

float weft::tpu::roundTo(Type element, double value) {
  float narrow = static_cast<float>(value);
  if (element.isF16())
    return numeric::halfToFloat(numeric::floatToHalf(narrow));
  if (element.isBF16())
    return numeric::bf16ToFloat(numeric::floatToBf16(narrow));
  return narrow;
}

IntegerRange weft::tpu::rangeOf(Type element) {
  unsigned bits;
  bool isSigned = true;
  if (auto quant = dyn_cast<quant::UniformQuantizedType>(element)) {
    bits = quant.getStorageTypeIntegralWidth();
    isSigned = quant.isSigned();
  } else {
    bits = element.getIntOrFloatBitWidth();
    isSigned = !element.isUnsignedInteger();
  }
  if (!isSigned)
    return {0, (int64_t(1) << bits) - 1};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

numeric::Rounding weft::tpu::machineRounding(Rounding rounding) {
  return static_cast<numeric::Rounding>(
      rounding); // one numbering: ISA section 3
}

int64_t weft::tpu::requantize(int64_t value, int64_t multiplier, int64_t rshift,
                              Rounding rounding, IntegerRange range,
                              int64_t zeroPoint) {
  int64_t shifted = numeric::shiftRightRounded(value * multiplier,
                                               static_cast<unsigned>(rshift),
                                               machineRounding(rounding));
  return range.clamp(numeric::saturate(shifted, 32, true) + zeroPoint);
}

void weft::tpu::storeFloats(Value value, const std::vector<float> &floats,
                            Results &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(value.getType()));
  storeDoubles(std::vector<double>(floats.begin(), floats.end()), output);
}

void weft::tpu::storeStored(Value value, const std::vector<int64_t> &integers,
                            Results &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(value.getType()));
  storeIntegers(integers, output);
}

SmallVector<int64_t, 4> weft::tpu::broadcastStrides(Value operand,
                                                    ArrayRef<int64_t> result) {
  auto shape = cast<RankedTensorType>(operand.getType()).getShape();
  SmallVector<int64_t, 4> strides(4);
  int64_t stride = 1;
  for (int axis = 3; axis >= 0; --axis) {
    strides[axis] = shape[axis] == 1 && result[axis] != 1 ? 0 : stride;
    stride *= shape[axis];
  }
  return strides;
}
