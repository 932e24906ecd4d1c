//===- GraphLayoutTest.cpp - places of nodes ------------------------------===//

#include "tools/weft/GraphLayout.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace weft;
using namespace weft::cli;
using comparison::GraphNode;

namespace {

using Inputs = std::vector<std::vector<uint32_t>>;

std::vector<GraphNode> nodesOf(const Inputs &inputs) {
  std::vector<GraphNode> nodes;
  for (const std::vector<uint32_t> &each : inputs)
    nodes.push_back({{}, "", "", {}, each});
  return nodes;
}

/// Blocks of three branches that are joined again, and a long skip each.
Inputs blocks(uint32_t count) {
  Inputs inputs = {{}};
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t last = uint32_t(inputs.size() - 1);
    inputs.insert(inputs.end(), {{last}, {last}, {last + 1}, {last}});
    inputs.push_back({last + 2, last + 3, last + 4});
    if (i >= 20)
      inputs.back().push_back(last - 100);
  }
  return inputs;
}

void expectApart(const GraphLayout &layout) {
  std::map<uint32_t, std::vector<double>> ranks;
  for (size_t i = 0; i < layout.rank.size(); ++i)
    ranks[layout.rank[i]].push_back(layout.x[i]);
  for (auto &[rank, places] : ranks) {
    std::sort(places.begin(), places.end());
    double width = layout.bandWidths[rank / layout.ranksOfBand];
    EXPECT_GE(places.front(), 0.5 - 1e-9);
    EXPECT_LE(places.back(), width - 0.5 + 1e-9);
    for (size_t i = 1; i < places.size(); ++i)
      EXPECT_GE(places[i] - places[i - 1], 1 - 1e-9) << "rank " << rank;
  }
}

TEST(GraphLayout, ReadersAreBelow) {
  std::vector<GraphNode> nodes = nodesOf(blocks(60));
  GraphLayout layout = layOut(nodes);
  ASSERT_EQ(layout.x.size(), nodes.size());
  for (const GraphLayout::Edge &edge : layout.edges) {
    EXPECT_LT(layout.rank[edge.from], layout.rank[edge.to]);
    size_t between = layout.rank[edge.to] - layout.rank[edge.from] - 1;
    EXPECT_TRUE(edge.bends.empty() || edge.bends.size() == between);
  }
  expectApart(layout);
}

TEST(GraphLayout, ChainsAreStraight) {
  Inputs chain = {{}};
  for (uint32_t i = 0; i < 5; ++i)
    chain.push_back({i});
  GraphLayout layout = layOut(nodesOf(chain));
  EXPECT_EQ(layout.ranksOfBand, 6u);
  for (double x : layout.x)
    EXPECT_DOUBLE_EQ(x, 0.5);
}

TEST(GraphLayout, BranchesStandBesideEachOther) {
  GraphLayout layout = layOut(nodesOf({{}, {0}, {0}, {1, 2}}));
  EXPECT_DOUBLE_EQ(std::fabs(layout.x[1] - layout.x[2]), 1);
  EXPECT_DOUBLE_EQ(layout.x[0], (layout.x[1] + layout.x[2]) / 2);
  EXPECT_DOUBLE_EQ(layout.x[3], layout.x[0]);
}

TEST(GraphLayout, ALateInputStandsBesideItsReader) {
  GraphLayout layout = layOut(nodesOf({{}, {}, {0}, {2}, {3, 1}}));
  EXPECT_EQ(layout.rank[1], layout.rank[4] - 1);
}

TEST(GraphLayout, ALongChainIsFolded) {
  GraphLayout layout = layOut(nodesOf(blocks(60)));
  size_t bands = layout.bandWidths.size();
  EXPECT_GT(bands, 2u);
  double width = 0;
  for (double band : layout.bandWidths)
    width += band + 0.5;
  double aspect = width * 3 / layout.ranksOfBand;
  EXPECT_GT(aspect, 0.8);
  EXPECT_LT(aspect, 2.5);
}

TEST(GraphLayout, NothingAndThousands) {
  EXPECT_TRUE(layOut({}).x.empty());
  GraphLayout layout = layOut(nodesOf(blocks(400)));
  expectApart(layout);
  EXPECT_EQ(layout.x, layOut(nodesOf(blocks(400))).x);
}

} // namespace
