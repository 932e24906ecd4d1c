//===- LetterCase.h - capital and small letters -----------------*- C++ -*-===//
//
// The mappings of towlower() depend on the locale and the C library, so that
// one model would give different results on two machines; these do not.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_LETTERCASE_H
#define WEFT_RUNTIME_HOST_LETTERCASE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::host {

/// The other case of a code point by CaseRanges.def; `codePoint` if it has
/// none. As many bytes of UTF-8.
uint32_t smallLetter(uint32_t codePoint);
uint32_t capitalLetter(uint32_t codePoint);

/// All capital letters with their small ones.
const std::vector<std::pair<uint32_t, uint32_t>> &letterPairs();

enum class LetterCase { Small, Capital };

/// `text` with each letter in that case; what is no UTF-8 stays. As long as
/// `text`.
std::string inCase(std::string_view text, LetterCase wanted);

/// Appends a code point, which must be below 0x110000, as UTF-8.
void appendUtf8(std::string &text, uint32_t codePoint);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_LETTERCASE_H
