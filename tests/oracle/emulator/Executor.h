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
constexpr size_t kGlobalBytes = 1 << 20; ///< the mapped piece of it
constexpr size_t kStaticBytes = 0x4000, kL2Bytes = 0x1fb000;
constexpr size_t kLaneStride = 0x40000;
/// Where the memories lie as GDMA sees them.
constexpr uint64_t kGlobalBase = 0x100000000, kLocalBase = 0x08000000,
                   kStaticBase = 0x09000000, kL2Base = 0x10000000;

/// The memories of an emulator.
enum class Area { Local, Global, Static, L2 };
struct AreaSpec {
  Area area;
  const char *name;
  uint64_t base;
  size_t bytes;
};
constexpr AreaSpec kAreas[] = {
    {Area::Local, "local", kLocalBase, kLocalBytes},
    {Area::Global, "global", kGlobalBase, kGlobalBytes},
    {Area::Static, "static", kStaticBase, kStaticBytes},
    {Area::L2, "L2", kL2Base, kL2Bytes}};
/// Where an area starts when the memories count one after the other.
constexpr size_t countedFrom(Area area) {
  size_t bytes = 0;
  for (size_t i = 0; i < size_t(area); ++i)
    bytes += kAreas[i].bytes;
  return bytes;
}
constexpr size_t kCountedBytes = countedFrom(Area::L2) + kL2Bytes;
/// The area that holds the address; nullptr if none does.
constexpr const AreaSpec *areaOf(uint64_t address) {
  for (const AreaSpec &spec : kAreas)
    if (address >= spec.base && address - spec.base < spec.bytes)
      return &spec;
  return nullptr;
}

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
  /// The bytes of a memory; local memory lane after lane, of global memory the
  /// first kGlobalBytes. The caller may write to them between commands.
  virtual uint8_t *memory(Area area) = 0;
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
  uint8_t *memory(Area area) override;
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
