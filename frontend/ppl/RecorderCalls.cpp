//===- RecorderCalls.cpp - calls of functions become ops -----------------===//

#include "frontend/ppl/Recorder.h"
#include "frontend/ppl/TensorChecks.h"

using namespace mlir;
using namespace weft;
using namespace weft::frontend;

/// False if the argument has no kind that there is.
bool Recorder::fillArgument(const weft_ppl_argument &given,
                            const catalog::Slot &slot,
                            catalog::Argument &argument,
                            ppl::FunctionArgument &irArgument,
                            bool &isPoisoned) {
  using Kind = catalog::Argument::Kind;
  bool wantsReal = slot.kind == catalog::SlotKind::Float;
  switch (given.kind) {
  case WEFT_PPL_OMITTED:
    return true;
  case WEFT_PPL_TENSOR: {
    const Tensor *tensor = find(given.integer);
    if (!tensor || tensor->isPoisoned) {
      isPoisoned = true; // its error has been reported
      return true;
    }
    argument.kind = Kind::Tensor;
    argument.tensor = tensor->description;
    irArgument.value = tensor->value;
    return true;
  }
  case WEFT_PPL_INTEGER:
    argument.kind = Kind::Integer;
    argument.integer = given.integer;
    argument.real = double(given.integer);
    if (wantsReal)
      irArgument.attribute = builder.getF64FloatAttr(double(given.integer));
    else
      irArgument.attribute = builder.getI64IntegerAttr(given.integer);
    return true;
  case WEFT_PPL_FLOAT:
    argument.kind = Kind::Float;
    argument.real = given.real;
    irArgument.attribute = builder.getF64FloatAttr(given.real);
    return true;
  case WEFT_PPL_INTEGERS:
    if (given.count < 0 || (given.count > 0 && !given.integers))
      return false;
    argument.kind = Kind::Integers;
    argument.integers.assign(given.integers, given.integers + given.count);
    irArgument.attribute = builder.getDenseI64ArrayAttr(argument.integers);
    return true;
  default:
    return false;
  }
}

void Recorder::call(const char *name, const weft_ppl_argument *arguments,
                    size_t count, weft_ppl_line at) {
  if (!isGivenPointer(name, "a function's name", at) ||
      (count && !isGivenPointer(arguments, "a function's arguments", at)))
    return;
  if (calls++ >= options.mostCalls) {
    if (!hasFailed)
      error(at) << "more than " << options.mostCalls << " calls";
    return;
  }
  const catalog::Operation *function = catalog::find(name);
  if (!function) {
    error(at) << "there is no function ppl::" << name;
    return;
  }
  std::string spelt = catalog::qualifiedName(*function);
  if (count > function->slots.size()) {
    error(at) << spelt << ": " << count << " arguments, takes at most "
              << function->slots.size();
    return;
  }
  catalog::Call call;
  call.operation = function;
  call.chip = &chip;
  call.arguments.resize(function->slots.size());
  SmallVector<ppl::FunctionArgument> irArguments(count);
  bool isPoisoned = false;
  for (size_t i = 0; i < count; ++i)
    if (!fillArgument(arguments[i], function->slots[i], call.arguments[i],
                      irArguments[i], isPoisoned)) {
      error(at) << spelt << ": argument " << i << " has kind "
                << arguments[i].kind << ", which there is not";
      return;
    }
  if (isPoisoned) {
    poison(arguments, count);
    return;
  }
  std::vector<int64_t> ids(count);
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i].kind != WEFT_PPL_TENSOR)
      continue;
    ids[i] = arguments[i].integer;
    const Tensor *tensor = find(ids[i]);
    if (!tensor->isUnshaped && !isShaped(*tensor, spelt.c_str(), at)) {
      poison(arguments, count);
      return;
    }
  }
  std::string problem;
  if (!settle({call, irArguments, ids, at}, problem)) {
    if (!problem.empty())
      error(at) << spelt << ": " << problem;
    poison(arguments, count);
    return;
  }
  if (std::string wrong = numberProblem(call); !wrong.empty())
    error(at) << spelt << ": " << wrong;
  Operation *op =
      ppl::createFunction(builder, locate(at), *function, irArguments);
  if (parallelRegion)
    op->setAttr(ppl::kParallelRegion,
                builder.getI64IntegerAttr(parallelRegion));
  if (live)
    runNow(std::move(call), ids, spelt, at);
}

void Recorder::runNow(catalog::Call call, const std::vector<int64_t> &ids,
                      const std::string &name, weft_ppl_line at) {
  std::vector<LiveValues::Root> roots(call.arguments.size());
  for (size_t i = 0; i < ids.size(); ++i)
    if (const Tensor *tensor = find(ids[i])) { // shaped by now
      call.arguments[i].tensor = tensor->description;
      roots[i] = {tensor->start, tensor->rootBytes};
    }
  rt::Status status = relayValues();
  if (status)
    status = live->run(std::move(call), roots);
  if (!status)
    error(at) << name << ": " << status.message();
}

rt::Result<catalog::Dense> Recorder::values(int64_t id) {
  const Tensor *tensor = find(id);
  if (!live || !tensor || tensor->isUnshaped || tensor->isPoisoned)
    return rt::fail(rt::Code::InvalidArgument,
                    !live ? "this recording keeps no values"
                          : "the tensor has no values yet");
  return live->read(tensor->description, {tensor->start, tensor->rootBytes});
}
