//===- Alignment.h - sizes and addresses that fit ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_ALIGNMENT_H
#define WEFT_RUNTIME_CHIPS_ALIGNMENT_H

#include <cstdint>

namespace weft {

/// DRAM areas and the sections of a bmodel begin on a page, as in the vendor's
/// files ("4k aligned"); it lets a runtime map weights. Placement, emission and
/// packing must agree.
inline constexpr uint64_t kPageBytes = 4096;

/// The smallest multiple of `unit` that is at least `value`. Both positive (or
/// `value` 0); `value + unit` must fit.
template <typename Integer>
constexpr Integer alignUp(Integer value, Integer unit) {
  return (value + unit - 1) / unit * unit;
}

/// The largest divisor of `size` that is at most `limit`.
constexpr int64_t largestDivisor(int64_t size, int64_t limit) {
  for (int64_t divisor = size < limit ? size : limit; divisor > 1; --divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

} // namespace weft

#endif // WEFT_RUNTIME_CHIPS_ALIGNMENT_H
