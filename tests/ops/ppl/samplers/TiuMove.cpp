//===- TiuMove.cpp - random calls of copies and transposes ----------------===//

#include "tests/ops/ppl/Samplers.h"

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

static DataType anyType(Numbers &numbers, const Case &drawn, size_t slot = 0) {
  return numbers.among(drawn.call.operation->slots[slot].types.members());
}

static unsigned anyLane(Numbers &numbers) {
  return numbers.chance(0.3) ? unsigned(numbers.between(0, 63)) : 0;
}

static int64_t anyChannels(Numbers &numbers) {
  return numbers.chance(0.3) ? numbers.between(60, 140)
                             : numbers.between(1, 12);
}

static Argument aligned(const Case &drawn, DataType type, Dims shape,
                        unsigned lane) {
  return localTensor(type, shape, AlignMode::Aligned, lane, *drawn.call.chip);
}

static void broadcast(Numbers &numbers, Case &drawn) {
  DataType type = anyType(numbers, drawn);
  int64_t n = numbers.between(1, 3), h = numbers.between(1, 6),
          w = numbers.between(1, 40);
  unsigned lane = anyLane(numbers);
  bool isPart = numbers.chance(0.4);
  int64_t c = isPart ? anyChannels(numbers) : numbers.between(1, 64 - lane);
  drawn.call.arguments = {aligned(drawn, type, {n, c, h, w}, lane),
                          aligned(drawn, type, {n, 1, h, w}, anyLane(numbers)),
                          number(isPart ? numbers.between(1, c) : 0)};
}

static void moveCrossLane(Numbers &numbers, Case &drawn) {
  DataType type = anyType(numbers, drawn);
  Dims shape = {numbers.between(1, 3), anyChannels(numbers),
                numbers.between(1, 6), numbers.between(1, 40)};
  drawn.call.arguments = {
      aligned(drawn, type, shape, unsigned(numbers.between(0, 63))),
      aligned(drawn, type, shape, unsigned(numbers.between(0, 63)))};
}

static void fill(Numbers &numbers, Case &drawn) {
  sampleAlike(numbers, drawn);
  DataType type = drawn.call.arguments[0].tensor.type;
  int64_t half = int64_t(1) << (bitsOf(type) - 1);
  bool isReal = isFloat(type) || numbers.chance(0.2);
  drawn.call.arguments[1] = isReal
                                ? number(numbers.real(-100, 100))
                                : number(numbers.between(-half, 2 * half - 1));
}

static void transpose(Numbers &numbers, Case &drawn) {
  bool isCw = drawn.call.operation->name == "tiu.transpose_cw";
  DataType type = anyType(numbers, drawn);
  int64_t n = numbers.between(1, 3), h = numbers.between(1, 4);
  int64_t c = anyChannels(numbers), w = anyChannels(numbers);
  unsigned lane = anyLane(numbers);
  drawn.call.arguments = {
      localTensor(type, {n, c, h, w},
                  isCw ? AlignMode::RowAligned : AlignMode::Aligned,
                  isCw ? lane : 0, *drawn.call.chip),
      aligned(drawn, type, {n, w, h, c}, isCw ? 0 : lane)};
}

static void staticBroadcast(Numbers &numbers, Case &drawn) {
  // A type that the table does not have is not a legal call.
  unsigned lane = anyLane(numbers);
  drawn.call.arguments = {
      localTensor(anyType(numbers, drawn),
                  {1, numbers.between(1, 64 - lane), 1, numbers.between(1, 64)},
                  numbers.chance(0.3) ? AlignMode::Compact : AlignMode::Aligned,
                  lane, *drawn.call.chip),
      number(numbers.among(std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 30}))};
}

static void arange(Numbers &numbers, Case &drawn) {
  int64_t c = numbers.between(1, 64), w = numbers.between(1, 400);
  auto word = [&] {
    int64_t most = int64_t(1) << numbers.between(0, 31);
    return number(numbers.between(-most, most - 1));
  };
  drawn.call.arguments = {localTensor(DataType::Int32, {1, c, 1, w},
                                      numbers.chance(0.5)
                                          ? AlignMode::RowAligned
                                          : AlignMode::Aligned,
                                      0, *drawn.call.chip),
                          word(), word(), number(numbers.between(1, w)),
                          number(numbers.between(0, c))};
}

std::vector<SampleRow> cases::tiuMoveSamplers() {
  return {{"tiu.broadcast", broadcast},
          {"tiu.move_cross_lane", moveCrossLane},
          {"tiu.fill", fill},
          {"tiu.transpose_cw", transpose},
          {"tiu.transpose_wc", transpose},
          {"tiu.smem_bcast", staticBroadcast},
          {"tiu.arange_broadcast", arange}};
}
