//===- MinimumCutTest.cpp - cuts against all that there are ---------------===//

#include "passes/tpu/MinimumCut.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace weft::tpu;

namespace {
struct Edge {
  int from, to;
  int64_t cost;
};
} // namespace

static int64_t costOf(const std::vector<Edge> &edges,
                      const std::vector<bool> &isFirst) {
  int64_t cost = 0;
  for (const Edge &edge : edges)
    if (isFirst[edge.from] && !isFirst[edge.to])
      cost += edge.cost;
  return cost;
}

TEST(MinimumCut, IsCheapestOfAll) {
  constexpr int kNodes = 8; // both sides among them
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 generator(seed);
    MinimumCut cut;
    for (int node = 2; node < kNodes; ++node)
      EXPECT_EQ(cut.addNode(), node);
    std::vector<Edge> edges;
    for (unsigned i = 0, count = generator() % 25; i < count; ++i) {
      Edge edge{int(generator() % kNodes), int(generator() % kNodes),
                int64_t(generator() % 20)};
      edges.push_back(edge);
      cut.addEdge(edge.from, edge.to, edge.cost);
    }
    std::vector<bool> found = cut.firstSide();
    ASSERT_TRUE(found[MinimumCut::kFirst]);
    ASSERT_FALSE(found[MinimumCut::kSecond]);
    int64_t least = MinimumCut::kNever, fewest = kNodes;
    for (unsigned choice = 0; choice < 1u << (kNodes - 2); ++choice) {
      std::vector<bool> isFirst{true, false};
      for (int node = 2; node < kNodes; ++node)
        isFirst.push_back(choice >> (node - 2) & 1);
      int64_t cost = costOf(edges, isFirst),
              count = std::count(isFirst.begin(), isFirst.end(), true);
      if (cost < least)
        fewest = kNodes;
      if (cost <= least)
        fewest = std::min(fewest, count);
      least = std::min(least, cost);
    }
    EXPECT_EQ(costOf(edges, found), least) << seed;
    EXPECT_EQ(std::count(found.begin(), found.end(), true), fewest) << seed;
  }
}

TEST(MinimumCut, NeverCutsWhatMayNotBeCut) {
  MinimumCut cut;
  int node = cut.addNode(), other = cut.addNode();
  cut.addEdge(MinimumCut::kFirst, node, 9);
  cut.addEdge(node, other, MinimumCut::kNever);
  cut.addEdge(other, MinimumCut::kSecond, 7);
  EXPECT_EQ(cut.firstSide(), (std::vector<bool>{true, false, true, true}));
}

TEST(MinimumCut, CutsChainsAsLongAsNetworksAreDeep) {
  constexpr int kOps = 1 << 20;
  MinimumCut cut;
  int before = MinimumCut::kFirst;
  for (int i = 0; i < kOps; ++i) {
    int node = cut.addNode();
    cut.addEdge(before, node, i == kOps / 2 ? 3 : 4);
    before = node;
  }
  cut.addEdge(before, MinimumCut::kSecond, 4);
  std::vector<bool> found = cut.firstSide();
  EXPECT_EQ(std::count(found.begin(), found.end(), true), kOps / 2 + 1);
}
