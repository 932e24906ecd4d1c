//===- PatternParser.cpp - regular expressions as trees -------------------===//
//
// The syntax is https://github.com/google/re2/wiki/Syntax, as RE2 reads it
// without options (its Perl classes and `\b` are of ASCII).
//
//===----------------------------------------------------------------------===//

#include "runtime/host/PatternParser.h"
#include "runtime/host/LetterCase.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <optional>

using namespace weft;
using namespace weft::host;
using rt::Code;
using rt::Result;
using rt::Status;
using Kind = PatternNode::Kind;
using Place = RegularExpression::Step::Kind;

static constexpr uint32_t kLastCodePoint = 0x10FFFF;
/// Both as RE2.
static constexpr int kMostRepeats = 1000;
static constexpr int kDeepest = 1000;
/// A class takes up to 20 times its text.
static constexpr size_t kMostBytes = 1 << 20;

namespace {
struct NamedClass {
  std::string_view name;
  CodePointRanges ranges;
};

struct Flags {
  bool ignoresCase = false, lines = false, dotTakesNewline = false;
};

class Parser {
public:
  explicit Parser(std::string_view pattern)
      : rest(pattern), leftAtLastName(pattern.size() - pattern.rfind(":]")) {}

  Status parseAll(PatternNode &node);

private:
  bool take(std::string_view word) {
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool takePoint(uint32_t &point);
  Status parseChoice(PatternNode &node);
  Status parseSequence(PatternNode &node);
  Status parseAtom(PatternNode &node, bool &isFlags);
  Status parseGroup(PatternNode &node, bool &isFlags);
  Status parseFlags(bool &isRest);
  Status parseRepeat(PatternNode &node);
  bool takeCounts(int &least, int &most);
  bool isRepeat();
  Status takeQuoted(PatternNode &sequence);
  Status parseEscape(PatternNode &node);
  Status parseEscapedPoint(uint32_t &point);
  Status parseHex(uint32_t &point);
  Status parseClass(PatternNode &node);
  Status parseClassItem(CodePointRanges &set);
  Status parseClassPoint(uint32_t &point);
  bool takePerlClass(CodePointRanges &set);
  Status takePosixClass(CodePointRanges &set, bool &taken);
  PatternNode setNode(CodePointRanges set) const;
  Status countPart();

  std::string_view rest;
  /// Of `rest`, at the last :] of the pattern; more than all if it has none.
  /// So no other [: is a reason to look through the pattern.
  size_t leftAtLastName;
  Flags flags;
  int depth = 0;
  size_t parts = 0;
};
} // namespace

static Status wrong(const char *what) {
  return rt::fail(Code::InvalidArgument, what);
}

/// To be asked before a part is made: a pattern comes out of a file.
Status Parser::countPart() {
  return ++parts <= kMostPatternSteps
             ? Status::ok()
             : rt::failf(Code::Unsupported,
                         "it has more than %zu parts; make it shorter",
                         kMostPatternSteps);
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static const std::vector<NamedClass> &posixClasses() {
  static const std::vector<NamedClass> classes = {
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"ascii", {{0, 0x7F}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{'!', '~'}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {{'A', 'Z'}}},
      {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  };
  return classes;
}

/// Ascending and apart.
static void normalize(CodePointRanges &set) {
  std::sort(set.begin(), set.end());
  CodePointRanges merged;
  for (auto [first, last] : set) {
    if (!merged.empty() && first <= merged.back().second + 1)
      merged.back().second = std::max(merged.back().second, last);
    else
      merged.push_back({first, last});
  }
  set = std::move(merged);
}

/// What a normalized set lacks.
static CodePointRanges negated(const CodePointRanges &set) {
  CodePointRanges others;
  uint32_t next = 0;
  for (auto [first, last] : set) {
    if (first > next)
      others.push_back({next, first - 1});
    next = last + 1;
  }
  if (next <= kLastCodePoint)
    others.push_back({next, kLastCodePoint});
  return others;
}

bool host::holdsPoint(const CodePointRanges &set, uint32_t point) {
  auto behind = std::upper_bound(set.begin(), set.end(),
                                 std::pair(point, kLastCodePoint));
  return behind != set.begin() && std::prev(behind)->second >= point;
}

/// Adds the other case of each letter of a normalized set.
static void addCases(CodePointRanges &set) {
  if (set.size() == 1 && set[0].first == set[0].second) { // most are
    uint32_t point = set[0].first, small = smallLetter(point);
    uint32_t other = small != point ? small : capitalLetter(point);
    if (other != point)
      set.push_back({other, other});
    return normalize(set);
  }
  CodePointRanges added;
  for (auto [capital, small] : letterPairs()) {
    bool hasCapital = holdsPoint(set, capital),
         hasSmall = holdsPoint(set, small);
    if (hasCapital != hasSmall) {
      uint32_t other = hasCapital ? small : capital;
      added.push_back({other, other});
    }
  }
  set.insert(set.end(), added.begin(), added.end());
  normalize(set);
}

PatternNode Parser::setNode(CodePointRanges set) const {
  normalize(set);
  if (flags.ignoresCase)
    addCases(set);
  PatternNode node;
  node.kind = Kind::Set;
  node.set = std::move(set);
  return node;
}

static PatternNode placeNode(Place place) {
  PatternNode node;
  node.kind = Kind::Place;
  node.place = place;
  return node;
}

/// `\d` and the like.
bool Parser::takePerlClass(CodePointRanges &set) {
  if (rest.size() < 2 || rest[0] != '\\')
    return false;
  constexpr std::string_view kLetters = "dDsSwW";
  size_t letter = kLetters.find(rest[1]);
  if (letter == std::string_view::npos)
    return false;
  rest.remove_prefix(2);
  static const CodePointRanges kSets[] = {
      {{'0', '9'}},
      {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}, // without \v
      {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
  };
  CodePointRanges chosen = kSets[letter / 2];
  if (letter % 2)
    chosen = negated(chosen);
  set.insert(set.end(), chosen.begin(), chosen.end());
  return true;
}

/// `[:alpha:]`, `[:^alpha:]`, inside of a class.
Status Parser::takePosixClass(CodePointRanges &set, bool &taken) {
  taken = false;
  if (rest.substr(0, 2) != "[:" || rest.size() - 2 < leftAtLastName)
    return Status::ok();
  size_t end = rest.find(":]", 2);
  std::string_view name = rest.substr(2, end - 2);
  bool isNegated = !name.empty() && name[0] == '^';
  if (isNegated)
    name.remove_prefix(1);
  for (const NamedClass &known : posixClasses()) {
    if (known.name != name)
      continue;
    CodePointRanges chosen = isNegated ? negated(known.ranges) : known.ranges;
    set.insert(set.end(), chosen.begin(), chosen.end());
    rest.remove_prefix(end + 2);
    taken = true;
    return Status::ok();
  }
  return wrong("there is no class of this name between [: and :]");
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// False at the end. (The pattern is UTF-8.)
bool Parser::takePoint(uint32_t &point) {
  rt::CodePoint next = rt::firstCodePoint(rest);
  point = next.value;
  rest.remove_prefix(next.bytes);
  return next.bytes != 0;
}

static std::optional<uint32_t> hexDigit(char digit) {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F')
    return digit - 'A' + 10;
  return std::nullopt;
}

/// What follows `\x`: two digits, or some in braces.
Status Parser::parseHex(uint32_t &point) {
  bool inBraces = take("{");
  point = 0;
  size_t digits = 0;
  while (!rest.empty() && (inBraces || digits < 2)) {
    std::optional<uint32_t> digit = hexDigit(rest[0]);
    if (!digit)
      break;
    point = point * 16 + *digit;
    if (point > kLastCodePoint)
      return wrong("\\x gives a number above 10FFFF");
    rest.remove_prefix(1);
    ++digits;
  }
  bool isWhole = inBraces ? digits > 0 && take("}") : digits == 2;
  return isWhole ? Status::ok()
                 : wrong("\\x needs two hexadecimal digits, or some in {}");
}

/// One that begins with a backslash.
Status Parser::parseEscapedPoint(uint32_t &point) {
  rest.remove_prefix(1);
  if (!takePoint(point))
    return wrong("it ends with a backslash");
  bool isOctal =
      point == '0' || (point >= '1' && point <= '7' && !rest.empty() &&
                       rest[0] >= '0' && rest[0] <= '7');
  if (isOctal) {
    point -= '0';
    for (int i = 0; i < 2 && !rest.empty() && rest[0] >= '0' && rest[0] <= '7';
         ++i, rest.remove_prefix(1))
      point = point * 8 + uint32_t(rest[0] - '0');
    return Status::ok();
  }
  constexpr std::string_view kLetters = "afnrtv", kMeanings = "\a\f\n\r\t\v";
  if (size_t at = point < 0x80 ? kLetters.find(char(point)) : std::string::npos;
      at != std::string_view::npos) {
    point = uint32_t(kMeanings[at]);
    return Status::ok();
  }
  if (point == 'x')
    return parseHex(point);
  if (point == 'p' || point == 'P')
    return rt::fail(Code::Unsupported,
                    "classes of Unicode (\\p) are not supported; write ranges");
  if (point == 'C')
    return rt::fail(Code::Unsupported, "single bytes (\\C) are not supported");
  bool isWord = (point >= '0' && point <= '9') || // not _, as RE2
                (point >= 'A' && point <= 'Z') ||
                (point >= 'a' && point <= 'z');
  return point < 0x80 && !isWord
             ? Status::ok()
             : wrong("there is no such character behind a backslash");
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

Status Parser::parseClassPoint(uint32_t &point) {
  if (!rest.empty() && rest[0] == '\\')
    return parseEscapedPoint(point);
  return takePoint(point) ? Status::ok() : wrong("a ] is missing");
}

Status Parser::parseClassItem(CodePointRanges &set) {
  bool isNamed = false;
  WEFT_TRY(takePosixClass(set, isNamed));
  if (isNamed || takePerlClass(set))
    return Status::ok();
  uint32_t first = 0, last = 0;
  WEFT_TRY(parseClassPoint(first));
  last = first;
  if (rest.size() >= 2 && rest[0] == '-' && rest[1] != ']') {
    rest.remove_prefix(1);
    WEFT_TRY(parseClassPoint(last));
    if (last < first)
      return wrong("a range in [] ends before it begins");
  }
  set.push_back({first, last});
  return Status::ok();
}

Status Parser::parseClass(PatternNode &node) {
  bool isNegated = take("^");
  CodePointRanges set;
  // A ] that comes first is one of its characters.
  do {
    if (rest.empty())
      return wrong("a ] is missing");
    WEFT_TRY(parseClassItem(set));
  } while (!take("]"));
  node = setNode(std::move(set));
  if (isNegated)
    node.set = negated(node.set);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

Status Parser::parseEscape(PatternNode &node) {
  if (CodePointRanges set; takePerlClass(set)) {
    node = setNode(std::move(set));
    return Status::ok();
  }
  constexpr std::pair<std::string_view, Place> kPlaces[] = {
      {"\\A", Place::TextBegin},
      {"\\z", Place::TextEnd},
      {"\\b", Place::Boundary},
      {"\\B", Place::NoBoundary}};
  for (auto [word, place] : kPlaces)
    if (take(word)) {
      node = placeNode(place);
      return Status::ok();
    }
  uint32_t point = 0;
  WEFT_TRY(parseEscapedPoint(point));
  node = setNode({{point, point}});
  return Status::ok();
}

/// What follows `(?`: `i-s)` for the rest of the group, or `i-s:` for a group.
Status Parser::parseFlags(bool &isRest) {
  bool value = true, any = false;
  while (!rest.empty()) {
    char letter = rest[0];
    rest.remove_prefix(1);
    if (letter == ')' || letter == ':') {
      isRest = letter == ')';
      return !value && !any ? wrong("a flag is missing behind (?-")
                            : Status::ok();
    }
    bool isMinus = letter == '-' && value;
    any = !isMinus;
    if (isMinus)
      value = false;
    else if (letter == 'i')
      flags.ignoresCase = value;
    else if (letter == 'm')
      flags.lines = value;
    else if (letter == 's')
      flags.dotTakesNewline = value;
    else if (letter != 'U') // lazy or greedy
      break;
  }
  return wrong("a group begins with (?, but no flags follow");
}

/// What follows `(`.
Status Parser::parseGroup(PatternNode &node, bool &isFlags) {
  Flags outer = flags;
  if (take("?P<") || (rest.substr(0, 2) == "?<" && take("?<"))) {
    size_t end = rest.find('>');
    std::string_view name = rest.substr(0, end);
    bool isName = end != std::string_view::npos && !name.empty() &&
                  std::all_of(name.begin(), name.end(), [](char c) {
                    return (c >= '0' && c <= '9') || c == '_' ||
                           (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
                  });
    if (!isName)
      return wrong("the name of a group must be letters, digits and _");
    rest.remove_prefix(end + 1);
  } else if (take("?")) {
    WEFT_TRY(parseFlags(isFlags));
    if (isFlags)
      return Status::ok();
  }
  WEFT_TRY(parseChoice(node));
  if (!take(")"))
    return wrong("a ) is missing");
  flags = outer;
  return Status::ok();
}

/// `isFlags`: it is no part, but flags for the rest of the group.
Status Parser::parseAtom(PatternNode &node, bool &isFlags) {
  if (take("("))
    return parseGroup(node, isFlags);
  if (take("["))
    return parseClass(node);
  if (rest[0] == '\\')
    return parseEscape(node);
  if (take(".")) {
    node.kind = Kind::Set;
    node.set = flags.dotTakesNewline ? negated({}) : negated({{'\n', '\n'}});
    return Status::ok();
  }
  if (take("^")) {
    node = placeNode(flags.lines ? Place::LineBegin : Place::TextBegin);
    return Status::ok();
  }
  if (take("$")) {
    node = placeNode(flags.lines ? Place::LineEnd : Place::TextEnd);
    return Status::ok();
  }
  uint32_t point = 0;
  takePoint(point);
  node = setNode({{point, point}});
  return Status::ok();
}

/// `{n}`, `{n,}` or `{n,m}`; what looks otherwise are characters.
bool Parser::takeCounts(int &least, int &most) {
  std::string_view all = rest;
  auto number = [&](int &value) {
    size_t digits = 0;
    for (value = 0; !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
         ++digits, rest.remove_prefix(1))
      value = std::min(value * 10 + (rest[0] - '0'), kMostRepeats + 1);
    return digits > 0;
  };
  bool isCounts = take("{") && number(least);
  most = least;
  if (isCounts && take(",") && !number(most))
    most = PatternNode::kUnbounded;
  if (isCounts && take("}"))
    return true;
  rest = all;
  return false;
}

bool Parser::isRepeat() {
  std::string_view here = rest;
  int least = 0, most = 0;
  bool found =
      (!rest.empty() && (rest[0] == '*' || rest[0] == '+' || rest[0] == '?')) ||
      takeCounts(least, most);
  rest = here;
  return found;
}

/// One repetition of `node`.
Status Parser::parseRepeat(PatternNode &node) {
  int least = 0, most = PatternNode::kUnbounded;
  if (take("+"))
    least = 1;
  else if (take("?"))
    most = 1;
  else if (!take("*"))
    takeCounts(least, most);
  take("?"); // lazy
  if (least > kMostRepeats || most > kMostRepeats ||
      (most != PatternNode::kUnbounded && most < least))
    return wrong("a repetition is more than 1000 times, or ends before it "
                 "begins");
  PatternNode repeat;
  repeat.kind = Kind::Repeat;
  repeat.least = least;
  repeat.most = most;
  repeat.parts.push_back(std::move(node));
  node = std::move(repeat);
  if (isRepeat())
    return wrong("a repetition is repeated; put it in brackets");
  return Status::ok();
}

/// What follows `\\Q`, up to `\\E`: characters.
Status Parser::takeQuoted(PatternNode &sequence) {
  size_t end = std::min(rest.find("\\E"), rest.size());
  for (std::string_view text = rest.substr(0, end); !text.empty();) {
    WEFT_TRY(countPart());
    rt::CodePoint point = rt::firstCodePoint(text);
    sequence.parts.push_back(setNode({{point.value, point.value}}));
    text.remove_prefix(point.bytes);
  }
  rest.remove_prefix(end);
  take("\\E");
  return Status::ok();
}

Status Parser::parseSequence(PatternNode &node) {
  node.kind = Kind::Sequence;
  WEFT_TRY(countPart());
  while (!rest.empty() && rest[0] != '|' && rest[0] != ')') {
    if (take("\\Q")) {
      WEFT_TRY(takeQuoted(node));
    } else if (isRepeat()) {
      if (node.parts.empty())
        return wrong("there is nothing before a repetition");
      WEFT_TRY(parseRepeat(node.parts.back()));
    } else {
      WEFT_TRY(countPart());
      PatternNode part;
      bool isFlags = false;
      WEFT_TRY(parseAtom(part, isFlags));
      if (!isFlags)
        node.parts.push_back(std::move(part));
    }
  }
  return Status::ok();
}

Status Parser::parseChoice(PatternNode &node) {
  if (++depth > kDeepest)
    return wrong("it has groups within groups more than 1000 times");
  node.kind = Kind::Choice;
  do {
    WEFT_TRY(parseSequence(node.parts.emplace_back()));
  } while (take("|"));
  --depth;
  return Status::ok();
}

Status Parser::parseAll(PatternNode &node) {
  if (rest.size() > kMostBytes)
    return rt::failf(Code::Unsupported,
                     "it has %zu bytes; there may be at most %zu", rest.size(),
                     kMostBytes);
  if (!rt::isUtf8(rest))
    return wrong("it is no UTF-8");
  WEFT_TRY(parseChoice(node));
  return rest.empty() ? Status::ok() : wrong("a ) has no ( before it");
}

Result<PatternNode> host::parsePattern(std::string_view pattern) {
  PatternNode node;
  WEFT_TRY(Parser(pattern).parseAll(node));
  return node;
}
