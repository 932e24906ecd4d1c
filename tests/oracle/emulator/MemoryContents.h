/// Random memory that suits a kind of command.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_MEMORYCONTENTS_H
#define WEFT_TESTS_ORACLE_EMULATOR_MEMORYCONTENTS_H

#include "tests/oracle/emulator/CommandKinds.h"

#include <array>

namespace weft::oracle {

/// The first bytes of every lane are filled; the rest stays zero.
constexpr size_t kFilledLaneBytes = 0x20000;

/// From the kind's contents down to what a person can check by head.
enum class Filling { Random, Ramp, Ones, Zeros };

/// Memory is a function of this.
struct MemoryRecipe {
  const Kind *kind = nullptr;
  uint64_t seed = 0;
  Filling filling = Filling::Random;
  /// Where the random contents stay, whatever `filling`: [begin, end), sorted,
  /// counting the memories one after the other. Multiples of 4.
  std::vector<std::pair<size_t, size_t>> kept = {};

  bool operator==(const MemoryRecipe &other) const {
    return kind == other.kind && seed == other.seed &&
           filling == other.filling && kept == other.kept;
  }
};

/// "random, seed 3 (dense special numbers)", "zeros" ..
std::string describe(const MemoryRecipe &recipe);

/// Where the bytes of each memory are, by Area.
using Memories = std::array<uint8_t *, std::size(kAreas)>;

/// Writes all memories; the parts of local memory that are never filled are
/// taken as zero already. Static memory starts with its tables.
void fillMemory(const MemoryRecipe &recipe, const Memories &memories);

/// Commands of one kind share the memory of this seed in groups of 16: filling
/// costs as much as a few commands.
constexpr uint64_t memorySeedOf(uint64_t commandSeed) {
  return commandSeed / 16;
}

/// A well mixed seed from a name and a number (FNV-1a, then splitmix64).
uint64_t mixSeed(const std::string &name, uint64_t seed);

} // namespace weft::oracle

#endif
