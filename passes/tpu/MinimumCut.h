//===- MinimumCut.h - the cheapest cut of a graph in two --------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_MINIMUMCUT_H
#define WEFT_PASSES_TPU_MINIMUMCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::tpu {

/// Nodes that are to be on one of two sides, and what it costs if an edge goes
/// from the first to the second (Dinic's algorithm, 1970).
class MinimumCut {
public:
  static constexpr int kFirst = 0, kSecond = 1; ///< nodes of either side
  static constexpr int64_t kNever = int64_t(1) << 60;

  MinimumCut() : edgesOf(2) {}
  int addNode();
  /// Costs of one edge add up to less than `kNever`.
  void addEdge(int from, int to, int64_t cost);
  /// Whether each node is on the first side of the cheapest cut, of equally
  /// cheap ones that with the fewest nodes there.
  std::vector<bool> firstSide();

private:
  struct Edge {
    int to;
    int64_t left; ///< capacity
  };
  bool findLevels();
  bool push();

  std::vector<Edge> edges; ///< the one back follows each
  std::vector<std::vector<int>> edgesOf;
  std::vector<int> levels;
  std::vector<size_t> next; ///< the edge to try, of each node
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_MINIMUMCUT_H
