//===- CubeFilter.cpp - filters of the cube and who reads them ------------===//

#include "dialects/tpu/recipe/CubeFilter.h"

#include "dialects/tpu/Constant.h"
#include "runtime/chips/Alignment.h"
#include "runtime/ppl/Window.h"

#include <cstring>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::AlignMode;
using catalog::DataType;

//===----------------------------------------------------------------------===//
// What DRAM holds
//===----------------------------------------------------------------------===//

/// Filter (oc, ic/group, kh, kw) to lane order (isa section 4): per oc
/// [ceil(ic/P)][kh][kw][P], zeros beyond ic. A grouped filter is widened to all
/// input channels, zero outside its group.
static std::vector<char> packWidened(ConvOp op, int64_t pack,
                                     ArrayRef<char> raw) {
  Dims filter = dimsOf(op.getFilter());
  int64_t bytes = elementBits(elementOf(op.getFilter())) / 8;
  int64_t window = filter[2] * filter[3], ownChannels = filter[1];
  int64_t channels = dimsOf(op.getInput())[kAxisC];
  int64_t packs = (channels + pack - 1) / pack;
  std::vector<char> result(filter[0] * packs * window * pack * bytes, 0);
  int64_t rowBytes = ownChannels * window * bytes;
  bool isInOrder = pack == 1 && ownChannels == channels;
  PagesBehind read(raw);
  for (int64_t oc = 0; oc < filter[0]; ++oc) {
    read.reach(oc * rowBytes);
    if (isInOrder) {
      std::memcpy(result.data() + oc * rowBytes, raw.data() + oc * rowBytes,
                  rowBytes);
      continue;
    }
    int64_t firstChannel = op.groupOf(oc) * ownChannels;
    for (int64_t own = 0; own < ownChannels; ++own) {
      int64_t ic = firstChannel + own;
      for (int64_t k = 0; k < window; ++k) {
        int64_t to = ((oc * packs + ic / pack) * window + k) * pack + ic % pack;
        int64_t from = (oc * ownChannels + own) * window + k;
        std::memcpy(result.data() + to * bytes, raw.data() + from * bytes,
                    bytes);
      }
    }
  }
  return result;
}

/// Per oc [kh][kw][ic/group], so that channels are moved in one piece.
static std::vector<char> packDense(ConvOp op, ArrayRef<char> raw) {
  Dims filter = dimsOf(op.getFilter());
  int64_t bytes = elementBits(elementOf(op.getFilter())) / 8;
  int64_t window = filter[2] * filter[3], channels = filter[1];
  std::vector<char> result(raw.size());
  PagesBehind read(raw);
  for (int64_t oc = 0; oc < filter[0]; ++oc) {
    int64_t row = oc * channels * window;
    read.reach(row * bytes);
    for (int64_t ic = 0; ic < channels; ++ic)
      for (int64_t k = 0; k < window; ++k)
        std::memcpy(result.data() + (row + k * channels + ic) * bytes,
                    raw.data() + (row + ic * window + k) * bytes, bytes);
  }
  return result;
}

static ConstantBytes packed(ConvOp op, int64_t pack, bool isWidened) {
  return [=]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<WeightBytes> raw = weightView(op, op.getFilter());
    if (failed(raw))
      return failure();
    return isWidened ? packWidened(op, pack, raw->bytes)
                     : packDense(op, raw->bytes);
  };
}

//===----------------------------------------------------------------------===//
// Which command reads what
//===----------------------------------------------------------------------===//

int64_t CubeFilter::rowElements(int64_t inputs) const {
  return (inputs + pack - 1) / pack * taps * pack;
}

/// The channel up to `channel` with which a command can begin: where its sums
/// of floats are those of a command over all channels. Halves are summed pack
/// by pack, floats by even and odd products (manual 4.6.4.1); what is not moved
/// begins in the first lane.
int64_t CubeFilter::firstReadable(int64_t channel, bool isMoved) const {
  int64_t unit = 1;
  if (catalog::isFloat(type()))
    unit = pack > 1 ? pack : 1 + taps % 2;
  if (!isMoved)
    unit = std::lcm(unit, lanes);
  return channel / unit * unit;
}

/// Whether a filter as DRAM holds it is one of the channels that are read.
bool CubeFilter::isInPlace(const Run &run) const {
  if (isWidened)
    return true;
  bool isOwn =
      run.inputs == groupInputs && run.input == run.firstGroup * groupInputs;
  return isOwn && groupInputs % pack == 0 &&
         (pack == 1 || taps == 1 || groupInputs == pack);
}

/// The results `first` to `end` of the piece, of neighbouring groups.
CubeFilter::Run CubeFilter::runOf(int64_t first, int64_t end,
                                  bool movesInput) const {
  int64_t begin = r.box.offset[kAxisC];
  Run run{};
  run.firstGroup = (begin + first) / groupResults;
  run.groups = (begin + end - 1) / groupResults + 1 - run.firstGroup;
  run.result = first;
  run.results = end - first;
  int64_t channel = run.firstGroup * groupInputs,
          last = channel + run.groups * groupInputs;
  run.input = firstReadable(channel, /*isMoved=*/false);
  run.inputs = last - run.input;
  int64_t alone = firstReadable(channel, /*isMoved=*/true);
  run.isMoved = movesInput && alone % lanes != 0 &&
                rowElements(last - alone) < rowElements(run.inputs);
  if (run.isMoved) {
    run.input = alone;
    run.inputs = last - alone;
  }
  run.isInPlace = isInPlace(run);
  return run;
}

/// Whether the filters of each group are, by commands for one group.
bool CubeFilter::areAllInPlace(CubeWay way) {
  for (int64_t group = 0; group < int64_t(op.getGroup()); ++group) {
    int64_t first = group * groupResults - r.box.offset[kAxisC];
    if (!runOf(first, first + groupResults, way.movesInput).isInPlace)
      return false;
  }
  return true;
}

std::vector<CubeFilter::Run> CubeFilter::runsOf(CubeWay way) {
  int64_t begin = r.box.offset[kAxisC], results = r.box.size[kAxisC];
  if (isWidened)
    return {{0, int64_t(op.getGroup()), 0, results, 0,
             dimsOf(op.getInput())[kAxisC], false, true, 0}};
  if (op.getInterleaved())
    return {{0, int64_t(op.getGroup()), 0, results, 0,
             dimsOf(op.getInput())[kAxisC], false, false, 0}};
  std::vector<Run> runs;
  int64_t step = std::min(way.groups, int64_t(op.getGroup())) * groupResults;
  for (int64_t first = 0, end; first < results; first = end) {
    end = std::min(results, ((begin + first) / step + 1) * step - begin);
    runs.push_back(runOf(first, end, way.movesInput));
  }
  return runs;
}

CubeFilter::CubeFilter(ConvOp op, RecipeBuilder &r, CubeWay way)
    : op(op), r(r), isWidened(way.filter == CubeWay::Widened),
      lanes(r.chip.lanes) {
  Dims filter = dimsOf(op.getFilter());
  DataType element = machineTypeOf(elementOf(op.getFilter()));
  taps = filter[kAxisH] * filter[kAxisW];
  pack = catalog::channelPack(element, r.chip);
  groupInputs = filter[kAxisC];
  groupResults = filter[kAxisN] / int64_t(op.getGroup());
  int64_t inputs = isWidened ? dimsOf(op.getInput())[kAxisC] : groupInputs,
          results = r.box.size[kAxisC];
  Dims dims{1, results, inputs, taps};
  if (isWidened && pack > 1)
    dims = {1, results, (inputs + pack - 1) / pack * taps, pack};
  bool isRaw = !isWidened && (pack == 1 || taps == 1);
  constant = r.perChannel("filter", dims, element, LocalLayout::Compact,
                          isRaw ? r.weight(1) : packed(op, pack, isWidened));
  if (!isWidened && op.getInterleaved())
    addMask();
  runs = runsOf(way);
  addWide(way);
  if (!isWidened && way.movesInput)
    addMoved();
}

// Every piece lists the same scratch, whether it needs it or not: buffers keep
// their numbers.

void CubeFilter::addWide(CubeWay way) {
  int64_t elements = 0;
  for (Run &run : runs) {
    run.at = elements;
    int64_t rounds = (run.result % lanes + run.results - 1) / lanes + 1;
    if (!run.isInPlace)
      elements += rounds * rowElements(run.inputs);
  }
  bool isCut = way.groups == 1 && !op.getInterleaved();
  if (isWidened || (isCut && areAllInPlace(way)))
    return;
  // Of one command they may begin in any lane.
  Dims dims{1, lanes, elements / pack, pack};
  if (elements == 0)
    dims = {1, 1, 1, pack};
  else if (runs.size() == 1)
    dims = {1, runs[0].results, rowElements(runs[0].inputs) / pack, pack};
  wide = r.scratch("wide filter", dims, constant.type, LocalLayout::Compact);
  if (elements == 0)
    return;
  if (catalog::isFloat(wide.type))
    r.copy(wide, 0.0);
  else
    r.copy(wide, 0);
  for (const Run &run : runs)
    if (!run.isInPlace)
      widen(run);
}

void CubeFilter::addMoved() {
  int64_t most = 1;
  for (const Run &run : runs)
    most = std::max(most, run.isMoved ? run.inputs : 1);
  Tile source = r.operand(0);
  moved = r.scratch("first lanes",
                    {1, most, source.shape[kAxisH], source.shape[kAxisW]},
                    source.type);
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

/// A part of `tile` from channel `first` on: its lane, and `at` elements from
/// where the lanes begin.
static Tile partOf(const Tile &tile, int64_t first, int64_t at, int64_t lanes) {
  Tile part = tile;
  part.lane = unsigned(first % lanes);
  part.byte += at * catalog::bytesOf(tile.type);
  return part;
}

static Tile seenAs(Tile tile, const Dims &shape, const Dims &strides) {
  tile.layout = AlignMode::Free;
  tile.shape = shape;
  tile.strides = strides;
  return tile;
}

static Tile seenAs(Tile tile, const Dims &shape, AlignMode layout,
                   const Chip &chip) {
  tile.layout = layout;
  tile.shape = shape;
  tile.strides = catalog::stridesOf(layout, tile.type, shape, tile.lane, chip);
  return tile;
}

void CubeFilter::widen(const Run &run) {
  for (int64_t group = 0; group < run.groups; ++group)
    widen(run, run.firstGroup + group);
}

/// For each channel a byte a group: -1 in its own, else 0.
static std::vector<char> groupBytes(int64_t channels, int64_t groups) {
  std::vector<char> bytes(channels * groups, 0);
  for (int64_t channel = 0; channel < channels; ++channel)
    bytes[channel * groups + channel % groups] = -1;
  return bytes;
}

/// Bits of all ones in the groups of the channels.
void CubeFilter::addMask() {
  auto groups = static_cast<int64_t>(op.getGroup());
  int64_t channels = dimsOf(op.getOutput())[kAxisC];
  Dims dims{1, r.box.size[kAxisC], 1, groups};
  mask = r.perChannel("groups", dims, DataType::Int8, LocalLayout::Compact,
                      [=] { return groupBytes(channels, groups); });
  unsigned bits = catalog::bitsOf(type());
  if (bits == 8)
    return;
  Tile bytes = mask;
  mask = r.scratch("wide groups", dims,
                   catalog::integerType(bits, /*isSigned=*/true),
                   LocalLayout::Compact);
  r.cast(mask, bytes);
}

/// Copies filters, of interleaved ones those of the group; the others become 0.
void CubeFilter::put(int64_t group, const Tile &to, const Tile &from) {
  if (!op.getInterleaved())
    return r.copy(to, from);
  Tile bits = seenAs(partOf(mask, 0, group, lanes), to.shape,
                     {0, static_cast<int64_t>(op.getGroup()), 0, 0});
  r.binary("tiu.bitwise_and", r.as(to, mask.type), r.as(from, mask.type), bits);
}

/// Copies the filters of one group to where its channels are read. A filter is
/// [kh][kw][ic/group] or, without packs, [ic/group][kh][kw].
void CubeFilter::widen(const Run &run, int64_t group) {
  int64_t begin = r.box.offset[kAxisC],
          first = std::max(group * groupResults - begin, run.result),
          end = std::min((group + 1) * groupResults - begin,
                         run.result + run.results);
  if (op.getInterleaved()) { // a channel of each may lie in every lane
    first = run.result;
    end = first + run.results;
  }
  int64_t results = end - first, to = rowElements(run.inputs),
          from = groupInputs * taps,
          place = group * groupInputs - run.input; // of its first channel
  int64_t round = first / lanes;
  Tile target = partOf(wide, first, run.at + (round - run.result / lanes) * to,
                       lanes),
       source = partOf(constant, first, round * from, lanes);
  auto copy = [&](int64_t targetAt, int64_t sourceAt, const Dims &shape,
                  Dims targetStrides, Dims sourceStrides) {
    targetStrides[kAxisC] = to;
    sourceStrides[kAxisC] = from;
    put(group,
        seenAs(partOf(target, first, targetAt, lanes), shape, targetStrides),
        seenAs(partOf(source, first, sourceAt, lanes), shape, sourceStrides));
  };
  if (pack == 1 || taps == 1) {
    int64_t row = pack == 1 ? taps : 1, count = groupInputs * row;
    copy(place * row, 0, {1, results, 1, count}, {to, to, count, 1},
         {from, from, count, 1});
    return;
  }
  for (int64_t own = 0, count; own < groupInputs; own += count) {
    int64_t channel = place + own, inPack = channel % pack,
            rest = groupInputs - own;
    count = std::min(pack - inPack, rest);
    int64_t packs = count == pack ? rest / pack : 1;
    copy(channel / pack * taps * pack + inPack, own,
         {packs, results, taps, count}, {taps * pack, to, pack, 1},
         {pack, from, groupInputs, 1});
    count *= packs;
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

Tile CubeFilter::filterOf(const Run &run) const {
  int64_t row = rowElements(run.inputs);
  Dims dims{1, run.results, row / pack, pack};
  if (run.isInPlace && runs.size() == 1)
    return constant;
  if (run.isInPlace)
    return seenAs(partOf(constant, run.result, run.result / lanes * row, lanes),
                  dims, AlignMode::Compact, r.chip);
  return seenAs(partOf(wide, run.result, run.at, lanes), dims,
                AlignMode::Compact, r.chip);
}

/// Channels of some images, from a first lane on.
static Tile channelsOf(const Tile &tile, int64_t first, int64_t count,
                       int64_t image, int64_t images, const Chip &chip) {
  Dims shape = tile.shape;
  shape[kAxisN] = images;
  shape[kAxisC] = count;
  if (shape == tile.shape)
    return tile;
  int64_t lanes = chip.lanes;
  Tile part = partOf(tile, first,
                     first / lanes * tile.strides[kAxisC] +
                         image * tile.strides[kAxisN],
                     lanes);
  return tile.layout == AlignMode::Free || images > 1
             ? seenAs(part, shape, tile.strides)
             : seenAs(part, shape, tile.layout, chip);
}

/// The channels that the command reads, after a copy if they are moved.
Tile CubeFilter::sourceOf(const Run &run, int64_t image, int64_t images) {
  Tile source =
      channelsOf(r.operand(0), run.input, run.inputs, image, images, r.chip);
  if (!run.isMoved)
    return source;
  Tile target = seenAs(moved, source.shape, AlignMode::Aligned, r.chip);
  r.call("tiu.move_cross_lane", {{"dst", target}, {"src", source}});
  return target;
}

void CubeFilter::forEachCommand(const Tile &dst, const Tile &bias,
                                function_ref<void(const CubeTiles &)> make) {
  // A part of the channels lies by one distance from image to image only if it
  // has as many rounds of lanes.
  int64_t images = dst.shape[kAxisN];
  bool isWhole =
      runs.size() == 1 && runs[0].inputs == dimsOf(op.getInput())[kAxisC];
  int64_t step = isWhole ? images : 1;
  for (int64_t image = 0; image < images; image += step)
    for (const Run &run : runs) {
      Tile part;
      if (bias)
        part = channelsOf(bias, run.result, run.results, 0, 1, r.chip);
      Tile source = sourceOf(run, image, step);
      make({channelsOf(dst, run.result, run.results, image, step, r.chip),
            source, filterOf(run), part});
    }
}
