//===- Areas.h - what the commands of a stage may touch in DRAM -*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_AREAS_H
#define WEFT_RUNTIME_BMODEL_AREAS_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/isa/Decode.h"

namespace weft::rt {

/// Every operand of a GDMA command that begins in DRAM ends in the area of the
/// stage (weights, context, io) in which it begins, and none writes into the
/// weights. Loading looks at the first address only; this is for checks on
/// demand. Where the data decide how much is written, the most counts.
/// Code::BadCommand names operand, bytes and area; success for TIU commands.
Status checkAreas(const Chip &chip, const StageSpec &stage,
                  const isa::Decoded &command);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_AREAS_H
