#include "runtime/races/Races.h"

#include "runtime/isa/LaneBytes.h"
#include "runtime/races/ConflictKind.h"
#include "runtime/races/OpenAccesses.h"

#include <algorithm>
#include <cinttypes>
#include <tuple>

using namespace weft;
using namespace weft::races;
using isa::Decoded;
using isa::Engine;

/// Work for one group: comparisons of accesses and of runs of bytes. Programs
/// of compilers take some tens a command; files of others end here.
constexpr uint64_t kMostSteps = uint64_t(1) << 31;
/// Accesses that wait for the other engine, once a piece of memory.
constexpr size_t kMostOpen = size_t(1) << 25;

std::string_view races::conflictName(Conflict conflict) {
  switch (conflict) {
  case Conflict::ReadAfterWrite:
    return "read after write";
  case Conflict::WriteAfterRead:
    return "write after read";
  case Conflict::WriteAfterWrite:
    return "write after write";
  }
  return "";
}

uint64_t Findings::raceCount() const {
  uint64_t count = races.size();
  for (const Race &race : races)
    count += race.impliedRaces;
  return count;
}

namespace {

/// Bytes that two commands share, and the accesses that do.
struct Meeting {
  OpenAccess sides[2]; ///< by engine
  isa::ByteRange bytes;
  uint32_t firstLane = 0, endLane = 0;
};

/// The commands of a group in an order that the waits allow. Each is held
/// against what the other engine did before and it has not waited for: of two
/// commands without an order the later one meets the earlier.
class GroupSearch {
public:
  GroupSearch(const std::vector<Decoded> &tiu, const std::vector<Decoded> &gdma,
              const Chip &chip)
      : streams{&tiu, &gdma}, chip(chip),
        open{OpenAccesses(chip), OpenAccesses(chip)} {}

  rt::Status run() {
    for (unsigned engine : {0u, 1u})
      history[engine].accesses.reserve(streams[engine]->size());
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned engine : {1u, 0u})
        while (isReady(engine) && meetings.size() < kMostRaces) {
          WEFT_TRY(step(engine));
          moved = true;
        }
    }
    if (meetings.size() < kMostRaces && !(isDone(0) && isDone(1)))
      return rt::fail(rt::Code::Deadlock, "the engines wait for each other");
    return rt::Status::ok();
  }

  Findings take() {
    Findings findings;
    findings.commands = streams[0]->size() + streams[1]->size();
    findings.isCut = meetings.size() >= kMostRaces;
    std::vector<Race> all;
    for (const Meeting &meeting : meetings)
      all.push_back(raceOf(meeting));
    findings.races = withoutImplied(std::move(all));
    return findings;
  }

private:
  const std::vector<Decoded> *streams[2]; // by engine
  const Chip &chip;
  OpenAccesses open[2];
  GroupHistory history;
  std::vector<Meeting> meetings; ///< one for two commands
  uint64_t steps = 0;

  size_t next(unsigned engine) const { return history[engine].accesses.size(); }
  bool isDone(unsigned engine) const {
    return next(engine) == streams[engine]->size();
  }
  bool isReady(unsigned engine) const {
    return !isDone(engine) &&
           (*streams[engine])[next(engine)].dep() <= next(1 - engine);
  }
  uint32_t settledOf(unsigned engine) const {
    return history[engine].settled.empty() ? 0 : history[engine].settled.back();
  }

  rt::Status step(unsigned engine) {
    const Decoded &command = (*streams[engine])[next(engine)];
    std::vector<OpenAccess> accesses = openAccessesOf(command, chip);
    uint32_t settled = std::max(settledOf(engine), command.dep());
    size_t found = meetings.size();
    for (const OpenAccess &access : accesses)
      meet(engine, access, settled, found);
    for (const OpenAccess &access : accesses)
      open[engine].add(access, settledOf(1 - engine));
    history[engine].accesses.push_back(std::move(accesses));
    history[engine].settled.push_back(settled);
    if (steps > kMostSteps || open[engine].size() > kMostOpen)
      return rt::failf(rt::Code::Unsupported,
                       "unsupported: so many commands touch memory without "
                       "waiting for each other that comparing them was given "
                       "up at %s command %zu; the commands before have %zu "
                       "races",
                       std::string(isa::engineName(command.engine)).c_str(),
                       next(engine) - 1, meetings.size());
    return rt::Status::ok();
  }

  /// Adds the races of `access` with the other engine; those of its command
  /// begin at `found`.
  void meet(unsigned engine, const OpenAccess &access, uint32_t settled,
            size_t found) {
    if (meetings.size() >= kMostRaces)
      return;
    open[1 - engine].visitConflicts(
        access, settled, steps, [&](const OpenAccess &other) {
          auto known = std::find_if(meetings.begin() + ptrdiff_t(found),
                                    meetings.end(), [&](const Meeting &one) {
                                      return one.sides[1 - engine].command ==
                                             other.command;
                                    });
          if (known != meetings.end())
            return true;
          Meeting meeting;
          meeting.sides[engine] = access;
          meeting.sides[1 - engine] = other;
          if (findBytes(meeting))
            meetings.push_back(meeting);
          return meetings.size() < kMostRaces && steps <= kMostSteps;
        });
  }

  const Decoded &commandOf(unsigned engine, const Meeting &meeting) const {
    return (*streams[engine])[meeting.sides[engine].command - 1];
  }
  isa::Access accessOf(unsigned engine, const Meeting &meeting) const {
    return isa::accessesOf(commandOf(engine, meeting),
                           chip)[meeting.sides[engine].access];
  }

  /// The bytes that both sides touch; false if strides keep them apart.
  bool findBytes(Meeting &meeting) {
    const OpenAccess *sides = meeting.sides;
    if (sides[0].memory != isa::Memory::Local) {
      meeting.bytes = {
          chip.staticMemoryBase + std::max(sides[0].begin, sides[1].begin),
          chip.staticMemoryBase + std::min(sides[0].end, sides[1].end)};
      return true;
    }
    std::vector<isa::LaneBytes> others =
        isa::laneBytesOf(accessOf(1, meeting), chip);
    for (const isa::LaneBytes &a : isa::laneBytesOf(accessOf(0, meeting), chip))
      for (const isa::LaneBytes &b : others) {
        meeting.firstLane = std::max(a.firstLane, b.firstLane);
        meeting.endLane = std::min(a.endLane, b.endLane);
        if (meeting.firstLane >= meeting.endLane)
          continue;
        if (auto common = a.bytes.firstCommon(b.bytes, steps)) {
          meeting.bytes = *common;
          return true;
        }
      }
    return false;
  }

  Side sideOf(unsigned engine, const Meeting &meeting) const {
    return {commandOf(engine, meeting), meeting.sides[engine].command - 1,
            accessOf(engine, meeting).operand};
  }

  Race raceOf(const Meeting &meeting) const {
    const OpenAccess *sides = meeting.sides;
    unsigned first = isMeantFirst(sides[0], sides[1], history, chip) ? 0 : 1;
    Race race;
    race.first = sideOf(first, meeting);
    race.second = sideOf(1 - first, meeting);
    race.conflict = !sides[1 - first].isWrite ? Conflict::ReadAfterWrite
                    : sides[first].isWrite    ? Conflict::WriteAfterWrite
                                              : Conflict::WriteAfterRead;
    race.memory = sides[0].memory;
    race.begin = meeting.bytes.begin;
    race.end = meeting.bytes.end;
    race.firstLane = meeting.firstLane;
    race.endLane = meeting.endLane;
    return race;
  }

  /// Keeps the races whose waits order the others: a wait also holds for the
  /// commands behind the one that waits, and for those before the one waited
  /// for.
  static std::vector<Race> withoutImplied(std::vector<Race> all) {
    std::sort(all.begin(), all.end(), [](const Race &a, const Race &b) {
      return std::tuple(a.second.index, a.second.command.engine,
                        b.first.index) <
             std::tuple(b.second.index, b.second.command.engine, a.first.index);
    });
    std::vector<Race> kept;
    for (Race &race : all) {
      auto wait = std::find_if(kept.begin(), kept.end(), [&](const Race &one) {
        return one.second.command.engine == race.second.command.engine &&
               one.first.index >= race.first.index;
      });
      if (wait == kept.end())
        kept.push_back(std::move(race));
      else
        ++wait->impliedRaces;
    }
    return kept;
  }
};

} // namespace

rt::Result<Findings> races::findRaces(const std::vector<Decoded> &tiu,
                                      const std::vector<Decoded> &gdma,
                                      const Chip &chip) {
  GroupSearch search(tiu, gdma, chip);
  WEFT_TRY(search.run());
  return search.take();
}

rt::Result<Findings> races::findRaces(const rt::StageSpec &stage,
                                      const Chip &chip) {
  Findings all;
  for (size_t i = 0; i < stage.groups.size(); ++i) {
    const rt::GroupSpec &group = stage.groups[i];
    // The loader has decoded all of it before.
    auto commands = [&](Engine engine, rt::ByteSpan bytes) {
      return isa::decodeStream(*chip.instructions, engine, bytes.data,
                               bytes.size)
          .commands;
    };
    rt::Result<Findings> found =
        findRaces(commands(Engine::Tiu, group.tiu),
                  commands(Engine::Gdma, group.gdma), chip);
    if (!found)
      return found.status().withContext("group " + std::to_string(i));
    all.commands += found->commands;
    all.isCut |= found->isCut;
    for (Race &race : found->races) {
      race.group = uint32_t(i);
      all.races.push_back(std::move(race));
    }
  }
  return all;
}

static std::string sideText(const Side &side) {
  return std::string(isa::engineName(side.command.engine)) + " command " +
         std::to_string(side.index) + " (" +
         std::string(side.command.mnemonic) + ")";
}

std::string races::raceText(const Race &race) {
  char bytes[160];
  if (race.memory == isa::Memory::Local)
    std::snprintf(bytes, sizeof bytes,
                  "bytes 0x%" PRIx64 " to 0x%" PRIx64 " of lane%s %u",
                  race.begin, race.end,
                  race.endLane - race.firstLane == 1 ? "" : "s",
                  race.firstLane);
  else
    std::snprintf(bytes, sizeof bytes,
                  "static memory 0x%" PRIx64 " to 0x%" PRIx64, race.begin,
                  race.end);
  std::string where = bytes;
  if (race.memory == isa::Memory::Local && race.endLane - race.firstLane != 1)
    where += " to " + std::to_string(race.endLane - 1);
  auto verb = [&](const Side &side, bool isWrite) {
    return std::string(isWrite ? " writes (" : " reads (") +
           std::string(side.operand) + ")";
  };
  bool firstWrites = race.conflict != Conflict::WriteAfterRead;
  bool secondWrites = race.conflict != Conflict::ReadAfterWrite;
  const Side &first = race.first, &second = race.second;
  return std::string(conflictName(race.conflict)) +
         " without a wait: " + sideText(first) + verb(first, firstWrites) +
         " and " + sideText(second) + verb(second, secondWrites) + " " + where +
         "; the cmd_id_dep of " + sideText(second) + " is " +
         std::to_string(second.command.dep()) + " and must be " +
         std::to_string(first.command.id()) + " or more";
}
