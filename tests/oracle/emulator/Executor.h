/// One emulator with its memories, and our own emulator behind that interface.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_EXECUTOR_H
#define WEFT_TESTS_ORACLE_EMULATOR_EXECUTOR_H

#include "runtime/isa/Codes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::emulator {
class Emulator;
} // namespace weft::emulator

namespace weft::oracle {

constexpr size_t kLocalBytes = 16 << 20;
constexpr size_t kGlobalBytes = 1 << 20;
constexpr size_t kLaneStride = 0x40000;
/// Where the mapped piece of global memory lies, and local memory as GDMA sees
/// it.
constexpr uint64_t kGlobalBase = 0x100000000, kLocalBase = 0x08000000;

/// How a command ended.
enum class Ending {
  Done,
  Refused, ///< by a check of the emulator
  Crashed, ///< killed by a signal
  Hung     ///< not done within the time limit
};

class Executor {
public:
  virtual ~Executor() = default;
  /// Local memory, lane after lane (kLocalBytes), and the first kGlobalBytes of
  /// global memory. The caller may write to them between commands.
  virtual uint8_t *local() = 0;
  virtual uint8_t *global() = 0;
  /// Starts a command; finish() waits for its end. Exactly one finish() follows
  /// each begin(). `why` is set unless the command is done.
  virtual void begin(isa::Engine engine, const uint8_t *command,
                     size_t bytes) = 0;
  virtual Ending finish(std::string &why) = 0;
  /// Forgets what earlier commands may have broken outside of the memories.
  virtual void restart() {}
  /// True if no command ran since the start or the last restart.
  virtual bool isFresh() const { return true; }
};

/// Our emulator. nullptr and `error` when it does not start.
class OurEmulator : public Executor {
public:
  static std::unique_ptr<OurEmulator> create(std::string &error);
  ~OurEmulator() override;
  uint8_t *local() override;
  uint8_t *global() override { return globalBytes.data(); }
  void begin(isa::Engine engine, const uint8_t *command, size_t bytes) override;
  Ending finish(std::string &why) override;

private:
  OurEmulator() = default;
  std::unique_ptr<emulator::Emulator> emulator;
  std::vector<uint8_t> globalBytes = std::vector<uint8_t>(kGlobalBytes);
  std::string refusal;
};

} // namespace weft::oracle

#endif
