//===- sg2380.h - the numbers of SG2380 -----------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_SG2380_H
#define WEFT_RUNTIME_CHIPS_SG2380_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

/// Described for the kernel language: its kernels are checked and interpreted
/// (runtime/ppl). Weft makes no commands for it yet, so it has no rates.
/// Source: the chip table of the PPL manual (1.1); static memory and addresses
/// from the public kernel headers.
inline constexpr Chip sg2380 = {
    /*name=*/"SG2380",
    /*targetName=*/"sg2380",
    /*cores=*/4,
    /*lanes=*/32,
    /*laneBytes=*/128 * 1024,
    /*banks=*/16,
    /*euBytes=*/16,
    /*localMemoryBase=*/0x0800'0000,
    /*staticMemoryBase=*/0x0900'0000,
    /*staticMemoryBytes=*/64 * 1024,
    /*l2MemoryBase=*/0x1000'0000,
    /*l2MemoryBytes=*/0 * 1024 * 1024,
    /*globalMemoryBase=*/0x8000'0000,
    /*globalMemoryBytes=*/uint64_t(16) << 30,
    /*addressEnd=*/uint64_t(1) << 40,
    /*weightBase=*/0x8000'0000,
    /*maxGroupCommands=*/1'000'000 - 1,
    /*maxShape=*/65535,
    /*maxWindowStep=*/15,
    /*maxDmaStepBytes=*/128,
    /*rates=*/{},
    /*vector=*/{},
    /*cube=*/{},
    /*tiu=*/
    {
        /*shiftsIn64Bits=*/false,
        /*packsQuantRows=*/true,
        /*hasSignedOffsets=*/false,
        // The manual gives it 32 channels of 16 bits, twice the rule.
        /*halfChannels=*/32,
        /*vectorRegisters=*/32,
    },
};

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_SG2380_H
