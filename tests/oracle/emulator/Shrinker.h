/// Makes a failing command as small as it can be while it still fails.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_SHRINKER_H
#define WEFT_TESTS_ORACLE_EMULATOR_SHRINKER_H

#include "tests/oracle/emulator/MemoryContents.h"

namespace weft::oracle {

struct Case {
  Command command;
  MemoryRecipe memory;
};

/// True if the case fails in the way that is being shrunk.
using StillFails = std::function<bool(const Case &)>;

/// Replaces fields by smaller values (0, 1, half, one less; address fields by
/// the same place in lane 0), sizes that are equal also together, drops pokes
/// and simplifies memory, and keeps every step after which `stillFails`, until
/// none helps or `maxTries` cases were tried. Instruction, form and function
/// stay.
Case shrink(Case failing, const StillFails &stillFails,
            unsigned maxTries = 1500);

} // namespace weft::oracle

#endif
