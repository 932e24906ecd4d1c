#include "tools/weft/GraphLayout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::cli;
using comparison::GraphNode;

namespace {

/// A node, or where an edge passes a rank.
struct Vertex {
  uint32_t rank = 0;
  double width = 1, x = 0;
  std::vector<uint32_t> above, below; ///< vertices of the neighbouring ranks
};

struct Layering {
  std::vector<Vertex> vertices; ///< the nodes first
  std::vector<std::vector<uint32_t>> ranks;
  std::vector<std::vector<uint32_t>> paths; ///< by edge, between its ends
};

} // namespace

/// Longer edges keep no place free: they would push all others aside.
constexpr uint32_t kLongestPath = 30;
constexpr double kPathWidth = 0.25;

static std::vector<uint32_t> ranksOf(const std::vector<GraphNode> &nodes) {
  std::vector<uint32_t> ranks(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    for (uint32_t input : nodes[i].inputs)
      ranks[i] = std::max(ranks[i], ranks[input] + 1);
  // What reads nothing stands beside its first reader, not at the top.
  std::vector<uint32_t> firstReader(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (uint32_t input : nodes[i].inputs)
      firstReader[input] = firstReader[input]
                               ? std::min(firstReader[input], ranks[i])
                               : ranks[i];
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].inputs.empty() && firstReader[i] > 0)
      ranks[i] = firstReader[i] - 1;
  return ranks;
}

static void connect(Layering &graph, uint32_t from, uint32_t to) {
  graph.vertices[from].below.push_back(to);
  graph.vertices[to].above.push_back(from);
}

static Layering layer(const std::vector<uint32_t> &ranks,
                      const std::vector<GraphLayout::Edge> &edges) {
  Layering graph;
  for (uint32_t rank : ranks) {
    graph.ranks.resize(std::max<size_t>(graph.ranks.size(), rank + 1));
    graph.ranks[rank].push_back(uint32_t(graph.vertices.size()));
    graph.vertices.push_back({rank, 1, 0, {}, {}});
  }
  for (const GraphLayout::Edge &edge : edges) {
    graph.paths.emplace_back();
    uint32_t before = edge.from, begin = ranks[edge.from], end = ranks[edge.to];
    if (end - begin > kLongestPath)
      continue;
    for (uint32_t rank = begin + 1; rank < end; ++rank) {
      uint32_t passes = uint32_t(graph.vertices.size());
      graph.vertices.push_back({rank, kPathWidth, 0, {}, {}});
      graph.ranks[rank].push_back(passes);
      graph.paths.back().push_back(passes);
      connect(graph, before, passes);
      before = passes;
    }
    connect(graph, before, edge.to);
  }
  return graph;
}

/// Mean place of `neighbours`; `otherwise` if there are none.
static double meanX(const Layering &graph,
                    const std::vector<uint32_t> &neighbours, double otherwise) {
  double sum = 0;
  for (uint32_t neighbour : neighbours)
    sum += graph.vertices[neighbour].x;
  return neighbours.empty() ? otherwise : sum / double(neighbours.size());
}

/// Around 0.
static void placeSideBySide(Layering &graph, std::vector<uint32_t> &rank) {
  double at = 0;
  for (uint32_t vertex : rank)
    at -= graph.vertices[vertex].width / 2;
  for (uint32_t vertex : rank) {
    graph.vertices[vertex].x = at + graph.vertices[vertex].width / 2;
    at += graph.vertices[vertex].width;
  }
}

/// Sorts `rank` by the means of the neighbours on one side.
static void orderRank(Layering &graph, std::vector<uint32_t> &rank,
                      bool byAbove) {
  std::vector<std::pair<double, uint32_t>> keys;
  for (uint32_t vertex : rank) {
    const Vertex &v = graph.vertices[vertex];
    keys.emplace_back(meanX(graph, byAbove ? v.above : v.below, v.x), vertex);
  }
  std::stable_sort(keys.begin(), keys.end(), [](const auto &a, const auto &b) {
    return a.first < b.first;
  });
  for (size_t i = 0; i < keys.size(); ++i)
    rank[i] = keys[i].second;
  placeSideBySide(graph, rank);
}

static void orderRanks(Layering &graph) {
  constexpr int kSweeps = 6;
  for (auto &rank : graph.ranks)
    placeSideBySide(graph, rank);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (auto &rank : graph.ranks)
      orderRank(graph, rank, /*byAbove=*/true);
    for (auto rank = graph.ranks.rbegin(); rank != graph.ranks.rend(); ++rank)
      orderRank(graph, *rank, /*byAbove=*/false);
  }
}

/// Places the vertices of a rank as near to `wanted` as their order and widths
/// allow, by least squares: neighbours that are too close become a block at
/// their mean (isotonic regression).
static void placeRank(Layering &graph, const std::vector<uint32_t> &rank,
                      const std::vector<double> &wanted) {
  struct Block {
    double sum = 0, count = 0;
    double mean() const { return sum / count; }
  };
  std::vector<Block> blocks;
  std::vector<double> offsets; // from the first, if all touch
  for (size_t i = 0; i < rank.size(); ++i) {
    double half = graph.vertices[rank[i]].width / 2;
    offsets.push_back(i == 0 ? 0
                             : offsets.back() + half +
                                   graph.vertices[rank[i - 1]].width / 2);
    blocks.push_back({wanted[i] - offsets[i], 1});
    while (blocks.size() > 1 &&
           blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  size_t i = 0;
  for (const Block &block : blocks)
    for (double k = 0; k < block.count; ++k, ++i)
      graph.vertices[rank[i]].x = block.mean() + offsets[i];
}

static void placeRanks(Layering &graph) {
  constexpr int kSweeps = 8;
  auto place = [&](const std::vector<uint32_t> &rank, bool byAbove,
                   bool byBelow) {
    std::vector<double> wanted;
    for (uint32_t vertex : rank) {
      const Vertex &v = graph.vertices[vertex];
      std::vector<uint32_t> neighbours;
      if (byAbove)
        neighbours = v.above;
      if (byBelow)
        neighbours.insert(neighbours.end(), v.below.begin(), v.below.end());
      wanted.push_back(meanX(graph, neighbours, v.x));
    }
    placeRank(graph, rank, wanted);
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (auto &rank : graph.ranks)
      place(rank, true, sweep + 1 == kSweeps);
    for (auto rank = graph.ranks.rbegin(); rank != graph.ranks.rend(); ++rank)
      place(*rank, sweep + 1 == kSweeps, true);
  }
}

namespace {
/// The ends of what is drawn in each band.
struct Bands {
  std::vector<double> left, right;
};
} // namespace

static Bands bandsOf(const Layering &graph, uint32_t ranksOfBand) {
  size_t count = (graph.ranks.size() + ranksOfBand - 1) / ranksOfBand;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Bands bands{std::vector<double>(count, kFar),
              std::vector<double>(count, -kFar)};
  for (const Vertex &vertex : graph.vertices) {
    double &left = bands.left[vertex.rank / ranksOfBand],
           &right = bands.right[vertex.rank / ranksOfBand];
    left = std::min(left, vertex.x - vertex.width / 2);
    right = std::max(right, vertex.x + vertex.width / 2);
  }
  return bands;
}

/// Where to fold, so that the whole is about as wide as a screen.
static uint32_t chooseRanksOfBand(const Layering &graph) {
  // A node is three times as wide as a rank is tall; between bands is space.
  constexpr double kAspect = 1.45, kNodeAspect = 3, kBetween = 0.5;
  constexpr uint32_t kFewest = 6;
  uint32_t all = uint32_t(graph.ranks.size()), best = all;
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t ranks = std::min(kFewest, all); ranks <= all; ++ranks) {
    Bands bands = bandsOf(graph, ranks);
    double width = 0;
    for (size_t i = 0; i < bands.left.size(); ++i)
      width += bands.right[i] - bands.left[i] + kBetween;
    double off = std::fabs(std::log(width * kNodeAspect / ranks / kAspect));
    if (off < least) {
      least = off;
      best = ranks;
    }
  }
  return best;
}

GraphLayout cli::layOut(const std::vector<GraphNode> &nodes) {
  GraphLayout layout;
  layout.rank = ranksOf(nodes);
  for (uint32_t to = 0; to < nodes.size(); ++to)
    for (uint32_t from : nodes[to].inputs)
      layout.edges.push_back({from, to, {}});
  if (nodes.empty())
    return layout;
  Layering graph = layer(layout.rank, layout.edges);
  orderRanks(graph);
  placeRanks(graph);
  layout.ranksOfBand = chooseRanksOfBand(graph);
  Bands bands = bandsOf(graph, layout.ranksOfBand);
  auto placeOf = [&](uint32_t vertex) {
    const Vertex &v = graph.vertices[vertex];
    return v.x - bands.left[v.rank / layout.ranksOfBand];
  };
  for (uint32_t i = 0; i < nodes.size(); ++i)
    layout.x.push_back(placeOf(i));
  for (size_t i = 0; i < layout.edges.size(); ++i)
    for (uint32_t vertex : graph.paths[i])
      layout.edges[i].bends.push_back(placeOf(vertex));
  for (size_t i = 0; i < bands.left.size(); ++i)
    layout.bandWidths.push_back(bands.right[i] - bands.left[i]);
  return layout;
}
