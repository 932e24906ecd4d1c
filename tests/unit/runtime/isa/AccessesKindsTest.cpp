//===- AccessesKindsTest.cpp - accesses of random commands ---------------===//
//
// The command fuzzer's kinds draw every instruction function in every form;
// our emulator, itself proven against the vendor's, says what they touch.
// Writes must lie inside the writes, and noise in local memory outside of the
// reads must not matter. In local memory both go by the byte (LaneBytes.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/Chips.h"
#include "runtime/isa/Accesses.h"
#include "tests/oracle/emulator/CommandKinds.h"
#include "tests/oracle/emulator/MemoryContents.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include "tests/unit/runtime/isa/TouchedBytes.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace weft;
using namespace weft::oracle;
using isa::Access;

namespace {

const Chip &chip = chips::bm1684x;
constexpr int kDraws = 3;

bool isWrittenOutside(const std::vector<Access> &accesses, Area area,
                      size_t at) {
  uint64_t address = kAreas[size_t(area)].base + at;
  for (const Access &access : accesses)
    if (access.isWrite && access.memory != isa::Memory::Local &&
        address >= access.begin && address < access.end)
      return true;
  return false;
}

/// What local memory is where nobody reads.
void addNoise(const std::vector<Access> &accesses,
              const std::vector<uint8_t> &noise, const uint8_t *before,
              uint8_t *local) {
  std::memcpy(local, noise.data(), noise.size());
  for (const Access &access : accesses)
    if (!access.isWrite)
      test::copyBytes(access, chip, before, local);
}

class Bench {
public:
  Bench() : ours(OurEmulator::create(error)), noise(kLocalBytes) {
    Random random(11);
    for (uint8_t &byte : noise)
      byte = uint8_t(random.bits());
    for (const AreaSpec &spec : kAreas) {
      fresh[size_t(spec.area)].resize(spec.bytes);
      before[size_t(spec.area)].resize(spec.bytes);
      after[size_t(spec.area)].resize(spec.bytes);
    }
  }
  bool isReady() const { return ours != nullptr; }

  /// Runs a command twice; what is wrong with `accesses`. False if the emulator
  /// refuses it.
  bool check(const Kind &kind, uint64_t seed, std::string &wrong) {
    Command command = drawCommand(kind, seed);
    EXPECT_EQ(command.error, "") << kind.name;
    isa::DecodeResult decoded = isa::decodeOne(
        command.engine, command.bytes.data(), command.bytes.size());
    EXPECT_TRUE(decoded) << kind.name;
    std::vector<Access> accesses = isa::accessesOf(decoded.command, chip);
    prepare(kind, seed, command);
    save(before);
    if (!run(command))
      return false;
    save(after);
    size_t stray = countStray(accesses), differs = 0;
    uint8_t *local = ours->memory(Area::Local);
    load(before);
    addNoise(accesses, noise, before[0].data(), local);
    if (!run(command)) {
      wrong = "refuses the command when the rest of memory is noise";
    } else {
      differs = countDifferences();
      if (stray + differs != 0)
        wrong = "writes " + std::to_string(stray) + " bytes elsewhere, and " +
                std::to_string(differs) + " depend on what it does not read";
    }
    if (!wrong.empty())
      wrong = kind.name + ", seed " + std::to_string(seed) + ": " +
              isa::disassemble(decoded.command) + ": " + wrong;
    return true;
  }

private:
  using Copies = std::array<std::vector<uint8_t>, std::size(kAreas)>;

  /// Commands of a kind share their memory: filling costs more than they do.
  void prepare(const Kind &kind, uint64_t seed, const Command &command) {
    MemoryRecipe recipe{&kind, memorySeedOf(seed)};
    if (recipe == filled) {
      load(fresh);
    } else {
      Memories memories;
      for (const AreaSpec &spec : kAreas)
        memories[size_t(spec.area)] = ours->memory(spec.area);
      std::memset(ours->memory(Area::Local), 0, kLocalBytes);
      fillMemory(recipe, memories);
      save(fresh);
      filled = recipe;
    }
    for (const Poke &poke : command.pokes) {
      const AreaSpec *area = areaOf(poke.address);
      std::memcpy(ours->memory(area->area) + (poke.address - area->base),
                  poke.bytes.data(), poke.bytes.size());
    }
  }
  bool run(const Command &command) {
    std::string why;
    ours->begin(command.engine, command.bytes.data(), command.bytes.size());
    return ours->finish(why) == Ending::Done;
  }
  void save(Copies &copies) {
    for (const AreaSpec &spec : kAreas)
      std::memcpy(copies[size_t(spec.area)].data(), ours->memory(spec.area),
                  spec.bytes);
  }
  void load(const Copies &copies) {
    for (const AreaSpec &spec : kAreas)
      std::memcpy(ours->memory(spec.area), copies[size_t(spec.area)].data(),
                  spec.bytes);
  }
  /// Calls visit(area, offset) for every byte that the first run changed.
  template <typename Visit>
  void eachChange(Visit visit) {
    constexpr size_t kBlock = 2048;
    for (const AreaSpec &spec : kAreas) {
      const uint8_t *old = before[size_t(spec.area)].data();
      const uint8_t *now = after[size_t(spec.area)].data();
      for (size_t block = 0; block < spec.bytes; block += kBlock) {
        size_t bytes = std::min(kBlock, spec.bytes - block);
        if (std::memcmp(old + block, now + block, bytes) == 0)
          continue;
        for (size_t i = block; i < block + bytes; ++i)
          if (old[i] != now[i])
            visit(spec.area, i);
      }
    }
  }
  size_t countStray(const std::vector<Access> &accesses) {
    size_t stray = 0;
    std::vector<uint8_t> isWritten(kLocalBytes);
    for (const Access &access : accesses)
      if (access.isWrite)
        test::markBytes(access, chip, isWritten.data());
    eachChange([&](Area area, size_t at) {
      stray += area == Area::Local ? !isWritten[at]
                                   : !isWrittenOutside(accesses, area, at);
    });
    return stray;
  }
  size_t countDifferences() {
    size_t differs = 0;
    eachChange([&](Area area, size_t at) {
      differs += ours->memory(area)[at] != after[size_t(area)][at];
    });
    return differs;
  }

  std::string error;
  std::unique_ptr<OurEmulator> ours;
  std::vector<uint8_t> noise;
  MemoryRecipe filled;
  Copies fresh, before, after;
};

TEST(AccessesKinds, the_emulator_touches_nothing_else) {
  Bench bench;
  ASSERT_TRUE(bench.isReady());
  size_t checked = 0, failures = 0;
  for (const Kind &kind : allKinds())
    for (uint64_t seed = 0; seed < kDraws; ++seed) {
      std::string wrong;
      checked += bench.check(kind, seed, wrong);
      if (!wrong.empty() && ++failures <= 20)
        ADD_FAILURE() << wrong;
    }
  EXPECT_EQ(failures, 0u);
  EXPECT_GT(checked, allKinds().size() * kDraws / 2);
}

} // namespace
