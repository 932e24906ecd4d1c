//===- Hazards.cpp - who touched which bytes last ------------------------===//

#include "codegen/encode/Hazards.h"

#include <algorithm>

using namespace weft;
using namespace weft::codegen;

std::map<uint64_t, LastTouch::Entry>::iterator LastTouch::splitAt(uint64_t at) {
  auto next = entries.upper_bound(at);
  if (next == entries.begin())
    return next;
  auto entry = std::prev(next);
  if (entry->first == at)
    return entry;
  if (entry->second.end <= at)
    return next;
  Entry tail = entry->second;
  entry->second.end = at;
  return entries.emplace_hint(next, at, tail);
}

void LastTouch::assign(ByteRange range, uint64_t value) {
  if (range.begin >= range.end)
    return;
  auto first = splitAt(range.begin);
  auto last = splitAt(range.end);
  // splitAt(end) may have split the entry that `first` names, but never moved
  // it.
  first = entries.lower_bound(range.begin);
  entries.erase(first, last);
  entries.emplace(range.begin, Entry{range.end, value});
}

uint64_t LastTouch::largest(ByteRange range, uint64_t forget) {
  uint64_t result = 0;
  if (range.begin >= range.end)
    return result;
  auto entry = entries.upper_bound(range.begin);
  if (entry != entries.begin())
    --entry;
  while (entry != entries.end() && entry->first < range.end) {
    if (entry->second.end <= range.begin) {
      ++entry;
      continue;
    }
    if (entry->second.value <= forget) {
      entry = entries.erase(entry);
      continue;
    }
    result = std::max(result, entry->second.value);
    ++entry;
  }
  return result;
}

void LastTouch::visit(ByteRange range,
                      llvm::function_ref<void(uint64_t value)> visit) const {
  auto entry = entries.upper_bound(range.begin);
  if (entry != entries.begin())
    --entry;
  for (; entry != entries.end() && entry->first < range.end; ++entry)
    if (entry->second.end > range.begin)
      visit(entry->second.value);
}

uint32_t HazardTracker::add(isa::Engine engine, uint32_t id,
                            const std::vector<ByteRange> &reads,
                            const std::vector<ByteRange> &writes) {
  PerEngine &own = engines[size_t(engine)],
            &other = engines[1 - size_t(engine)];
  uint64_t dep = 0;
  for (ByteRange range : reads)
    dep = std::max(dep, other.writes.largest(range, own.waitedFor));
  for (ByteRange range : writes) {
    dep = std::max(dep, other.writes.largest(range, own.waitedFor));
    dep = std::max(dep, other.reads.largest(range, own.waitedFor));
  }
  own.waitedFor = std::max<uint32_t>(own.waitedFor, uint32_t(dep));
  for (ByteRange range : reads)
    own.reads.assign(range, id);
  for (ByteRange range : writes)
    own.writes.assign(range, id);
  return uint32_t(dep);
}

void HazardTracker::clear() {
  for (PerEngine &engine : engines) {
    engine.reads.clear();
    engine.writes.clear();
    engine.waitedFor = 0;
  }
}
