//===- CheapestMix.cpp - which ops are cheaper as floats ------------------===//

#include "tools/driver/CheapestMix.h"

#include <algorithm>
#include <limits>

using namespace weft;
using namespace weft::driver;

namespace {
/// A flow from node 0 to node 1. What the source still reaches at the end is on
/// its side of the cut, which is the smallest such side.
class FlowGraph {
public:
  explicit FlowGraph(size_t nodes) : edges(nodes), levels(nodes), next(nodes) {}

  void connect(size_t from, size_t to, uint64_t there, uint64_t back) {
    edges[from].push_back({to, edges[to].size(), there});
    edges[to].push_back({from, edges[from].size() - 1, back});
  }

  uint64_t flow() {
    uint64_t total = 0;
    while (findLevels()) {
      std::fill(next.begin(), next.end(), 0);
      while (uint64_t pushed = push())
        total += pushed;
    }
    return total;
  }

  /// After flow().
  bool isAtSource(size_t node) const { return levels[node] >= 0; }

private:
  struct Edge {
    size_t to, reverse; ///< position of the way back at `to`
    uint64_t room;
  };

  bool findLevels() {
    std::fill(levels.begin(), levels.end(), -1);
    std::vector<size_t> queue{0};
    levels[0] = 0;
    for (size_t at = 0; at < queue.size(); ++at)
      for (const Edge &edge : edges[queue[at]])
        if (edge.room && levels[edge.to] < 0) {
          levels[edge.to] = levels[queue[at]] + 1;
          queue.push_back(edge.to);
        }
    return levels[1] >= 0;
  }

  /// Along one way of rising levels, without recursion: a chain of ops is as
  /// deep as the network.
  uint64_t push() {
    std::vector<Edge *> way;
    size_t at = 0;
    while (at != 1) {
      Edge *step = nullptr;
      for (; next[at] < edges[at].size() && !step; next[at] += !step)
        if (Edge &edge = edges[at][next[at]];
            edge.room && levels[edge.to] == levels[at] + 1)
          step = &edge;
      if (step) {
        way.push_back(step);
        at = step->to;
      } else if (way.empty()) {
        return 0;
      } else { // a dead end
        way.pop_back();
        at = way.empty() ? 0 : way.back()->to;
        ++next[at];
      }
    }
    uint64_t most = std::numeric_limits<uint64_t>::max();
    for (Edge *step : way)
      most = std::min(most, step->room);
    for (Edge *step : way) {
      step->room -= most;
      edges[step->to][step->reverse].room += most;
    }
    return most;
  }

  std::vector<std::vector<Edge>> edges;
  std::vector<int> levels;
  std::vector<size_t> next;
};
} // namespace

CheapestMix driver::cheapestMix(llvm::ArrayRef<OpPrices> ops,
                                llvm::ArrayRef<BorderPrice> borders) {
  // Beside the source: floats. An op there pays its edge to the sink.
  FlowGraph graph(ops.size() + 2);
  for (size_t i = 0; i < ops.size(); ++i) {
    graph.connect(0, i + 2, ops[i].codes, 0);
    graph.connect(i + 2, 1, ops[i].floats, 0);
  }
  for (const BorderPrice &border : borders)
    graph.connect(border.one + 2, border.other + 2, border.cycles,
                  border.cycles);
  CheapestMix mix;
  mix.cycles = graph.flow();
  for (size_t i = 0; i < ops.size(); ++i)
    mix.isFloat.push_back(graph.isAtSource(i + 2));
  return mix;
}
