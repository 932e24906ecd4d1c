/// Every byte that a drawn command changes lies in what runtime/isa says that
/// it writes.
#include "tests/oracle/emulator/MemoryContents.h"

#include "runtime/chips/Chips.h"
#include "runtime/isa/Accesses.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

namespace weft::oracle {
namespace {

constexpr uint64_t kCommandsPerKind = 8;

/// The memories of one emulator, and what they should hold.
class Memory {
public:
  Memory() {
    std::string error;
    ours = OurEmulator::create(error);
    EXPECT_EQ(error, "");
    for (const AreaSpec &spec : kAreas)
      expected[size_t(spec.area)].resize(spec.bytes);
  }

  void load(const Kind &kind, uint64_t seed) {
    Memories memories;
    for (const AreaSpec &spec : kAreas)
      memories[size_t(spec.area)] = expected[size_t(spec.area)].data();
    fillMemory({&kind, seed, Filling::Random, {}}, memories);
    for (const AreaSpec &spec : kAreas)
      std::memcpy(ours->memory(spec.area), memories[size_t(spec.area)],
                  spec.bytes);
  }

  /// False if our emulator refuses it.
  bool run(const Command &command) {
    for (const Poke &poke : command.pokes) {
      const AreaSpec *spec = areaOf(poke.address);
      for (uint8_t *memory :
           {ours->memory(spec->area), expected[size_t(spec->area)].data()})
        std::memcpy(memory + (poke.address - spec->base), poke.bytes.data(),
                    poke.bytes.size());
    }
    std::string why;
    ours->begin(command.engine, command.bytes.data(), command.bytes.size());
    return ours->finish(why) == Ending::Done;
  }

  /// Takes what lies in the bytes of a write as expected.
  void allow(const isa::Access &access) {
    switch (access.memory) {
    case isa::Memory::Local:
      for (uint32_t i = 0; i < access.lanes; ++i)
        take(Area::Local,
             (access.firstLane + i) % 64 * kLaneStride + access.begin,
             access.end - access.begin);
      break;
    case isa::Memory::None:
      break;
    default:
      const AreaSpec *spec = areaOf(access.begin);
      if (!spec)
        break;
      uint64_t at = access.begin - spec->base;
      take(spec->area, at,
           std::min<uint64_t>(access.end - access.begin, spec->bytes - at));
    }
  }

  /// Where something else changed; "" if nowhere.
  std::string firstOther() {
    for (const AreaSpec &spec : kAreas) {
      const uint8_t *now = ours->memory(spec.area);
      const uint8_t *before = expected[size_t(spec.area)].data();
      if (std::memcmp(now, before, spec.bytes) == 0)
        continue;
      auto at = std::mismatch(now, now + spec.bytes, before).first - now;
      return std::string(spec.name) + " memory, offset " + std::to_string(at) +
             " (lane " + std::to_string(size_t(at) / kLaneStride) + ", " +
             std::to_string(size_t(at) % kLaneStride) + ")";
    }
    return "";
  }

private:
  void take(Area area, uint64_t at, uint64_t bytes) {
    std::memcpy(&expected[size_t(area)][at], ours->memory(area) + at, bytes);
  }

  std::unique_ptr<OurEmulator> ours;
  std::vector<uint8_t> expected[std::size(kAreas)];
};

TEST(Accesses, HoldEverythingThatACommandWrites) {
  Memory memory;
  unsigned executed = 0;
  for (const Kind &kind : allKinds()) {
    memory.load(kind, 1);
    for (uint64_t seed = 0; seed < kCommandsPerKind; ++seed) {
      Command command = drawCommand(kind, seed);
      isa::DecodeResult decoded = isa::decodeOne(
          command.engine, command.bytes.data(), command.bytes.size());
      ASSERT_TRUE(decoded) << kind.name;
      if (!memory.run(command))
        continue;
      ++executed;
      for (const isa::Access &access :
           isa::accessesOf(decoded.command, chips::bm1684x))
        if (access.isWrite)
          memory.allow(access);
      std::string other = memory.firstOther();
      EXPECT_EQ(other, "") << kind.name << ", seed " << seed << "\n"
                           << isa::disassemble(decoded.command);
      if (!other.empty()) // the memories differ from here on
        break;
    }
  }
  EXPECT_GE(executed, 500u);
}

} // namespace
} // namespace weft::oracle
