//===- CheapestMix.h - which ops are cheaper as floats ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_CHEAPESTMIX_H
#define WEFT_TOOLS_DRIVER_CHEAPESTMIX_H

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::driver {

/// What an op costs in one way and in the other.
struct OpPrices {
  uint64_t codes = 0, floats = 0;
};

/// What it costs if one of two ops is computed in codes and the other is not.
struct BorderPrice {
  size_t one = 0, other = 0; ///< positions of the ops
  uint64_t cycles = 0;
};

struct CheapestMix {
  std::vector<bool> isFloat; ///< of each op
  uint64_t cycles = 0;       ///< of all ops and borders together
};

/// The mix with the least cycles; of several that one with the fewest floats. A
/// minimum cut between the two ways.
CheapestMix cheapestMix(llvm::ArrayRef<OpPrices> ops,
                        llvm::ArrayRef<BorderPrice> borders);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CHEAPESTMIX_H
