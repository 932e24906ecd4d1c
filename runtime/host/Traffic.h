//===- Traffic.h - what host operations move ---------------------*- C++
//-*-===//

#ifndef WEFT_RUNTIME_HOST_TRAFFIC_H
#define WEFT_RUNTIME_HOST_TRAFFIC_H

#include "runtime/host/Program.h"

namespace weft::host {

/// A call and the bytes that cross because of it. A tensor that several calls
/// read counts at the first one; inputs that come from the user and outputs
/// that go there do not cross.
struct CallTraffic {
  const CallStep *call = nullptr;
  uint64_t fromChipBytes = 0, toChipBytes = 0;

  uint64_t bytes() const { return fromChipBytes + toChipBytes; }
};

/// The calls of a stage in order; `programs` are all of the stage, as they run,
/// and outlive the result.
std::vector<CallTraffic>
trafficOf(const std::vector<const Program *> &programs);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_TRAFFIC_H
