//===- LocalAllocation.cpp - addresses by live range ----------------------===//

#include "passes/tpu/LocalAllocation.h"

#include <algorithm>
#include <map>
#include <numeric>

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

namespace {
struct Placed {
  int64_t begin, end;  // bytes
  int64_t first, last; // steps
};
} // namespace

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
  std::vector<Placed> placed;
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i : order) {
    const LiveRange &range = ranges[i];
    if (range.bytes == 0)
      continue;
    taken.clear();
    for (const Placed &other : placed)
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
