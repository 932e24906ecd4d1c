//===- bm1684x.h - the numbers of BM1684X ---------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_BM1684X_H
#define WEFT_RUNTIME_CHIPS_BM1684X_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

inline constexpr Chip bm1684x = {
    /*name=*/"BM1684X",
    /*targetName=*/"bm1684x",
    /*cores=*/1,
    /*lanes=*/64,
    /*laneBytes=*/256 * 1024,
    /*banks=*/16,
    /*euBytes=*/64,
    /*localMemoryBase=*/0x0800'0000,
    /*staticMemoryBase=*/0x0900'0000,
    /*staticMemoryBytes=*/16 * 1024,
    /*l2MemoryBase=*/0x1000'0000,
    /*l2MemoryBytes=*/0x1FB000,
    /*globalMemoryBase=*/0x1'0000'0000,
    /*globalMemoryBytes=*/uint64_t(16) << 30,
    /*addressEnd=*/uint64_t(1) << 40,
    /*weightBase=*/0x1'0000'0000,
    // Ids have 20 bits; the end command takes one more.
    /*maxGroupCommands=*/1'000'000 - 1,
    /*maxShape=*/65535,
    /*maxWindowStep=*/15,
    /*maxDmaStepBytes=*/128,
};

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_BM1684X_H
