//===- CopyPrice.h - what a copy within DRAM costs --------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_COPYPRICE_H
#define WEFT_DIALECTS_TPU_COPYPRICE_H

#include "dialects/tpu/CopyPlan.h"
#include "runtime/transfer/Staging.h"

namespace weft::tpu {

/// Of what no command does.
inline constexpr transfer::Price kNoWay{cycles::kMostCycles,
                                        cycles::Evidence::Kin};

/// Byte addresses of both tensors of a copy in DRAM.
struct CopyAddresses {
  int64_t source = 0, result = 0;
};

/// Of the commands within DRAM; kNoWay if there are too many.
transfer::Price directPrice(transfer::Planner &planner, const Chip &chip,
                            unsigned elementBytes, const StridedCopy &copy,
                            const CopyAddresses &addresses);

/// The copy out of operand `operand`, which has so many elements, as
/// runtime/transfer/Staging.h has it.
transfer::Piece stagedPiece(const StridedCopy &copy, unsigned operand,
                            int64_t operandElements,
                            const CopyAddresses &addresses);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_COPYPRICE_H
