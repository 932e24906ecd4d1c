//===- RegularExpression.h - whole strings by a pattern ---------*- C++ -*-===//
//
// The syntax of RE2, which ONNX names, without the library: that would be the
// only thing that libweft.so needs beside libc and libstdc++, in another
// version on every system (docs/rationale/0027-strings.md). A test compares
// both.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_REGULAREXPRESSION_H
#define WEFT_RUNTIME_HOST_REGULAREXPRESSION_H

#include "runtime/status/Status.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::host {

/// A set of code points as ranges, both ends included.
using CodePointRanges = std::vector<std::pair<uint32_t, uint32_t>>;

/// A compiled pattern. Matching takes time in proportion to the string's length
/// times the pattern's size, whatever both are.
class RegularExpression {
public:
  /// Compiles a pattern in RE2's syntax, except that `(?i)` knows the pairs of
  /// LetterCase.h alone: RE2 also takes the long s and the sign of Kelvin for
  /// letters of ASCII. Code::InvalidArgument for what RE2
  /// refuses as well; Code::Unsupported for classes of Unicode (`\pL`), single
  /// bytes (`\C`) and patterns of more than 65536 parts, 65536 steps or 1 MiB.
  static rt::Result<RegularExpression> compile(std::string_view pattern);

  /// Whether all of `text` is a match. One that is no UTF-8 matches nothing.
  /// Ends early, with either, when it is asked to (runtime/status/Stop.h).
  bool matches(std::string_view text) const;

  /// A step of the machine; the next one is the one behind it unless said
  /// otherwise.
  struct Step {
    enum class Kind : uint8_t {
      Set,        ///< takes a code point of `sets[first]`
      Fork,       ///< goes on at `first` and at `second`
      Jump,       ///< goes on at `first`
      TextBegin,  ///< these take nothing and hold at some places only
      TextEnd,    //
      LineBegin,  //
      LineEnd,    //
      Boundary,   ///< between a letter, digit or _ of ASCII and what is none
      NoBoundary, //
      Match,      ///< if it is the end of the text
    };
    Kind kind = Kind::Match;
    uint32_t first = 0, second = 0;
  };

private:
  std::vector<Step> steps;
  std::vector<CodePointRanges> sets; ///< ascending, apart
};

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_REGULAREXPRESSION_H
