//===- Emulator.h - executes command buffers ------------------*- C++ -*-===//
//
// Runs the TIU and GDMA command buffers of a bmodel as the chip does: decoded
// from their bytes, interleaved by cmd_id / cmd_id_dep, on a model of local,
// static, L2 and global memory. Integers are exact; floats follow the
// accumulation order of the machine and are bit-identical to it.
//
// Inputs are untrusted: every failure is a Status that names engine, command id
// and reason.
//
//   auto emulator = Emulator::create(bmodel.chip());
//   (*emulator)->mapGlobalReadOnly(0x100000000, weights, weightBytes);
//   (*emulator)->mapGlobal(0x100100000, activations, activationBytes);
//   auto stats = (*emulator)->run({{tiuBytes, tiuSize, gdmaBytes, gdmaSize}});
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_EMULATOR_EMULATOR_H
#define WEFT_RUNTIME_EMULATOR_EMULATOR_H

#include "runtime/chips/Chip.h"
#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace weft::emulator {

/// The two command buffers that are launched together; ids restart at 1 in each
/// group. The bytes belong to the caller and must outlive the call.
struct CommandGroup {
  const uint8_t *tiu = nullptr;
  size_t tiuBytes = 0;
  const uint8_t *gdma = nullptr;
  size_t gdmaBytes = 0;
};

/// Commands executed (end commands included) and bytes of global memory moved
/// by GDMA. Reads that a stride repeats count each time, as they do on the bus.
struct RunStats {
  uint64_t tiuCommands = 0;
  uint64_t gdmaCommands = 0;
  uint64_t dramReadBytes = 0;
  uint64_t dramWriteBytes = 0;
  /// summarizeCommands only: a command would move 2^45 bytes or more, which is
  /// counted as 2^45; the sums are lower bounds then.
  bool isCut = false;
};

/// Which engine goes on when both could. On the chip either may: a program
/// whose waits are complete computes the same under every schedule.
enum class Schedule : uint8_t {
  InTurn,      ///< GDMA until it must wait, then TIU until it must, and so on
  GdmaFirst,   ///< TIU does only what GDMA waits for
  TiuFirst,    ///< GDMA does only what TIU waits for
  Alternating, ///< one command of each in turn
  Random,      ///< stretches of random length, by a seed
};

struct Order {
  Schedule schedule = Schedule::InTurn;
  uint64_t seed = 0; ///< of Schedule::Random
};

/// Orders that look for missing waits: 0 is TiuFirst, 1 GdmaFirst, each greater
/// number another random one. Of two commands without an order between them
/// one is first under 0 and the other under 1.
Order adversarialOrder(uint64_t number);

class Emulator;

/// Called when a command has completed. A failure it returns ends the run with
/// that failure.
using Observer = std::function<rt::Status(const Emulator &)>;

/// "After command `commandId` (`cmd_id`) of `engine` in group `group` (from 0),
/// call `observe`". Several taps may name one command; they are called in the
/// order given.
struct Tap {
  size_t group = 0;
  isa::Engine engine = isa::Engine::Tiu;
  uint32_t commandId = 0;
  Observer observe;
};

/// How a tensor lies in local memory (isa section 4).
enum class LocalLayout : uint8_t {
  Aligned,     ///< channels start on an EU row
  Compact,     ///< c_str = h * w
  LineAligned, ///< image rows start on an EU row
  Strided,     ///< strides given
};

/// A tensor of local memory.
struct LocalTensor {
  uint32_t address = 0; ///< byte offset inside the lane
  uint32_t lane = 0;    ///< lane of channel 0
  numeric::ElementType type = numeric::ElementType::F32;
  std::array<int64_t, 4> shape = {1, 1, 1, 1}; ///< n, c, h, w
  LocalLayout layout = LocalLayout::Aligned;
  std::array<int64_t, 4> strides = {0, 0, 0, 0}; ///< elements; for Strided only
};

class Machine;

/// Command groups made ready for one emulator: decoded once, operands resolved,
/// every command bound to its kernel. The command bytes must outlive it.
class Program {
public:
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  struct Step;
  struct Group {
    std::vector<Step> tiu, gdma;
  };

private:
  friend class Emulator;
  Program();
  std::vector<Group> groups;
};

/// One emulated chip with its memories.
class Emulator {
public:
  /// Memory starts as zeros, static memory with the machine's tables. Fails for
  /// a chip without an execution model or when there is no memory. A command's
  /// work is shared by `threads` threads (0: one a processor); results do not
  /// depend on their number.
  static rt::Result<std::unique_ptr<Emulator>> create(const Chip &chip,
                                                      unsigned threads = 0);
  ~Emulator();

  /// Makes `bytes` bytes of host memory appear at a global address; the caller
  /// keeps ownership and lifetime. Fails if the range leaves global memory or
  /// overlaps a mapped one.
  rt::Status mapGlobal(uint64_t address, uint8_t *host, size_t bytes);
  /// The same for memory that commands may only read (weights used in place).
  rt::Status mapGlobalReadOnly(uint64_t address, const uint8_t *host,
                               size_t bytes);
  void unmapGlobal();

  /// Fails for bytes that are not command buffers. A command that cannot be
  /// executed fails when it runs.
  rt::Result<std::unique_ptr<Program>>
  prepare(const std::vector<CommandGroup> &groups);

  /// Runs the groups of a program of this emulator in order. Local memory keeps
  /// its contents between runs. Under a StopScope it ends when it is asked to,
  /// within a command too, and the memories mean nothing then.
  rt::Result<RunStats> run(const Program &program,
                           const std::vector<Tap> &taps = {}, Order order = {});
  /// Prepares and runs.
  rt::Result<RunStats> run(const std::vector<CommandGroup> &groups,
                           const std::vector<Tap> &taps = {}, Order order = {});

  /// Executes one command at once, ids ignored. For tests against other
  /// emulators.
  rt::Status execute(isa::Engine engine, const uint8_t *command, size_t bytes);

  /// Copies a tensor out of local memory, shape n,c,h,w.
  rt::Result<numeric::HostTensor> readLocal(const LocalTensor &tensor) const;

  /// Local memory, lane after lane (chip.localMemoryBytes() bytes).
  uint8_t *localMemory();
  const uint8_t *localMemory() const;
  uint8_t *staticMemory();
  uint8_t *l2Memory();

private:
  explicit Emulator(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine;
};

/// Decodes the groups and adds up what they would move, without running them.
rt::Result<RunStats> summarizeCommands(const Chip &chip,
                                       const std::vector<CommandGroup> &groups);

} // namespace weft::emulator

#endif // WEFT_RUNTIME_EMULATOR_EMULATOR_H
