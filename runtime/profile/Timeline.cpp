#include "runtime/profile/Timeline.h"

#include <algorithm>
#include <string>

using namespace weft;
using namespace weft::profile;
using isa::Engine;

static Engine other(Engine engine) {
  return engine == Engine::Tiu ? Engine::Gdma : Engine::Tiu;
}

namespace {

/// One group on its way; spans are filled in the order in which they become
/// known.
class GroupRun {
public:
  GroupRun(const IssuedGroup &issued, uint64_t begin, GroupSpans &spans)
      : issued(issued), begin(begin), spans(spans) {}

  /// False: no engine can go on.
  bool run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Engine engine : {Engine::Tiu, Engine::Gdma})
        while (step(engine))
          moved = true;
    }
    return isDone(Engine::Tiu) && isDone(Engine::Gdma);
  }

  /// "tiu command 3 waits for gdma command 5".
  std::string stuck() const {
    std::string text;
    for (Engine engine : {Engine::Tiu, Engine::Gdma})
      if (!isDone(engine)) {
        size_t at = spans.of(engine).size();
        text += std::string(text.empty() ? "" : ", ") + nameOf(engine) +
                std::to_string(at + 1) + " waits for " + nameOf(other(engine)) +
                std::to_string(issued.of(engine)[at].dep) + " of " +
                std::to_string(issued.of(other(engine)).size());
      }
    return text;
  }

private:
  static const char *nameOf(Engine engine) {
    return engine == Engine::Tiu ? "tiu command " : "gdma command ";
  }
  bool isDone(Engine engine) const {
    return spans.of(engine).size() == issued.of(engine).size();
  }
  bool step(Engine engine) {
    std::vector<Span> &own = spans.of(engine);
    const std::vector<Span> &rest = spans.of(other(engine));
    if (isDone(engine))
      return false;
    const Issued &command = issued.of(engine)[own.size()];
    if (command.dep > rest.size())
      return false;
    uint64_t free = own.empty() ? begin : own.back().end;
    uint64_t ready = command.dep == 0 ? begin : rest[command.dep - 1].end;
    Span span;
    span.start = std::max(free, ready);
    span.end = span.start + command.cycles;
    span.wait = span.start - free;
    own.push_back(span);
    return true;
  }

  const IssuedGroup &issued;
  uint64_t begin;
  GroupSpans &spans;
};

} // namespace

/// Walks back from the command that ends last. Every command starts where its
/// predecessor or its dependency ends, or at the start of the group.
static void markCritical(const IssuedGroup &issued, uint64_t begin,
                         GroupSpans &spans) {
  auto endOf = [&](Engine engine) {
    const std::vector<Span> &list = spans.of(engine);
    return list.empty() ? begin : list.back().end;
  };
  Engine engine =
      endOf(Engine::Gdma) > endOf(Engine::Tiu) ? Engine::Gdma : Engine::Tiu;
  size_t count = spans.of(engine).size(); // walk from command `count` (from 1)
  while (count != 0) {
    Span &span = spans.of(engine)[count - 1];
    span.isCritical = true;
    uint32_t dep = issued.of(engine)[count - 1].dep;
    if (span.wait == 0) {
      --count;
      continue;
    }
    // wait > 0 means that a dependency decided.
    engine = other(engine);
    count = dep;
  }
}

rt::Result<Timeline> profile::simulate(const std::vector<IssuedGroup> &groups) {
  Timeline timeline;
  timeline.groups.resize(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    uint64_t begin = timeline.totalCycles;
    GroupSpans &spans = timeline.groups[i];
    spans.tiu.reserve(groups[i].tiu.size());
    spans.gdma.reserve(groups[i].gdma.size());
    GroupRun run(groups[i], begin, spans);
    if (!run.run())
      return rt::fail(rt::Code::Deadlock,
                      "group " + std::to_string(i) + ": " + run.stuck());
    markCritical(groups[i], begin, spans);
    for (const std::vector<Span> *list : {&spans.tiu, &spans.gdma})
      if (!list->empty())
        timeline.totalCycles = std::max(timeline.totalCycles, list->back().end);
  }
  return timeline;
}
