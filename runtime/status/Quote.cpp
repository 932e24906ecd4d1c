#include "runtime/status/Quote.h"

namespace weft::rt {

std::string quoteName(std::string_view name) {
  constexpr size_t kMaxBytes = 120;
  static const char digits[] = "0123456789abcdef";
  std::string text = "'";
  for (char c : name.substr(0, kMaxBytes)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      text += c;
      continue;
    }
    text += "\\x";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text + (name.size() > kMaxBytes ? "...'" : "'");
}

} // namespace weft::rt
