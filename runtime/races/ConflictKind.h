//===- ConflictKind.h - which of two commands was meant to be first -------===//
//
// Inside runtime/races. A race says that nothing orders two commands, not which
// order was meant. Values pass through memory in one way, though: written, read
// any number of times, written over. From the accesses that are in order it
// follows which place in that life a command takes; where it does not, this is
// a guess, and only the name of the conflict depends on it.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_RACES_CONFLICTKIND_H
#define WEFT_RUNTIME_RACES_CONFLICTKIND_H

#include "runtime/races/OpenAccesses.h"

#include <array>
#include <vector>

namespace weft::races {

/// The commands of one engine of a group, by id - 1.
struct EngineHistory {
  std::vector<std::vector<OpenAccess>> accesses;
  /// The last command of the other engine that is complete when this begins.
  std::vector<uint32_t> settled;
};
using GroupHistory = std::array<EngineHistory, 2>; ///< by isa::Engine

/// `a` is an access of engine 0, `b` one of engine 1; no wait orders their
/// commands. True: `a` was meant to come first.
bool isMeantFirst(const OpenAccess &a, const OpenAccess &b,
                  const GroupHistory &history, const Chip &chip);

} // namespace weft::races

#endif // WEFT_RUNTIME_RACES_CONFLICTKIND_H
