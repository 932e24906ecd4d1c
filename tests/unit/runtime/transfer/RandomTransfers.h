//===- RandomTransfers.h - transfers of every kind ------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_TRANSFER_RANDOMTRANSFERS_H
#define WEFT_TESTS_UNIT_RUNTIME_TRANSFER_RANDOMTRANSFERS_H

#include "runtime/transfer/Transfer.h"

#include <random>
#include <string>

namespace weft::transfer {

/// Where random transfers lie: bytes of a lane, and of DRAM from its begin on.
inline constexpr int64_t kLaneRoom = 16 * 1024;
inline constexpr int64_t kGlobalBegin = 0x100000000, kGlobalRoom = 1 << 20;

/// A load, a store or a copy within DRAM (half of DRAM each side): boxes with
/// axes in any order, gaps, steps and repeated sources, channels over several
/// rounds of lanes, any first lane.
Transfer randomTransfer(std::mt19937 &random);

std::string describe(const Transfer &transfer);

} // namespace weft::transfer

#endif // WEFT_TESTS_UNIT_RUNTIME_TRANSFER_RANDOMTRANSFERS_H
