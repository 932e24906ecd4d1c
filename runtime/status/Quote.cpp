#include "runtime/status/Quote.h"

namespace weft::rt {

CodePoint firstCodePoint(std::string_view text) {
  if (text.empty())
    return {};
  auto first = uint8_t(text[0]);
  unsigned bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || text.size() < bytes)
    return {};
  uint32_t value = bytes == 1 ? first : first & (0x7Fu >> bytes);
  for (unsigned i = 1; i < bytes; ++i) {
    auto next = uint8_t(text[i]);
    if ((next & 0xC0) != 0x80)
      return {};
    value = value << 6 | (next & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  bool isSurrogate = value >= 0xD800 && value < 0xE000;
  if (value < kLeast[bytes - 1] || value > 0x10FFFF || isSurrogate)
    return {};
  return {value, bytes};
}

bool isHidden(uint32_t codePoint) {
  // Unicode's Cc, Zl and Zp, and what of Cf is not a letter's own sign.
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kHidden[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
      {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  for (const Range &range : kHidden)
    if (codePoint >= range.first && codePoint <= range.last)
      return true;
  return false;
}

static std::string escaped(std::string_view text, bool keepsLines) {
  static const char digits[] = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    CodePoint point = firstCodePoint(text);
    size_t bytes = point.bytes ? point.bytes : 1;
    bool isKept = keepsLines && (point.value == '\n' || point.value == '\t');
    if (isKept || (point.bytes && !isHidden(point.value))) {
      result += text.substr(0, bytes);
    } else {
      for (char c : text.substr(0, bytes)) {
        auto byte = static_cast<unsigned char>(c);
        result += "\\x";
        result += digits[byte >> 4];
        result += digits[byte & 15];
      }
    }
    text.remove_prefix(bytes);
  }
  return result;
}

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printableLines(std::string_view text) {
  return escaped(text, true);
}

std::string quoteName(std::string_view name) {
  constexpr size_t kMaxBytes = 120;
  if (name.size() <= kMaxBytes)
    return "'" + printable(name) + "'";
  size_t kept = kMaxBytes;
  // Not within a character.
  while (kept > kMaxBytes - 3 && (uint8_t(name[kept]) & 0xC0) == 0x80)
    --kept;
  return "'" + printable(name.substr(0, kept)) + "...'";
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    unsigned bytes = firstCodePoint(text).bytes;
    if (!bytes)
      return false;
    text.remove_prefix(bytes);
  }
  return true;
}

const char *nameProblem(std::string_view name) {
  return name.find('\0') != name.npos ? "has a zero byte"
         : !isUtf8(name)              ? "is no UTF-8"
                                      : nullptr;
}

} // namespace weft::rt
