#include "runtime/races/OpenAccesses.h"

using namespace weft;
using namespace weft::races;

/// Small enough that tensors which lie apart seldom share one.
constexpr uint32_t kPieceBytes = 4096;

std::vector<OpenAccess> races::openAccessesOf(const isa::Decoded &command,
                                              const Chip &chip) {
  std::vector<OpenAccess> open;
  std::vector<isa::Access> accesses = isa::accessesOf(command, chip);
  for (size_t i = 0; i < accesses.size(); ++i) {
    const isa::Access &access = accesses[i];
    bool isLocal = access.memory == isa::Memory::Local;
    if (!isLocal && access.memory != isa::Memory::Static)
      continue; // TIU reaches no other
    uint64_t base = isLocal ? 0 : chip.staticMemoryBase;
    uint64_t most = isLocal ? chip.laneBytes : chip.staticMemoryBytes;
    OpenAccess one;
    one.command = command.id();
    one.access = uint16_t(i);
    one.begin = uint32_t(std::min(access.begin - base, most));
    one.end = uint32_t(std::min(access.end - base, most));
    one.firstLane = uint16_t(access.firstLane);
    one.lanes = uint16_t(access.lanes);
    one.memory = access.memory;
    one.isWrite = access.isWrite;
    if (one.begin < one.end)
      open.push_back(one);
  }
  return open;
}

bool races::mayConflict(const OpenAccess &a, const OpenAccess &b,
                        const Chip &chip) {
  if (a.memory != b.memory || !(a.isWrite || b.isWrite) || a.begin >= b.end ||
      b.begin >= a.end)
    return false;
  if (a.memory != isa::Memory::Local)
    return true;
  // Lanes go round.
  uint32_t fromA = (b.firstLane + chip.lanes - a.firstLane) % chip.lanes;
  uint32_t fromB = (a.firstLane + chip.lanes - b.firstLane) % chip.lanes;
  return fromA < a.lanes || fromB < b.lanes;
}

OpenAccesses::OpenAccesses(const Chip &chip)
    : chip(chip),
      pieces((chip.laneBytes + chip.staticMemoryBytes) / kPieceBytes + 2) {}

std::pair<size_t, size_t>
OpenAccesses::piecesOf(const OpenAccess &access) const {
  size_t base = access.memory == isa::Memory::Local
                    ? 0
                    : chip.laneBytes / kPieceBytes + 1;
  return {base + access.begin / kPieceBytes,
          base + (access.end - 1) / kPieceBytes};
}

void OpenAccesses::add(const OpenAccess &access, uint32_t settled) {
  auto [first, last] = piecesOf(access);
  for (size_t i = first; i <= last; ++i) {
    List &list = access.isWrite ? pieces[i].writes : pieces[i].reads;
    std::vector<OpenAccess> &all = list.accesses;
    if (all.size() >= list.sweepAt) {
      auto open = std::partition_point(
          all.begin(), all.end(),
          [&](const OpenAccess &one) { return one.command <= settled; });
      held -= size_t(open - all.begin());
      all.erase(all.begin(), open);
      list.sweepAt = std::max<size_t>(64, all.size() * 2);
    }
    all.push_back(access);
    ++held;
  }
}
