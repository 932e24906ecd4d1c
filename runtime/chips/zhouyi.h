//===- zhouyi.h - the numbers of a Zhouyi core ----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_ZHOUYI_H
#define WEFT_RUNTIME_CHIPS_ZHOUYI_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

/// A core of a Zhouyi NPU as vector programs see it. The width of its registers
/// is that of every example of the arithmetic document and of the public
/// release Zhouyi Compass 3.8.0.
inline constexpr Chip zhouyi = [] {
  Chip chip = {};
  chip.name = "ZHOUYI";
  chip.targetName = "zhouyi";
  chip.cores = 1;
  chip.vector = {/*registerBytes=*/32};
  return chip;
}();

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_ZHOUYI_H
