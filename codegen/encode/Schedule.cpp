//===- Schedule.cpp - in which order commands are issued ------------------===//

#include "codegen/encode/Schedule.h"

#include <algorithm>
#include <numeric>
#include <queue>

using namespace weft;
using namespace weft::codegen;

namespace {
/// Who wrote bytes last, and who has read them since.
class Touches {
public:
  /// Calls `wait` with each task that must come before `reader`.
  template <typename Wait>
  void read(ByteRange range, size_t reader, Wait wait);
  template <typename Wait>
  void write(ByteRange range, size_t writer, Wait wait);

private:
  struct Segment {
    uint64_t end;
    std::optional<size_t> writer;
    std::vector<size_t> readers;
  };
  using Segments = std::map<uint64_t, Segment>; // by begin, disjoint

  Segments::iterator splitAt(uint64_t at);

  Segments segments;
};

/// Which tasks wait for which.
struct Dependences {
  explicit Dependences(const std::vector<Task> &tasks);
  /// Those in which time runs backwards.
  Dependences reversed() const;

  std::vector<std::vector<size_t>> successors;
  std::vector<size_t> predecessors; ///< how many

private:
  Dependences() = default;
};
} // namespace

/// The segment that begins at `at` or the first behind it; none reaches over
/// `at` afterwards.
Touches::Segments::iterator Touches::splitAt(uint64_t at) {
  auto next = segments.lower_bound(at);
  if (next == segments.begin())
    return next;
  auto before = std::prev(next);
  if (before->second.end <= at)
    return next;
  Segment tail = before->second;
  before->second.end = at;
  return segments.emplace_hint(next, at, std::move(tail));
}

template <typename Wait>
void Touches::read(ByteRange range, size_t reader, Wait wait) {
  if (range.begin >= range.end)
    return;
  splitAt(range.end);
  auto at = splitAt(range.begin);
  for (uint64_t begin = range.begin; begin < range.end;) {
    if (at == segments.end() || at->first > begin) { // nobody wrote these
      uint64_t end =
          at == segments.end() ? range.end : std::min(range.end, at->first);
      at = segments.emplace_hint(at, begin, Segment{end, std::nullopt, {}});
    }
    Segment &segment = at->second;
    if (segment.writer)
      wait(*segment.writer);
    segment.readers.push_back(reader);
    begin = segment.end;
    ++at;
  }
}

template <typename Wait>
void Touches::write(ByteRange range, size_t writer, Wait wait) {
  if (range.begin >= range.end)
    return;
  auto last = splitAt(range.end), first = splitAt(range.begin);
  for (auto at = first; at != last; ++at) {
    if (at->second.writer)
      wait(*at->second.writer);
    for (size_t reader : at->second.readers)
      wait(reader);
  }
  segments.erase(first, last);
  segments.emplace(range.begin, Segment{range.end, writer, {}});
}

namespace {
/// Bytes that some task writes. Others, as those of weights, have no order.
class WrittenBytes {
public:
  explicit WrittenBytes(const std::vector<Task> &tasks) {
    for (const Task &task : tasks)
      for (const TouchedBytes &bytes : task.touched.writes)
        ranges[bytes.memory].push_back(bytes.range);
    for (auto &[memory, list] : ranges) {
      std::sort(list.begin(), list.end(),
                [](ByteRange a, ByteRange b) { return a.begin < b.begin; });
      std::vector<ByteRange> merged;
      for (ByteRange range : list)
        if (merged.empty() || merged.back().end < range.begin)
          merged.push_back(range);
        else
          merged.back().end = std::max(merged.back().end, range.end);
      list = std::move(merged);
    }
  }

  bool overlaps(const TouchedBytes &bytes) const {
    auto found = ranges.find(bytes.memory);
    if (found == ranges.end())
      return false;
    const std::vector<ByteRange> &list = found->second;
    auto behind = std::upper_bound(
        list.begin(), list.end(), bytes.range.begin,
        [](uint64_t at, ByteRange range) { return at < range.end; });
    return behind != list.end() && behind->begin < bytes.range.end;
  }

private:
  std::map<catalog::Memory, std::vector<ByteRange>> ranges;
};
} // namespace

Dependences::Dependences(const std::vector<Task> &tasks)
    : successors(tasks.size()), predecessors(tasks.size(), 0) {
  WrittenBytes written(tasks);
  std::map<catalog::Memory, Touches> touches;
  for (size_t i = 0; i < tasks.size(); ++i) {
    auto wait = [&](size_t before) {
      if (before == i ||
          (!successors[before].empty() && successors[before].back() == i))
        return;
      successors[before].push_back(i);
      ++predecessors[i];
    };
    for (const TouchedBytes &bytes : tasks[i].touched.reads)
      if (written.overlaps(bytes))
        touches[bytes.memory].read(bytes.range, i, wait);
    for (const TouchedBytes &bytes : tasks[i].touched.writes)
      touches[bytes.memory].write(bytes.range, i, wait);
  }
}

Dependences Dependences::reversed() const {
  Dependences result;
  result.successors.resize(successors.size());
  for (size_t before = 0; before < successors.size(); ++before) {
    for (size_t after : successors[before])
      result.successors[after].push_back(before);
    result.predecessors.push_back(successors[before].size());
  }
  return result;
}

/// Cycles of the longest path from the begin of each task.
static std::vector<uint64_t> pathsFrom(const std::vector<Task> &tasks,
                                       const Dependences &dependences) {
  std::vector<uint64_t> paths(tasks.size());
  for (size_t i = tasks.size(); i-- > 0;) {
    for (size_t successor : dependences.successors[i])
      paths[i] = std::max(paths[i], paths[successor]);
    paths[i] += tasks[i].cycles;
  }
  return paths;
}

namespace {
/// Engines take, whenever they are free, the most urgent task that can begin.
class ListScheduler {
public:
  ListScheduler(const std::vector<Task> &tasks, const Dependences &dependences,
                const std::vector<uint64_t> &urgency)
      : tasks(tasks), dependences(dependences), urgency(urgency),
        missing(dependences.predecessors), earliest(tasks.size(), 0) {}

  std::vector<size_t> run();

private:
  using Entry = std::pair<uint64_t, size_t>;
  struct Engine {
    uint64_t free = 0;
    /// By the cycle from which they can begin, first first.
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
    /// Those that could have begun by now: the most urgent first, then as the
    /// tasks were given.
    std::priority_queue<Entry> ready;

    bool isEmpty() const { return ready.empty() && waiting.empty(); }
    uint64_t start() const {
      return ready.empty() ? std::max(free, waiting.top().first) : free;
    }
  };

  void release(size_t task);
  void finish(size_t task, uint64_t end);
  size_t next(Engine &engine);

  const std::vector<Task> &tasks;
  const Dependences &dependences;
  const std::vector<uint64_t> &urgency; ///< of each task
  std::vector<size_t> missing;    ///< predecessors without an end, of each task
  std::vector<uint64_t> earliest; ///< begin of each task by its predecessors
  Engine engines[2];
  std::vector<size_t> order;
};
} // namespace

/// All predecessors of the task have their ends.
void ListScheduler::release(size_t task) {
  if (tasks[task].engine)
    engines[size_t(*tasks[task].engine)].waiting.push({earliest[task], task});
  else
    finish(task, earliest[task]);
}

void ListScheduler::finish(size_t task, uint64_t end) {
  order.push_back(task);
  for (size_t successor : dependences.successors[task]) {
    earliest[successor] = std::max(earliest[successor], end);
    if (--missing[successor] == 0)
      release(successor);
  }
}

size_t ListScheduler::next(Engine &engine) {
  uint64_t start = engine.start();
  while (!engine.waiting.empty() && engine.waiting.top().first <= start) {
    size_t task = engine.waiting.top().second;
    engine.waiting.pop();
    engine.ready.push({urgency[task], tasks.size() - 1 - task});
  }
  size_t task = tasks.size() - 1 - engine.ready.top().second;
  engine.ready.pop();
  engine.free = start + tasks[task].cycles;
  return task;
}

std::vector<size_t> ListScheduler::run() {
  for (size_t i = 0; i < tasks.size(); ++i)
    if (dependences.predecessors[i] == 0)
      release(i);
  while (!engines[0].isEmpty() || !engines[1].isEmpty()) {
    bool isSecond =
        engines[0].isEmpty() ||
        (!engines[1].isEmpty() && engines[1].start() < engines[0].start());
    size_t task = next(engines[isSecond]);
    finish(task, engines[isSecond].free);
  }
  return std::move(order);
}

/// When each task ends if they are issued in `order`.
static std::vector<uint64_t> endsInOrder(const std::vector<Task> &tasks,
                                         const Dependences &dependences,
                                         const std::vector<size_t> &order) {
  std::vector<uint64_t> earliest(tasks.size(), 0), ends(tasks.size());
  uint64_t free[2] = {0, 0};
  for (size_t task : order) {
    uint64_t &end = ends[task] = earliest[task];
    if (tasks[task].engine) {
      uint64_t &engine = free[size_t(*tasks[task].engine)];
      engine = end = std::max(engine, end) + tasks[task].cycles;
    }
    for (size_t successor : dependences.successors[task])
      earliest[successor] = std::max(earliest[successor], end);
  }
  return ends;
}

namespace {
/// The best order so far.
class Choice {
public:
  Choice(const std::vector<Task> &tasks, const Dependences &dependences)
      : tasks(tasks), dependences(dependences) {}

  /// Whether `order` takes less time than all before.
  bool offer(std::vector<size_t> order) {
    std::vector<uint64_t> found = endsInOrder(tasks, dependences, order);
    uint64_t cycles =
        found.empty() ? 0 : *std::max_element(found.begin(), found.end());
    if (!best.order.empty() && cycles >= best.cycles)
      return false;
    best = {std::move(order), cycles};
    ends = std::move(found);
    return true;
  }

  Schedule best;
  std::vector<uint64_t> ends; ///< in it, of each task

private:
  const std::vector<Task> &tasks;
  const Dependences &dependences;
};
} // namespace

Schedule weft::codegen::bestSchedule(const std::vector<Task> &tasks) {
  Dependences dependences(tasks);
  Choice choice(tasks, dependences);
  std::vector<size_t> given(tasks.size());
  std::iota(given.begin(), given.end(), size_t(0));
  choice.offer(std::move(given));
  // Neither rule is always better; as they were given keeps tensors that are
  // made and read together together.
  for (const std::vector<uint64_t> &urgency :
       {pathsFrom(tasks, dependences), std::vector<uint64_t>(tasks.size(), 0)})
    choice.offer(ListScheduler(tasks, dependences, urgency).run());
  // A longest path does not know that others want the engine, too. The latest
  // begins of a schedule do: of one in which time runs backwards, what ended
  // last first (forward-backward improvement).
  constexpr int kRounds = 4; // no program of the benchmarks gained by more
  Dependences backward = dependences.reversed();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<uint64_t> latest = endsInOrder(
        tasks, backward, ListScheduler(tasks, backward, choice.ends).run());
    if (!choice.offer(ListScheduler(tasks, dependences, latest).run()))
      break;
  }
  return std::move(choice.best);
}
