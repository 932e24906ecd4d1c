//===- Control.cpp - branches and loops that data decide ------------------===//
//
// The outermost call checks its bodies and those within them. Each is parsed
// when it first runs, once for all iterations of the loops around it. Values
// are dropped behind their last use, so that a loop takes the memory of one
// iteration.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Body.h"
#include "runtime/host/Kernels.h"
#include "runtime/status/Quote.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

using namespace weft;
using namespace weft::host;
using rt::Result;
using rt::Status;

using Operands = std::vector<const HostTensor *>;

//===----------------------------------------------------------------------===//
// A body
//===----------------------------------------------------------------------===//

namespace {
class BodyRun;

/// The bodies of a call that is made again and again, by attribute; each from
/// when it first runs.
struct CallBodies {
  /// Whether a check of what is around the call has seen them.
  bool areChecked = false;
  std::map<std::string_view, std::unique_ptr<BodyRun>> prepared;
};

/// A body that is ready to run again and again.
class BodyRun {
public:
  BodyRun(const BodyRun &) = delete; // calls point at values
  BodyRun &operator=(const BodyRun &) = delete;

  /// Of the graph in `attribute` of `call`; `bodies`, those of the call, keep
  /// it.
  static Result<BodyRun *> prepare(const Call &call, std::string_view attribute,
                                   CallBodies &bodies);

  /// One tensor a result of the body. `inputs` are of any types.
  Status run(const Operands &inputs, std::vector<HostTensor> &results);

  const std::vector<ResultType> &inputTypes() const { return body.inputs; }
  const std::vector<ResultType> &resultTypes() const { return body.results; }

private:
  explicit BodyRun(Body parsed)
      : body(std::move(parsed)), calls(body.program.steps.size()) {
    prepareCalls();
  }

  /// A value: one of its own, or another's.
  struct Value {
    HostTensor own;
    const HostTensor *at = nullptr;
    size_t lastUse = 0; ///< the step
    bool isResult = false;
  };
  struct Prepared {
    Call call;
    std::string node;
    std::vector<Value *> operands, results;
    CallBodies bodies;
  };

  /// Makes the calls ready.
  void prepareCalls();
  Status runCall(Prepared &prepared, size_t step);
  void give(size_t step, const OutputStep &output,
            std::vector<HostTensor> &results);

  Body body;
  std::map<ValueId, Value> values;            ///< nodes stay where they are
  std::vector<std::optional<Prepared>> calls; ///< one a step
};
} // namespace

/// Computes a call of a control kernel.
static Status runControl(const Call &call, CallBodies &bodies,
                         std::vector<HostTensor> &results);

static bool isControl(const Call &call) {
  return call.kernel == "if_else" || call.kernel == "loop";
}

Result<BodyRun *> BodyRun::prepare(const Call &call, std::string_view attribute,
                                   CallBodies &bodies) {
  std::unique_ptr<BodyRun> &kept = bodies.prepared[attribute];
  if (kept)
    return kept.get();
  const HostTensor *bytes = call.attributes.tensor(attribute);
  if (!bytes)
    return call.fail("graph '%s' is missing", std::string(attribute).c_str());
  Result<Body> parsed = parseBody(*bytes);
  Status status = parsed ? Status::ok() : parsed.status();
  if (status && !bodies.areChecked)
    status = checkBody(*parsed);
  if (!status)
    return call.fail("graph '%s': %s", std::string(attribute).c_str(),
                     status.message().c_str());
  kept.reset(new BodyRun(*std::move(parsed)));
  return kept.get();
}

void BodyRun::prepareCalls() {
  for (size_t i = 0; i < calls.size(); ++i) {
    Step &step = body.program.steps[i];
    if (auto *output = std::get_if<OutputStep>(&step)) {
      values[output->value].lastUse = i;
      values[output->value].isResult = true;
    }
    auto *inner = std::get_if<CallStep>(&step);
    if (!inner)
      continue;
    Prepared &prepared = calls[i].emplace();
    prepared.bodies.areChecked = true;
    prepared.call.kernel = inner->kernel;
    prepared.call.attributes = std::move(inner->attributes);
    prepared.call.results = inner->types;
    prepared.node = inner->node;
    for (ValueId operand : inner->operands) {
      prepared.operands.push_back(operand == kAbsent ? nullptr
                                                     : &values[operand]);
      if (operand != kAbsent)
        values[operand].lastUse = i;
    }
    for (ValueId result : inner->results) {
      prepared.results.push_back(&values[result]);
      values[result].lastUse = i;
    }
  }
}

Status BodyRun::runCall(Prepared &prepared, size_t step) {
  prepared.call.operands.clear();
  for (Value *operand : prepared.operands)
    prepared.call.operands.push_back(operand ? operand->at : nullptr);
  std::vector<HostTensor> made;
  Status status =
      isControl(prepared.call)
          ? runWith(
                prepared.call,
                [&](std::vector<HostTensor> &given) {
                  return runControl(prepared.call, prepared.bodies, given);
                },
                made)
          : host::run(prepared.call, made);
  if (!status)
    return status.withContext("node " + rt::quoteName(prepared.node));
  for (size_t i = 0; i < made.size(); ++i) {
    prepared.results[i]->own = std::move(made[i]);
    prepared.results[i]->at = &prepared.results[i]->own;
  }
  for (const std::vector<Value *> *list :
       {&prepared.operands, &prepared.results})
    for (Value *value : *list)
      if (value && value->lastUse == step && !value->isResult)
        value->own = HostTensor();
  return rt::stopStatus(); // what a kernel left early is no result
}

void BodyRun::give(size_t step, const OutputStep &output,
                   std::vector<HostTensor> &results) {
  Value &value = values[output.value];
  if (value.at == &value.own && value.lastUse == step)
    results[output.output] = std::move(value.own);
  else
    results[output.output] = *value.at;
}

Status BodyRun::run(const Operands &inputs, std::vector<HostTensor> &results) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]->type() != body.inputs[i].type ||
        !allows(body.inputs[i], inputs[i]->shape()))
      return rt::failf(
          rt::Code::InvalidArgument,
          "input %zu of the graph is %s %s but declared as %s %s at most", i,
          numeric::elementTypeName(inputs[i]->type()),
          numeric::shapeText(inputs[i]->shape()).c_str(),
          numeric::elementTypeName(body.inputs[i].type),
          numeric::shapeText(body.inputs[i].largest).c_str());
  results.assign(body.results.size(), HostTensor());
  for (size_t i = 0; i < calls.size(); ++i) {
    const Step &step = body.program.steps[i];
    if (auto *input = std::get_if<InputStep>(&step))
      values[input->value].at = inputs[input->input];
    else if (auto *constant = std::get_if<ConstantStep>(&step))
      values[constant->value].at = &constant->tensor;
    else if (auto *output = std::get_if<OutputStep>(&step))
      give(i, *output, results);
    else if (calls[i])
      WEFT_TRY(runCall(*calls[i], i));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

/// The element of `tensor`, the condition of `call`.
static Result<bool> conditionOf(const Call &call, const HostTensor &tensor) {
  if (tensor.type() != ElementType::Bool || tensor.elements() != 1)
    return call.fail("the condition is %s %s; it must be one bool",
                     numeric::elementTypeName(tensor.type()),
                     numeric::shapeText(tensor.shape()).c_str());
  return *tensor.bytes() != 0;
}

/// The operands from `first` on, all of which must be there.
static Result<Operands> operandsFrom(const Call &call, size_t first) {
  Operands operands;
  for (size_t i = first; i < call.operands.size(); ++i) {
    if (!call.operands[i])
      return call.fail("operand %zu is absent but required", i);
    operands.push_back(call.operands[i]);
  }
  return operands;
}

static Status runIf(const Call &call, CallBodies &bodies,
                    std::vector<HostTensor> &results) {
  Result<bool> condition = conditionOf(call, call.operand(0));
  if (!condition)
    return condition.status();
  Result<BodyRun *> made =
      BodyRun::prepare(call, *condition ? kThenBranch : kElseBranch, bodies);
  Result<Operands> inputs = operandsFrom(call, 1);
  if (!made || !inputs)
    return made ? inputs.status() : made.status();
  BodyRun *branch = *made;
  if (inputs->size() != branch->inputTypes().size() ||
      call.results.size() != branch->resultTypes().size())
    return call.fail("the branch has %zu inputs and %zu results, the call %zu "
                     "and %zu",
                     branch->inputTypes().size(), branch->resultTypes().size(),
                     inputs->size(), call.results.size());
  return branch->run(*inputs, results);
}

namespace {
/// A `loop` at work.
class LoopRun {
public:
  LoopRun(const Call &call, BodyRun &body, size_t carried, size_t scans)
      : call(call), body(body), carried(carried), scanned(scans) {}

  /// Iterates as long as `runs`, `most` times at most, from `inputs` on: two
  /// places for number and condition, carried values, what all iterations see.
  Status iterate(Operands inputs, int64_t most, bool runs);
  Status give(std::vector<HostTensor> &results);

private:
  /// The values that a scan output has so far.
  struct Scanned {
    Shape shape; ///< of each
    std::vector<uint8_t> bytes;
  };

  Status collect(int64_t iteration, size_t scan, const HostTensor &value);

  const Call &call;
  BodyRun &body;
  size_t carried;
  std::vector<Scanned> scanned;
  std::vector<HostTensor> state; ///< what the last iteration gave
  Operands last;                 ///< the carried values
  int64_t iterations = 0;
};
} // namespace

Status LoopRun::collect(int64_t iteration, size_t scan,
                        const HostTensor &value) {
  const ResultType &type = call.results[carried + scan];
  Scanned &all = scanned[scan];
  if (type.largest.empty() || iteration >= type.largest[0])
    return call.fail(
        "runs more than the %lld times that scan output %zu has "
        "room for",
        static_cast<long long>(type.largest.empty() ? 0 : type.largest[0]),
        scan);
  if (iteration == 0)
    all.shape = value.shape();
  if (all.shape != value.shape())
    return call.fail("scan output %zu is %s in the first iteration and %s in "
                     "iteration %lld; all must have one shape",
                     scan, numeric::shapeText(all.shape).c_str(),
                     numeric::shapeText(value.shape()).c_str(),
                     static_cast<long long>(iteration));
  // A shape that is too large must not take memory first.
  Shape whole = value.shape();
  whole.insert(whole.begin(), iteration + 1);
  ResultType room = type;
  room.shape.assign(type.shape.size(), kUnknownSize);
  if (value.type() != type.type || !allows(room, whole))
    return call.fail("scan output %zu is made of %s %s", scan,
                     numeric::elementTypeName(value.type()),
                     numeric::shapeText(value.shape()).c_str());
  all.bytes.insert(all.bytes.end(), value.bytes(),
                   value.bytes() + value.sizeBytes());
  return Status::ok();
}

Status LoopRun::iterate(Operands inputs, int64_t most, bool runs) {
  HostTensor number(ElementType::I64, {}), condition(ElementType::Bool, {});
  inputs[0] = &number;
  inputs[1] = &condition;
  for (; runs && iterations < most; ++iterations) {
    WEFT_TRY(rt::stopStatus());
    *number.as<int64_t>() = iterations;
    *condition.bytes() = 1; // or there was no iteration
    std::vector<HostTensor> made;
    WEFT_TRY(body.run(inputs, made)
                 .withContext("iteration " + std::to_string(iterations)));
    Result<bool> again = conditionOf(call, made[0]);
    if (!again)
      return again.status();
    runs = *again;
    for (size_t i = 0; i < scanned.size(); ++i)
      WEFT_TRY(collect(iterations, i, made[1 + carried + i]));
    made.erase(made.begin() + 1 + ptrdiff_t(carried), made.end());
    state = std::move(made);
    for (size_t i = 0; i < carried; ++i)
      inputs[2 + i] = &state[1 + i];
  }
  last.assign(inputs.begin() + 2, inputs.begin() + 2 + ptrdiff_t(carried));
  return Status::ok();
}

Status LoopRun::give(std::vector<HostTensor> &results) {
  const std::vector<int64_t> &sizes = call.attributes.integers(kEmptySizes);
  size_t seen = 0;
  for (size_t i = 0; i < carried; ++i)
    if (iterations)
      results.push_back(std::move(state[1 + i]));
    else
      results.push_back(*last[i]);
  for (size_t i = 0; i < scanned.size(); ++i) {
    const ResultType &type = call.results[carried + i];
    Shape shape = scanned[i].shape;
    if (!iterations && !type.shape.empty())
      for (size_t axis = 1; axis < type.shape.size(); ++axis, ++seen) {
        int64_t size = type.shape[axis];
        if (size == kUnknownSize)
          size = seen < sizes.size() ? sizes[seen] : 0;
        shape.push_back(std::clamp<int64_t>(size, 0, type.largest[axis]));
      }
    shape.insert(shape.begin(), iterations);
    WEFT_TRY(call.addResult(std::move(shape), results));
    if (!scanned[i].bytes.empty())
      std::memcpy(results.back().bytes(), scanned[i].bytes.data(),
                  scanned[i].bytes.size());
    scanned[i].bytes = {};
  }
  return Status::ok();
}

static Status runLoop(const Call &call, CallBodies &bodies,
                      std::vector<HostTensor> &results) {
  constexpr size_t kCount = 0, kCondition = 1, kFirst = 2;
  Result<BodyRun *> prepared = BodyRun::prepare(call, kLoopBody, bodies);
  if (!prepared)
    return prepared.status();
  BodyRun *body = *prepared;
  int64_t carried = call.attributes.integer(kCarried, -1);
  size_t inputs = body->inputTypes().size(), made = body->resultTypes().size();
  if (carried < 0 || call.operands.size() < kFirst + size_t(carried) ||
      inputs != call.operands.size() || made < 1 + size_t(carried) ||
      made - 1 != call.results.size())
    return call.fail("the body has %zu inputs and %zu results, the call %zu "
                     "operands, %lld carried values and %zu results",
                     inputs, made, call.operands.size(),
                     static_cast<long long>(carried), call.results.size());
  int64_t most = INT64_MAX;
  if (call.hasOperand(kCount)) {
    const HostTensor &count = call.operand(kCount);
    if (count.type() != ElementType::I64 || count.elements() != 1)
      return call.fail("the trip count is %s %s; it must be one i64",
                       numeric::elementTypeName(count.type()),
                       numeric::shapeText(count.shape()).c_str());
    most = *count.as<int64_t>();
  }
  bool runs = true;
  if (call.hasOperand(kCondition)) {
    Result<bool> first = conditionOf(call, call.operand(kCondition));
    if (!first)
      return first.status();
    runs = *first;
  }
  Result<Operands> rest = operandsFrom(call, kFirst);
  if (!rest)
    return rest.status();
  rest->insert(rest->begin(), kFirst, nullptr);
  LoopRun loop(call, *body, size_t(carried), made - 1 - size_t(carried));
  WEFT_TRY(loop.iterate(*std::move(rest), most, runs));
  return loop.give(results);
}

static Status runControl(const Call &call, CallBodies &bodies,
                         std::vector<HostTensor> &results) {
  return call.kernel == "loop" ? runLoop(call, bodies, results)
                               : runIf(call, bodies, results);
}

Status host::kernels::if_else(const Call &call,
                              std::vector<HostTensor> &results) {
  CallBodies bodies;
  return runIf(call, bodies, results);
}

Status host::kernels::loop(const Call &call, std::vector<HostTensor> &results) {
  CallBodies bodies;
  return runLoop(call, bodies, results);
}
