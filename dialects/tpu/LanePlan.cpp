//===- LanePlan.cpp - which values of a group share lanes -----------------===//

#include "dialects/tpu/LanePlan.h"

#include <algorithm>

using namespace weft::tpu;

static int64_t modulo(int64_t number, int64_t divisor) {
  return (number % divisor + divisor) % divisor;
}

int LanePlan::addValue(int64_t channels, bool isMade) {
  int node = static_cast<int>(nodes.size());
  Node &value = nodes.emplace_back();
  value.channels = channels;
  value.room = value.alignment = node;
  value.contents = static_cast<int>(rooms.size());
  Contents &room = rooms.emplace_back();
  room.last = node;
  room.end = channels;
  if (isMade)
    room.made[0] = channels;
  return node - 1;
}

LanePlan::Found LanePlan::findRoom(int node) {
  Found found{node, 0};
  while (nodes[found.root].room != found.root) {
    found.offset += nodes[found.root].channel;
    found.root = nodes[found.root].room;
  }
  // Every node of the path goes under the root, or long chains of joined rooms
  // would be walked again and again.
  int64_t offset = found.offset;
  while (nodes[node].room != found.root) {
    Node &step = nodes[node];
    node = step.room;
    int64_t above = offset - step.channel;
    step.room = found.root;
    step.channel = offset;
    offset = above;
  }
  return found;
}

LanePlan::Found LanePlan::findAlignment(int node) {
  Found found{node, 0};
  while (nodes[found.root].alignment != found.root) {
    found.offset += nodes[found.root].lane;
    found.root = nodes[found.root].alignment;
  }
  nodes[node].alignment = found.root;
  nodes[node].lane = found.offset = modulo(found.offset, lanes);
  return found;
}

void LanePlan::relate(int a, int b, int64_t difference) {
  Found first = findAlignment(a + 1), second = findAlignment(b + 1);
  int64_t offset = modulo(second.offset + difference - first.offset, lanes);
  if (first.root == second.root) {
    possible &= offset == 0;
    return;
  }
  // Lane 0 remains a root.
  if (first.root == 0) {
    std::swap(first, second);
    offset = modulo(-offset, lanes);
  }
  nodes[first.root].alignment = second.root;
  nodes[first.root].lane = offset;
}

/// Puts the room of `inner` into that of `outer`, `offset` channels on. False
/// if two values are made in one place.
bool LanePlan::join(int outer, int inner, int64_t offset) {
  Contents &room = contentsOf(outer), &added = contentsOf(inner);
  nodes[room.last].next = inner;
  room.last = added.last;
  room.begin = std::min(room.begin, added.begin + offset);
  room.end = std::max(room.end, added.end + offset);
  added.shift += offset;
  if (room.made.size() < added.made.size()) {
    std::swap(room.made, added.made);
    std::swap(room.shift, added.shift);
  }
  bool isFree = true;
  for (auto [first, second] : added.made) {
    int64_t begin = first + added.shift - room.shift;
    int64_t end = second + added.shift - room.shift;
    auto after = room.made.lower_bound(begin);
    isFree &= after == room.made.end() || after->first >= end;
    isFree &= after == room.made.begin() || std::prev(after)->second <= begin;
    room.made[begin] = end;
  }
  added.made.clear();
  return isFree;
}

void LanePlan::placeInside(int part, int whole, int64_t channel) {
  relate(part, whole, channel);
  Found inner = findRoom(part + 1), outer = findRoom(whole + 1);
  int64_t offset = outer.offset + channel - inner.offset;
  if (inner.root == outer.root) {
    possible &= offset == 0;
    return;
  }
  nodes[inner.root].room = outer.root;
  nodes[inner.root].channel = offset;
  possible &= join(outer.root, inner.root, offset);
}

int LanePlan::roomOf(int value) { return findRoom(value + 1).root - 1; }

int64_t LanePlan::channelsOfRoom(int value) {
  const Contents &room = contentsOf(findRoom(value + 1).root);
  return room.end - room.begin;
}

std::vector<LanePlace> LanePlan::places() {
  // Per room, in the order of their widths: where it begins among its
  // alignment class, and its home.
  struct Room {
    int root, home;
    int64_t begin, channels;
  };
  std::vector<Room> order;
  for (int root = 1; root < int(nodes.size()); ++root) {
    if (findRoom(root).root != root)
      continue;
    Room room{root, root, contentsOf(root).begin, channelsOfRoom(root - 1)};
    for (int member = root; member != kNone; member = nodes[member].next)
      if (nodes[member].channels > nodes[room.home].channels)
        room.home = member;
    order.push_back(room);
  }
  std::stable_sort(
      order.begin(), order.end(),
      [](const Room &a, const Room &b) { return a.channels > b.channels; });
  std::vector<LanePlace> result(nodes.size() - 1);
  std::map<int, int64_t> laneOfClass{{0, 0}};
  for (const Room &room : order) {
    Found found = findAlignment(room.root);
    int64_t begin = found.offset + room.begin; // relative to the class
    auto lane = laneOfClass.try_emplace(found.root, -begin).first->second;
    int64_t first = modulo(lane + begin, lanes);
    bool isShared = nodes[room.root].next != kNone;
    for (int member = room.root; member != kNone; member = nodes[member].next) {
      int64_t position = first + findRoom(member).offset - room.begin;
      result[member - 1] = {room.home - 1, position % lanes, position / lanes,
                            (first + room.channels + lanes - 1) / lanes,
                            isShared};
    }
  }
  return result;
}
