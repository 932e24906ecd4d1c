//===- LanePlan.cpp - which values of a group share lanes -----------------===//

#include "dialects/tpu/LanePlan.h"

#include <algorithm>
#include <map>

using namespace weft::tpu;

static int64_t modulo(int64_t number, int64_t divisor) {
  return (number % divisor + divisor) % divisor;
}

int LanePlan::addValue(int64_t channels, bool isMade) {
  int node = static_cast<int>(nodes.size());
  Node &value = nodes.emplace_back();
  value.channels = channels;
  value.isMade = isMade;
  value.room = value.alignment = node;
  value.members = {node};
  return node - 1;
}

LanePlan::Found LanePlan::findRoom(int node) {
  Found found{node, 0};
  while (nodes[found.root].room != found.root) {
    found.offset += nodes[found.root].channel;
    found.root = nodes[found.root].room;
  }
  nodes[node].room = found.root;
  nodes[node].channel = found.offset;
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

bool LanePlan::hasOverlap(int root) {
  std::map<int64_t, int64_t> made; // begin to end
  for (int member : nodes[root].members) {
    if (!nodes[member].isMade)
      continue;
    int64_t begin = findRoom(member).offset,
            end = begin + nodes[member].channels;
    auto after = made.lower_bound(begin);
    if ((after != made.end() && after->first < end) ||
        (after != made.begin() && std::prev(after)->second > begin))
      return true;
    made[begin] = end;
  }
  return false;
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
  std::vector<int> &members = nodes[outer.root].members;
  members.insert(members.end(), nodes[inner.root].members.begin(),
                 nodes[inner.root].members.end());
  nodes[inner.root].members.clear();
  possible &= !hasOverlap(outer.root);
}

int LanePlan::roomOf(int value) { return findRoom(value + 1).root - 1; }

int64_t LanePlan::channelsOfRoom(int value) {
  int64_t begin = 0, end = 0;
  for (int member : nodes[findRoom(value + 1).root].members) {
    int64_t offset = findRoom(member).offset;
    begin = std::min(begin, offset);
    end = std::max(end, offset + nodes[member].channels);
  }
  return end - begin;
}

std::vector<LanePlace> LanePlan::places() {
  // Per room, in the order of their widths: where it begins among its
  // alignment class, and its home.
  struct Room {
    int root, home;
    int64_t begin, channels;
  };
  std::vector<Room> rooms;
  for (int root = 1; root < int(nodes.size()); ++root) {
    if (findRoom(root).root != root)
      continue;
    Room room{root, root, 0, channelsOfRoom(root - 1)};
    for (int member : nodes[root].members) {
      room.begin = std::min(room.begin, findRoom(member).offset);
      if (nodes[member].channels > nodes[room.home].channels)
        room.home = member;
    }
    rooms.push_back(room);
  }
  std::stable_sort(
      rooms.begin(), rooms.end(),
      [](const Room &a, const Room &b) { return a.channels > b.channels; });
  std::vector<LanePlace> result(nodes.size() - 1);
  std::map<int, int64_t> laneOfClass{{0, 0}};
  for (const Room &room : rooms) {
    Found found = findAlignment(room.root);
    int64_t begin = found.offset + room.begin; // relative to the class
    auto lane = laneOfClass.try_emplace(found.root, -begin).first->second;
    int64_t first = modulo(lane + begin, lanes);
    for (int member : nodes[room.root].members) {
      int64_t position = first + findRoom(member).offset - room.begin;
      result[member - 1] = {room.home - 1, position % lanes, position / lanes,
                            (first + room.channels + lanes - 1) / lanes,
                            nodes[room.root].members.size() > 1};
    }
  }
  return result;
}
