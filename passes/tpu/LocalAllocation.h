//===- LocalAllocation.h - addresses by live range --------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_LOCALALLOCATION_H
#define WEFT_PASSES_TPU_LOCALALLOCATION_H

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::tpu {

/// Something that needs `bytes` of memory during the time steps first..last,
/// both included.
struct LiveRange {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
  /// Where it has to lie, if that is so.
  std::optional<int64_t> address = std::nullopt;
};

/// Addresses such that no two ranges that share a step share a byte, all below
/// `capacity` and on multiples of `alignment`. Largest first, each at the
/// lowest address that is free over its whole range; ties by start, then by
/// position, so the result depends on the argument only. std::nullopt if one
/// does not fit (which, as in every heuristic, may happen although a packing
/// exists). Ranges of 0 bytes get address 0.
std::optional<std::vector<int64_t>>
allocate(const std::vector<LiveRange> &ranges, int64_t capacity,
         int64_t alignment);

/// The same, where those of `loads` may begin earlier than their ranges say,
/// and do so as far as there is room, one after the other in this order; their
/// new starts are written to `ranges`. The others lie together and those of
/// `loads` in the rest, or where that does not fit, in turn with them. If
/// `period` is not 0, all happens again after so many steps, in which the
/// ranges lie, and loads may begin before step 0, in the period before.
std::optional<std::vector<int64_t>>
allocateAhead(std::vector<LiveRange> &ranges, const std::vector<size_t> &loads,
              int64_t period, int64_t capacity, int64_t alignment);

/// Largest sum of bytes that live in one step: a lower bound of every
/// allocation.
int64_t peakBytes(const std::vector<LiveRange> &ranges);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_LOCALALLOCATION_H
