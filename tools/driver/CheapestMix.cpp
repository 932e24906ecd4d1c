//===- CheapestMix.cpp - which ops are cheaper as floats ------------------===//

#include "tools/driver/CheapestMix.h"

#include "passes/tpu/MinimumCut.h"

using namespace weft;
using namespace weft::driver;

CheapestMix driver::cheapestMix(llvm::ArrayRef<OpPrices> ops,
                                llvm::ArrayRef<BorderPrice> borders) {
  using tpu::MinimumCut;
  // On the first side: floats. An op there pays its edge to the second.
  MinimumCut cut;
  std::vector<int> nodes;
  for (const OpPrices &prices : ops) {
    int node = nodes.emplace_back(cut.addNode());
    cut.addEdge(MinimumCut::kFirst, node, int64_t(prices.codes));
    cut.addEdge(node, MinimumCut::kSecond, int64_t(prices.floats));
  }
  for (const BorderPrice &border : borders) {
    int one = nodes[border.one], other = nodes[border.other];
    cut.addEdge(one, other, int64_t(border.cycles));
    cut.addEdge(other, one, int64_t(border.cycles));
  }
  std::vector<bool> isFirst = cut.firstSide();
  CheapestMix mix;
  for (auto [node, prices] : llvm::zip(nodes, ops)) {
    mix.isFloat.push_back(isFirst[node]);
    mix.cycles += isFirst[node] ? prices.floats : prices.codes;
  }
  for (const BorderPrice &border : borders)
    if (mix.isFloat[border.one] != mix.isFloat[border.other])
      mix.cycles += border.cycles;
  return mix;
}
