#include "runtime/isa/LaneBytes.h"

#include "runtime/isa/AccessCollector.h"

#include <algorithm>

using namespace weft;
using namespace weft::isa;
using accesses::cappedProduct;

/// Joins loops whose runs follow each other without a gap. By step, the
/// smallest first, afterwards.
static void joinLoops(std::vector<BytePattern::Loop> &loops, uint64_t &run) {
  using Loop = BytePattern::Loop;
  loops.erase(std::remove_if(loops.begin(), loops.end(),
                             [](const Loop &loop) {
                               return loop.count <= 1 || loop.step == 0;
                             }),
              loops.end());
  std::sort(loops.begin(), loops.end(),
            [](const Loop &a, const Loop &b) { return a.step < b.step; });
  std::vector<Loop> joined;
  for (const Loop &loop : loops)
    if (joined.empty() && loop.step <= run)
      run += cappedProduct(loop.count - 1, loop.step);
    else if (!joined.empty() && loop.step == cappedProduct(joined.back().count,
                                                           joined.back().step))
      joined.back().count = cappedProduct(joined.back().count, loop.count);
    else
      joined.push_back(loop);
  loops = std::move(joined);
}

BytePattern::BytePattern(uint64_t begin, uint64_t runBits,
                         std::vector<Loop> theLoops, uint64_t limit)
    : begin(begin), run(runBits), limit(limit), loops(std::move(theLoops)) {
  joinLoops(loops, run);
  bool wholeBytes = run % 8 == 0;
  for (Loop &loop : loops)
    wholeBytes &= loop.step % 8 == 0;
  if (!wholeBytes) {
    for (const Loop &loop : loops)
      run += cappedProduct(loop.count - 1, loop.step);
    loops.clear();
  }
  run = (run + 7) / 8;
  for (Loop &loop : loops)
    loop.step /= 8;
}

uint64_t BytePattern::extent(size_t inner) const {
  uint64_t bytes = run;
  for (size_t i = 0; i < inner; ++i)
    bytes += cappedProduct(loops[i].count - 1, loops[i].step);
  return bytes;
}

ByteRange BytePattern::bounds() const {
  return {std::min(begin, limit),
          std::min(begin + extent(loops.size()), limit)};
}

uint64_t BytePattern::runs() const {
  uint64_t count = 1;
  for (const Loop &loop : loops)
    count = cappedProduct(count, loop.count);
  return count;
}

std::optional<ByteRange> BytePattern::firstIn(ByteRange range,
                                              uint64_t &steps) const {
  return firstIn(loops.size(), begin, {range.begin, std::min(range.end, limit)},
                 steps);
}

std::optional<ByteRange> BytePattern::firstIn(size_t inner, uint64_t base,
                                              ByteRange range,
                                              uint64_t &steps) const {
  ++steps;
  uint64_t first = std::max(base, range.begin);
  if (inner == 0) {
    uint64_t last = std::min(base + run, range.end);
    if (first >= last)
      return std::nullopt;
    return ByteRange{first, last};
  }
  const Loop &loop = loops[inner - 1];
  uint64_t bytes = extent(inner - 1);
  if (range.begin >= range.end || base >= range.end)
    return std::nullopt;
  // The rounds that reach beyond range.begin and begin before range.end.
  uint64_t skipped = range.begin > base ? range.begin - base : 0;
  uint64_t from = skipped >= bytes ? (skipped - bytes) / loop.step + 1 : 0;
  uint64_t to = std::min((range.end - 1 - base) / loop.step, loop.count - 1);
  std::optional<ByteRange> best;
  for (uint64_t round = from; round <= to; ++round) {
    uint64_t at = base + round * loop.step;
    if (best && at >= best->begin) // loops may lie interleaved
      break;
    auto found = firstIn(inner - 1, at, range, steps);
    if (found && (!best || found->begin < best->begin))
      best = found;
  }
  return best;
}

std::optional<ByteRange> BytePattern::firstCommon(size_t inner, uint64_t base,
                                                  const BytePattern &other,
                                                  uint64_t &steps) const {
  if (inner == 0)
    return other.firstIn({base, std::min(base + run, limit)}, steps);
  ByteRange bounds = other.bounds();
  const Loop &loop = loops[inner - 1];
  for (uint64_t round = 0; round < loop.count; ++round) {
    uint64_t at = base + round * loop.step;
    if (at >= std::min(limit, bounds.end))
      return std::nullopt;
    ++steps;
    if (auto found = firstCommon(inner - 1, at, other, steps))
      return found;
  }
  return std::nullopt;
}

std::optional<ByteRange> BytePattern::firstCommon(const BytePattern &other,
                                                  uint64_t &steps) const {
  ++steps;
  ByteRange own = bounds(), others = other.bounds();
  if (std::max(own.begin, others.begin) >= std::min(own.end, others.end))
    return std::nullopt;
  // Walking through one of them costs its runs.
  if (other.runs() < runs())
    return other.firstCommon(other.loops.size(), other.begin, *this, steps);
  return firstCommon(loops.size(), begin, other, steps);
}

static std::vector<LaneBytes> linearBytes(const Access &access,
                                          const Chip &chip) {
  const LocalPlace &place = access.place;
  std::vector<LaneBytes> pieces;
  uint64_t left = place.sizes[3];
  auto add = [&](uint32_t lanes, uint64_t begin, uint64_t bytes) {
    uint32_t lane = pieces.empty() ? access.firstLane : pieces.back().endLane;
    if (lanes == 0 || lane >= chip.lanes)
      return;
    pieces.push_back({lane, std::min<uint32_t>(lane + lanes, chip.lanes),
                      BytePattern(begin, bytes * 8, {}, chip.laneBytes)});
    left -= bytes * lanes;
  };
  add(1, place.offset, std::min<uint64_t>(left, chip.laneBytes - place.offset));
  add(uint32_t(std::min<uint64_t>(left / chip.laneBytes, chip.lanes)), 0,
      chip.laneBytes);
  if (left != 0)
    add(1, 0, std::min<uint64_t>(left, chip.laneBytes));
  return pieces;
}

std::vector<LaneBytes> isa::laneBytesOf(const Access &access,
                                        const Chip &chip) {
  const LocalPlace &place = access.place;
  if (place.isLinear)
    return linearBytes(access, chip);
  // Rows: lanes before the first one begin with the second row, lanes behind
  // that of the last channel end a row before the last.
  const uint32_t lanes = chip.lanes;
  uint64_t last = access.firstLane + place.sizes[1] - 1;
  uint64_t lastRow = last / lanes;
  uint32_t behindLast = uint32_t(last % lanes) + 1;
  uint32_t cuts[] = {0, std::min(access.firstLane, behindLast),
                     std::max(access.firstLane, behindLast), lanes};
  std::vector<LaneBytes> pieces;
  for (int i = 0; i < 3; ++i) {
    uint32_t lane = cuts[i];
    uint64_t first = lane < access.firstLane ? 1 : 0;
    uint64_t rows = lastRow + 1 - first;
    if (lane >= behindLast)
      rows = rows == 0 ? 0 : rows - 1;
    if (lane == cuts[i + 1] || rows == 0)
      continue;
    auto bits = [&](int axis) {
      return cappedProduct(place.strides[axis], place.bits);
    };
    uint64_t begin =
        place.offset +
        cappedProduct(first, cappedProduct(place.strides[1], place.bits)) / 8;
    pieces.push_back({lane, cuts[i + 1],
                      BytePattern(begin, place.bits,
                                  {{place.sizes[0], bits(0)},
                                   {rows, bits(1)},
                                   {place.sizes[2], bits(2)},
                                   {place.sizes[3], bits(3)}},
                                  chip.laneBytes)});
  }
  return pieces;
}
