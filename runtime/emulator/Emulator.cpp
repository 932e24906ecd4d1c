#include "runtime/emulator/Emulator.h"

#include "runtime/emulator/Machine.h"
#include "runtime/emulator/gdma/Gdma.h"
#include "runtime/emulator/tiu/Tiu.h"
#include "runtime/numeric/SplitMix64.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <cstring>

namespace weft::emulator {

using isa::Engine;
using rt::Result;

namespace {

/// "group 0, tiu command 12 (arith.add)".
std::string nameOf(size_t group, const Decoded &command) {
  return "group " + std::to_string(group) + ", " +
         std::string(isa::engineName(command.engine)) + " command " +
         std::to_string(command.id()) + " (" + std::string(command.mnemonic) +
         ")";
}

/// The commands of one engine, in order and with checked ids.
Status decodeEngine(const isa::InstructionSet &set, Engine engine,
                    const uint8_t *bytes, size_t size, size_t group,
                    std::vector<Decoded> &commands) {
  std::string where = "group " + std::to_string(group) + ", " +
                      std::string(isa::engineName(engine)) + " buffer";
  if (size == 0)
    return Status::ok();
  isa::DecodedStream stream = isa::decodeStream(set, engine, bytes, size);
  commands = std::move(stream.commands);
  if (stream.error != isa::DecodeError::None)
    return failf(Code::BadCommand, "%s: byte %zu, after %zu commands: %.*s",
                 where.c_str(), stream.errorOffset, commands.size(),
                 int(isa::decodeErrorText(stream.error).size()),
                 isa::decodeErrorText(stream.error).data());
  if (commands.empty() || !commands.back().isEnd())
    return failf(Code::BadCommand, "%s: %zu bytes without an end command",
                 where.c_str(), size);
  for (size_t i = 0; i < commands.size(); ++i)
    if (commands[i].id() != i + 1)
      return failf(Code::BadCommand,
                   "%s: command %zu has id %u; ids count from 1", where.c_str(),
                   i + 1, commands[i].id());
  return Status::ok();
}

struct DecodedGroup {
  std::vector<Decoded> tiu, gdma;
};

Result<std::vector<DecodedGroup>>
decodeGroups(const Chip &chip, const std::vector<CommandGroup> &groups) {
  if (!chip.instructions)
    return failf(Code::Unsupported,
                 "unsupported: the emulator has no model of chip %.*s",
                 int(chip.name.size()), chip.name.data());
  const isa::InstructionSet &set = *chip.instructions;
  std::vector<DecodedGroup> decoded(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    WEFT_TRY(decodeEngine(set, Engine::Tiu, groups[i].tiu, groups[i].tiuBytes,
                          i, decoded[i].tiu));
    WEFT_TRY(decodeEngine(set, Engine::Gdma, groups[i].gdma,
                          groups[i].gdmaBytes, i, decoded[i].gdma));
  }
  return decoded;
}

KernelPtr prepare(Machine &machine, const Decoded &command) {
  return command.engine == Engine::Tiu ? prepareTiu(machine, command)
                                       : prepareGdma(machine, command);
}

} // namespace

struct Program::Step {
  Decoded command;
  KernelPtr kernel;
  Traffic traffic; ///< of a GDMA command
};

namespace {

/// Says which engine goes on when both could: an index of `streams`.
class TurnTaker {
public:
  TurnTaker(Order order, size_t group)
      : schedule(order.schedule), random(numeric::mixBits(order.seed) + group) {
  }

  /// `last`: the engine of the command before.
  unsigned choose(unsigned last) {
    switch (schedule) {
    case Schedule::InTurn:
      return last;
    case Schedule::GdmaFirst:
      return 1;
    case Schedule::TiuFirst:
      return 0;
    case Schedule::Alternating:
      return chosen = 1 - chosen;
    case Schedule::Random:
      break;
    }
    if (left-- == 0) {
      uint64_t bits = numeric::nextRandom(random);
      chosen = bits & 1;
      // Up to 64 commands, short stretches as often as long ones.
      left = (bits >> 8) % (uint64_t(1) << (bits >> 1) % 7);
    }
    return chosen;
  }

private:
  Schedule schedule;
  uint64_t random;
  unsigned chosen = 0; ///< before
  uint64_t left = 0;   ///< Random: how often `chosen` stays the same
};

/// Runs one group: each engine in order, a command when the other engine has
/// reached its cmd_id_dep.
class GroupRun {
public:
  GroupRun(Emulator &emulator, Machine &machine, size_t group,
           const Program::Group &steps, std::vector<const Tap *> taps,
           Order order, RunStats &stats)
      : emulator(emulator), machine(machine), group(group),
        taps(std::move(taps)), turns(order, group), stats(stats),
        streams{&steps.tiu, &steps.gdma} {}

  Status run() {
    for (unsigned last = 1;;) {
      bool ready[2] = {isReady(0), isReady(1)};
      if (ready[0] && ready[1])
        last = turns.choose(last);
      else if (ready[0] || ready[1])
        last = ready[0] ? 0 : 1;
      else if (next[0] == streams[0]->size() && next[1] == streams[1]->size())
        return Status::ok();
      else
        return deadlock();
      WEFT_TRY(step(last));
    }
  }

private:
  bool isReady(unsigned engine) const {
    return next[engine] < streams[engine]->size() &&
           (*streams[engine])[next[engine]].command.dep() <= next[1 - engine];
  }

  Status step(unsigned engine) {
    const Program::Step &step = (*streams[engine])[next[engine]];
    const Decoded &command = step.command;
    Status status = step.kernel->run(machine);
    if (status) // what a kernel left early is no result
      status = rt::stopStatus();
    if (!status)
      return status.withContext(nameOf(group, command));
    ++next[engine];
    if (engine == 0) {
      ++stats.tiuCommands;
    } else {
      ++stats.gdmaCommands;
      stats.dramReadBytes += step.traffic.readBytes;
      stats.dramWriteBytes += step.traffic.writeBytes;
    }
    auto key = std::make_pair(command.engine, command.id());
    auto tap = std::lower_bound(
        taps.begin(), taps.end(), key, [](const Tap *t, auto &k) {
          return std::make_pair(t->engine, t->commandId) < k;
        });
    for (; tap != taps.end() && (*tap)->engine == key.first &&
           (*tap)->commandId == key.second;
         ++tap)
      WEFT_TRY((*tap)->observe(emulator));
    return Status::ok();
  }

  Status deadlock() const {
    std::string text;
    for (unsigned engine : {0u, 1u}) {
      if (next[engine] == streams[engine]->size())
        continue;
      const Decoded &command = (*streams[engine])[next[engine]].command;
      text += (text.empty() ? "" : "; ") + nameOf(group, command) +
              " waits for command " + std::to_string(command.dep()) +
              " of the other engine, which has completed " +
              std::to_string(next[1 - engine]) + " of " +
              std::to_string(streams[1 - engine]->size());
    }
    return rt::fail(Code::Deadlock, text);
  }

  Emulator &emulator;
  Machine &machine;
  size_t group;
  std::vector<const Tap *> taps; // sorted by engine and id
  TurnTaker turns;
  RunStats &stats;
  const std::vector<Program::Step> *streams[2];
  size_t next[2] = {0, 0}; // commands completed
};

std::vector<const Tap *> tapsOf(const std::vector<Tap> &taps, size_t group) {
  std::vector<const Tap *> chosen;
  for (const Tap &tap : taps)
    if (tap.group == group)
      chosen.push_back(&tap);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Tap *a, const Tap *b) {
                     return std::make_pair(a->engine, a->commandId) <
                            std::make_pair(b->engine, b->commandId);
                   });
  return chosen;
}

} // namespace

Emulator::Emulator(std::unique_ptr<Machine> machine)
    : machine(std::move(machine)) {}
Emulator::~Emulator() = default;

Result<std::unique_ptr<Emulator>> Emulator::create(const Chip &chip,
                                                   unsigned threads) {
  if (!chip.instructions || !Lanes::canModel(chip))
    return failf(Code::Unsupported,
                 "unsupported: the emulator has no model of chip %.*s",
                 int(chip.name.size()), chip.name.data());
  std::unique_ptr<Machine> machine = Machine::create(chip, threads);
  if (!machine)
    return failf(Code::OutOfMemory,
                 "no memory for the %llu bytes of local memory",
                 (unsigned long long)chip.localMemoryBytes());
  return std::unique_ptr<Emulator>(new Emulator(std::move(machine)));
}

Status Emulator::mapGlobal(uint64_t address, uint8_t *host, size_t bytes) {
  return machine->mapGlobal(address, host, bytes, true);
}

Status Emulator::mapGlobalReadOnly(uint64_t address, const uint8_t *host,
                                   size_t bytes) {
  return machine->mapGlobal(address, const_cast<uint8_t *>(host), bytes, false);
}

void Emulator::unmapGlobal() { machine->unmapGlobal(); }

uint8_t *Emulator::localMemory() { return machine->local(); }
const uint8_t *Emulator::localMemory() const { return machine->local(); }
uint8_t *Emulator::staticMemory() { return machine->statics(); }
uint8_t *Emulator::l2Memory() { return machine->l2(); }

Order adversarialOrder(uint64_t number) {
  if (number < 2)
    return {number == 0 ? Schedule::TiuFirst : Schedule::GdmaFirst};
  return {Schedule::Random, number};
}

Program::Program() = default;
Program::~Program() = default;

Result<std::unique_ptr<Program>>
Emulator::prepare(const std::vector<CommandGroup> &groups) {
  Result<std::vector<DecodedGroup>> decoded =
      decodeGroups(machine->chip(), groups);
  if (!decoded)
    return decoded.status();
  std::unique_ptr<Program> program(new Program());
  for (const DecodedGroup &group : *decoded) {
    Program::Group steps;
    for (const Decoded &command : group.tiu)
      steps.tiu.push_back({command, emulator::prepare(*machine, command), {}});
    for (const Decoded &command : group.gdma)
      steps.gdma.push_back({command, emulator::prepare(*machine, command),
                            gdmaTraffic(machine->chip(), command)});
    program->groups.push_back(std::move(steps));
  }
  return program;
}

Result<RunStats> Emulator::run(const std::vector<CommandGroup> &groups,
                               const std::vector<Tap> &taps, Order order) {
  Result<std::unique_ptr<Program>> program = prepare(groups);
  if (!program)
    return program.status();
  return run(**program, taps, order);
}

Result<RunStats> Emulator::run(const Program &program,
                               const std::vector<Tap> &taps, Order order) {
  const std::vector<Program::Group> &groups = program.groups;
  for (const Tap &tap : taps) {
    const auto *list = tap.group >= groups.size()  ? nullptr
                       : tap.engine == Engine::Tiu ? &groups[tap.group].tiu
                                                   : &groups[tap.group].gdma;
    if (!list || tap.commandId == 0 || tap.commandId > list->size() ||
        !tap.observe)
      return failf(Code::InvalidArgument,
                   "a tap names command %u of group %zu, which does not exist",
                   tap.commandId, tap.group);
  }
  RunStats stats;
  for (size_t i = 0; i < groups.size(); ++i)
    WEFT_TRY(
        GroupRun(*this, *machine, i, groups[i], tapsOf(taps, i), order, stats)
            .run());
  return stats;
}

Status Emulator::execute(Engine engine, const uint8_t *command, size_t bytes) {
  isa::DecodeResult decoded =
      isa::decodeOne(*machine->chip().instructions, engine, command, bytes);
  if (!decoded)
    return failf(Code::BadCommand, "%.*s",
                 int(isa::decodeErrorText(decoded.error).size()),
                 isa::decodeErrorText(decoded.error).data());
  return emulator::prepare(*machine, decoded.command)->run(*machine);
}

Result<numeric::HostTensor>
Emulator::readLocal(const LocalTensor &tensor) const {
  unsigned bytes = unsigned(numeric::elementBytes(tensor.type));
  for (int64_t dim : tensor.shape)
    if (dim < 1 || dim > 65535)
      return failf(Code::OutOfRange,
                   "a local tensor with a size of %lld; sizes are 1 to 65535",
                   (long long)dim);
  const Lanes &lanes = machine->lanes();
  if (bytes > 4 || tensor.lane >= lanes.count || tensor.address >= lanes.bytes)
    return failf(
        Code::OutOfRange, "no local tensor of %s at lane %u, offset %u",
        numeric::elementTypeName(tensor.type), tensor.lane, tensor.address);
  Shape4 shape = {uint32_t(tensor.shape[0]), uint32_t(tensor.shape[1]),
                  uint32_t(tensor.shape[2]), uint32_t(tensor.shape[3])};
  Strides4 strides = localStrides(
      lanes,
      tensor.layout == LocalLayout::Compact ? Layout::Compact : Layout::Aligned,
      shape, bytes, tensor.lane);
  if (tensor.layout == LocalLayout::LineAligned) {
    uint64_t line = lanes.alignedLine(shape.w, bytes);
    uint64_t rows = lanes.rows(tensor.lane, shape.c);
    strides = {rows * shape.h * line, shape.h * line, line, 1};
  } else if (tensor.layout == LocalLayout::Strided) {
    strides = {uint64_t(tensor.strides[0]), uint64_t(tensor.strides[1]),
               uint64_t(tensor.strides[2]), uint64_t(tensor.strides[3])};
  }
  LocalView view;
  uint64_t address = lanes.start(tensor.lane) + tensor.address;
  WEFT_TRY(viewLocal(*machine, "tensor", address, bytes, shape, strides, view));
  numeric::HostTensor out(tensor.type,
                          {tensor.shape.begin(), tensor.shape.end()});
  uint8_t *to = out.bytes();
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t c = 0; c < shape.c; ++c)
      for (uint32_t h = 0; h < shape.h; ++h, to += size_t(shape.w) * bytes)
        copyElements(to, bytes, view.at(n, c, h), view.stride.w, bytes,
                     shape.w);
  return out;
}

Result<RunStats> summarizeCommands(const Chip &chip,
                                   const std::vector<CommandGroup> &groups) {
  Result<std::vector<DecodedGroup>> decoded = decodeGroups(chip, groups);
  if (!decoded)
    return decoded.status();
  RunStats stats;
  for (const DecodedGroup &group : *decoded) {
    stats.tiuCommands += group.tiu.size();
    stats.gdmaCommands += group.gdma.size();
    for (const Decoded &command : group.gdma) {
      Traffic traffic = gdmaTraffic(chip, command);
      stats.isCut |= traffic.readBytes >= kMostTraffic ||
                     traffic.writeBytes >= kMostTraffic;
      // Far from 2^64, so that the sums of many stages stay right.
      constexpr uint64_t kMostSum = uint64_t(1) << 56;
      stats.dramReadBytes =
          std::min(stats.dramReadBytes + traffic.readBytes, kMostSum);
      stats.dramWriteBytes =
          std::min(stats.dramWriteBytes + traffic.writeBytes, kMostSum);
    }
  }
  return stats;
}

} // namespace weft::emulator
