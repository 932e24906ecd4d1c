//===- Arguments.cpp - arguments of random calls --------------------------===//

#include "tests/ops/ppl/samplers/Arguments.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

void Drawn::set(std::string_view slot, Argument argument) {
  int index = drawn.call.operation->slotIndex(slot);
  drawn.call.arguments.at(size_t(index)) = std::move(argument);
}

void Drawn::number(std::string_view slot, int64_t value) {
  set(slot, cases::number(value));
}

void Drawn::real(std::string_view slot, double value) {
  set(slot, cases::number(value));
}

void Drawn::list(std::string_view slot, std::vector<int64_t> values) {
  set(slot, numbersOf(std::move(values)));
}

void Drawn::tensor(std::string_view slot, DataType type, const Dims &shape,
                   AlignMode layout, unsigned lane) {
  set(slot, localTensor(type, shape, layout, lane, chip()));
}

void Drawn::strided(std::string_view slot, DataType type, const Dims &shape,
                    unsigned lane) {
  tensor(slot, type, shape, AlignMode::Free, lane);
  int index = drawn.call.operation->slotIndex(slot);
  Tensor &tensor = drawn.call.arguments[size_t(index)].tensor;
  int64_t rows = (int64_t(lane) + shape[1] + chip().lanes - 1) / chip().lanes;
  int64_t w = between(1, 2), h = shape[3] * w + between(0, 3),
          c = shape[2] * h + between(0, 5);
  tensor.strides = {rows * c + between(0, 7), c, h, w};
}

Dense &Drawn::values(std::string_view slot) {
  const Tensor *tensor = drawn.call.tensor(slot);
  auto [at, isNew] = drawn.values.try_emplace(
      drawn.call.operation->slot(slot)->name, tensor->type, tensor->shape);
  (void)isNew;
  return at->second;
}

void Drawn::finite(std::string_view slot) {
  if (!drawn.call.tensor(slot))
    return;
  Dense &dense = values(slot);
  // Most tensors hold numbers of one size, so that sums keep their digits;
  // some lie about where products, or they themselves, are subnormal.
  bool hasInfinities = chance(0.1);
  bool isMixed = chance(0.25), isHalf = dense.type == DataType::Fp16;
  int spread = isHalf ? 12 : 40, scale = 0;
  if (chance(0.1))
    scale = isHalf ? -14 : int(oneOf<int64_t>({-63, -127, 50}));
  for (int64_t i = 0; i < dense.elements(); ++i) {
    double value = std::ldexp(numbers.real(-4, 4), scale);
    if (isMixed && chance(0.5))
      value = std::ldexp(value, int(between(-2 * spread, spread) / 2));
    else if (hasInfinities && chance(0.02))
      value = chance(0.5) ? INFINITY : -INFINITY;
    else if (isMixed && chance(0.1))
      value = 0;
    dense.setValue(i, value);
  }
}
