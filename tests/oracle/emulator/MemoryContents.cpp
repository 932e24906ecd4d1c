#include "tests/oracle/emulator/MemoryContents.h"

#include "runtime/numeric/Float16.h"
#include "runtime/numeric/SplitMix64.h"
#include "runtime/numeric/StaticTables.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace weft::oracle {
namespace {

/// Words of the pattern that is repeated through memory: whole 64-byte rows,
/// but no divisor of a lane.
constexpr size_t kPatternWords = 65520;

/// One word in this many is special; 0: none. By memory seed, so that ordinary
/// sums are seen as well as spoilt ones.
unsigned specialsEvery(const MemoryRecipe &recipe) {
  constexpr unsigned every[4] = {256, 0, 12, 0};
  return recipe.kind->noSpecials ? 0 : every[recipe.seed % 4];
}

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

/// A float whose format has `fraction` fraction bits below `exponent` exponent
/// bits.
uint32_t specialFloat(Random &random, unsigned fraction, unsigned exponent) {
  uint32_t sign = uint32_t(random.coin()) << (fraction + exponent);
  uint32_t infinity = ((1u << exponent) - 1) << fraction;
  uint32_t part = random.bits() & ((1u << fraction) - 1);
  uint32_t quiet = 1u << (fraction - 1), one = (infinity >> 1) & infinity;
  switch (random.in(0, 9)) {
  case 0:
    return sign;
  case 1:
    return sign | infinity;
  case 2:
    return sign | infinity | quiet;
  case 3: // any NaN, signalling ones too
    return sign | infinity | part | 1;
  case 4: // subnormal
    return sign | part;
  case 5: // the smallest of all, the smallest normal, the largest
    return sign | random.pick<uint32_t>({1, 1u << fraction, infinity - 1});
  case 6: // near overflow
    return sign | (infinity - (1u << fraction)) | part;
  case 7: // near underflow
    return sign | uint32_t(random.in(1, 4)) << fraction | part;
  case 8: // halves: ties when rounded to whole numbers
    return sign | (one + (uint32_t(random.in(0, 6)) << fraction)) |
           uint32_t(random.in(0, 15)) << (fraction - 4);
  default: // beyond the integer ranges
    return sign | (one + (random.pick<uint32_t>({7, 8, 15, 16}) << fraction)) |
           part;
  }
}

uint32_t specialInteger(Random &random) {
  if (random.coin(3)) {
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i)
      word |= random.pick<uint32_t>({0x80, 0x7f, 0xff, 0, 1, 0x81}) << (8 * i);
    return word;
  }
  if (random.coin())
    return random.pick<uint32_t>({0x8000, 0x7fff, 0xffff, 0, 1}) |
           random.pick<uint32_t>({0x8000, 0x7fff, 0xffff, 0, 1}) << 16;
  return random.pick<uint32_t>({0x80000000, 0x7fffffff, 0xffffffff, 0, 1,
                                0x80000001, 0x8000, 0x7fff, 0xffff8000});
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

/// A word of two halves, each special one time in `every` / 2.
template <class Ordinary>
uint32_t halves(Random &random, unsigned every, unsigned fraction,
                unsigned exponent, uint32_t mask, Ordinary ordinary) {
  uint32_t word = 0;
  for (unsigned shift : {0u, 16u}) {
    bool special = every && random.coin(every);
    word |= ((special ? specialFloat(random, fraction, exponent)
                      : uint32_t(ordinary())) &
             mask)
            << shift;
  }
  return word;
}

uint32_t randomWord(Random &random, const Kind &kind, unsigned every,
                    size_t index) {
  if (kind.word)
    return kind.word(random, index);
  Contents contents = kind.contents;
  if (contents >= Contents::Rq0Rows)
    return parameterWord(random, contents, index);
  auto half = [&] { return numeric::floatToHalf(randomFloat(random)); };
  auto bf16 = [&] { return numeric::floatToBf16(randomFloat(random)); };
  auto special = [&] { return every && random.coin(every); };
  switch (contents) {
  case Contents::Fp32:
    return special() ? specialFloat(random, 23, 8)
                     : numeric::floatBits(randomFloat(random));
  case Contents::PositiveFp32:
    return 0x7fffffff & (special() ? specialFloat(random, 23, 8)
                                   : numeric::floatBits(randomFloat(random)));
  case Contents::Fp16:
    return halves(random, every, 10, 5, 0xffff, half);
  case Contents::Bf16:
    return halves(random, every, 7, 8, 0xffff, bf16);
  case Contents::PositiveFp16:
    return halves(random, every, 10, 5, 0x7fff, half);
  case Contents::PositiveBf16:
    return halves(random, every, 7, 8, 0x7fff, bf16);
  case Contents::SmallIndex8:
    return random.bits() & 0x07070707;
  case Contents::SmallIndex16:
    return random.bits() & 0x00070007;
  default:
    return special() ? specialInteger(random) : random.bits();
  }
}

/// One in the kind's element type, repeated.
uint32_t oneWord(Contents contents) {
  switch (contents) {
  case Contents::Fp32:
  case Contents::PositiveFp32:
    return 0x3f800000;
  case Contents::Fp16:
  case Contents::PositiveFp16:
    return 0x3c003c00;
  case Contents::Bf16:
  case Contents::PositiveBf16:
    return 0x3f803f80;
  default:
    return 0x01010101;
  }
}

/// Small whole numbers in the kind's element type.
uint32_t rampWord(Contents contents, size_t index) {
  float a = float(index % 13) + 1, b = float((index + 5) % 11) + 1;
  auto pair = [&](auto convert) {
    return uint32_t(convert(a)) | uint32_t(convert(b)) << 16;
  };
  switch (contents) {
  case Contents::Fp32:
  case Contents::PositiveFp32:
    return numeric::floatBits(a);
  case Contents::Fp16:
  case Contents::PositiveFp16:
    return pair([](float x) { return numeric::floatToHalf(x); });
  case Contents::Bf16:
  case Contents::PositiveBf16:
    return pair([](float x) { return numeric::floatToBf16(x); });
  case Contents::Bytes:
    return uint32_t(index % 13 + 1) * 0x00010001;
  default:
    return uint32_t(index % 7) * 0x00010001;
  }
}

} // namespace

uint64_t mixSeed(const std::string &name, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return numeric::mixBits(hash + (seed + 1) * 0x9e3779b97f4a7c15);
}

std::string describe(const MemoryRecipe &recipe) {
  switch (recipe.filling) {
  case Filling::Zeros:
    return "zeros";
  case Filling::Ones:
    return "ones";
  case Filling::Ramp:
    return "small whole numbers";
  case Filling::Random:
    break;
  }
  unsigned every = specialsEvery(recipe);
  return "random, memory seed " + std::to_string(recipe.seed) +
         (every ? ", one in " + std::to_string(every) + " special" : "");
}

/// The pattern, repeated through memory; `wanted` are the addresses to write.
static void spread(const std::vector<uint32_t> &words, const Memories &memories,
                   size_t wantedBegin, size_t wantedEnd) {
  const auto *pattern = reinterpret_cast<const uint8_t *>(words.data());
  size_t patternBytes = words.size() * 4, lanes = kLocalBytes / kLaneStride;
  // Area `index` of memory holds bytes [index * kFilledLaneBytes, ..) of it.
  auto put = [&](uint8_t *to, size_t from, size_t address, size_t bytes) {
    size_t begin = std::max(address, wantedBegin),
           end = std::min(address + bytes, wantedEnd);
    for (size_t at = begin; at < end;) {
      size_t inPattern = (from + at - address) % patternBytes;
      size_t piece = std::min(end - at, patternBytes - inPattern);
      std::memcpy(to + (at - address), pattern + inPattern, piece);
      at += piece;
    }
  };
  for (size_t lane = 0; lane < lanes; ++lane)
    put(memories[size_t(Area::Local)] + lane * kLaneStride,
        lane * kFilledLaneBytes, lane * kLaneStride, kFilledLaneBytes);
  size_t from = lanes * kFilledLaneBytes;
  for (Area area : {Area::Global, Area::L2, Area::Static}) {
    size_t bytes = kAreas[size_t(area)].bytes;
    put(memories[size_t(area)], from, countedFrom(area), bytes);
    from += bytes;
  }
}

static void fillPattern(const MemoryRecipe &recipe, const Memories &memories) {
  std::vector<uint32_t> words(kPatternWords);
  if (recipe.filling != Filling::Random) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] =
          recipe.filling == Filling::Ramp   ? rampWord(recipe.kind->contents, i)
          : recipe.filling == Filling::Ones ? oneWord(recipe.kind->contents)
                                            : 0;
    spread(words, memories, 0, kCountedBytes);
    if (recipe.kept.empty())
      return;
  }
  Random random(mixSeed(recipe.kind->name + " memory", recipe.seed));
  unsigned every = specialsEvery(recipe);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = randomWord(random, *recipe.kind, every, i);
  if (recipe.filling == Filling::Random)
    spread(words, memories, 0, kCountedBytes);
  else
    for (auto [begin, end] : recipe.kept)
      spread(words, memories, begin, end);
}

void fillMemory(const MemoryRecipe &recipe, const Memories &memories) {
  fillPattern(recipe, memories);
  std::memcpy(memories[size_t(Area::Static)], numeric::staticTables().data(),
              sizeof(numeric::StaticTables));
}

} // namespace weft::oracle
