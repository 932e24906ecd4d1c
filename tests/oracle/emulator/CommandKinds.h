/// Generators of random valid commands, one per kind of instruction.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_COMMANDKINDS_H
#define WEFT_TESTS_ORACLE_EMULATOR_COMMANDKINDS_H

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
  uint32_t bits() { return engine(); }
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
  std::mt19937 engine;
};

/// What random memory holds, so that operands make sense for the kind.
enum class Contents {
  Bytes,
  PositiveFp32,
  Fp32,
  Fp16,
  Bf16,
  SmallIndex8,
  SmallIndex16,
  Rq0Rows,
  Rq1Rows,
  Dq0Rows,
  Dq1Rows
};
Contents contentsFor(Precision precision);

/// A command under construction; set() fails the test for a value that does not
/// fit.
struct Command {
  Engine engine = Engine::Tiu;
  Form form = Form::None;
  std::vector<uint8_t> bytes;

  Command &set(Field field, uint64_t value);
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

struct Kind {
  std::string name;
  Contents contents;
  std::function<Command(Random &)> make;
};

void addArithKinds(std::vector<Kind> &kinds);
void addOtherTiuKinds(std::vector<Kind> &kinds);
void addWindowKinds(std::vector<Kind> &kinds);
void addMatrixKinds(std::vector<Kind> &kinds);
void addGdmaKinds(std::vector<Kind> &kinds);
std::vector<Kind> allKinds();

} // namespace weft::oracle

#endif
