#include "runtime/profile/Profile.h"
#include "runtime/profile/SlowTransfers.h"

#include "runtime/bmodel/DebugMap.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace weft;
using namespace weft::profile;
using isa::Engine;

void Sum::add(const CommandProfile &command) {
  ++commands;
  cycles += command.span.cycles();
  criticalCycles += command.span.isCritical ? command.span.cycles() : 0;
  waitCycles += command.span.wait;
  if (command.isExtrapolated()) {
    extrapolatedCycles += command.span.cycles();
    ++extrapolatedCommands;
    if (command.cost.evidence == cycles::Evidence::Probed)
      probedCycles += command.span.cycles();
  }
  macs += command.cost.macs;
  dramReadBytes += command.dramReadBytes;
  dramWriteBytes += command.dramWriteBytes;
  computeCycles += command.computeCycles;
}

namespace {

/// Puts a profile together, step after step.
class Builder {
public:
  Builder(const Chip &chip, const rt::StageSpec &stage)
      : chip(chip), stage(stage), bankBytes(chip.laneBytes / chip.banks) {}

  rt::Result<Profile> build() {
    profile.cyclesPerSecond = cycles::cyclesPerSecond(chip);
    profile.peakDramBytesPerCycle = cycles::dmaBytesPerCycle(chip);
    profile.loadBytesPerCycle = cycles::loadBytesPerCycle(chip);
    profile.hasDebugMap = stage.debugMap != nullptr;
    profile.hasLines = rt::hasLines(stage);
    issued.resize(stage.groups.size());
    for (size_t group = 0; group < stage.groups.size(); ++group)
      for (Engine engine : {Engine::Tiu, Engine::Gdma})
        WEFT_TRY(decode(group, engine));
    rt::Result<Timeline> timeline = simulate(issued);
    if (!timeline)
      return timeline.status();
    profile.totalCycles = timeline->totalCycles;
    place(*timeline);
    for (Engine engine : {Engine::Tiu, Engine::Gdma})
      for (CommandProfile &command : commandsOf(engine))
        account(command);
    sortRows();
    profile.slowTransfers =
        slowTransfersOf(profile.commands[size_t(Engine::Gdma)], chip);
    bound();
    followMemory();
    compareEngines();
    return std::move(profile);
  }

private:
  const Chip &chip;
  const rt::StageSpec &stage;
  const unsigned bankBytes;
  Profile profile;
  std::vector<IssuedGroup> issued;
  std::map<std::string_view, uint32_t> kindRows;
  std::map<std::vector<const rt::wire::DebugNode *>, uint32_t> nodeRows;
  std::map<isa::Precision, uint64_t> macsOf;

  std::vector<CommandProfile> &commandsOf(Engine engine) {
    return profile.commands[size_t(engine)];
  }

  /// Numbers beyond these were cut off; what follows from them means nothing.
  rt::Status refuseAbsurd(const CommandProfile &command) const {
    std::string name = "group " + std::to_string(command.group) + " " +
                       std::string(isa::engineName(command.command.engine)) +
                       " command " + std::to_string(command.index) + " (" +
                       std::string(command.command.mnemonic) + ")";
    if (command.cost.cycles >= cycles::kMostCycles)
      return rt::failf(rt::Code::BadCommand,
                       "%s takes 2^48 cycles or more, no such command can run; "
                       "weft info --check says what is wrong with it",
                       name.c_str());
    for (const isa::Access &access : isa::accessesOf(command.command, chip))
      if (access.movedBytes >= chip.addressEnd)
        return rt::failf(rt::Code::BadCommand,
                         "%s: %s moves %llu bytes or more, the chip addresses "
                         "%llu; weft info --check says what is wrong with it",
                         name.c_str(), std::string(access.operand).c_str(),
                         (unsigned long long)access.movedBytes,
                         (unsigned long long)chip.addressEnd);
    return rt::Status::ok();
  }

  rt::Status decode(size_t group, Engine engine) {
    const rt::GroupSpec &spec = stage.groups[group];
    rt::ByteSpan bytes = engine == Engine::Tiu ? spec.tiu : spec.gdma;
    // The loader has decoded all of it before.
    isa::DecodedStream stream =
        isa::decodeStream(*chip.instructions, engine, bytes.data, bytes.size);
    for (size_t i = 0; i < stream.commands.size(); ++i) {
      if (stream.commands[i].isEnd())
        break;
      CommandProfile command;
      command.command = stream.commands[i];
      command.group = uint32_t(group);
      command.index = uint32_t(i);
      command.cost = cycles::estimate(command.command, chip);
      WEFT_TRY(refuseAbsurd(command));
      issued[group].of(engine).push_back(
          {command.cost.cycles, command.command.dep()});
      commandsOf(engine).push_back(command);
    }
    return rt::Status::ok();
  }

  void place(const Timeline &timeline) {
    for (Engine engine : {Engine::Tiu, Engine::Gdma}) {
      size_t next = 0;
      for (const GroupSpans &group : timeline.groups)
        for (const Span &span : group.of(engine))
          commandsOf(engine)[next++].span = span;
    }
  }

  void account(CommandProfile &command) {
    for (const isa::Access &access : isa::accessesOf(command.command, chip)) {
      if (access.memory == isa::Memory::Global)
        (access.isWrite ? command.dramWriteBytes : command.dramReadBytes) +=
            access.movedBytes;
      if (access.memory == isa::Memory::Local && access.end > access.begin)
        for (uint64_t bank = access.begin / bankBytes;
             bank * bankBytes < access.end; ++bank)
          command.banks |= 1u << bank;
    }
    if (command.cost.macs != 0) {
      auto precision =
          isa::Precision(command.command.get(isa::Field::opd0_prec));
      macsOf[precision] += command.cost.macs;
      if (uint64_t peak = cycles::macsPerCycle(precision, chip))
        command.computeCycles = double(command.cost.macs) / double(peak);
    }
    auto kind = kindRows.emplace(command.command.mnemonic,
                                 uint32_t(profile.kinds.size()));
    if (kind.second)
      profile.kinds.push_back(
          {command.command.engine, command.command.mnemonic, {}});
    command.kind = kind.first->second;
    profile.kinds[command.kind].sum.add(command);
    profile.engines[size_t(command.command.engine)].add(command);
    if (profile.hasDebugMap)
      attribute(command);
  }

  void attribute(CommandProfile &command) {
    auto nodes = rt::originNodes(stage, command.group, command.command.engine,
                                 command.index);
    auto row = nodeRows.emplace(nodes, uint32_t(profile.nodes.size()));
    if (row.second) {
      profile.nodes.emplace_back();
      profile.nodes.back().nodes = nodes;
    }
    command.node = row.first->second;
    NodeRow &node = profile.nodes[command.node];
    (command.command.engine == Engine::Tiu ? node.tiu : node.gdma).add(command);
  }

  /// Sorts `rows` with `isBefore` and gives the new place of every old one.
  template <typename Row, typename Compare>
  static std::vector<uint32_t> sorted(std::vector<Row> &rows,
                                      Compare isBefore) {
    std::vector<uint32_t> order(rows.size()), places(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return isBefore(rows[a], rows[b]);
    });
    std::vector<Row> moved;
    for (uint32_t i = 0; i < order.size(); ++i) {
      places[order[i]] = i;
      moved.push_back(std::move(rows[order[i]]));
    }
    rows = std::move(moved);
    return places;
  }

  void sortRows() {
    auto kinds = sorted(profile.kinds, [](const KindRow &a, const KindRow &b) {
      return a.sum.cycles > b.sum.cycles;
    });
    auto nodes = sorted(profile.nodes, [](const NodeRow &a, const NodeRow &b) {
      return a.criticalCycles() > b.criticalCycles();
    });
    for (std::vector<CommandProfile> &commands : profile.commands)
      for (CommandProfile &command : commands) {
        command.kind = kinds[command.kind];
        if (command.node != kNone)
          command.node = nodes[command.node];
      }
  }

  void bound() {
    for (auto [precision, macs] : macsOf) {
      uint64_t peak = cycles::macsPerCycle(precision, chip);
      profile.precisions.push_back({precision, macs, peak});
      if (peak != 0)
        profile.roofline.computeCycles += double(macs) / double(peak);
    }
    uint64_t dramBytes = 0;
    for (const Sum &sum : profile.engines)
      dramBytes += sum.dramReadBytes + sum.dramWriteBytes;
    profile.roofline.dramCycles =
        double(dramBytes) / profile.peakDramBytesPerCycle;
  }

  void followMemory() {
    uint32_t tiu = uint32_t(profile.commands[0].size());
    uint32_t all = tiu + uint32_t(profile.commands[1].size());
    std::vector<uint32_t> order(all);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return profile.commandOf(a).span.start < profile.commandOf(b).span.start;
    });
    LiveRanges live;
    for (uint32_t number : order) {
      const CommandProfile &command = profile.commandOf(number);
      live.add(number, command.span, isa::accessesOf(command.command, chip));
    }
    profile.liveRanges = live.finish();
    profile.memory = occupancyOf(profile.liveRanges, chip.banks, bankBytes,
                                 profile.totalCycles);
  }

  /// Both lists are in order of time, so two fingers meet every pair that
  /// overlaps.
  void compareEngines() {
    profile.sharing.perBank.resize(chip.banks);
    const std::vector<CommandProfile> &tiu = profile.commands[0],
                                      &gdma = profile.commands[1];
    for (size_t a = 0, b = 0; a < tiu.size() && b < gdma.size();) {
      const Span &first = tiu[a].span, &second = gdma[b].span;
      uint64_t begin = std::max(first.start, second.start);
      uint64_t end = std::min(first.end, second.end);
      if (begin < end) {
        profile.overlapCycles += end - begin;
        uint32_t shared = tiu[a].banks & gdma[b].banks;
        profile.sharing.cycles += shared != 0 ? end - begin : 0;
        for (unsigned bank = 0; bank < chip.banks; ++bank)
          if (shared >> bank & 1)
            profile.sharing.perBank[bank] += end - begin;
      }
      ++(first.end <= second.end ? a : b);
    }
  }
};

} // namespace

rt::Result<Profile> profile::profileStage(const rt::Bmodel &model,
                                          const rt::StageSpec &stage) {
  return Builder(model.chip(), stage).build();
}
