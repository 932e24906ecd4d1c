//===- Hazards.h - who touched which bytes last ---------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_HAZARDS_H
#define WEFT_CODEGEN_ENCODE_HAZARDS_H

#include "runtime/isa/Codes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace weft::codegen {

/// Bytes [begin, end).
struct ByteRange {
  uint64_t begin, end;
};

/// Value of the last `assign` for every byte; 0 where there was none. Values
/// must not decrease from one assign to the next.
class LastTouch {
public:
  void assign(ByteRange range, uint64_t value);
  /// Largest value in the range. Entries with a value up to `forget` are
  /// dropped on the way: the caller promises never to ask for them again, which
  /// keeps the total work near-linear.
  uint64_t largest(ByteRange range, uint64_t forget = 0);
  /// Calls `visit` with the value of each range that meets `range`.
  void visit(ByteRange range,
             llvm::function_ref<void(uint64_t value)> visit) const;
  void clear() { entries.clear(); }
  /// How many ranges are remembered: the steps of the next `largest` over all.
  size_t pieces() const { return entries.size(); }

private:
  struct Entry {
    uint64_t end, value;
  };
  std::map<uint64_t, Entry> entries; // by begin, disjoint
  /// Cuts the entry that contains `at` in two, so that one begins there.
  std::map<uint64_t, Entry>::iterator splitAt(uint64_t at);
};

/// Finds, for each command, the last command of the other engine that it must
/// wait for. Both engines work in order, so one id is enough, and what an
/// engine has waited for once needs no second wait. Ranges are those of
/// TouchedBytes in local memory: an upper bound (a wait too many, never one too
/// few).
class HazardTracker {
public:
  /// The id of the other engine to wait for (0: none) and records command `id`.
  uint32_t add(isa::Engine engine, uint32_t id,
               const std::vector<ByteRange> &reads,
               const std::vector<ByteRange> &writes);
  /// Who overwrites `ranges` waits for command `id` of `engine`, its last so
  /// far, as if that read them.
  void keep(isa::Engine engine, uint32_t id,
            const std::vector<ByteRange> &ranges) {
    for (ByteRange range : ranges)
      engines[size_t(engine)].reads.assign(range, id);
  }
  void clear();
  /// Largest id of the other engine that `engine` has waited for.
  uint32_t waitedFor(isa::Engine engine) const {
    return engines[size_t(engine)].waitedFor;
  }

private:
  struct PerEngine {
    LastTouch reads, writes;
    uint32_t waitedFor =
        0; ///< largest id of the other engine this one has waited for
  };
  PerEngine engines[2];
};

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_HAZARDS_H
