//===- Alignment.h - rounding of sizes and addresses ----------*- C++ -*-===//

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

} // namespace weft

#endif // WEFT_RUNTIME_CHIPS_ALIGNMENT_H
