#include "runtime/host/Traffic.h"

using namespace weft;
using namespace weft::host;

namespace {
class TrafficCounter {
public:
  void operator()(const LoadStep &step) {
    unread[step.value] = step.from.bytes();
  }
  void operator()(const CallStep &step) {
    CallTraffic traffic;
    traffic.call = &step;
    for (ValueId operand : step.operands)
      if (auto found = unread.find(operand); found != unread.end()) {
        traffic.fromChipBytes += found->second;
        unread.erase(found);
      }
    for (ValueId result : step.results)
      makers[result] = calls.size();
    calls.push_back(traffic);
  }
  void operator()(const StoreStep &step) {
    if (auto found = makers.find(step.value); found != makers.end())
      calls[found->second].toChipBytes += step.to.bytes();
  }
  void operator()(const InputStep &) {}
  void operator()(const ConstantStep &) {}
  void operator()(const OutputStep &) {}

  std::vector<CallTraffic> calls;

private:
  std::map<ValueId, uint64_t> unread; ///< loaded, bytes
  std::map<ValueId, size_t> makers;   ///< value -> position in `calls`
};
} // namespace

std::vector<CallTraffic>
host::trafficOf(const std::vector<const Program *> &programs) {
  TrafficCounter counter;
  for (const Program *program : programs)
    for (const Step &step : program->steps)
      std::visit(counter, step);
  return std::move(counter.calls);
}
