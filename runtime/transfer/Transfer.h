//===- Transfer.h - a move of data and the commands for it ----*- C++ -*-===//
//
// The DMA planner. A transfer says which element goes where: a box of n, c, h,
// w elements with strides on either side. Many commands, and short lists of
// them, do the same; what they cost by runtime/cycles differs by up to two
// orders of magnitude, because a command pays for the runs of bytes that it
// describes and for the DRAM pages that its planes begin in, not for bytes.
// `Planner::plan` gives the cheapest description (docs/transfers.md).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_TRANSFER_TRANSFER_H
#define WEFT_RUNTIME_TRANSFER_TRANSFER_H

#include "runtime/cycles/Cycles.h"
#include "runtime/isa/CommandBuilder.h"

#include <array>
#include <map>
#include <vector>

namespace weft::transfer {

/// Sizes or strides (in elements) along n, c, h, w.
using Four = std::array<int64_t, 4>;

/// A place in one of the memories that the DMA engine reaches.
struct Place {
  bool isLocal = false;
  unsigned lane = 0;   ///< local memory only: of the first channel
  int64_t address = 0; ///< local memory: byte inside the lane, else 40 bits
};

/// One side of a transfer: where its first element lies and how far apart (in
/// elements) neighbours are. In local memory channel c lies in lane `lane + c`,
/// modulo the lanes; the stride of c is the step from one round of lanes to
/// the next. A stride of 0 repeats the source.
struct Side {
  Place place;
  Four strides{};
};

/// Element (n, c, h, w) of `from` goes to (n, c, h, w) of `to`. Sizes are 1 to
/// `Chip::maxShape`, the sides do not overlap.
struct Transfer {
  unsigned elementBytes = 1; ///< 1, 2 or 4
  Four shape{1, 1, 1, 1};
  Side from, to;
};

/// One DMA command of a plan.
struct Command {
  cycles::DmaShape shape;
  Place from, to;
};

/// Commands that together do a transfer, in any order.
struct Plan {
  std::vector<Command> commands;
  uint64_t cycles = 0; ///< of all commands, by runtime/cycles
  /// The least that speaks for the cost of one of them.
  cycles::Evidence evidence = cycles::Evidence::Measured;

  bool isEmpty() const { return commands.empty(); }
};

/// What something costs and what speaks for that.
struct Price {
  uint64_t cycles = 0;
  cycles::Evidence evidence = cycles::Evidence::Measured;

  /// Whether this is to be preferred: where as much speaks for it, if it is
  /// cheaper; where less does, if it halves the cost; where more does, unless
  /// it doubles it.
  bool beats(const Price &other) const {
    if (evidence > other.evidence)
      return cycles * 2 < other.cycles;
    if (evidence < other.evidence)
      return cycles <= other.cycles * 2;
    return cycles < other.cycles;
  }
};

/// The command as the instruction that does it, without ids. Errors: OutOfRange
/// for a size, stride or address that does not fit its field.
rt::Result<isa::CommandBuilder> build(const Command &command, const Chip &chip);

/// The transfer as it is written, in one command. Not all are legal:
/// `isLegal`.
Plan plainPlan(const Transfer &transfer, const Chip &chip);

/// Whether the engine takes the command: sizes, strides, the step along w.
bool isLegal(const Command &command, const Chip &chip);

/// Finds plans. What was found is kept: two transfers that differ in their
/// addresses only have one plan. Deterministic: of plans with one price the one
/// with fewer commands wins, then the one that is found first.
class Planner {
public:
  explicit Planner(const Chip &chip) : chip(chip) {}

  /// The cheapest plan found, empty if no command does it; never dearer than
  /// `plainPlan` where that is legal. Forms whose cost nothing but a kin speaks
  /// for are not used, those that only the vendor's library speaks for
  /// (cycles::Evidence::Probed) if they halve the cost at least. At most
  /// kMostCommands commands.
  Plan plan(const Transfer &transfer);

  /// Most commands that a plan has.
  static constexpr size_t kMostCommands = 64;

private:
  /// The same, whether or not it leaves the lanes.
  Plan planOf(const Transfer &transfer, bool mayBeMatrix);

  using Key = std::array<int64_t, 18>;

  const Chip &chip;
  std::map<Key, Plan> known; ///< with addresses relative to the sides'
};

} // namespace weft::transfer

#endif // WEFT_RUNTIME_TRANSFER_TRANSFER_H
