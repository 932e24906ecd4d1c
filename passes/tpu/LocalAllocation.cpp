//===- LocalAllocation.cpp - addresses by live range ----------------------===//

#include "passes/tpu/LocalAllocation.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace weft::tpu;

int64_t weft::tpu::peakBytes(const std::vector<LiveRange> &ranges) {
  std::map<int64_t, int64_t> change;
  for (const LiveRange &range : ranges) {
    change[range.first] += range.bytes;
    change[range.last + 1] -= range.bytes;
  }
  int64_t live = 0, peak = 0;
  for (const auto &[step, delta] : change) {
    live += delta;
    peak = std::max(peak, live);
  }
  return peak;
}

/// Lowest aligned address where `bytes` fit between the sorted, possibly
/// overlapping `taken` intervals.
static int64_t lowestGap(std::vector<std::pair<int64_t, int64_t>> &taken,
                         int64_t bytes, int64_t alignment) {
  std::sort(taken.begin(), taken.end());
  int64_t address = 0;
  for (const auto &[begin, end] : taken) {
    if (begin - address >= bytes)
      return address;
    address = std::max(address, (end + alignment - 1) / alignment * alignment);
  }
  return address;
}

namespace {
/// A range that has its address.
struct PlacedRange {
  int64_t begin = 0, end = 0;  ///< bytes
  int64_t first = 0, last = 0; ///< steps
};
} // namespace

std::optional<std::vector<int64_t>>
weft::tpu::allocate(const std::vector<LiveRange> &ranges, int64_t capacity,
                    int64_t alignment) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (ranges[a].bytes != ranges[b].bytes)
      return ranges[a].bytes > ranges[b].bytes;
    return ranges[a].first < ranges[b].first;
  });
  std::vector<int64_t> addresses(ranges.size(), 0);
  std::vector<PlacedRange> placed;
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i].address)
      continue;
    addresses[i] = *ranges[i].address;
    PlacedRange range{addresses[i], addresses[i] + ranges[i].bytes,
                      ranges[i].first, ranges[i].last};
    auto meets = [&](const PlacedRange &other) {
      return other.first <= range.last && range.first <= other.last &&
             other.begin < range.end && range.begin < other.end;
    };
    if (range.end > capacity ||
        std::any_of(placed.begin(), placed.end(), meets))
      return std::nullopt;
    placed.push_back(range);
  }
  for (size_t i : order) {
    const LiveRange &range = ranges[i];
    if (range.bytes == 0 || range.address)
      continue;
    taken.clear();
    for (const PlacedRange &other : placed)
      if (other.first <= range.last && range.first <= other.last)
        taken.emplace_back(other.begin, other.end);
    int64_t address = lowestGap(taken, range.bytes, alignment);
    if (address + range.bytes > capacity)
      return std::nullopt;
    addresses[i] = address;
    placed.push_back({address, address + range.bytes, range.first, range.last});
  }
  return addresses;
}

namespace {
/// Bytes that are free from step `from` on, for as long as was asked.
struct FreeFrom {
  int64_t begin, end, from;
};
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
} // namespace

/// Moves the start of `range` to the earliest step from which on some address
/// is free up to `range.last`; the lowest such address is returned.
/// std::nullopt if none is even from `range.first` on.
static std::optional<int64_t>
allocateEarly(const std::vector<PlacedRange> &placed, int64_t period,
              int64_t capacity, int64_t alignment, LiveRange &range) {
  std::vector<FreeFrom> byBegin;
  std::vector<int64_t> candidates{0};
  auto avoid = [&](const PlacedRange &other, int64_t later) {
    int64_t first = other.first + later, last = other.last + later;
    if (other.begin == other.end || first > range.last)
      return;
    byBegin.push_back(
        {other.begin, other.end, last < range.first ? last + 1 : kNever});
    candidates.push_back((other.end + alignment - 1) / alignment * alignment);
  };
  for (const PlacedRange &other : placed) {
    avoid(other, 0);
    if (period) {
      avoid(other, -period);
      avoid(other, period);
    }
  }
  std::vector<FreeFrom> byEnd = byBegin;
  std::sort(
      byBegin.begin(), byBegin.end(),
      [](const FreeFrom &a, const FreeFrom &b) { return a.begin < b.begin; });
  std::sort(byEnd.begin(), byEnd.end(),
            [](const FreeFrom &a, const FreeFrom &b) { return a.end < b.end; });
  std::sort(candidates.begin(), candidates.end());
  // A window of `range.bytes` over the addresses; the last of those inside to
  // become free decides, or what itself holds a period before.
  std::multiset<int64_t> inside{period ? range.last - period + 1 : 0};
  auto entering = byBegin.begin(), leaving = byEnd.begin();
  int64_t best = kNever, address = 0;
  for (int64_t begin : candidates) {
    if (begin + range.bytes > capacity)
      break;
    for (; entering != byBegin.end() && entering->begin < begin + range.bytes;
         ++entering)
      inside.insert(entering->from);
    for (; leaving != byEnd.end() && leaving->end <= begin; ++leaving)
      inside.erase(inside.find(leaving->from));
    if (*inside.rbegin() < best) {
      best = *inside.rbegin();
      address = begin;
    }
  }
  if (best == kNever)
    return std::nullopt;
  range.first = std::min(range.first, best);
  return address;
}

namespace {
/// The attempts of one `allocateAhead`.
class AllocationAhead {
public:
  AllocationAhead(const std::vector<LiveRange> &wanted,
                  const std::vector<size_t> &loads, int64_t capacity,
                  int64_t alignment)
      : ranges(wanted), wanted(wanted), loads(loads), capacity(capacity),
        alignment(alignment) {}

  /// With room for the loads between the others, from when they are wanted, or
  /// without.
  bool place(bool keepsRoom);
  /// Once all have a place, each may have a better one in the period before.
  void placeInPeriods(int64_t period) {
    for (size_t i : loads) {
      [[maybe_unused]] bool isPlaced = placeLoad(i, period);
      assert(isPlaced && "where it lay is still free");
    }
  }

  std::vector<LiveRange> ranges;
  std::vector<int64_t> addresses;

private:
  bool placeLoad(size_t number, int64_t period);
  PlacedRange placedAt(size_t i) const {
    return {addresses[i], addresses[i] + ranges[i].bytes, ranges[i].first,
            ranges[i].last};
  }

  const std::vector<LiveRange> &wanted;
  const std::vector<size_t> &loads;
  const int64_t capacity, alignment;
  std::vector<PlacedRange> placed;
};
} // namespace

bool AllocationAhead::placeLoad(size_t number, int64_t period) {
  placed[number] = {};
  ranges[number] = wanted[number];
  auto address =
      allocateEarly(placed, period, capacity, alignment, ranges[number]);
  if (!address)
    return false;
  addresses[number] = *address;
  placed[number] = placedAt(number);
  return true;
}

bool AllocationAhead::place(bool keepsRoom) {
  ranges = wanted;
  std::vector<LiveRange> first = wanted;
  if (!keepsRoom)
    for (size_t i : loads)
      first[i].bytes = 0;
  auto found = allocate(first, capacity, alignment);
  if (!found)
    return false;
  addresses = std::move(*found);
  placed.assign(ranges.size(), {});
  for (size_t i = 0; i < ranges.size(); ++i)
    if (first[i].bytes)
      placed[i] = placedAt(i);
  return std::all_of(loads.begin(), loads.end(),
                     [&](size_t i) { return placeLoad(i, /*period=*/0); });
}

std::optional<std::vector<int64_t>>
weft::tpu::allocateAhead(std::vector<LiveRange> &ranges,
                         const std::vector<size_t> &loads, int64_t period,
                         int64_t capacity, int64_t alignment) {
  AllocationAhead ahead(ranges, loads, capacity, alignment);
  if (!ahead.place(/*keepsRoom=*/false) && !ahead.place(/*keepsRoom=*/true))
    return std::nullopt;
  if (period)
    ahead.placeInPeriods(period);
  ranges = std::move(ahead.ranges);
  return std::move(ahead.addresses);
}
