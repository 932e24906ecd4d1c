#include "runtime/host/Work.h"
#include "runtime/host/Body.h"
#include "runtime/status/Format.h"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::host;

WorkRow host::workRow(std::string_view kernel, ElementType type) {
  static const std::map<std::string_view, WorkRow> rows = {
#define WEFT_HOST_WORK(kernel, unit, picoseconds)                              \
  {#kernel, {WorkUnit::unit, picoseconds}},
#include "runtime/host/Work.def"
  };
  // Integers go through the function one by one, all 64 bits of them.
  if ((kernel == "binary" || kernel == "unary") && !numeric::isFloatType(type))
    kernel = "of_integers";
  auto found = rows.find(kernel);
  return found == rows.end() ? rows.at("other") : found->second;
}

static double elementsOf(const ResultType *type) {
  double count = 1;
  if (type)
    for (int64_t size : type->largest)
      count *= double(size);
  return type ? count : 0;
}

static double lastOf(const ResultType *type) {
  return type && !type->largest.empty() ? double(type->largest.back()) : 1;
}

double host::workUnits(WorkUnit unit, const Attributes &attributes,
                       const std::vector<const ResultType *> &operands,
                       const std::vector<ResultType> &results) {
  double read = 0, written = 0;
  for (const ResultType *operand : operands)
    read += elementsOf(operand);
  for (const ResultType &result : results)
    written += elementsOf(&result);
  double elements = std::max(read, written);
  const ResultType *first = operands.empty() ? nullptr : operands[0],
                   *second = operands.size() < 2 ? nullptr : operands[1];
  switch (unit) {
  case WorkUnit::Elements:
    break;
  case WorkUnit::Written:
    return written;
  case WorkUnit::Products: {
    // A filter has an axis for its outputs; a matrix one for its columns.
    bool isFilter = second && second->largest.size() > 2 &&
                    !attributes.integers("strides").empty();
    double depth = !second    ? lastOf(first)
                   : isFilter ? elementsOf(second) /
                                    std::max<double>(1, second->largest[0])
                              : lastOf(first);
    return std::max(elements, written * depth);
  }
  case WorkUnit::Sorted: {
    double count = std::max(elementsOf(first), written);
    int64_t axis = attributes.integer("axis", -1);
    double row = lastOf(first);
    if (first && axis >= 0 && size_t(axis) < first->largest.size())
      row = double(first->largest[size_t(axis)]);
    return count * std::max(1.0, std::log2(std::max(row, 2.0)));
  }
  case WorkUnit::Windows: {
    double window = 1;
    for (int64_t size : attributes.integers("kernel"))
      window *= double(std::max<int64_t>(size, 1));
    return std::max(elements, written * window);
  }
  }
  return elements;
}

std::string host::workText(double seconds) {
  static constexpr struct {
    double unit;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto &unit : units)
    if (seconds >= unit.unit) {
      double count = seconds / unit.unit;
      // An estimate has two digits.
      if (count < 10)
        return rt::format("about %.1f %s", count, unit.name);
      double digit = count >= 100 ? 10 : 1;
      return rt::format("about %.0f %s", std::round(count / digit) * digit,
                        unit.name);
    }
  return "less than 1 us";
}

namespace {
/// Goes through programs and knows the types of their values.
class WorkCounter {
public:
  explicit WorkCounter(const std::vector<ResultType> &inputs)
      : inputs(inputs) {}

  void operator()(const LoadStep &step) {
    types[step.value] = staticResult(step.type, step.shape);
  }
  void operator()(const InputStep &step) {
    if (step.input < inputs.size())
      types[step.value] = inputs[step.input];
  }
  void operator()(const ConstantStep &step) {
    types[step.value] = staticResult(step.tensor.type(), step.tensor.shape());
  }
  void operator()(const CallStep &step) {
    std::vector<const ResultType *> operands;
    for (ValueId operand : step.operands) {
      auto found = types.find(operand);
      operands.push_back(found == types.end() ? nullptr : &found->second);
    }
    seconds.push_back(secondsOfCall(step, operands));
    for (size_t i = 0; i < step.results.size(); ++i)
      types[step.results[i]] = step.types[i];
  }
  void operator()(const StoreStep &) {}
  void operator()(const OutputStep &) {}

  std::vector<double> seconds; ///< of the calls

private:
  static double secondsOfCall(const CallStep &call,
                              const std::vector<const ResultType *> &operands);

  const std::vector<ResultType> &inputs;
  std::map<ValueId, ResultType> types;
};
} // namespace

/// Of a loop with scan outputs, which have an axis for the iterations, as many
/// as there may be.
static double iterationsOf(const CallStep &call) {
  auto carried = size_t(
      std::max<int64_t>(0, call.attributes.integer(std::string(kCarried))));
  if (call.kernel != "loop" || call.types.size() <= carried ||
      call.types.back().largest.empty())
    return 1;
  return double(std::max<int64_t>(1, call.types.back().largest.front()));
}

double
WorkCounter::secondsOfCall(const CallStep &call,
                           const std::vector<const ResultType *> &operands) {
  WorkRow row = call.types.empty()
                    ? workRow(call.kernel)
                    : workRow(call.kernel, call.types.front().type);
  double own = workUnits(row.unit, call.attributes, operands, call.types) *
               row.picoseconds * 1e-12;
  double longest = 0;
  if (auto bodies = bodiesOf(call.kernel, call.attributes))
    for (const NamedBody &body : *bodies) {
      double all = 0;
      for (double one : secondsOf({&body.body.program}, body.body.inputs))
        all += one;
      longest = std::max(longest, all);
    }
  return own + longest * iterationsOf(call);
}

std::vector<double>
host::secondsOf(const std::vector<const Program *> &programs,
                const std::vector<ResultType> &inputs) {
  WorkCounter counter(inputs);
  for (const Program *program : programs)
    for (const Step &step : program->steps)
      std::visit(counter, step);
  return std::move(counter.seconds);
}
