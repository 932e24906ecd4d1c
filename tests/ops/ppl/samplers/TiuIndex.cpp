//===- TiuIndex.cpp - random calls of gather, scatter and select ----------===//

#include "tests/ops/ppl/Samplers.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;
using namespace weft::cases;

namespace {
/// What the tensors of a call share.
struct Frame {
  DataType type, index;
  unsigned lane;
  int64_t n, c;
  const Chip &chip;

  Argument tensor(DataType element, Dims shape, AlignMode layout,
                  unsigned startLane) const {
    return localTensor(element, shape, layout, startLane, chip);
  }
  Argument aligned(DataType element, Dims shape) const {
    return tensor(element, shape, AlignMode::Aligned, lane);
  }
};
} // namespace

static Frame frameOf(Numbers &numbers, const Case &drawn) {
  TypeSet types = drawn.call.operation->slots[0].types;
  return {numbers.among(types.members()),
          numbers.chance(0.5) ? DataType::Uint8 : DataType::Uint16,
          numbers.chance(0.25) ? unsigned(numbers.between(0, 63)) : 0,
          numbers.between(1, 3),
          numbers.chance(0.3) ? numbers.between(60, 150)
                              : numbers.between(1, 12),
          *drawn.call.chip};
}

/// Indices below `limit`; with `hasNone` some of all ones. Where the limit is
/// beyond the type all of its values.
static Dense indices(Numbers &numbers, const Tensor &list, int64_t limit,
                     bool hasNone) {
  int64_t most = bytesOf(list.type) == 1 ? 255 : 65535;
  Dense dense(list.type, list.shape);
  for (int64_t i = 0; i < dense.elements(); ++i) {
    bool isNone = hasNone && numbers.chance(0.2);
    // The largest index is none where there is such a thing.
    int64_t high = std::min(limit - 1, hasNone ? most - 1 : most);
    dense.setBits(i, uint64_t(isNone ? most : numbers.between(0, high)));
  }
  return dense;
}

static Argument constantFor(Numbers &numbers, DataType type) {
  if (isFloat(type))
    return number(numbers.real(-4, 4));
  int64_t half = int64_t(1) << (bitsOf(type) - 1);
  return number(numbers.between(-half, 2 * half - 1));
}

/// C and fill_const of the forms that have them.
static bool drawConstant(Numbers &numbers, const Frame &frame,
                         Argument &constant, Argument &fills) {
  if (numbers.chance(0.4))
    return false;
  constant = constantFor(numbers, frame.type);
  fills = number(numbers.between(0, 1));
  return true;
}

/// A table a channel of the rows' `shape`, or one a lane. Sets the flag.
static Argument tableEach(Numbers &numbers, const Frame &frame, Dims shape,
                          AlignMode layout, Argument &repeated) {
  bool isRepeated = numbers.chance(0.5);
  repeated = number(int64_t(isRepeated));
  shape[0] = 1;
  if (isRepeated && shape[1] > frame.chip.lanes && numbers.chance(0.5))
    shape[1] = frame.chip.lanes;
  return frame.tensor(frame.type, shape, layout, frame.lane);
}

/// The arguments of a gather or scatter of rows, of which a gather may have a
/// constant behind the third, and its list of indices below `limit`.
static void finishRows(Numbers &numbers, Case &drawn, const Frame &frame,
                       std::vector<Argument> arguments, int64_t limit,
                       bool scatters) {
  Argument index = arguments[2], constant, fills;
  bool hasNone = !scatters && drawConstant(numbers, frame, constant, fills);
  if (!scatters) {
    arguments.insert(arguments.begin() + 3, constant);
    arguments.push_back(fills);
  }
  drawn.call.arguments = std::move(arguments);
  drawn.values.emplace("index", indices(numbers, index.tensor, limit, hasNone));
}

/// gather_w and scatter_w: `listed` elements of one side are named by the
/// list, whose indices are below `limit`.
static void sampleW(Numbers &numbers, Case &drawn, bool scatters) {
  Frame frame = frameOf(numbers, drawn);
  int64_t listed = numbers.between(1, 90), limit = numbers.between(1, 300);
  int64_t width = scatters ? limit : listed, table = scatters ? listed : limit;
  Argument dst = frame.aligned(frame.type, {frame.n, frame.c, 1, width});
  Argument param, index, repeated;
  if (numbers.chance(0.5)) {
    param = frame.aligned(frame.type, {frame.n, frame.c, 1, table});
    index = frame.tensor(frame.index, {1, listed, 1, 1}, AlignMode::Compact, 0);
  } else {
    param = tableEach(numbers, frame, {1, frame.c, 1, table},
                      AlignMode::Aligned, repeated);
    index = frame.aligned(frame.index, {frame.n, frame.c, 1, listed});
  }
  finishRows(numbers, drawn, frame, {dst, param, index, repeated}, limit,
             scatters);
}
static void gatherW(Numbers &numbers, Case &drawn) {
  sampleW(numbers, drawn, false);
}
static void scatterW(Numbers &numbers, Case &drawn) {
  sampleW(numbers, drawn, true);
}

/// gather_hw and scatter_hw: pairs of w and h.
static void sampleHw(Numbers &numbers, Case &drawn, bool scatters) {
  Frame frame = frameOf(numbers, drawn);
  int64_t listedH = numbers.between(1, 9), listedW = numbers.between(1, 12);
  int64_t h = numbers.between(1, 20), w = numbers.between(1, 20);
  Dims listed = {frame.n, frame.c, listedH, listedW},
       indexed = {frame.n, frame.c, h, w};
  Argument dst = frame.aligned(frame.type, scatters ? indexed : listed);
  Argument param = frame.aligned(frame.type, scatters ? listed : indexed);
  Argument index = frame.tensor(DataType::Uint16, {1, listedH * listedW, 1, 2},
                                AlignMode::Compact, 0);
  Argument constant, fills;
  bool hasNone = !scatters && drawConstant(numbers, frame, constant, fills);
  drawn.call.arguments = {dst, param, index};
  if (!scatters) {
    drawn.call.arguments.push_back(constant);
    drawn.call.arguments.push_back(fills);
  }
  Dense pairs(DataType::Uint16, index.tensor.shape);
  for (int64_t k = 0; k < listedH * listedW; ++k) {
    pairs.setBits(2 * k, uint64_t(numbers.between(0, w - 1)));
    pairs.setBits(2 * k + 1, uint64_t(numbers.between(0, h - 1)));
    if (hasNone && numbers.chance(0.2))
      pairs.setBits(2 * k + numbers.between(0, 1), 0xffff);
  }
  drawn.values.emplace("index", std::move(pairs));
}
static void gatherHw(Numbers &numbers, Case &drawn) {
  sampleHw(numbers, drawn, false);
}
static void scatterHw(Numbers &numbers, Case &drawn) {
  sampleHw(numbers, drawn, true);
}

static void sampleH(Numbers &numbers, Case &drawn, bool scatters) {
  Frame frame = frameOf(numbers, drawn);
  int64_t listed = numbers.between(1, 9), limit = numbers.between(1, 40),
          width = numbers.between(1, 40);
  int64_t h = scatters ? limit : listed, table = scatters ? listed : limit;
  Argument dst = frame.tensor(frame.type, {frame.n, frame.c, h, width},
                              AlignMode::RowAligned, frame.lane);
  Argument repeated;
  Argument param = tableEach(numbers, frame, {1, frame.c, table, width},
                             AlignMode::RowAligned, repeated);
  Argument index = frame.aligned(frame.index, {frame.n, frame.c, listed, 1});
  finishRows(numbers, drawn, frame, {dst, param, index, repeated}, limit,
             scatters);
}
static void gatherH(Numbers &numbers, Case &drawn) {
  sampleH(numbers, drawn, false);
}
static void scatterH(Numbers &numbers, Case &drawn) {
  sampleH(numbers, drawn, true);
}

/// Values of which about half are 0.
static Dense halfZero(Numbers &numbers, const Tensor &tensor) {
  Dense dense(tensor.type, tensor.shape);
  double share = numbers.real(0, 1);
  uint64_t mask = (uint64_t(2) << (bitsOf(tensor.type) - 1)) - 1;
  for (int64_t i = 0; i < dense.elements(); ++i)
    dense.setBits(i, numbers.chance(share) ? numbers.next() & mask : 0);
  return dense;
}

static void nonzero(Numbers &numbers, Case &drawn) {
  Frame frame = frameOf(numbers, drawn);
  int64_t width = numbers.between(1, 300);
  Dims shape = {frame.n, frame.c, 1, width};
  Argument src = frame.aligned(
      numbers.among(drawn.call.operation->slots[2].types.members()), shape);
  drawn.call.arguments = {frame.aligned(frame.type, shape),
                          frame.tensor(DataType::Uint16,
                                       {frame.n, frame.c, 1, 1},
                                       AlignMode::Compact, frame.lane),
                          src};
  drawn.values.emplace("src", halfZero(numbers, src.tensor));
}

static void maskSelect(Numbers &numbers, Case &drawn) {
  Frame frame = frameOf(numbers, drawn);
  int64_t width = numbers.between(1, 300);
  Dims shape = {frame.n, frame.c, 1, width};
  bool isOneRow = numbers.chance(0.4);
  Argument mask = frame.aligned(
      numbers.among(drawn.call.operation->slots[3].types.members()), shape);
  Argument src = frame.tensor(
      frame.type, {1, isOneRow ? 1 : frame.c, 1, width},
      isOneRow && numbers.chance(0.7) ? AlignMode::Compact : AlignMode::Aligned,
      frame.lane);
  drawn.call.arguments = {frame.aligned(frame.type, shape),
                          frame.tensor(DataType::Uint16,
                                       {frame.n, frame.c, 1, 1},
                                       AlignMode::Compact, frame.lane),
                          src, mask};
  drawn.values.emplace("mask", halfZero(numbers, mask.tensor));
}

std::vector<SampleRow> cases::tiuIndexSamplers() {
  return {{"tiu.gather_w", gatherW},   {"tiu.gather_hw", gatherHw},
          {"tiu.scatter_w", scatterW}, {"tiu.scatter_hw", scatterHw},
          {"tiu.gather_h", gatherH},   {"tiu.scatter_h", scatterH},
          {"tiu.nonzero", nonzero},    {"tiu.mask_select", maskSelect}};
}
