//===- GraphLayout.h - where the nodes of a graph are drawn -----*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_GRAPHLAYOUT_H
#define WEFT_TOOLS_WEFT_GRAPHLAYOUT_H

#include "tools/comparison/GraphNode.h"

namespace weft::cli {

/// A graph from top to bottom in ranks, folded into bands that stand side by
/// side as the columns of a newspaper do: networks are chains of hundreds of
/// nodes, which on one line nobody sees at once.
struct GraphLayout {
  struct Edge {
    uint32_t from = 0, to = 0;
    /// Where it passes the ranks between; empty also for one over more ranks
    /// than are kept free for it.
    std::vector<double> bends;
  };
  std::vector<uint32_t> rank; ///< by node; above all that read it
  /// Middle, by node; the width of a node is 1. 0 is the left end of its band.
  std::vector<double> x;
  std::vector<Edge> edges;
  uint32_t ranksOfBand = 1;
  std::vector<double> bandWidths;
};

/// Ranks by the longest path, an order in them that crosses few edges, and
/// places that keep chains straight (Sugiyama's method with barycenters). The
/// same for the same graph. Takes 0.1 s for thousands of nodes.
GraphLayout layOut(const std::vector<comparison::GraphNode> &nodes);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_GRAPHLAYOUT_H
