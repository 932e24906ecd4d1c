//===- Profile.h - where the cycles of a model go -------------*- C++ -*-===//
//
// Predicts a run of one stage without running it: the cost of every command
// (runtime/cycles), the timeline of both engines under the dependency ids, and
// what follows from them for instructions, ONNX nodes, DRAM and local memory.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PROFILE_PROFILE_H
#define WEFT_RUNTIME_PROFILE_PROFILE_H

#include "runtime/bmodel/Bmodel.h"
#include "runtime/cycles/Cycles.h"
#include "runtime/isa/Decode.h"
#include "runtime/profile/MemoryMap.h"
#include "runtime/profile/Timeline.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace weft::profile {

/// "Nothing" in index fields.
constexpr uint32_t kNone = 0xFFFFFFFF;

/// One command of the run. End commands cost nothing and are left out.
struct CommandProfile {
  isa::Decoded command; ///< a view of the model's bytes
  uint32_t group = 0;
  uint32_t index = 0; ///< position in the buffer of its engine, from 0
  Span span;
  cycles::CommandCost cost;
  uint64_t dramReadBytes = 0, dramWriteBytes = 0;
  double computeCycles = 0; ///< its multiply-accumulates at the peak
  uint32_t node = kNone;    ///< row of Profile::nodes
  uint32_t kind = 0;        ///< row of Profile::kinds
  uint32_t banks = 0;       ///< banks of local memory it touches, a bit each

  /// The cost is predicted from kin.
  bool isExtrapolated() const { return !cost.measured && cost.cycles != 0; }
};

/// What a set of commands costs together.
struct Sum {
  uint64_t commands = 0;
  uint64_t cycles = 0; ///< busy
  /// Of these on the critical path; over all commands this adds up to the
  /// total of the run.
  uint64_t criticalCycles = 0;
  uint64_t waitCycles = 0;
  /// Of `cycles`, predicted from kin because the vendor's timelines show no
  /// such command.
  uint64_t extrapolatedCycles = 0;
  /// Of these, where the vendor's encoder library confirmed the formula.
  uint64_t probedCycles = 0;
  uint64_t extrapolatedCommands = 0;
  uint64_t macs = 0;
  uint64_t dramReadBytes = 0, dramWriteBytes = 0;
  double computeCycles = 0;

  void add(const CommandProfile &command);
};

/// An instruction, by mnemonic.
struct KindRow {
  isa::Engine engine = isa::Engine::Tiu;
  std::string_view mnemonic;
  Sum sum;
};

/// Fewest cycles that this work could take: all multiply-accumulates at the
/// peak of their type, and all DRAM bytes at the peak of the engine.
struct Roofline {
  double computeCycles = 0;
  double dramCycles = 0;

  bool isComputeBound() const { return computeCycles >= dramCycles; }
  double cycles() const {
    return isComputeBound() ? computeCycles : dramCycles;
  }
};

/// What the commands that stand for the same ONNX nodes, or for one line of a
/// kernel, cost. A command that
/// the compiler made for several nodes (fused ones) is counted once, in the row
/// of these nodes together; nothing is split by guess.
struct NodeRow {
  std::vector<const rt::wire::DebugNode *> nodes; ///< empty: no origin
  Sum tiu, gdma;

  uint64_t criticalCycles() const {
    return tiu.criticalCycles + gdma.criticalCycles;
  }
  /// The engine that these commands keep busy longer.
  isa::Engine busierEngine() const {
    return tiu.cycles >= gdma.cycles ? isa::Engine::Tiu : isa::Engine::Gdma;
  }
  uint64_t busyCycles() const { return std::max(tiu.cycles, gdma.cycles); }
  /// Of this work alone, at so many bytes of DRAM a cycle.
  Roofline roofline(double dramBytesPerCycle) const {
    return {tiu.computeCycles + gdma.computeCycles,
            double(tiu.dramReadBytes + tiu.dramWriteBytes + gdma.dramReadBytes +
                   gdma.dramWriteBytes) /
                dramBytesPerCycle};
  }
};

/// Multiply-accumulates of one operand type.
struct PrecisionRow {
  isa::Precision precision = isa::Precision::Fp32;
  uint64_t macs = 0;
  uint64_t peakPerCycle = 0; ///< 0: the convolution unit lacks the type
};

/// Cycles in which both engines run commands that touch the same bank. The cost
/// model has no penalty for it (the vendor's has none).
struct BankSharing {
  uint64_t cycles = 0;
  std::vector<uint64_t> perBank;
};

/// DMA transfers of one node that take more than twice the time of their bytes
/// at full rate, for one reason.
struct SlowTransfers {
  enum Reason : uint8_t {
    ShortRuns,   ///< runs of less than a command pays for
    FewChannels, ///< planes that begin in few pages of DRAM
    Function,    ///< transposed on the way
  };
  uint32_t node = kNone; ///< row of Profile::nodes
  cycles::Direction direction = cycles::Direction::None;
  Reason reason = ShortRuns;
  uint64_t commands = 0, bytes = 0, cycles = 0, fullRateCycles = 0;
  uint64_t runBytes = 0; ///< of the shortest run
  unsigned channels = 0; ///< of the fewest, of the chip's
};

struct Profile {
  uint64_t totalCycles = 0;
  uint64_t cyclesPerSecond = 1;
  uint64_t overlapCycles = 0; ///< both engines busy
  Sum engines[2];             ///< by isa::Engine
  /// Per engine, in order.
  std::vector<CommandProfile> commands[2];
  std::vector<KindRow> kinds; ///< by busy cycles, largest first
  std::vector<NodeRow> nodes; ///< by critical cycles; empty without debug map
  bool hasDebugMap = false;
  bool hasLines = false; ///< `nodes` are lines of a kernel's source
  std::vector<PrecisionRow> precisions;     ///< types that occur
  std::vector<SlowTransfers> slowTransfers; ///< most cycles lost first
  double peakDramBytesPerCycle = 0;         ///< of the roofline and of rows
  double loadBytesPerCycle = 0;             ///< that tensor loads get of these
  Roofline roofline;
  /// Numbers in LiveRange::writer: position in commands[Tiu], or that of
  /// commands[Gdma] plus the number of TIU commands.
  std::vector<LiveRange> liveRanges;
  MemoryUse memory;
  BankSharing sharing;

  const CommandProfile &commandOf(uint32_t number) const {
    size_t tiu = commands[0].size();
    return number < tiu ? commands[0][number] : commands[1][number - tiu];
  }
  double share(uint64_t cycles) const {
    return totalCycles == 0 ? 0 : double(cycles) / double(totalCycles);
  }
  double seconds() const { return double(totalCycles) / cyclesPerSecond; }
};

/// Profiles a stage of a net of `model`, which must outlive the profile.
/// Errors: Deadlock.
rt::Result<Profile> profileStage(const rt::Bmodel &model,
                                 const rt::StageSpec &stage);

} // namespace weft::profile

#endif // WEFT_RUNTIME_PROFILE_PROFILE_H
