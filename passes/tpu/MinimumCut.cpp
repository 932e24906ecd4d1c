//===- MinimumCut.cpp - the cheapest cut of a graph in two ----------------===//

#include "passes/tpu/MinimumCut.h"

#include <algorithm>

using namespace weft::tpu;

int MinimumCut::addNode() {
  edgesOf.emplace_back();
  return static_cast<int>(edgesOf.size()) - 1;
}

void MinimumCut::addEdge(int from, int to, int64_t cost) {
  edgesOf[from].push_back(static_cast<int>(edges.size()));
  edges.push_back({to, cost});
  edgesOf[to].push_back(static_cast<int>(edges.size()));
  edges.push_back({from, 0});
}

/// Distances from the first side; whether the second can be reached.
bool MinimumCut::findLevels() {
  levels.assign(edgesOf.size(), -1);
  levels[kFirst] = 0;
  std::vector<int> queue{kFirst};
  for (size_t i = 0; i < queue.size(); ++i)
    for (int number : edgesOf[queue[i]])
      if (const Edge &edge = edges[number];
          edge.left > 0 && levels[edge.to] < 0) {
        levels[edge.to] = levels[queue[i]] + 1;
        queue.push_back(edge.to);
      }
  return levels[kSecond] >= 0;
}

/// Sends what one way of rising levels has room for; false if there is none.
/// Without recursion: a chain of ops is as deep as the network.
bool MinimumCut::push() {
  std::vector<int> way;
  int at = kFirst;
  while (at != kSecond) {
    auto rises = [&](int number) {
      return edges[number].left > 0 &&
             levels[edges[number].to] == levels[at] + 1;
    };
    size_t &i = next[at];
    while (i < edgesOf[at].size() && !rises(edgesOf[at][i]))
      ++i;
    if (i < edgesOf[at].size()) {
      way.push_back(edgesOf[at][i]);
      at = edges[way.back()].to;
      continue;
    }
    if (way.empty())
      return false;
    at = edges[way.back() ^ 1].to; // a dead end
    way.pop_back();
    ++next[at];
  }
  int64_t sent = kNever;
  for (int number : way)
    sent = std::min(sent, edges[number].left);
  for (int number : way) {
    edges[number].left -= sent;
    edges[number ^ 1].left += sent;
  }
  return true;
}

std::vector<bool> MinimumCut::firstSide() {
  while (findLevels()) {
    next.assign(edgesOf.size(), 0);
    while (push())
      ;
  }
  std::vector<bool> isFirst;
  for (int level : levels)
    isFirst.push_back(level >= 0);
  return isFirst;
}
