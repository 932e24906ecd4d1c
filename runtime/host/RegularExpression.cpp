//===- RegularExpression.cpp - whole strings by a pattern -----------------===//

#include "runtime/host/RegularExpression.h"
#include "runtime/host/PatternParser.h"
#include "runtime/status/Quote.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <map>

using namespace weft;
using namespace weft::host;
using rt::Code;
using rt::Result;
using rt::Status;
using Step = RegularExpression::Step;

/// Steps, each some tens of nanoseconds.
static constexpr size_t kBetweenStops = 4096;

namespace {
/// Makes steps of a tree: for each node those that take what it matches, one
/// behind the other, so that the end of each is the beginning of the next.
class Assembler {
public:
  Assembler(std::vector<Step> &steps, std::vector<CodePointRanges> &sets)
      : steps(steps), sets(sets) {}

  /// False if there are too many.
  bool add(const PatternNode &node);
  bool put(Step step) {
    steps.push_back(step);
    return steps.size() <= kMostPatternSteps;
  }

private:
  uint32_t next() const { return uint32_t(steps.size()); }
  bool addChoice(const PatternNode &node);
  bool addRepeat(const PatternNode &node);

  std::vector<Step> &steps;
  std::vector<CodePointRanges> &sets;
  /// What is repeated has its set once.
  std::map<const PatternNode *, uint32_t> known;
  /// Nodes that were added: repetitions of nothing make no steps.
  size_t added = 0;
};
} // namespace

bool Assembler::addChoice(const PatternNode &node) {
  std::vector<uint32_t> ends; // jumps behind the last way
  for (size_t i = 0; i < node.parts.size(); ++i) {
    bool isLast = i + 1 == node.parts.size();
    uint32_t fork = next();
    if (!isLast && !put({Step::Kind::Fork, fork + 1, 0}))
      return false;
    if (!add(node.parts[i]))
      return false;
    if (isLast)
      break;
    ends.push_back(next());
    if (!put({Step::Kind::Jump, 0, 0}))
      return false;
    steps[fork].second = next();
  }
  for (uint32_t end : ends)
    steps[end].first = next();
  return true;
}

bool Assembler::addRepeat(const PatternNode &node) {
  const PatternNode &part = node.parts[0];
  for (int i = 0; i < node.least; ++i)
    if (!add(part))
      return false;
  if (node.most == PatternNode::kUnbounded) {
    uint32_t fork = next();
    if (!put({Step::Kind::Fork, fork + 1, 0}) || !add(part) ||
        !put({Step::Kind::Jump, fork, 0}))
      return false;
    steps[fork].second = next();
    return true;
  }
  std::vector<uint32_t> forks;
  for (int i = node.least; i < node.most; ++i) {
    forks.push_back(next());
    if (!put({Step::Kind::Fork, next() + 1, 0}) || !add(part))
      return false;
  }
  for (uint32_t fork : forks)
    steps[fork].second = next();
  return true;
}

bool Assembler::add(const PatternNode &node) {
  if (++added > 8 * kMostPatternSteps)
    return false;
  switch (node.kind) {
  case PatternNode::Kind::Set: {
    auto [place, isNew] = known.try_emplace(&node, uint32_t(sets.size()));
    if (isNew)
      sets.push_back(node.set);
    return put({Step::Kind::Set, place->second, 0});
  }
  case PatternNode::Kind::Place:
    return put({node.place, 0, 0});
  case PatternNode::Kind::Sequence:
    return std::all_of(node.parts.begin(), node.parts.end(),
                       [&](const PatternNode &part) { return add(part); });
  case PatternNode::Kind::Choice:
    return addChoice(node);
  case PatternNode::Kind::Repeat:
    return addRepeat(node);
  }
  return false;
}

Result<RegularExpression> RegularExpression::compile(std::string_view pattern) {
  Result<PatternNode> tree = parsePattern(pattern);
  if (!tree)
    return tree.status();
  RegularExpression made;
  Assembler assembler(made.steps, made.sets);
  if (!assembler.add(*tree) || !assembler.put({Step::Kind::Match, 0, 0}))
    return rt::failf(Code::Unsupported,
                     "it has more than %zu steps, repetitions written out; "
                     "repeat less",
                     kMostPatternSteps);
  return made;
}

namespace {
/// What is around a place between two characters.
struct Surroundings {
  bool atBegin = true, atEnd = true;
  uint32_t before = 0, after = 0;

  static bool isWord(uint32_t point) {
    return (point >= '0' && point <= '9') || point == '_' ||
           (point >= 'A' && point <= 'Z') || (point >= 'a' && point <= 'z');
  }
  bool isBoundary() const {
    return (!atBegin && isWord(before)) != (!atEnd && isWord(after));
  }
  bool allows(Step::Kind place) const {
    switch (place) {
    case Step::Kind::TextBegin:
      return atBegin;
    case Step::Kind::TextEnd:
      return atEnd;
    case Step::Kind::LineBegin:
      return atBegin || before == '\n';
    case Step::Kind::LineEnd:
      return atEnd || after == '\n';
    case Step::Kind::Boundary:
      return isBoundary();
    default:
      return !isBoundary();
    }
  }
};

/// The steps that a machine may be at; each once.
class Reached {
public:
  explicit Reached(const std::vector<Step> &steps)
      : steps(&steps), has(steps.size()) {}

  /// Adds `step` and all that is reached from it without a character.
  void add(uint32_t step, const Surroundings &around) {
    waiting.assign(1, step);
    while (!waiting.empty()) {
      uint32_t at = waiting.back();
      waiting.pop_back();
      if (has[at])
        continue;
      has[at] = true;
      all.push_back(at);
      const Step &found = (*steps)[at];
      switch (found.kind) {
      case Step::Kind::Set:
      case Step::Kind::Match:
        break;
      case Step::Kind::Fork:
        waiting.push_back(found.second);
        [[fallthrough]];
      case Step::Kind::Jump:
        waiting.push_back(found.first);
        break;
      default:
        if (around.allows(found.kind))
          waiting.push_back(at + 1);
      }
    }
  }
  void clear() {
    for (uint32_t at : all)
      has[at] = false;
    all.clear();
  }
  const std::vector<uint32_t> &list() const { return all; }
  bool matches() const {
    return std::any_of(all.begin(), all.end(), [&](uint32_t at) {
      return (*steps)[at].kind == Step::Kind::Match;
    });
  }

private:
  const std::vector<Step> *steps;
  std::vector<bool> has;
  std::vector<uint32_t> all, waiting;
};
} // namespace

bool RegularExpression::matches(std::string_view text) const {
  if (!rt::isUtf8(text))
    return false;
  Reached now(steps), next(steps);
  Surroundings around;
  rt::CodePoint point = rt::firstCodePoint(text);
  around.atEnd = text.empty();
  around.after = point.value;
  now.add(0, around);
  size_t untilStop = kBetweenStops;
  while (!text.empty()) {
    if (now.list().size() >= untilStop) {
      if (rt::stopRequested())
        return false;
      untilStop = kBetweenStops;
    } else {
      untilStop -= now.list().size();
    }
    text.remove_prefix(point.bytes);
    uint32_t taken = point.value;
    point = rt::firstCodePoint(text);
    around = {false, text.empty(), taken, point.value};
    next.clear();
    for (uint32_t at : now.list())
      if (steps[at].kind == Step::Kind::Set &&
          holdsPoint(sets[steps[at].first], taken))
        next.add(at + 1, around);
    std::swap(now, next);
    if (now.list().empty())
      return false;
  }
  return now.matches();
}
