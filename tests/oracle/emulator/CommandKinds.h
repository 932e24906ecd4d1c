/// Generators of random valid commands, one per kind of instruction.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_COMMANDKINDS_H
#define WEFT_TESTS_ORACLE_EMULATOR_COMMANDKINDS_H

#include "tests/oracle/emulator/Executor.h"

#include "runtime/isa/Isa.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace weft::oracle {

using isa::Engine;
using isa::Field;
using isa::Form;
using isa::Precision;

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  uint32_t bits() { return uint32_t(engine() >> 32); }
  /// Uniform in [low, high].
  int64_t in(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }
  bool coin(unsigned one = 2) { return engine() % one == 0; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[engine() % values.size()];
  }

private:
  std::mt19937_64 engine;
};

/// What random memory holds, so that operands make sense for the kind. Special
/// numbers (NaN, infinities, subnormals, the largest, zeros, ties, saturating
/// integers) are mixed into all but the index and parameter rows, unless a kind
/// says why not.
enum class Contents {
  Bytes,
  PositiveFp32,
  Fp32,
  Fp16,
  Bf16,
  PositiveFp16,
  PositiveBf16,
  SmallIndex8,
  SmallIndex16,
  Rq0Rows,
  Rq1Rows,
  Dq0Rows,
  Dq1Rows
};
Contents contentsFor(Precision precision);

/// Bytes that a command needs at a place, beside the random contents.
struct Poke {
  uint64_t address; ///< as GDMA sees it: one of the areas
  std::vector<uint8_t> bytes;
};

/// A command under construction; a value that does not fit its field ends up in
/// `error` and fails the kind.
struct Command {
  Engine engine = Engine::Tiu;
  Form form = Form::None;
  std::vector<uint8_t> bytes;
  std::vector<Poke> pokes;
  std::string error;

  Command &set(Field field, uint64_t value);
  /// The field's value, 0 if this form lacks it.
  uint64_t get(Field field) const;
  /// Writes `bytes` before the command runs, at offset `localAddress` of local
  /// memory (a TIU address: lane << 18 | offset).
  Command &pokeLocal(uint32_t localAddress, std::vector<uint8_t> bytes);
  Command &pokeGlobal(uint32_t offset, std::vector<uint8_t> bytes);
  /// The same at an address as GDMA sees it, in any memory.
  Command &pokeAt(uint64_t address, std::vector<uint8_t> bytes);
};
Command tiuCommand(Form form, unsigned type, unsigned func);
Command gdmaCommand(Form form, unsigned type, unsigned func);
void setResult(Command &command, unsigned n, unsigned c, unsigned h,
               unsigned w);

/// Addresses: operands and results of one command share a first lane; each has
/// its own 16 KiB.
struct Places {
  explicit Places(Random &random);
  uint32_t operand(unsigned index) const { return base + index * 0x4000; }
  uint32_t result(unsigned index = 0) const {
    return base + 0x10000 + index * 0x8000;
  }
  uint32_t lane = 0;

private:
  uint32_t base = 0;
};

/// How far a result may lie from the machine's. At most kMaxBoundedFunctions
/// functions may have one; all others are compared bit for bit.
struct Bound {
  unsigned ulps = 0;
  const char *reason = nullptr;
};
constexpr unsigned kMaxBoundedFunctions = 8;

/// A generator of commands. Which functions it covers is read off the commands
/// that it makes.
struct Kind {
  std::string name;
  Contents contents;
  std::function<Command(Random &)> make;
  /// Why memory must not hold special numbers for this kind; nullptr: it does.
  const char *noSpecials = nullptr;
  Bound bound = {};
  /// Why every command needs a fresh process of the vendor's emulator (it
  /// breaks its own heap ..); nullptr: it does not.
  const char *freshProcess = nullptr;
  /// Word `index` of the memory pattern, instead of `contents`. Word 0 of the
  /// pattern lies at a 64-byte row.
  std::function<uint32_t(Random &, size_t index)> word = nullptr;
};

void addArithKinds(std::vector<Kind> &kinds);
void addOuterKinds(std::vector<Kind> &kinds);
void addQuantKinds(std::vector<Kind> &kinds);
void addSpecialKinds(std::vector<Kind> &kinds);
void addConvKinds(std::vector<Kind> &kinds);
void addPoolKinds(std::vector<Kind> &kinds);
void addMatMulKinds(std::vector<Kind> &kinds);
void addGatherKinds(std::vector<Kind> &kinds);
void addGdmaKinds(std::vector<Kind> &kinds);
std::vector<Kind> allKinds();

/// Why this kind's mismatches are no news (KnownMismatches.def); nullptr for a
/// kind that must agree.
const char *knownMismatch(const std::string &kind);

/// The command of a seed: the same for the same kind and seed, everywhere.
Command drawCommand(const Kind &kind, uint64_t seed);

} // namespace weft::oracle

#endif
