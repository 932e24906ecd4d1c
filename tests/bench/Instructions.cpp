/// Single commands: our emulator against the vendor's raw one, each in the
/// memory of its own.
#include "tests/bench/Ratios.h"

#include "runtime/isa/Assemble.h"
#include "runtime/numeric/Float16.h"
#include "tests/oracle/emulator/VendorEmulator.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <random>

namespace weft::bench {
namespace {

enum class Contents { Fp32, Fp16, Bf16, Bytes };

struct Row {
  const char *name;
  Contents contents;
  const char *text;
};

const Row kRows[] = {
#define WEFT_BENCH_COMMAND(name, contents, text)                               \
  {name, Contents::contents, text},
#include "tests/bench/Commands.def"
};

uint32_t randomWord(std::mt19937 &random, Contents contents) {
  std::normal_distribution<float> normal;
  uint32_t low, high;
  switch (contents) {
  case Contents::Fp32:
    return numeric::floatBits(normal(random));
  case Contents::Fp16:
    low = numeric::floatToHalf(normal(random));
    high = numeric::floatToHalf(normal(random));
    return low | high << 16;
  case Contents::Bf16:
    low = numeric::floatToBf16(normal(random));
    high = numeric::floatToBf16(normal(random));
    return low | high << 16;
  default:
    return random();
  }
}

void fill(oracle::Executor &executor, Contents contents) {
  std::mt19937 random(7);
  std::vector<uint32_t> words(65521);
  for (uint32_t &word : words)
    word = randomWord(random, contents);
  size_t next = 0;
  auto put = [&](uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 4, next = (next + 1) % words.size())
      std::memcpy(to + i, &words[next], 4);
  };
  put(executor.memory(oracle::Area::Local), oracle::kLocalBytes);
  put(executor.memory(oracle::Area::Global), oracle::kGlobalBytes);
}

/// The two emulators, started at the first use.
struct Emulators {
  std::string error;
  std::unique_ptr<oracle::OurEmulator> ours =
      oracle::OurEmulator::create(error);
  oracle::VendorEmulator vendors{error};

  static Emulators &get() {
    static Emulators emulators;
    return emulators;
  }
};

/// Seconds of one command; short ones are repeated to be measurable.
Measured measure(oracle::Executor &executor, const Row &row) {
  isa::AssembledLine line = isa::assemble(row.text);
  if (!line)
    return {0, row.name + std::string(": ") + line.error->message};
  const isa::CommandBuilder &command = *line.command;
  fill(executor, row.contents);
  using Clock = std::chrono::steady_clock;
  constexpr double enough = 0.002;
  double seconds = 0;
  unsigned runs = 0;
  while (runs == 0 || (seconds < enough && runs < 64)) {
    Clock::time_point begin = Clock::now();
    executor.begin(command.engine(), command.bytes(), command.sizeBytes());
    std::string why;
    if (executor.finish(why) != oracle::Ending::Done)
      return {0, row.name + std::string(": ") + why};
    seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    ++runs;
  }
  return {seconds / runs, ""};
}

} // namespace

void addInstructions(const Settings &settings) {
  for (const Row &row : kRows) {
    auto side = [&row](bool isOurs) {
      Emulators &emulators = Emulators::get();
      if (!emulators.error.empty())
        return Measured{0, emulators.error};
      oracle::Executor &executor =
          isOurs ? static_cast<oracle::Executor &>(*emulators.ours)
                 : emulators.vendors;
      return measure(executor, row);
    };
    addPair(
        std::string("command/") + row.name, settings,
        [side] { return side(true); }, [side] { return side(false); });
  }
}

} // namespace weft::bench
