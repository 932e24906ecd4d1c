//===- LetterCase.cpp - capital and small letters -------------------------===//

#include "runtime/host/LetterCase.h"
#include "runtime/status/Quote.h"

using namespace weft;
using namespace weft::host;

namespace {
struct CaseRange {
  uint32_t first, last, step;
  int32_t distance;

  bool holds(uint32_t capital) const {
    return capital >= first && capital <= last && (capital - first) % step == 0;
  }
};

constexpr CaseRange kRanges[] = {
#define WEFT_CASE_RANGE(first, last, step, distance)                           \
  {first, last, step, distance},
#include "runtime/host/CaseRanges.def"
};
} // namespace

uint32_t host::smallLetter(uint32_t codePoint) {
  if (codePoint < 0x80)
    return codePoint >= 'A' && codePoint <= 'Z' ? codePoint + 32 : codePoint;
  for (const CaseRange &range : kRanges)
    if (range.holds(codePoint))
      return codePoint + uint32_t(range.distance);
  return codePoint;
}

uint32_t host::capitalLetter(uint32_t codePoint) {
  if (codePoint < 0x80)
    return codePoint >= 'a' && codePoint <= 'z' ? codePoint - 32 : codePoint;
  for (const CaseRange &range : kRanges)
    if (range.holds(codePoint - uint32_t(range.distance)))
      return codePoint - uint32_t(range.distance);
  return codePoint;
}

const std::vector<std::pair<uint32_t, uint32_t>> &host::letterPairs() {
  static const std::vector<std::pair<uint32_t, uint32_t>> pairs = [] {
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (const CaseRange &range : kRanges)
      for (uint32_t at = range.first; at <= range.last; at += range.step)
        all.push_back({at, at + uint32_t(range.distance)});
    return all;
  }();
  return pairs;
}

void host::appendUtf8(std::string &text, uint32_t codePoint) {
  if (codePoint < 0x80) {
    text += char(codePoint);
    return;
  }
  unsigned more = codePoint < 0x800 ? 1 : codePoint < 0x10000 ? 2 : 3;
  constexpr uint8_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += char(kLead[more] | codePoint >> (6 * more));
  while (more-- > 0)
    text += char(0x80 | ((codePoint >> (6 * more)) & 0x3F));
}

std::string host::inCase(std::string_view text, LetterCase wanted) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    rt::CodePoint point = rt::firstCodePoint(text);
    if (point.bytes == 0)
      result += text[0];
    else
      appendUtf8(result, wanted == LetterCase::Small
                             ? smallLetter(point.value)
                             : capitalLetter(point.value));
    text.remove_prefix(point.bytes ? point.bytes : 1);
  }
  return result;
}
