//===- bm1688.h - the numbers of BM1688 -----------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_BM1688_H
#define WEFT_RUNTIME_CHIPS_BM1688_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

/// Described for the kernel language: its kernels are checked and interpreted
/// (runtime/ppl). Weft makes no commands for it yet, so it has no rates.
/// Source: the chip table of the PPL manual (1.1); static memory and addresses
/// from the public kernel headers.
inline constexpr Chip bm1688 = {
    /*name=*/"BM1688",
    /*targetName=*/"bm1688",
    /*cores=*/2,
    /*lanes=*/32,
    /*laneBytes=*/128 * 1024,
    /*banks=*/16,
    /*euBytes=*/16,
    /*localMemoryBase=*/0x0800'0000,
    /*staticMemoryBase=*/0x0900'0000,
    /*staticMemoryBytes=*/64 * 1024,
    /*l2MemoryBase=*/0x1000'0000,
    /*l2MemoryBytes=*/0 * 1024 * 1024,
    /*globalMemoryBase=*/0x1'0000'0000,
    /*globalMemoryBytes=*/uint64_t(16) << 30,
    /*addressEnd=*/uint64_t(1) << 36,
    /*weightBase=*/0x1'0000'0000,
    /*maxGroupCommands=*/1'000'000 - 1,
    /*maxShape=*/65535,
    /*maxWindowStep=*/15,
    /*maxDmaStepBytes=*/64,
    /*rates=*/{},
    /*vector=*/{},
    /*cube=*/{},
    /*tiu=*/
    {
        /*shiftsIn64Bits=*/false,
        /*packsQuantRows=*/true,
        /*hasSignedOffsets=*/true,
    },
};

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_BM1688_H
