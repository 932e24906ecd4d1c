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

/// Sends up to `most` from `node` to the second side; what arrived.
int64_t MinimumCut::push(int node, int64_t most) {
  if (node == kSecond)
    return most;
  for (size_t &i = next[node]; i < edgesOf[node].size(); ++i) {
    int number = edgesOf[node][i];
    int to = edges[number].to;
    if (edges[number].left <= 0 || levels[to] != levels[node] + 1)
      continue;
    if (int64_t sent = push(to, std::min(most, edges[number].left))) {
      edges[number].left -= sent;
      edges[number ^ 1].left += sent;
      return sent;
    }
  }
  return 0;
}

std::vector<bool> MinimumCut::firstSide() {
  while (findLevels()) {
    next.assign(edgesOf.size(), 0);
    while (push(kFirst, kNever) > 0)
      ;
  }
  std::vector<bool> isFirst;
  for (int level : levels)
    isFirst.push_back(level >= 0);
  return isFirst;
}
