//===- Races.h - accesses that no wait puts in order ----------*- C++ -*-===//
//
// The two engines take their commands in order; between them only the waits
// (cmd_id_dep) and the ends of command groups make an order. Two commands of
// different engines that touch the same bytes, at least one writing, without
// any order between them, are a race: what the program computes depends on
// which engine is faster. The commands are read, not run.
//
// Only local and static memory are looked at: TIU reaches no other, and what
// GDMA does in DRAM and L2 happens in its own order.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_RACES_RACES_H
#define WEFT_RUNTIME_RACES_RACES_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/isa/Accesses.h"
#include "runtime/isa/Decode.h"

#include <string>
#include <vector>

namespace weft::races {

enum class Conflict : uint8_t {
  ReadAfterWrite,
  WriteAfterRead,
  WriteAfterWrite
};

/// "read after write".
std::string_view conflictName(Conflict conflict);

/// One side of a race.
struct Side {
  isa::Decoded command;     ///< a view of the bytes that were checked
  uint32_t index = 0;       ///< in the buffer of its engine, from 0
  std::string_view operand; ///< "res0", "src"
};

/// Two commands of a group that no wait orders.
struct Race {
  uint32_t group = 0;
  /// The waits do not say which of the two was meant to be first; `first` is
  /// what the other accesses to these bytes make likely (ConflictKind.h).
  Side first, second;
  Conflict conflict = Conflict::ReadAfterWrite;
  /// The first bytes that both touch: local memory inside of lanes
  /// [firstLane, endLane), or static memory by address.
  isa::Memory memory = isa::Memory::Local;
  uint64_t begin = 0, end = 0;
  uint32_t firstLane = 0, endLane = 0;
  /// Further races of this group that the same wait (`second` for `first`)
  /// would order, too.
  uint64_t impliedRaces = 0;
};

/// What was found in a group or in a stage.
struct Findings {
  uint64_t commands = 0; ///< looked at, end commands included
  /// By group and by `second`. A wait of each `second` for its `first` orders
  /// all of them and the races that they imply.
  std::vector<Race> races;
  /// The search ended at its most races (kMostRaces): there may be more.
  bool isCut = false;

  /// Those in `races` and those that they imply.
  uint64_t raceCount() const;
};

/// The search of a group ends when it has found so many.
constexpr uint64_t kMostRaces = 10000;

/// The races between the commands of one group, ids from 1 in both streams, as
/// the loader has checked them. Code::Unsupported: commands of others take more
/// work to compare than honest ones do; Code::Deadlock: the engines wait for
/// each other.
rt::Result<Findings> findRaces(const std::vector<isa::Decoded> &tiu,
                               const std::vector<isa::Decoded> &gdma,
                               const Chip &chip);

/// The same for all groups of a stage, of which each begins when the one before
/// has ended.
rt::Result<Findings> findRaces(const rt::StageSpec &stage, const Chip &chip);

/// "tiu command 12 (arith.add) and gdma command 7 (dma.tensor.copy): ..": what
/// conflicts where, and which wait is missing. Command numbers count from 0, as
/// in `weft disasm --json` and in other messages; ids are named where waits
/// are.
std::string raceText(const Race &race);

} // namespace weft::races

#endif // WEFT_RUNTIME_RACES_RACES_H
