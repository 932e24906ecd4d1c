//===- ElementDraw.cpp - random calls of element functions ---------------===//

#include "tests/ops/ppl/samplers/ElementDraw.h"

#include <cmath>

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

DataType ElementDraw::typeFor(std::string_view slot) {
  std::vector<DataType> types;
  for (DataType type : operation().slot(slot)->types.members())
    if (kAnyElement.contains(type))
      types.push_back(type);
  return numbers.among(types);
}

/// Zeros, ones, infinities, NaNs with payloads, the smallest and the largest
/// numbers, by type.
static uint64_t specialBits(Numbers &numbers, DataType type) {
  int width = int(bitsOf(type)), fraction = type == DataType::Fp32   ? 23
                                            : type == DataType::Fp16 ? 10
                                                                     : 7;
  uint64_t one = 1, top = ((one << (width - 1 - fraction)) - 1) << fraction,
           half = (one << (width - 2 - fraction)) - 1;
  const std::vector<uint64_t> magnitudes = {0,
                                            1,
                                            (one << fraction) - 1,
                                            one << fraction,
                                            top - 1,
                                            top,
                                            top + 1,
                                            top + (one << (fraction - 1)),
                                            half << fraction,
                                            (half << fraction) + 1};
  return numbers.among(magnitudes) | uint64_t(numbers.chance(0.5))
                                         << (width - 1);
}

void ElementDraw::fill(std::string_view slot) {
  Dense &dense = values(slot);
  unsigned width = bitsOf(dense.type);
  bool isOrdinary = isFloat(dense.type) && chance(0.4);
  for (int64_t i = 0; i < dense.elements(); ++i) {
    if (isOrdinary)
      dense.setValue(i, numbers.real(-4, 4));
    else if (isFloat(dense.type) && chance(0.25))
      dense.setBits(i, specialBits(numbers, dense.type));
    else
      dense.setBits(i, numbers.next() >> (64 - width));
  }
}

void ElementDraw::anywhere(std::string_view slot, DataType type,
                           const Dims &dims) {
  if (chance(0.2))
    strided(slot, type, dims, lane);
  else
    tensor(slot, type, dims,
           chance(0.6) ? AlignMode::Aligned
                       : oneOf({AlignMode::Compact, AlignMode::RowAligned}),
           lane);
  fill(slot);
}

void ElementDraw::aligned(std::string_view slot, DataType type,
                          const Dims &dims) {
  tensor(slot, type, dims, AlignMode::Aligned, lane);
  fill(slot);
}

void ElementDraw::compact(std::string_view slot, DataType type,
                          const Dims &dims) {
  tensor(slot, type, dims, AlignMode::Compact, lane);
  fill(slot);
}

Dims ElementDraw::repeated(bool channelsToo) {
  Dims dims = shape;
  if (chance(0.5))
    return dims;
  for (int axis = 0; axis < 4; ++axis)
    if ((axis != 1 || channelsToo) && chance(0.4))
      dims[size_t(axis)] = 1;
  return dims;
}

void ElementDraw::anyNumber(std::string_view slot, DataType type) {
  if (!isFloat(type)) {
    int64_t high = (int64_t(1) << (bitsOf(type) - isSigned(type))) - 1;
    int64_t low = isSigned(type) ? -high - 1 : 0;
    return number(slot, chance(0.4) ? between(std::max<int64_t>(low, -3), 3)
                                    : between(low, high));
  }
  double value = float(numbers.real(-4, 4));
  if (chance(0.3))
    value = oneOf<double>({0.0, -0.0, HUGE_VAL, -HUGE_VAL, 70000.0, 0x1p-126,
                           -0x1p-130, 0x1p-20, 0x1.fp100});
  real(slot, value);
}

void ElementDraw::operand(std::string_view slot, DataType type,
                          bool channelsToo) {
  if (chance(0.25))
    anyNumber(slot, type);
  else
    anywhere(slot, type, repeated(channelsToo));
}
