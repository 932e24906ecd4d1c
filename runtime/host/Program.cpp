//===- Program.cpp - checking and running host programs -------------------===//

#include "runtime/host/Body.h"

#include "runtime/host/Convert.h"
#include "runtime/status/Quote.h"
#include "runtime/status/Stop.h"

#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Code;
using rt::failf;
using rt::Status;

namespace {
/// Checks one step after the other against what is known so far.
class Checker {
public:
  /// `depth`: how many bodies the program stands in.
  Checker(const StageView &stage, ProgramState &state, unsigned depth)
      : stage(stage), state(state), depth(depth) {
    state.givenOutputs.resize(stage.outputs.size());
  }

  Status operator()(const LoadStep &step) {
    ResultType type = staticResult(step.type, step.shape);
    WEFT_TRY(define(step.value, type));
    int64_t elements = *numeric::elementCount(step.shape);
    if (!isConvertible(step.from.type, step.type) ||
        step.from.elements != (elements ? elements : 1) ||
        !stage.mayRead(step.from))
      return failf(Code::BadFile,
                   "loads %lld elements at 0x%llx as a tensor of %lld",
                   static_cast<long long>(step.from.elements),
                   static_cast<unsigned long long>(step.from.address),
                   static_cast<long long>(elements));
    return Status::ok();
  }
  Status operator()(const InputStep &step) {
    if (step.input >= stage.inputs.size())
      return failf(Code::BadFile, "reads input %u of %zu", step.input,
                   stage.inputs.size());
    return define(step.value, stage.inputs[step.input]);
  }
  Status operator()(const ConstantStep &step) {
    return define(step.value,
                  staticResult(step.tensor.type(), step.tensor.shape()));
  }
  Status operator()(const CallStep &step) {
    if (!hasKernel(step.kernel))
      return failf(Code::Unsupported,
                   "unsupported: host kernel %s; the file may come from a "
                   "newer weft",
                   rt::quoteName(step.kernel).c_str());
    for (ValueId operand : step.operands)
      if (operand != kAbsent && !state.values.count(operand))
        return failf(Code::BadFile, "uses value %u before it is made", operand);
    for (size_t i = 0; i < step.results.size(); ++i)
      WEFT_TRY(define(step.results[i], step.types[i]));
    rt::Result<std::vector<NamedBody>> bodies =
        bodiesOf(step.kernel, step.attributes);
    if (!bodies)
      return bodies.status();
    for (const NamedBody &body : *bodies)
      WEFT_TRY(checkBody(body.body, depth)
                   .withContext("graph " + rt::quoteName(body.name)));
    return Status::ok();
  }
  Status operator()(const StoreStep &step) {
    auto found = state.values.find(step.value);
    if (found == state.values.end())
      return failf(Code::BadFile, "stores value %u, which is not made",
                   step.value);
    int64_t elements = *numeric::elementCount(found->second.largest);
    if (!isConvertible(found->second.type, step.to.type) ||
        step.to.elements < elements || !stage.mayWrite(step.to))
      return failf(Code::BadFile,
                   "stores a tensor of %lld elements into %lld at 0x%llx",
                   static_cast<long long>(elements),
                   static_cast<long long>(step.to.elements),
                   static_cast<unsigned long long>(step.to.address));
    return Status::ok();
  }
  Status operator()(const OutputStep &step) {
    auto found = state.values.find(step.value);
    if (found == state.values.end() || step.output >= stage.outputs.size() ||
        state.givenOutputs[step.output] ||
        !(found->second == stage.outputs[step.output]))
      return failf(Code::BadFile,
                   "gives value %u as output %u, which does not fit",
                   step.value, step.output);
    state.givenOutputs[step.output] = true;
    return Status::ok();
  }

private:
  Status define(ValueId value, const ResultType &type) {
    if (!canHold(type))
      return failf(Code::BadFile, "makes value %u of an impossible shape %s",
                   value, numeric::shapeText(type.largest).c_str());
    if (value == kAbsent || !state.values.emplace(value, type).second)
      return failf(Code::BadFile, "makes value %u, which is there already",
                   value);
    return Status::ok();
  }

  const StageView &stage;
  ProgramState &state;
  unsigned depth;
};

/// Runs one step after the other.
class Runner {
public:
  explicit Runner(RunContext &context) : context(context) {}

  Status operator()(const LoadStep &step) {
    HostTensor stored(step.from.type, {step.from.elements});
    std::memcpy(stored.bytes(), context.read(step.from), step.from.bytes());
    rt::Result<HostTensor> tensor = convert(stored, step.type);
    if (!tensor)
      return tensor.status();
    if (!tensor->reshape(step.shape)) // an empty tensor has one element there
      *tensor = HostTensor(step.type, step.shape);
    context.values[step.value] = *std::move(tensor);
    return Status::ok();
  }
  Status operator()(const InputStep &step) {
    context.values[step.value] = (*context.inputs)[step.input];
    return Status::ok();
  }
  Status operator()(const ConstantStep &step) {
    context.values[step.value] = step.tensor;
    return Status::ok();
  }
  Status operator()(const CallStep &step) {
    Call call;
    call.kernel = step.kernel;
    call.attributes = step.attributes;
    call.results = step.types;
    for (ValueId operand : step.operands)
      call.operands.push_back(operand == kAbsent ? nullptr
                                                 : &context.values[operand]);
    std::vector<HostTensor> results;
    WEFT_TRY(
        run(call, results).withContext("node " + rt::quoteName(step.node)));
    for (size_t i = 0; i < results.size(); ++i)
      context.values[step.results[i]] = std::move(results[i]);
    return Status::ok();
  }
  Status operator()(const StoreStep &step) {
    rt::Result<HostTensor> stored =
        convert(context.values[step.value], step.to.type);
    if (!stored)
      return stored.status();
    if (stored->sizeBytes())
      std::memcpy(context.write(step.to), stored->bytes(), stored->sizeBytes());
    return Status::ok();
  }
  Status operator()(const OutputStep &step) {
    (*context.outputs)[step.output] = context.values[step.value];
    return Status::ok();
  }

private:
  RunContext &context;
};
} // namespace

static Status checkAt(unsigned depth, const Program &program,
                      const StageView &stage, ProgramState &state) {
  Checker checker(stage, state, depth);
  for (size_t i = 0; i < program.steps.size(); ++i)
    WEFT_TRY(
        std::visit(checker, program.steps[i])
            .withContext("step " + std::to_string(i) + " of the host program"));
  return Status::ok();
}

Status host::checkProgram(const Program &program, const StageView &stage,
                          ProgramState &state) {
  return checkAt(0, program, stage, state);
}

Status host::checkBody(const Body &body, unsigned depth) {
  if (depth >= kMostBodies)
    return failf(Code::BadFile, "more than %u graphs within graphs",
                 kMostBodies);
  StageView view;
  view.inputs = body.inputs;
  view.outputs = body.results;
  view.mayRead = view.mayWrite = [](const Place &) { return false; };
  ProgramState state;
  WEFT_TRY(checkAt(depth + 1, body.program, view, state));
  for (size_t i = 0; i < state.givenOutputs.size(); ++i)
    if (!state.givenOutputs[i])
      return failf(Code::BadFile, "does not give result %zu", i);
  return Status::ok();
}

rt::Result<std::vector<NamedBody>>
host::bodiesOf(std::string_view kernel, const Attributes &attributes) {
  std::vector<NamedBody> bodies;
  std::vector<std::string_view> names;
  if (kernel == "if_else")
    names = {kThenBranch, kElseBranch};
  else if (kernel == "loop")
    names = {kLoopBody};
  for (std::string_view name : names) {
    std::string where = "graph " + rt::quoteName(name);
    const HostTensor *bytes = attributes.tensor(name);
    if (!bytes)
      return failf(Code::BadFile, "%s is missing", where.c_str());
    rt::Result<Body> body = parseBody(*bytes);
    if (!body)
      return body.status().withContext(where);
    bodies.push_back({name, *std::move(body)});
  }
  return bodies;
}

Status host::runProgram(const Program &program, RunContext &context) {
  Runner runner(context);
  for (const Step &step : program.steps) {
    WEFT_TRY(std::visit(runner, step));
    WEFT_TRY(rt::stopStatus()); // what a kernel left early is no result
  }
  return Status::ok();
}
