#include "tests/oracle/emulator/Duel.h"

#include "runtime/numeric/Float16.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace weft::oracle {
namespace {

constexpr size_t kBlock = 512;
/// Holes in a result are smaller than this, in a lane and in global memory.
/// Larger ones are seen by sweep().
constexpr size_t kLaneQuiet = 2048, kGlobalQuiet = 32768;
/// Distance of the copies that the 4-bank functions make.
constexpr size_t kFourBankStep = 0x8000;

/// The destination of a GDMA command. DMA_matrix calls the halves otherwise.
uint64_t targetAddress(const Command &command) {
  if (isa::hasField(command.form, Field::dst_start_addr_h32))
    return command.get(Field::dst_start_addr_l8) << 32 |
           command.get(Field::dst_start_addr_h32);
  return command.get(Field::dst_start_addr_h8) << 32 |
         command.get(Field::dst_start_addr_l32);
}

/// Element type of a command's results; Int8 where it has no say.
Precision resultPrecision(const Command &command) {
  for (Field field : {Field::res0_prec, Field::src_data_format})
    if (isa::hasField(command.form, field))
      return Precision(command.get(field));
  return Precision::Int8;
}

/// The value of an element, for a person.
std::string valueText(const uint8_t *at, Precision precision) {
  uint32_t word = 0;
  unsigned bytes = std::max(1u, isa::elementBytes(precision));
  std::memcpy(&word, at, bytes);
  char text[64];
  if (precision == Precision::Fp32 || precision == Precision::Fp16 ||
      precision == Precision::Bf16) {
    float value = precision == Precision::Fp32 ? numeric::floatFromBits(word)
                  : precision == Precision::Fp16
                      ? numeric::halfToFloat(uint16_t(word))
                      : numeric::bf16ToFloat(uint16_t(word));
    std::snprintf(text, sizeof(text), "0x%0*x (%.9g)", int(bytes * 2), word,
                  double(value));
  } else {
    std::snprintf(text, sizeof(text), "0x%0*x", int(bytes * 2), word);
  }
  return text;
}

std::string addressText(uint64_t address) {
  char text[80];
  const AreaSpec *spec = areaOf(address);
  uint64_t at = spec ? address - spec->base : address;
  if (spec && spec->area == Area::Local)
    std::snprintf(text, sizeof(text), "lane %" PRIu64 " offset 0x%" PRIx64,
                  at / kLaneStride, at % kLaneStride);
  else
    std::snprintf(text, sizeof(text), "%s offset 0x%" PRIx64,
                  spec ? spec->name : "no memory,", at);
  return text;
}

/// Distance in units of the last place; huge for one NaN, zero for two.
uint64_t ulpsBetween(uint32_t a, uint32_t b, unsigned fraction,
                     unsigned exponent) {
  uint32_t magnitude = (1u << (fraction + exponent)) - 1;
  uint32_t infinity = ((1u << exponent) - 1) << fraction;
  bool nanA = (a & magnitude) > infinity, nanB = (b & magnitude) > infinity;
  if (nanA || nanB)
    return nanA && nanB ? 0 : ~uint64_t(0);
  auto ordered = [&](uint32_t bits) {
    int64_t value = bits & magnitude;
    return bits > magnitude ? -value : value;
  };
  return uint64_t(std::llabs(ordered(a) - ordered(b)));
}

bool withinBound(const uint8_t *a, const uint8_t *b, Precision precision,
                 unsigned ulps) {
  uint32_t x = 0, y = 0;
  std::memcpy(&x, a, isa::elementBytes(precision));
  std::memcpy(&y, b, isa::elementBytes(precision));
  switch (precision) {
  case Precision::Fp32:
    return ulpsBetween(x, y, 23, 8) <= ulps;
  case Precision::Fp16:
    return ulpsBetween(x, y, 10, 5) <= ulps;
  case Precision::Bf16:
    return ulpsBetween(x, y, 7, 8) <= ulps;
  default:
    return x == y;
  }
}

} // namespace

const char *outcomeName(Outcome outcome) {
  switch (outcome) {
  case Outcome::Equal:
    return "equal";
  case Outcome::ReferenceRefuses:
    return "refused by the reference";
  case Outcome::ReferenceCrashes:
    return "crash of the reference";
  case Outcome::ReferenceHangs:
    return "hang of the reference";
  case Outcome::Differs:
    return "different memory";
  case Outcome::OursRefuses:
    return "refused by ours only";
  }
  return "?";
}

/// What scanning found so far.
struct Duel::Scan {
  bool judge = true; ///< else only restore
  Precision precision = Precision::Int8;
  unsigned ulps = 0;
  size_t differingElements = 0;
  std::string first;

  void compare(const Window &window, size_t at, size_t bytes) {
    const uint8_t *a = window.ours + at, *b = window.reference + at;
    if (std::memcmp(a, b, bytes) == 0)
      return;
    size_t step = std::max(1u, isa::elementBytes(precision));
    for (size_t i = 0; i < bytes; i += step) {
      if (std::memcmp(a + i, b + i, step) == 0 ||
          (ulps && withinBound(a + i, b + i, precision, ulps)))
        continue;
      if (!differingElements++)
        first = addressText(window.at + at + i) + ": ours " +
                valueText(a + i, precision) + ", reference " +
                valueText(b + i, precision) + ", before " +
                valueText(window.pristine + at + i, precision);
    }
  }
};

void Duel::scan(const Window &window, Scan &scan) {
  size_t quiet = 0;
  for (size_t at = 0; at < window.bytes && quiet < window.quiet; at += kBlock) {
    size_t bytes = std::min(kBlock, window.bytes - at);
    bool ourWrite = std::memcmp(window.ours + at, window.pristine + at, bytes);
    bool theirWrite =
        std::memcmp(window.reference + at, window.pristine + at, bytes);
    quiet = ourWrite || theirWrite ? 0 : quiet + kBlock;
    if (quiet)
      continue;
    if (scan.judge)
      scan.compare(window, at, bytes);
    if (ourWrite)
      std::memcpy(window.ours + at, window.pristine + at, bytes);
    if (theirWrite)
      std::memcpy(window.reference + at, window.pristine + at, bytes);
  }
}

Duel::Window Duel::windowAt(const AreaSpec &spec, size_t offset, size_t end,
                            size_t quiet) {
  return {ours.memory(spec.area) + offset,
          reference.memory(spec.area) + offset,
          pristine(spec.area) + offset,
          spec.base + offset,
          end - offset,
          quiet};
}

std::vector<Duel::Window> Duel::everything() {
  std::vector<Window> windows;
  for (const AreaSpec &spec : kAreas)
    windows.push_back(windowAt(spec, 0, spec.bytes, spec.bytes));
  return windows;
}

std::vector<Duel::Window> Duel::windowsOf(const Command &command) {
  std::vector<Window> windows;
  auto inLanes = [&](size_t offset) {
    offset = offset % kLaneStride / kBlock * kBlock;
    for (size_t lane = 0; lane < kLocalBytes; lane += kLaneStride)
      windows.push_back(windowAt(kAreas[size_t(Area::Local)], lane + offset,
                                 lane + kLaneStride, kLaneQuiet));
  };
  if (command.engine == Engine::Tiu) {
    for (Field field : {Field::res0_addr, Field::res1_addr})
      if (isa::hasField(command.form, field))
        inLanes(command.get(field));
    return windows;
  }
  uint64_t address = targetAddress(command);
  const AreaSpec *spec = areaOf(address);
  if (!spec)
    return windows;
  size_t offset = size_t(address - spec->base);
  if (spec->area != Area::Local) {
    windows.push_back(
        windowAt(*spec, offset / kBlock * kBlock, spec->bytes, kGlobalQuiet));
    return windows;
  }
  inLanes(offset);
  bool fourBanks = command.get(Field::cmd_type) == 0 &&
                   (command.get(Field::cmd_special_function) == 5 ||
                    command.get(Field::cmd_special_function) == 6);
  for (unsigned bank = 1; fourBanks && bank < 4; ++bank)
    inLanes(offset + bank * kFourBankStep);
  return windows;
}

void Duel::load(const MemoryRecipe &recipe) {
  if (loaded == recipe)
    return;
  Memories memories;
  for (const AreaSpec &spec : kAreas)
    memories[size_t(spec.area)] = pristine(spec.area);
  fillMemory(recipe, memories);
  loaded = recipe;
  restore();
}

std::string Duel::keptWords() const {
  std::string text;
  size_t words = 0;
  for (auto [begin, end] : loaded.kept)
    words += (end - begin) / 4;
  if (words > 16)
    return words ? " but for " + std::to_string(words) + " random words" : "";
  for (auto [begin, end] : loaded.kept)
    for (size_t at = begin; at < end; at += 4) {
      const AreaSpec *spec = std::prev(std::end(kAreas));
      while (at < countedFrom(spec->area))
        --spec;
      size_t offset = at - countedFrom(spec->area);
      uint32_t word;
      std::memcpy(&word, pristine(spec->area) + offset, sizeof(word));
      char digits[16];
      std::snprintf(digits, sizeof(digits), ": %08x", word);
      text += (text.empty() ? " but for " : ", ") +
              addressText(spec->base + offset) + digits;
    }
  return text;
}

void Duel::restore() {
  Scan restoring;
  restoring.judge = false;
  for (const Window &window : everything())
    scan(window, restoring);
}

/// Writes the command's own bytes into all three copies of memory, or takes
/// them back out (in the opposite order: they may overlap).
void Duel::poke(const Command &command, bool undo) {
  if (!undo)
    covered.clear();
  for (size_t i = 0; i < command.pokes.size(); ++i) {
    size_t index = undo ? command.pokes.size() - 1 - i : i;
    const Poke &poke = command.pokes[index];
    const AreaSpec *spec = areaOf(poke.address);
    if (!spec || poke.bytes.size() > spec->bytes - (poke.address - spec->base))
      continue; // refused when the command was drawn
    size_t at = size_t(poke.address - spec->base);
    uint8_t *before = pristine(spec->area) + at;
    if (!undo)
      covered.emplace_back(before, before + poke.bytes.size());
    const uint8_t *bytes = undo ? covered[index].data() : poke.bytes.data();
    for (uint8_t *memory : {before, ours.memory(spec->area) + at,
                            reference.memory(spec->area) + at})
      std::memcpy(memory, bytes, poke.bytes.size());
  }
}

Verdict Duel::run(const Command &command, const Bound &bound, bool thorough) {
  Verdict verdict;
  if (thorough)
    reference.restart();
  poke(command, false);
  std::string ourReason;
  reference.begin(command.engine, command.bytes.data(), command.bytes.size());
  ours.begin(command.engine, command.bytes.data(), command.bytes.size());
  Ending theirs = reference.finish(verdict.text), mine = ours.finish(ourReason);
  Scan result;
  result.precision = resultPrecision(command);
  result.ulps = bound.ulps;
  result.judge = theirs == Ending::Done && mine == Ending::Done;
  for (const Window &window : thorough ? everything() : windowsOf(command))
    scan(window, result);
  poke(command, true);
  if (theirs != Ending::Done) {
    verdict.outcome = theirs == Ending::Refused   ? Outcome::ReferenceRefuses
                      : theirs == Ending::Crashed ? Outcome::ReferenceCrashes
                                                  : Outcome::ReferenceHangs;
  } else if (mine != Ending::Done) {
    verdict = {Outcome::OursRefuses, "ours refuses: " + ourReason};
  } else if (result.differingElements) {
    verdict = {Outcome::Differs, std::to_string(result.differingElements) +
                                     " elements differ, first at " +
                                     result.first};
  }
  return verdict;
}

bool Duel::sweep() {
  Scan result;
  for (const Window &window : everything())
    scan(window, result);
  return result.differingElements == 0;
}

} // namespace weft::oracle
