//===- bm1684x.h - the numbers of BM1684X ---------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CHIPS_BM1684X_H
#define WEFT_RUNTIME_CHIPS_BM1684X_H

#include "runtime/chips/Chip.h"

namespace weft::chips {

// Its table, rules and costs: runtime/chips/bm1684x.
extern const isa::InstructionSet bm1684xInstructions;
extern const isa::rules::RuleBook bm1684xRules;
extern const cycles::CostTable bm1684xCosts;

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
    // Source: the profile that the vendor's encoder library prints and the
    // published timelines of its compiler, both exact with these numbers
    // (docs/cycles.md); none was measured on a board. 2^36 is the base of the
    // bandwidth figures there.
    /*rates=*/
    {
        /*cyclesPerSecond=*/1'000'000'000,
        /*dramBytesPerSecond=*/uint64_t(1) << 36,
        /*dramChannels=*/4,
        /*dramPageBytes=*/4096,
        /*shortestDmaRun=*/256,
        /*loadBytes=*/58,
        /*storeBytes=*/44,
        /*copyBytes=*/28,
        /*fillBytes=*/58,
        /*simpleBytes=*/64,
        /*simpleLocalBytes=*/32,
        /*packedResults=*/4,
    },
    /*vector=*/{},
    /*cube=*/{},
    /*tiu=*/
    {
        /*shiftsIn64Bits=*/true,
        /*packsQuantRows=*/false,
    },
    /*instructions=*/&bm1684xInstructions,
    /*rules=*/&bm1684xRules,
    /*costs=*/&bm1684xCosts,
};

} // namespace weft::chips

#endif // WEFT_RUNTIME_CHIPS_BM1684X_H
