//===- FaultCauses.h - what is wrong in a command ---------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_FAULTCAUSES_H
#define WEFT_TOOLS_WEFT_FAULTCAUSES_H

#include "runtime/chips/Chip.h"
#include "tools/weft/Bisection.h"

namespace weft::cli {

/// The kind of fault in `one`, among all commands that differ.
FaultCause causeOf(const CommandDifference &one, const ProgramDifference &all,
                   const Chip &chip);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_FAULTCAUSES_H
