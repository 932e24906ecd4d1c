//===- SlowTransfers.cpp - transfers that wait for more than bytes --------===//

#include "runtime/profile/SlowTransfers.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace weft;
using namespace weft::profile;

/// Less is not worth a line: what any short transfer costs.
static constexpr uint64_t kLeastCycles = 1000;

std::vector<SlowTransfers>
profile::slowTransfersOf(const std::vector<CommandProfile> &commands,
                         const Chip &chip) {
  std::map<std::tuple<uint32_t, cycles::Direction, SlowTransfers::Reason>,
           SlowTransfers>
      rows;
  for (const CommandProfile &command : commands) {
    cycles::DmaLimits limits = cycles::dmaLimits(command.command, chip);
    if (limits.fullRateCycles == 0 || command.cost.cycles < kLeastCycles ||
        command.cost.cycles <= 2 * limits.fullRateCycles)
      continue;
    bool hasShortRuns = limits.runBytes < chip.rates.shortestDmaRun;
    bool hasFewChannels =
        limits.channels != 0 && limits.channels < chip.rates.dramChannels;
    SlowTransfers::Reason reason = hasShortRuns     ? SlowTransfers::ShortRuns
                                   : hasFewChannels ? SlowTransfers::FewChannels
                                                    : SlowTransfers::Function;
    auto [entry, isNew] =
        rows.try_emplace({command.node, command.cost.direction, reason});
    SlowTransfers &row = entry->second;
    if (isNew) {
      row.node = command.node;
      row.direction = command.cost.direction;
      row.reason = reason;
      row.runBytes = limits.runBytes;
      row.channels = limits.channels;
    }
    ++row.commands;
    row.bytes += command.cost.bytes;
    row.cycles += command.cost.cycles;
    row.fullRateCycles += limits.fullRateCycles;
    row.runBytes = std::min(row.runBytes, limits.runBytes);
    row.channels = std::min(row.channels, limits.channels);
  }
  std::vector<SlowTransfers> list;
  for (const auto &row : rows)
    list.push_back(row.second);
  std::stable_sort(list.begin(), list.end(),
                   [](const SlowTransfers &a, const SlowTransfers &b) {
                     return a.cycles - a.fullRateCycles >
                            b.cycles - b.fullRateCycles;
                   });
  return list;
}
