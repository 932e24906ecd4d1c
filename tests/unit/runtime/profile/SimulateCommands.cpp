//===- SimulateCommands.cpp - a timeline from given costs ----------------===//
//
// Reads one command a line, `tiu|gdma CYCLES DEP`, each engine's in order, and
// prints `START END WAIT CRITICAL` for each in the order read. Exit code 1 with
// the reason if there is no timeline.
//
//===----------------------------------------------------------------------===//

#include "runtime/profile/Timeline.h"

#include <cstdio>
#include <iostream>

using namespace weft;

int main() {
  profile::IssuedGroup group;
  std::vector<isa::Engine> order;
  std::string name;
  profile::Issued issued;
  while (std::cin >> name >> issued.cycles >> issued.dep) {
    order.push_back(name == "tiu" ? isa::Engine::Tiu : isa::Engine::Gdma);
    group.of(order.back()).push_back(issued);
  }
  rt::Result<profile::Timeline> timeline = profile::simulate({group});
  if (!timeline) {
    std::fprintf(stderr, "%s\n", timeline.status().message().c_str());
    return 1;
  }
  size_t next[2] = {0, 0};
  for (isa::Engine engine : order) {
    const profile::Span &span =
        timeline->groups[0].of(engine)[next[size_t(engine)]++];
    std::printf("%llu %llu %llu %d\n", (unsigned long long)span.start,
                (unsigned long long)span.end, (unsigned long long)span.wait,
                int(span.isCritical));
  }
  return 0;
}
