#include "runtime/races/ConflictKind.h"

using namespace weft;
using namespace weft::races;

namespace {

/// How far back and ahead accesses are looked for: names are not worth more.
constexpr uint32_t kMostCommands = 1 << 12;

/// A command of the group.
struct Place {
  unsigned engine;
  uint32_t id;
};

class Judge {
public:
  Judge(const GroupHistory &history, const Chip &chip)
      : history(history), chip(chip) {}

  /// Does `reader`, of which `read` is an access, read what was there before
  /// `written` was written? So it seems if bytes were written before that
  /// nobody has read yet.
  bool readsOldValue(Place reader, const OpenAccess &read, Place writer) const {
    for (unsigned engine : {0u, 1u}) {
      Place old = lastWrite(engine, reader, read);
      if (old.id != 0 && !isRead(old, read, writer))
        return true;
    }
    return false;
  }

  /// Somebody reads bytes of `access` between the two.
  bool isReadBetween(Place from, const OpenAccess &access, Place to) const {
    return isRead(from, access, to);
  }

private:
  const GroupHistory &history;
  const Chip &chip;

  /// The last command of `engine` that is complete when `at` begins.
  uint32_t lastBefore(Place at, unsigned engine) const {
    return engine == at.engine ? at.id - 1
                               : history[at.engine].settled[at.id - 1];
  }
  bool touches(Place at, const OpenAccess &bytes, bool writes) const {
    OpenAccess asWrite = bytes; // conflicts with reads and writes
    asWrite.isWrite = true;
    for (const OpenAccess &one : history[at.engine].accesses[at.id - 1])
      if (one.isWrite == writes && mayConflict(one, asWrite, chip))
        return true;
    return false;
  }
  /// The last write of `engine` to these bytes before `reader`; id 0: none.
  Place lastWrite(unsigned engine, Place reader,
                  const OpenAccess &bytes) const {
    uint32_t from = lastBefore(reader, engine);
    uint32_t to = from > kMostCommands ? from - kMostCommands : 0;
    for (uint32_t id = from; id > to; --id)
      if (touches({engine, id}, bytes, true))
        return {engine, id};
    return {engine, 0};
  }
  /// A command behind `writer` and before `before` reads these bytes.
  bool isRead(Place writer, const OpenAccess &bytes, Place before) const {
    for (unsigned engine : {0u, 1u}) {
      uint32_t from = lastBefore(before, engine);
      uint32_t to = from > kMostCommands ? from - kMostCommands : 0;
      for (uint32_t id = from; id > to; --id) {
        if (lastBefore({engine, id}, writer.engine) < writer.id)
          break; // nor are those before it behind the writer
        if (touches({engine, id}, bytes, false))
          return true;
      }
    }
    return false;
  }
};

} // namespace

bool races::isMeantFirst(const OpenAccess &a, const OpenAccess &b,
                         const GroupHistory &history, const Chip &chip) {
  Judge judge(history, chip);
  Place placeA{0, a.command}, placeB{1, b.command};
  if (a.isWrite && b.isWrite)
    return !judge.isReadBetween(placeB, b, placeA);
  if (a.isWrite)
    return !judge.readsOldValue(placeB, b, placeA);
  return judge.readsOldValue(placeA, a, placeB);
}
