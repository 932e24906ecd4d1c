//===- TiuQuant.cpp - random calls of requantization ----------------------===//

#include "runtime/catalog/Slots.h"
#include "tests/ops/ppl/Samplers.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

static constexpr TypeSet kInt32 = DataType::Int32;

namespace {
/// dst and src of one shape, both aligned.
struct Pair {
  Argument dst, src;
  unsigned lane;
};
} // namespace

static Pair pairOf(Numbers &numbers, const Chip &chip, TypeSet to,
                   TypeSet from) {
  unsigned lane = numbers.chance(0.25) ? unsigned(numbers.between(0, 63)) : 0;
  Dims shape = {numbers.between(1, 3),
                numbers.chance(0.3) ? numbers.between(60, 140)
                                    : numbers.between(1, 12),
                numbers.between(1, 6), numbers.between(1, 30)};
  auto drawn = [&](TypeSet types) {
    return localTensor(numbers.among(types.members()), shape,
                       AlignMode::Aligned, lane, chip);
  };
  return {drawn(to), drawn(from), lane};
}

/// Small and large numbers alike: a width from 1 to `bits`, then any number of
/// that width.
static int64_t ofAnyWidth(Numbers &numbers, unsigned bits, bool isSignedType) {
  int64_t width = numbers.between(1, bits);
  int64_t most = (int64_t(1) << (width - isSignedType)) - 1;
  return numbers.between(isSignedType ? -most - 1 : 0, most);
}

static Dense integersOf(Numbers &numbers, const Tensor &tensor) {
  Dense dense(tensor.type, tensor.shape);
  for (int64_t i = 0; i < dense.elements(); ++i)
    dense.setBits(i, uint64_t(ofAnyWidth(numbers, bitsOf(tensor.type),
                                         isSigned(tensor.type))));
  return dense;
}

static int64_t offsetFor(Numbers &numbers, DataType side) {
  return ofAnyWidth(numbers, 16, isSigned(side));
}

static uint64_t floatBits(double value) {
  float single = float(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  return bits;
}

/// A scale over many powers of two, of both signs.
static double scaleOf(Numbers &numbers) {
  double scale = numbers.real(1, 2);
  for (int64_t i = numbers.between(0, 24); i > 0; --i)
    scale /= 2;
  return double(float(numbers.chance(0.2) ? -scale : scale));
}

/// The numbers of every channel, or the row's numbers as arguments.
static void setNumbers(Numbers &numbers, Case &drawn, const Pair &pair,
                       DataType words, size_t count,
                       const std::function<std::vector<uint64_t>()> &row,
                       const std::function<std::vector<Argument>()> &given) {
  Argument quant;
  std::vector<Argument> arguments(given().size());
  if (numbers.chance(0.5)) {
    Dims shape = {1, pair.dst.tensor.shape[1], 1, int64_t(count)};
    quant = localTensor(words, shape, AlignMode::Aligned, pair.lane,
                        *drawn.call.chip);
    Dense contents(words, shape);
    for (int64_t c = 0; c < shape[1]; ++c) {
      std::vector<uint64_t> values = row();
      for (size_t i = 0; i < count; ++i)
        contents.setBits(c * int64_t(count) + int64_t(i), values[i]);
    }
    drawn.values.emplace("quant", std::move(contents));
  } else {
    arguments = given();
  }
  drawn.call.arguments = {pair.dst, pair.src, quant};
  for (Argument &argument : arguments)
    drawn.call.arguments.push_back(std::move(argument));
  drawn.values.emplace("src", integersOf(numbers, pair.src.tensor));
}

static void dq0(Numbers &numbers, Case &drawn) {
  Pair pair = pairOf(numbers, *drawn.call.chip, DataType::Fp32, k16 | k8);
  DataType side = pair.src.tensor.type;
  DataType words = numbers.chance(0.5) ? DataType::Int32 : DataType::Fp32;
  setNumbers(
      numbers, drawn, pair, words, 2,
      [&] {
        return std::vector<uint64_t>{uint64_t(offsetFor(numbers, side)),
                                     floatBits(scaleOf(numbers))};
      },
      [&] {
        return std::vector<Argument>{number(offsetFor(numbers, side)),
                                     number(scaleOf(numbers))};
      });
  drawn.call.arguments.push_back(number(numbers.between(0, 4)));
}

static int64_t shiftOf(Numbers &numbers) {
  return numbers.chance(0.8) ? numbers.between(-34, 4)
                             : numbers.between(-64, 31);
}

static void dq1(Numbers &numbers, Case &drawn) {
  Pair pair = pairOf(numbers, *drawn.call.chip, kInt32 | k16, k16 | k8);
  DataType side = pair.src.tensor.type;
  setNumbers(
      numbers, drawn, pair, DataType::Int32, 3,
      [&] {
        return std::vector<uint64_t>{uint64_t(offsetFor(numbers, side)),
                                     uint64_t(ofAnyWidth(numbers, 32, true)),
                                     uint64_t(shiftOf(numbers))};
      },
      [&] {
        return std::vector<Argument>{number(offsetFor(numbers, side)),
                                     number(ofAnyWidth(numbers, 32, true)),
                                     number(shiftOf(numbers))};
      });
  drawn.call.arguments.push_back(number(numbers.between(0, 4)));
}

static void rq1(Numbers &numbers, Case &drawn) {
  Pair pair = pairOf(numbers, *drawn.call.chip, k16 | k8, kInt32 | k16);
  DataType side = pair.dst.tensor.type;
  setNumbers(
      numbers, drawn, pair, DataType::Int32, 3,
      [&] {
        return std::vector<uint64_t>{uint64_t(ofAnyWidth(numbers, 32, true)),
                                     uint64_t(shiftOf(numbers)),
                                     uint64_t(offsetFor(numbers, side))};
      },
      [&] {
        return std::vector<Argument>{number(ofAnyWidth(numbers, 32, true)),
                                     number(shiftOf(numbers)),
                                     number(offsetFor(numbers, side))};
      });
  drawn.call.arguments.push_back(number(numbers.between(0, 6)));
}

static void rq0(Numbers &numbers, Case &drawn) {
  Pair pair = pairOf(numbers, *drawn.call.chip, k16 | k8, kInt32 | k16);
  auto offset = [&] { return double(float(numbers.real(-300, 300))); };
  setNumbers(
      numbers, drawn, pair, DataType::Fp32, 2,
      [&] {
        return std::vector<uint64_t>{floatBits(scaleOf(numbers)),
                                     floatBits(offset())};
      },
      [&] {
        return std::vector<Argument>{number(scaleOf(numbers)),
                                     number(offset())};
      });
  drawn.call.arguments.push_back(number(numbers.between(0, 4)));
  drawn.call.arguments.push_back(number(numbers.between(0, 4)));
}

static void dq2(Numbers &numbers, Case &drawn) {
  const Chip &chip = *drawn.call.chip;
  Pair pair =
      pairOf(numbers, chip, TypeSet(DataType::Fp16) | DataType::Bf16, k8);
  int64_t size = int64_t(32) << numbers.between(0, 3);
  Dims shape = pair.dst.tensor.shape;
  shape[3] = size * numbers.between(1, 3);
  pair.dst = localTensor(pair.dst.tensor.type, shape, AlignMode::Aligned,
                         pair.lane, chip);
  pair.src = localTensor(pair.src.tensor.type, shape, AlignMode::Aligned,
                         pair.lane, chip);
  shape[3] /= size;
  Argument words =
      localTensor(DataType::Uint32, shape, AlignMode::Compact, pair.lane, chip);
  drawn.call.arguments = {pair.dst, pair.src, words, number(size)};
  Dense groups(DataType::Uint32, shape),
      halves(pair.dst.tensor.type, {1, 1, 1, 2});
  for (int64_t i = 0; i < groups.elements(); ++i) {
    halves.setValue(0, numbers.real(-300, 300));
    halves.setValue(1, scaleOf(numbers));
    groups.setBits(i, halves.bits(0) | halves.bits(1) << 16);
  }
  drawn.values.emplace("offset_scale", std::move(groups));
}

std::vector<SampleRow> cases::tiuQuantSamplers() {
  return {{"tiu.dq0", dq0},
          {"tiu.dq1", dq1},
          {"tiu.dq2", dq2},
          {"tiu.rq0", rq0},
          {"tiu.rq1", rq1}};
}
