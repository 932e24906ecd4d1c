//===- Touched.cpp - which bytes a command touches ------------------------===//

#include "codegen/encode/Touched.h"

#include "codegen/encode/Command.h"
#include "runtime/isa/Accesses.h"

#include <algorithm>

using namespace weft;
using namespace weft::codegen;

/// A transfer that fills all lanes has some ten commands, each with a few.
static constexpr int64_t kLaneBundles = 8;
/// Of what strides leave gaps between: slices of one tensor that interleave do
/// not wait for each other. In local memory each counts once a bundle.
static constexpr int64_t kMostRuns = 256, kMostLaneRuns = 16;

namespace {
/// A box of elements in one memory, or in a lane.
struct Box {
  uint64_t begin, elementBytes;
  std::array<int64_t, 4> sizes, strides; ///< of elements
};
} // namespace

/// Rows of lanes that channels from lane `first` on reach over.
static int64_t roundsOf(int64_t first, int64_t channels, const Chip &chip) {
  int64_t lanes = chip.lanes;
  return (first + channels + lanes - 1) / lanes;
}

/// The bytes of `box` in at most `most` ranges: runs that strides leave gaps
/// between are told apart from the outermost axis on while there are not too
/// many.
static std::vector<ByteRange> rangesIn(const Box &box, int64_t most) {
  std::array<int, 4> axes{0, 1, 2, 3};
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
    return box.strides[a] > box.strides[b];
  });
  // Bytes from the first to behind the last of what lies inside of each axis.
  std::array<uint64_t, 5> extents;
  extents[4] = box.elementBytes;
  for (int i = 3; i >= 0; --i)
    extents[i] = extents[i + 1] + uint64_t(box.sizes[axes[i]] - 1) *
                                      uint64_t(box.strides[axes[i]]) *
                                      box.elementBytes;
  std::vector<ByteRange> ranges{{box.begin, box.begin + extents[0]}};
  for (int i = 0; i < 4; ++i) {
    int64_t size = box.sizes[axes[i]];
    uint64_t step = uint64_t(box.strides[axes[i]]) * box.elementBytes;
    if (size == 1)
      continue;
    if (step <= extents[i + 1] || int64_t(ranges.size()) * size > most)
      break; // no gaps, or too many
    std::vector<ByteRange> finer;
    for (ByteRange range : ranges)
      for (int64_t at = 0; at < size; ++at) {
        uint64_t begin = range.begin + uint64_t(at) * step;
        finer.push_back({begin, begin + extents[i + 1]});
      }
    ranges = std::move(finer);
  }
  return ranges;
}

std::vector<ByteRange> weft::codegen::rangesOf(const catalog::Tensor &tensor,
                                               const Chip &chip) {
  Box box{*tensor.address, catalog::bytesOf(tensor.type), tensor.shape,
          tensor.strides};
  bool isLocal = tensor.memory == catalog::Memory::Local;
  if (isLocal)
    box.sizes[1] = roundsOf(tensor.lane, tensor.shape[1], chip);
  ByteRange bounds{box.begin, box.begin + catalog::extentBytes(tensor, chip)};
  std::vector<ByteRange> ranges =
      rangesIn(box, isLocal ? kMostLaneRuns : kMostRuns);
  // Elements that are not whole bytes lie in ways of their own.
  return ranges.back().end == bounds.end ? ranges : std::vector{bounds};
}

/// Adds `range` of `count` lanes from `first` on.
static void addLanes(std::vector<TouchedBytes> &touched, ByteRange range,
                     int64_t first, int64_t count, const Chip &chip) {
  int64_t lanes = chip.lanes, end = first + count;
  if (end > lanes) {
    first = 0;
    end = lanes;
  }
  int64_t bundle = std::max<int64_t>(1, lanes / kLaneBundles);
  for (int64_t at = first / bundle; at * bundle < end; ++at) {
    uint64_t base = uint64_t(at) * chip.laneBytes;
    touched.push_back(
        {catalog::Memory::Local, {base + range.begin, base + range.end}});
  }
}

std::vector<TouchedBytes>
weft::codegen::touchedBytesOf(const catalog::Tensor &tensor, const Chip &chip) {
  std::vector<TouchedBytes> touched;
  for (ByteRange range : rangesOf(tensor, chip))
    if (tensor.memory == catalog::Memory::Local)
      addLanes(touched, range, tensor.lane, tensor.shape[1], chip);
    else
      touched.push_back({tensor.memory, range});
  return touched;
}

/// Of local memory, as the words say.
static void addLocal(std::vector<TouchedBytes> &touched,
                     const isa::Access &access, const Chip &chip) {
  const isa::LocalPlace &place = access.place;
  std::vector<ByteRange> ranges{{access.begin, access.end}};
  if (!place.isLinear && place.bits % 8 == 0) {
    Box box{place.offset, place.bits / 8, {}, {}};
    std::copy(place.sizes.begin(), place.sizes.end(), box.sizes.begin());
    std::copy(place.strides.begin(), place.strides.end(), box.strides.begin());
    box.sizes[1] = roundsOf(access.firstLane, box.sizes[1], chip);
    std::vector<ByteRange> finer = rangesIn(box, kMostLaneRuns);
    // Cut off at the end of the lane, or in another way of its own.
    if (finer.front().begin == access.begin && finer.back().end == access.end)
      ranges = std::move(finer);
  }
  for (ByteRange range : ranges)
    addLanes(touched, range, access.firstLane, access.lanes, chip);
}

/// Of the side in DRAM of a planned command.
static void addGlobal(std::vector<TouchedBytes> &touched,
                      const transfer::Place &place, const cycles::DmaBox &side,
                      unsigned elementBytes) {
  if (place.isLocal)
    return;
  Box box{uint64_t(place.address),
          elementBytes,
          {int64_t(side.n), int64_t(side.c), int64_t(side.h), int64_t(side.w)},
          {int64_t(side.nStride), int64_t(side.cStride), int64_t(side.hStride),
           int64_t(side.wStride)}};
  for (ByteRange range : rangesIn(box, kMostRuns))
    touched.push_back({catalog::Memory::Global, range});
}

Touched weft::codegen::touchedBy(const Command &command, const Chip &chip) {
  Touched touched;
  bool isKnown = false;
  for (const isa::Access &access :
       isa::accessesOf(command.builder.decoded(), chip))
    if (access.memory == isa::Memory::Local) {
      addLocal(access.isWrite ? touched.writes : touched.reads, access, chip);
      isKnown = true;
    }
  // Commands of unknown layout, and what lies elsewhere.
  auto add = [&](std::vector<TouchedBytes> &side,
                 const std::vector<catalog::Tensor> &tensors) {
    for (const catalog::Tensor &tensor : tensors) {
      bool isLocal = tensor.memory == catalog::Memory::Local;
      if (isLocal ? isKnown : command.piece.has_value())
        continue;
      for (const TouchedBytes &bytes : touchedBytesOf(tensor, chip))
        side.push_back(bytes);
    }
  };
  add(touched.reads, command.read);
  add(touched.writes, command.written);
  if (command.piece) {
    const auto &[shape, from, to] = *command.piece;
    addGlobal(touched.reads, from, shape.from, shape.elementBytes);
    addGlobal(touched.writes, to, shape.to, shape.elementBytes);
  }
  return touched;
}
