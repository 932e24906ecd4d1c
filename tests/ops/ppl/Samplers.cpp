//===- Samplers.cpp - random legal calls of PPL functions ----------------===//

#include "tests/ops/ppl/Samplers.h"
#include "runtime/numeric/SplitMix64.h"

#include <cmath>
#include <unordered_map>

using namespace weft;
using namespace weft::cases;
using namespace weft::catalog;

uint64_t Numbers::next() { return numeric::nextRandom(state); }

int64_t Numbers::between(int64_t low, int64_t high) {
  uint64_t span = uint64_t(high) - uint64_t(low) + 1;
  return int64_t(uint64_t(low) + (span ? next() % span : next()));
}

double Numbers::real(double low, double high) {
  return low + double(next() >> 11) * 0x1p-53 * (high - low);
}

bool Numbers::chance(double probability) { return real(0, 1) < probability; }

Argument cases::localTensor(DataType type, Dims shape, AlignMode layout,
                            unsigned lane, const Chip &chip) {
  Argument argument;
  argument.kind = Argument::Kind::Tensor;
  Tensor &tensor = argument.tensor;
  tensor.type = type;
  tensor.layout = layout;
  tensor.shape = shape;
  tensor.lane = lane;
  tensor.strides = stridesOf(layout, type, shape, lane, chip);
  return argument;
}

Argument cases::globalTensor(DataType type, Dims shape, const Chip &chip) {
  Argument argument = localTensor(type, shape, AlignMode::Continuous, 0, chip);
  argument.tensor.memory = Memory::Global;
  return argument;
}

Argument cases::number(int64_t value) {
  Argument argument;
  argument.kind = Argument::Kind::Integer;
  argument.integer = value;
  argument.real = double(value);
  return argument;
}

Argument cases::number(double value) {
  Argument argument;
  argument.kind = Argument::Kind::Float;
  argument.real = value;
  return argument;
}

Argument cases::numbersOf(std::vector<int64_t> values) {
  Argument argument;
  argument.kind = Argument::Kind::Integers;
  argument.integers = std::move(values);
  return argument;
}

Argument cases::anyNumber(Numbers &numbers, const Slot &slot) {
  switch (slot.kind) {
  case SlotKind::Float:
    return number(double(float(numbers.real(-4, 4))));
  case SlotKind::Integers: {
    std::vector<int64_t> values;
    for (unsigned i = 0; i < slot.count; ++i)
      values.push_back(numbers.between(std::max<int64_t>(slot.low, -100),
                                       std::min<int64_t>(slot.high, 100)));
    return numbersOf(std::move(values));
  }
  default:
    return number(numbers.between(std::max<int64_t>(slot.low, -100),
                                  std::min<int64_t>(slot.high, 100)));
  }
}

Dense cases::contents(Numbers &numbers, DataType type, Dims shape, double low,
                      double high) {
  Dense dense(type, shape);
  for (int64_t i = 0; i < dense.elements(); ++i)
    if (isFloat(type))
      dense.setValue(i, numbers.real(low, high));
    else
      dense.setBits(i, uint64_t(numbers.between(int64_t(low), int64_t(high))));
  return dense;
}

/// Strides of one's own for a local tensor, at most four times as much memory.
static void freeStrides(Numbers &numbers, Tensor &tensor) {
  int64_t w = numbers.between(1, 2);
  int64_t h = tensor.shape[3] * w + numbers.between(0, 3);
  int64_t c = tensor.shape[2] * h + numbers.between(0, 9);
  int64_t rows = (tensor.lane + tensor.shape[1] + 63) / 64;
  tensor.layout = AlignMode::Free;
  tensor.strides = {rows * c + numbers.between(0, 5), c, h, w};
}

void cases::sampleAlike(Numbers &numbers, Case &drawn) {
  const Operation &operation = *drawn.call.operation;
  const Chip &chip = *drawn.call.chip;
  Dims shape = {numbers.between(1, 3), numbers.between(1, 80),
                numbers.between(1, 6), numbers.between(1, 20)};
  unsigned lane = numbers.chance(0.3) ? unsigned(numbers.between(0, 63)) : 0;
  std::optional<DataType> common;
  bool mixes = numbers.chance(0.3);
  for (const Slot &slot : operation.slots) {
    bool leavesOut = slot.optional && numbers.chance(0.5);
    if (leavesOut) {
      drawn.call.arguments.emplace_back();
      continue;
    }
    bool isTensor =
        slot.kind == SlotKind::Tensor ||
        (slot.kind == SlotKind::TensorOrScalar && numbers.chance(0.7));
    if (!isTensor) {
      bool takesReal =
          slot.kind == SlotKind::TensorOrScalar && common && isFloat(*common);
      Slot bounded = slot;
      if (takesReal)
        bounded.kind = SlotKind::Float;
      drawn.call.arguments.push_back(anyNumber(numbers, bounded));
      continue;
    }
    DataType type = common.value_or(DataType::Fp32);
    if (!common || mixes || !slot.types.contains(type))
      type = numbers.among(slot.types.members());
    if (!common)
      common = type;
    Dims own = shape;
    if (slot.access == Access::Read && numbers.chance(0.15))
      own[size_t(numbers.between(0, 3))] = 1;
    bool isLocal = slot.memories >> unsigned(Memory::Local) & 1;
    if (!isLocal) {
      drawn.call.arguments.push_back(globalTensor(type, own, chip));
      continue;
    }
    auto layout = AlignMode(numbers.between(1, 3));
    Argument argument = localTensor(
        type, own, numbers.chance(0.6) ? AlignMode::Aligned : layout, lane,
        chip);
    if (numbers.chance(0.15))
      freeStrides(numbers, argument.tensor);
    drawn.call.arguments.push_back(std::move(argument));
  }
}

Sample cases::samplerOf(const Operation &operation) {
  static const auto *table = [] {
    auto *map = new std::unordered_map<std::string_view, Sample>;
    for (auto group :
         {dmaSamplers, tiuPointwiseSamplers, tiuComparisonSamplers,
          tiuIndexSamplers, tiuConvSamplers, tiuMatMulSamplers, tiuPoolSamplers,
          tiuQuantSamplers, tiuSpecialSamplers, tiuMoveSamplers})
      for (const SampleRow &row : group())
        map->emplace(row.name, row.sample);
    return map;
  }();
  auto found = table->find(operation.name);
  return found == table->end() ? sampleAlike : found->second;
}
