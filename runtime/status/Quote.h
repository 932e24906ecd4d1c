//===- Quote.h - names from files inside messages ---------------*- C++ -*-===//
//
// A name in a file is bytes that somebody else chose: it may hold terminal
// sequences, newlines that look like a message of ours, marks that turn the
// reading direction round, or no text at all. Whatever leaves the program for a
// person passes one of these functions where it is written.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_STATUS_QUOTE_H
#define WEFT_RUNTIME_STATUS_QUOTE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::rt {

/// `text` on one line, in UTF-8, and as it is read: each byte of what shows
/// nothing or moves what is shown (control characters, marks of direction and
/// of no width), and of what is no UTF-8, becomes \xNN. The rest stays.
std::string printable(std::string_view text);
/// The same for text of several lines: newlines and tabs stay.
std::string printableLines(std::string_view text);

/// `name` in single quotes, printable(), cut after 120 bytes with "...".
std::string quoteName(std::string_view name);

/// Whether `text` is UTF-8 as RFC 3629 has it: shortest forms, no surrogates.
bool isUtf8(std::string_view text);
/// Why `name` cannot be the name of a tensor or a net, which C programs read to
/// its zero byte and Python as UTF-8: "has a zero byte", "is no UTF-8" (without
/// the name); nullptr if it can.
const char *nameProblem(std::string_view name);

/// The code point with which `text` begins, and how many bytes it has; 0 bytes
/// if it does not begin with one.
struct CodePoint {
  uint32_t value = 0;
  unsigned bytes = 0;
};
CodePoint firstCodePoint(std::string_view text);
/// Whether a code point shows nothing, or moves what is shown.
bool isHidden(uint32_t codePoint);

} // namespace weft::rt

#endif // WEFT_RUNTIME_STATUS_QUOTE_H
