//===- Timeline.h - when each command runs --------------------*- C++ -*-===//
//
// The two engines under their dependency ids. Each engine runs its commands in
// order and back to back; a command also waits for the command of the other
// engine that its cmd_id_dep names. Nothing is added between commands, and the
// engines do not slow each other down: with the cycles of the vendor's cost
// model these rules give every start of its timelines exactly (tests/data).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PROFILE_TIMELINE_H
#define WEFT_RUNTIME_PROFILE_TIMELINE_H

#include "runtime/isa/Codes.h"
#include "runtime/status/Status.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::profile {

/// A command as the timeline sees it.
struct Issued {
  uint64_t cycles = 0;
  /// Commands of the other engine, in the same group, that must be complete
  /// first; 0: none. (Ids count from 1, so this is the id of the last of them.)
  uint32_t dep = 0;
};

/// The commands of one group that run together, by position.
struct IssuedGroup {
  std::vector<Issued> tiu, gdma;

  std::vector<Issued> &of(isa::Engine engine) {
    return engine == isa::Engine::Tiu ? tiu : gdma;
  }
  const std::vector<Issued> &of(isa::Engine engine) const {
    return engine == isa::Engine::Tiu ? tiu : gdma;
  }
};

/// [start, end) in cycles from the start of the run.
struct Span {
  uint64_t start = 0, end = 0;
  /// Cycles that the engine stood still before the command because of its
  /// dependency.
  uint64_t wait = 0;
  /// On the critical path: the run would end earlier if this took less time
  /// and nothing else were in the way.
  bool isCritical = false;

  uint64_t cycles() const { return end - start; }
};

struct GroupSpans {
  std::vector<Span> tiu, gdma;

  std::vector<Span> &of(isa::Engine engine) {
    return engine == isa::Engine::Tiu ? tiu : gdma;
  }
  const std::vector<Span> &of(isa::Engine engine) const {
    return engine == isa::Engine::Tiu ? tiu : gdma;
  }
};

struct Timeline {
  uint64_t totalCycles = 0;
  std::vector<GroupSpans> groups;
};

/// Runs the groups one after the other: a group starts when both engines have
/// finished the one before. The critical path is a chain of commands without a
/// gap from 0 to totalCycles, so its cycles add up to the total; where both
/// engines could be blamed for a start it stays on its engine. Errors:
/// Deadlock, naming the commands that wait for each other.
rt::Result<Timeline> simulate(const std::vector<IssuedGroup> &groups);

} // namespace weft::profile

#endif // WEFT_RUNTIME_PROFILE_TIMELINE_H
