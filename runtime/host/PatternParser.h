//===- PatternParser.h - regular expressions as trees -----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_HOST_PATTERNPARSER_H
#define WEFT_RUNTIME_HOST_PATTERNPARSER_H

#include "runtime/host/RegularExpression.h"

#include <string>

namespace weft::host {

/// Parts that a pattern may have, and steps that they may make.
inline constexpr size_t kMostPatternSteps = 1 << 16;

/// A part of a pattern. Greedy and lazy repetition are one: which way a whole
/// string matches does not matter.
struct PatternNode {
  enum class Kind : uint8_t { Set, Place, Sequence, Choice, Repeat };
  static constexpr int kUnbounded = -1;

  Kind kind = Kind::Sequence;
  CodePointRanges set;                      ///< of a Set
  RegularExpression::Step::Kind place = {}; ///< of a Place
  int least = 0, most = 0;                  ///< of a Repeat
  std::vector<PatternNode> parts;           ///< of the others; one of a Repeat
};

/// Whether `set`, ascending and apart, has `point`.
bool holdsPoint(const CodePointRanges &set, uint32_t point);

/// The tree of a pattern; fails as RegularExpression::compile().
rt::Result<PatternNode> parsePattern(std::string_view pattern);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_PATTERNPARSER_H
