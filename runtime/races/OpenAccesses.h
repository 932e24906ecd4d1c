//===- OpenAccesses.h - what an engine touched that others may meet -------===//
//
// Inside runtime/races.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_RACES_OPENACCESSES_H
#define WEFT_RUNTIME_RACES_OPENACCESSES_H

#include "runtime/isa/Accesses.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::races {

/// An access as it is remembered: its bounds, and where to find the rest.
struct OpenAccess {
  uint32_t command = 0; ///< id, from 1
  uint32_t begin = 0, end = 0;
  uint16_t access = 0; ///< position in accessesOf()
  uint16_t firstLane = 0, lanes = 0;
  isa::Memory memory = isa::Memory::Local;
  bool isWrite = false;
};

/// The accesses of `command` to memory that both engines reach. Addresses of
/// static memory count from its begin.
std::vector<OpenAccess> openAccessesOf(const isa::Decoded &command,
                                       const Chip &chip);

/// By their bounds: bytes in the same lane that both touch, one writing.
bool mayConflict(const OpenAccess &a, const OpenAccess &b, const Chip &chip);

/// The accesses of one engine that a later command of the other may conflict
/// with, found by their bytes.
class OpenAccesses {
public:
  explicit OpenAccesses(const Chip &chip);

  /// `settled`: the other engine has waited for this command, and so for those
  /// before; they are forgotten where they are in the way. Never less than
  /// before.
  void add(const OpenAccess &access, uint32_t settled);

  /// Calls visit(open access) for all behind `settled` whose bounds conflict
  /// with `access`, until it gives false. `steps` grows by the work.
  template <typename Visit>
  void visitConflicts(const OpenAccess &access, uint32_t settled,
                      uint64_t &steps, Visit visit) const {
    auto [first, last] = piecesOf(access);
    for (size_t i = first; i <= last; ++i)
      for (const List *list : {&pieces[i].writes, &pieces[i].reads}) {
        if (list == &pieces[i].reads && !access.isWrite)
          continue;
        // By command: behind one that is settled are only such.
        for (size_t at = list->accesses.size(); at-- > 0;) {
          const OpenAccess &open = list->accesses[at];
          ++steps;
          if (open.command <= settled)
            break;
          // Both may lie in several pieces; the first common one counts.
          if (std::max(piecesOf(open).first, first) == i &&
              mayConflict(open, access, chip) && !visit(open))
            return;
        }
      }
  }

  /// Accesses held, once for each piece of memory that they touch.
  size_t size() const { return held; }

private:
  struct List {
    std::vector<OpenAccess> accesses; // by command
    size_t sweepAt = 64; ///< the size at which settled ones are looked for
  };
  struct Piece {
    List reads, writes;
  };
  std::pair<size_t, size_t> piecesOf(const OpenAccess &access) const;

  const Chip &chip;
  std::vector<Piece> pieces; ///< of a lane, behind them of static memory
  size_t held = 0;
};

} // namespace weft::races

#endif // WEFT_RUNTIME_RACES_OPENACCESSES_H
