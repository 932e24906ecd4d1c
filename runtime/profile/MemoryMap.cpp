#include "runtime/profile/MemoryMap.h"

#include <algorithm>

using namespace weft;
using namespace weft::profile;

void LiveRanges::splitAt(uint32_t at) {
  auto next = live.upper_bound(at);
  if (next == live.begin())
    return;
  auto entry = std::prev(next);
  if (entry->first == at || entry->second.end <= at)
    return;
  LiveRange tail = entry->second;
  entry->second.end = at;
  tail.begin = at;
  live.emplace_hint(next, at, tail);
}

/// Pieces of one value that different reads cut apart join again where they
/// died together.
void LiveRanges::emit(const LiveRange &range) {
  if (!dead.empty()) {
    LiveRange &last = dead.back();
    if (last.end == range.begin && last.writer == range.writer &&
        last.from == range.from && last.to == range.to &&
        last.isRead == range.isRead) {
      last.end = range.end;
      return;
    }
  }
  dead.push_back(range);
}

void LiveRanges::read(const isa::Access &access, const Span &span) {
  uint32_t begin = uint32_t(access.begin), end = uint32_t(access.end);
  splitAt(begin);
  splitAt(end);
  for (auto entry = live.lower_bound(begin);
       entry != live.end() && entry->first < end; ++entry) {
    entry->second.to = std::max(entry->second.to, span.end);
    entry->second.isRead = true;
  }
}

void LiveRanges::write(const isa::Access &access, const Span &span,
                       uint32_t number) {
  uint32_t begin = uint32_t(access.begin), end = uint32_t(access.end);
  if (begin >= end)
    return;
  splitAt(begin);
  splitAt(end);
  auto first = live.lower_bound(begin), last = live.lower_bound(end);
  for (auto entry = first; entry != last; ++entry) {
    // A command that works in place reads the old value while it writes.
    entry->second.to = std::min(entry->second.to, span.start);
    emit(entry->second);
  }
  live.erase(first, last);
  LiveRange range;
  range.begin = begin;
  range.end = end;
  range.from = span.start;
  range.to = span.end;
  range.writer = number;
  live.emplace(begin, range);
}

void LiveRanges::add(uint32_t number, const Span &span,
                     const std::vector<isa::Access> &accesses) {
  for (const isa::Access &access : accesses)
    if (access.memory == isa::Memory::Local && !access.isWrite)
      read(access, span);
  for (const isa::Access &access : accesses)
    if (access.memory == isa::Memory::Local && access.isWrite)
      write(access, span, number);
}

std::vector<LiveRange> LiveRanges::finish() {
  for (const auto &entry : live)
    emit(entry.second);
  live.clear();
  return std::move(dead);
}

MemoryUse profile::occupancyOf(const std::vector<LiveRange> &ranges,
                               unsigned banks, unsigned bankBytes,
                               uint64_t totalCycles) {
  struct Event {
    uint64_t time;
    int64_t bytes;
    unsigned bank;
  };
  std::vector<Event> events;
  for (const LiveRange &range : ranges)
    for (unsigned bank = range.begin / bankBytes;
         bank < banks && bank * bankBytes < range.end; ++bank) {
      int64_t bytes = std::min(range.end, (bank + 1) * bankBytes) -
                      std::max(range.begin, bank * bankBytes);
      events.push_back({range.from, bytes, bank});
      events.push_back({range.to, -bytes, bank});
    }
  // What dies makes room for what is born in the same cycle.
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
  });
  MemoryUse use;
  use.banks.resize(banks);
  std::vector<int64_t> now(banks);
  int64_t whole = 0;
  for (const Event &event : events) {
    now[event.bank] += event.bytes;
    whole += event.bytes;
    Occupancy &bank = use.banks[event.bank];
    bank.peakBytes = std::max(bank.peakBytes, uint64_t(now[event.bank]));
    use.whole.peakBytes = std::max(use.whole.peakBytes, uint64_t(whole));
    if (totalCycles != 0) // bytes * lifetime, from both ends of the lifetime
      bank.meanBytes -= double(event.bytes) * double(event.time) / totalCycles;
  }
  for (const Occupancy &bank : use.banks)
    use.whole.meanBytes += bank.meanBytes;
  return use;
}
