//===- GraphOrder.cpp - the order in which nodes can run ------------------===//

#include "frontend/onnx/GraphOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <queue>

using namespace weft::onnx;

static std::string quoted(llvm::StringRef name) {
  return ("'" + name + "'").str();
}

/// Who makes each value; reports values made twice.
static llvm::StringMap<unsigned>
findProducers(llvm::ArrayRef<Node> nodes, const llvm::StringSet<> &given,
              std::vector<OrderProblem> &problems) {
  llvm::StringMap<unsigned> producers;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    for (const std::string &output : nodes[i].outputs) {
      if (output.empty())
        continue;
      if (given.contains(output))
        problems.push_back(
            {i, "output " + quoted(output) +
                    " is also an input or an initializer of the graph; a "
                    "value can be made only once"});
      else if (auto [first, added] = producers.try_emplace(output, i); !added)
        problems.push_back({i, "output " + quoted(output) +
                                   " is already made by node " +
                                   std::to_string(first->second) + " " +
                                   quoted(nodes[first->second].name) +
                                   "; a value can be made only once"});
    }
  }
  return producers;
}

/// Walks backwards from a node that is stuck until a node repeats.
static std::string
describeCycle(llvm::ArrayRef<Node> nodes, unsigned start,
              const std::vector<std::vector<unsigned>> &needs,
              const std::vector<bool> &done, unsigned &member) {
  std::vector<unsigned> path;
  llvm::DenseMap<unsigned, size_t> position;
  unsigned at = start;
  while (position.try_emplace(at, path.size()).second) {
    path.push_back(at);
    at = *llvm::find_if(needs[at], [&](unsigned need) { return !done[need]; });
  }
  std::vector<unsigned> cycle(path.begin() + position[at], path.end());
  // Start at the first node of the file, so that the text does not depend on
  // where the walk began, and follow the flow of values.
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()),
              cycle.end());
  member = cycle.front();
  std::string text;
  constexpr size_t kShown = 6;
  for (unsigned node : llvm::ArrayRef(cycle).take_front(kShown))
    text += "node " + std::to_string(node) + " " + quoted(nodes[node].name) +
            " -> ";
  if (cycle.size() > kShown)
    text += "... -> ";
  return text + "node " + std::to_string(member);
}

GraphOrder weft::onnx::orderNodes(llvm::ArrayRef<Node> nodes,
                                  llvm::ArrayRef<std::string> given) {
  GraphOrder order;
  llvm::StringSet<> givenNames;
  for (const std::string &name : given)
    givenNames.insert(name);
  llvm::StringMap<unsigned> producers =
      findProducers(nodes, givenNames, order.problems);

  std::vector<std::vector<unsigned>> needs(nodes.size()), users(nodes.size());
  for (unsigned i = 0; i < nodes.size(); ++i) {
    for (const std::string &input :
         llvm::concat<const std::string>(nodes[i].inputs, nodes[i].captured)) {
      if (input.empty() || givenNames.contains(input))
        continue;
      auto producer = producers.find(input);
      if (producer == producers.end()) {
        order.problems.push_back(
            {i, "input " + quoted(input) +
                    " is not produced by any node, input or initializer"});
        continue;
      }
      if (llvm::is_contained(needs[i], producer->second))
        continue;
      needs[i].push_back(producer->second);
      users[producer->second].push_back(i);
    }
  }

  // Kahn's algorithm, smallest index first: a sorted file keeps its order.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  std::vector<size_t> missing(nodes.size());
  for (unsigned i = 0; i < nodes.size(); ++i)
    if ((missing[i] = needs[i].size()) == 0)
      ready.push(i);
  std::vector<bool> done(nodes.size());
  while (!ready.empty()) {
    unsigned node = ready.top();
    ready.pop();
    done[node] = true;
    order.nodes.push_back(node);
    for (unsigned user : users[node])
      if (--missing[user] == 0)
        ready.push(user);
  }
  auto stuck = llvm::find(done, false);
  if (stuck != done.end()) {
    unsigned member = 0;
    std::string cycle =
        describeCycle(nodes, stuck - done.begin(), needs, done, member);
    order.problems.push_back(
        {member, "the graph has a cycle: " + cycle +
                     "; ONNX graphs must be free of cycles"});
  }
  return order;
}
