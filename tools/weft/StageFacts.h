//===- StageFacts.h - what a file says beside commands ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_STAGEFACTS_H
#define WEFT_TOOLS_WEFT_STAGEFACTS_H

#include "tools/weft/ProgramDifference.h"

namespace weft::cli {

/// What `stage` says of its inputs and outputs (names, types, shapes, scales,
/// places), of its memory, of its host programs, of its layers (names, types,
/// shapes, scales, places) and of the nodes that commands are made of, where
/// `expected`, which has as many commands, says something else. The axis of
/// batches is left out: `weft convert` proves it by runs, which are not made
/// again.
std::vector<FactDifference> factsThatDiffer(const rt::StageSpec &stage,
                                            const rt::StageSpec &expected);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_STAGEFACTS_H
