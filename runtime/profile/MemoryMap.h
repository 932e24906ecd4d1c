//===- MemoryMap.h - what lives in local memory, and when -----*- C++ -*-===//

#ifndef WEFT_RUNTIME_PROFILE_MEMORYMAP_H
#define WEFT_RUNTIME_PROFILE_MEMORYMAP_H

#include "runtime/isa/Accesses.h"
#include "runtime/profile/Timeline.h"

#include <map>
#include <vector>

namespace weft::profile {

/// Bytes [begin, end) of a lane that one command wrote, from the start of that
/// command to the end of the last command that read them (to its own end if
/// none did). All lanes are laid over each other: bytes live in one lane count
/// as live.
struct LiveRange {
  uint32_t begin = 0, end = 0;
  uint64_t from = 0, to = 0; ///< cycles
  uint32_t writer = 0;       ///< the number given to add()
  bool isRead = false;
};

/// Follows values through local memory. Commands come in the order of their
/// starts.
class LiveRanges {
public:
  /// Records what command `number`, running in `span`, touches.
  void add(uint32_t number, const Span &span,
           const std::vector<isa::Access> &accesses);
  /// Ends what still lives and gives all ranges.
  std::vector<LiveRange> finish();

private:
  std::map<uint32_t, LiveRange> live; // by begin, disjoint
  std::vector<LiveRange> dead;

  void splitAt(uint32_t at);
  void read(const isa::Access &access, const Span &span);
  void write(const isa::Access &access, const Span &span, uint32_t number);
  void emit(const LiveRange &range);
};

/// How full a bank (or all of local memory) is.
struct Occupancy {
  uint64_t peakBytes = 0;
  double meanBytes = 0; ///< over the whole run
};

struct MemoryUse {
  Occupancy whole;
  std::vector<Occupancy> banks;
};

/// Occupancy of a lane with `banks` banks of `bankBytes`.
MemoryUse occupancyOf(const std::vector<LiveRange> &ranges, unsigned banks,
                      unsigned bankBytes, uint64_t totalCycles);

} // namespace weft::profile

#endif // WEFT_RUNTIME_PROFILE_MEMORYMAP_H
