/// The same random commands on the vendor's emulator and on ours; all memory
/// must agree.
#include "tests/oracle/emulator/CommandKinds.h"
#include "tests/oracle/emulator/VendorEmulator.h"

#include "runtime/chips/Chips.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/isa/Decode.h"
#include "runtime/numeric/Float16.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace weft::oracle {
/// GoogleTest finds it beside the type; without it a name would be the bytes of
/// the parameter.
void PrintTo(const Kind &kind, std::ostream *out) { *out << kind.name; }

namespace {

constexpr uint64_t kSeed = 20261122;
constexpr unsigned kCommandsPerKind = 16;
/// Memory that random operands may lie in: the first bytes of every lane, and
/// of global memory.
constexpr size_t kFilledLaneBytes = 0x20000;

struct Bench {
  std::string error;
  VendorEmulator vendor{error};
  std::unique_ptr<emulator::Emulator> ours;
  std::vector<uint8_t> global = std::vector<uint8_t>(kGlobalBytes);

  Bench() {
    auto created = emulator::Emulator::create(*chips::find("BM1684X"));
    if (!created) {
      error = created.status().message();
      return;
    }
    ours = *std::move(created);
    if (auto status =
            ours->mapGlobal(0x100000000, global.data(), global.size());
        !status)
      error = status.message();
  }
  static Bench &get() {
    static Bench bench;
    return bench;
  }
  void publish(bool everything) {
    size_t begin = everything ? 0 : kResultBegin,
           end = everything ? kLaneStride : kResultEnd;
    for (size_t at = 0; at < kLocalBytes; at += kLaneStride)
      std::memcpy(vendor.shared() + at + begin,
                  ours->localMemory() + at + begin, end - begin);
    std::memcpy(vendor.shared() + kLocalBytes, global.data(), kGlobalBytes);
  }
  void adopt() {
    std::memcpy(ours->localMemory(), vendor.shared(), kLocalBytes);
    std::memcpy(global.data(), vendor.shared() + kLocalBytes, kGlobalBytes);
  }
};

/// Numbers of mixed size: mostly within a few powers of two, some far apart,
/// some exact ties.
float randomFloat(Random &random) {
  float sign = random.coin() ? -1.0f : 1.0f;
  float fraction = 1.0f + float(random.bits() >> 9) * 0x1p-23f;
  if (random.coin(4))
    fraction = 1.0f + float(random.bits() >> 28) / 16;
  int exponent = int(random.coin(8) ? random.in(-12, 12) : random.in(-4, 3));
  return random.coin(40) ? 0.0f : sign * std::ldexp(fraction, exponent);
}

/// Word `index` of the 64-byte parameter row of a channel.
uint32_t parameterWord(Random &random, Contents contents, size_t index) {
  uint32_t shift = uint32_t(-random.in(20, 45)),
           zero = uint32_t(random.in(-100, 100));
  uint32_t multiplier = random.bits() & 0x7fffffff;
  if (index % 16 > 2)
    return random.bits();
  switch (contents) {
  case Contents::Rq0Rows:
    return index % 16 == 0 ? 0x32000000 + (random.bits() & 0x3ffffff)
                           : numeric::floatBits(randomFloat(random));
  case Contents::Rq1Rows:
    return index % 16 == 0 ? multiplier : index % 16 == 1 ? shift : zero;
  case Contents::Dq0Rows:
    return index % 16 == 0 ? zero : numeric::floatBits(randomFloat(random));
  default:
    return index % 16 == 0   ? zero
           : index % 16 == 1 ? multiplier
                             : uint32_t(-random.in(0, 30));
  }
}

uint32_t randomWord(Random &random, Contents contents, size_t index) {
  if (contents >= Contents::Rq0Rows)
    return parameterWord(random, contents, index);
  auto half = [&] {
    return uint32_t(numeric::floatToHalf(randomFloat(random)));
  };
  auto bf16 = [&] {
    return uint32_t(numeric::floatToBf16(randomFloat(random)));
  };
  switch (contents) {
  case Contents::Fp32:
    return numeric::floatBits(randomFloat(random));
  case Contents::PositiveFp32:
    return numeric::floatBits(std::fabs(randomFloat(random)));
  case Contents::Fp16:
    return half() | half() << 16;
  case Contents::Bf16:
    return bf16() | bf16() << 16;
  case Contents::SmallIndex8:
    return random.bits() & 0x07070707;
  case Contents::SmallIndex16:
    return random.bits() & 0x00070007;
  default:
    return random.bits();
  }
}

void fill(Bench &bench, Random &random, Contents contents) {
  // A block of random words, repeated; whole 64-byte rows, but no divisor of a
  // lane.
  std::vector<uint32_t> words(65520);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = randomWord(random, contents, i);
  size_t next = 0;
  auto put = [&](uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes;
         i += 4, next = next + 1 == words.size() ? 0 : next + 1)
      std::memcpy(to + i, &words[next], 4);
  };
  for (size_t lane = 0; lane < 64; ++lane)
    put(bench.ours->localMemory() + lane * 0x40000, kFilledLaneBytes);
  put(bench.global.data(), bench.global.size());
}

std::string hex(const uint8_t *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  return text;
}

/// Compares both memories; reports the first difference with the command that
/// may have made it.
bool agree(Bench &bench, bool everything, const std::string &text) {
  bench.publish(everything);
  Difference difference = bench.vendor.compare(everything);
  if (!difference.found)
    return true;
  size_t at = difference.address & ~size_t(3);
  bool local = at < kLocalBytes;
  size_t shown = std::min<size_t>(
      32, (local ? kLocalBytes : kLocalBytes + kGlobalBytes) - at);
  const uint8_t *mine = local ? bench.ours->localMemory() + at
                              : bench.global.data() + at - kLocalBytes;
  ADD_FAILURE() << difference.count << " bytes differ, first in lane "
                << difference.address / kLaneStride << " at offset 0x"
                << std::hex << difference.address % kLaneStride << "\n  ours   "
                << hex(mine, shown) << "\n  vendor "
                << hex(bench.vendor.shared() + at, shown) << "\n  " << text;
  bench.adopt();
  return false;
}

/// Runs one command on both; true if the vendor accepted it.
bool runOne(Bench &bench, const Command &command, unsigned &failures) {
  isa::DecodeResult decoded = isa::decodeOne(
      command.engine, command.bytes.data(), command.bytes.size());
  EXPECT_TRUE(decoded);
  if (!decoded)
    return false;
  // The state before was published by the comparison of the last command.
  bool accepted = bench.vendor.execute(command.engine, command.bytes.data(),
                                       command.bytes.size());
  if (!accepted) // the vendor's process died and was restarted
    return false;
  auto status = bench.ours->execute(command.engine, command.bytes.data(),
                                    command.bytes.size());
  std::string text = isa::disassemble(decoded.command);
  EXPECT_TRUE(status) << status.message() << "\n" << text;
  if (!agree(bench, false, text) || !status)
    ++failures;
  return true;
}

class EmulatorOracle : public testing::TestWithParam<Kind> {};

TEST_P(EmulatorOracle, equalsTheVendorBitForBit) {
  Bench &bench = Bench::get();
  ASSERT_EQ(bench.error, "");
  Random random(kSeed);
  fill(bench, random, GetParam().contents);
  bench.publish(true);
  ASSERT_TRUE(bench.vendor.load());
  unsigned accepted = 0, failures = 0;
  for (unsigned i = 0; i < kCommandsPerKind && failures < 2; ++i) {
    Random commandRandom(kSeed + 1000 * i);
    accepted += runOne(bench, GetParam().make(commandRandom), failures);
  }
  agree(bench, true, "a command of this kind wrote outside its result");
  if (failures == 0) {
    EXPECT_GE(accepted, kCommandsPerKind / 2)
        << "the vendor refused too many commands";
  }
}

std::string testName(const testing::TestParamInfo<Kind> &info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EmulatorOracle, testing::ValuesIn(allKinds()),
                         testName);

} // namespace
} // namespace weft::oracle
