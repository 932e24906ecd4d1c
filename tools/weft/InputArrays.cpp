#include "tools/weft/InputArrays.h"
#include "runtime/device/TensorConversion.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

using namespace weft;
using numeric::ElementType;
using numeric::elementTypeName;
using numeric::HostTensor;
using numeric::shapeText;
using rt::Code;
using rt::Result;
using rt::Status;
using rt::TensorSpec;

template <typename Range, typename GetName>
static std::string nameList(const Range &range, GetName getName) {
  std::string text;
  for (const auto &item : range)
    text += (text.empty() ? "" : ", ") + rt::quoteName(getName(item));
  return text.empty() ? "nothing" : text;
}

Result<const rt::NetSpec *> cli::chooseNet(const rt::Bmodel &model,
                                           const std::string &name) {
  if (name.empty() && model.nets().size() == 1)
    return &model.nets()[0];
  if (const rt::NetSpec *net = model.findNet(name))
    return net;
  std::string nets =
      nameList(model.nets(), [](const rt::NetSpec &net) { return net.name; });
  if (name.empty())
    return rt::fail(Code::NotFound, model.path() +
                                        ": there are several nets, " + nets +
                                        "; choose one with --net");
  return rt::fail(Code::NotFound, model.path() + ": there is no net " +
                                      rt::quoteName(name) + "; there is " +
                                      nets);
}

static std::vector<samples::Input> inputsOf(const rt::NetSpec &net) {
  std::vector<samples::Input> inputs;
  for (size_t i = 0; i < net.stages[0].inputs.size(); ++i) {
    const TensorSpec &spec = net.stages[0].inputs[i];
    inputs.push_back({spec.name,
                      spec.isQuantized() ? ElementType::F32 : spec.type,
                      {},
                      spec.isText});
    for (const rt::StageSpec &stage : net.stages)
      inputs.back().shapes.push_back(stage.inputs[i].shape);
  }
  return inputs;
}

Result<samples::Sample> cli::openSample(const SampleRequest &request,
                                        const rt::NetSpec &net) {
  if (request.preprocessing)
    WEFT_TRY(samples::checkAnyImage({request.files}));
  return samples::Sample::open(
      request.files, inputsOf(net),
      request.preprocessing.value_or(preprocess::Options()));
}

/// Names must agree exactly.
static Status checkNames(const samples::Sample &sample,
                         const rt::NetSpec &net) {
  const std::vector<TensorSpec> &inputs = net.stages[0].inputs;
  auto specName = [](const TensorSpec &spec) { return spec.name; };
  auto arrayName = [](const std::string &name) { return name; };
  for (const TensorSpec &spec : inputs)
    if (!sample.has(spec.name))
      return rt::fail(Code::InvalidArgument,
                      sample.path() + ": input " + rt::quoteName(spec.name) +
                          " is missing; the file has " +
                          nameList(sample.names(), arrayName) + ", net " +
                          rt::quoteName(net.name) + " expects " +
                          nameList(inputs, specName));
  for (const std::string &name : sample.names())
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const TensorSpec &spec) { return spec.name == name; }))
      return rt::fail(Code::InvalidArgument,
                      sample.path(name) + ": array " + rt::quoteName(name) +
                          " is not an input of net " + rt::quoteName(net.name) +
                          ", which expects " + nameList(inputs, specName));
  return Status::ok();
}

/// Integers of another type for a quantized input may be codes or reals, so
/// that they are neither.
static bool mayConvert(const samples::Sample &sample, const TensorSpec &spec) {
  return spec.isQuantized() ? sample.type(spec.name) == spec.type
                            : sample.canBe(spec.name, spec.type);
}

/// Strings are given where strings are wanted, and nowhere else.
static Status checkTexts(const samples::Sample &sample, const TensorSpec &spec,
                         const rt::NetSpec &net) {
  if (sample.isText(spec.name) == spec.isText)
    return Status::ok();
  const char *given =
      spec.isText ? elementTypeName(sample.type(spec.name)) : "strings";
  const char *wanted = spec.isText ? "strings" : elementTypeName(spec.type);
  return rt::fail(Code::TypeMismatch,
                  sample.path(spec.name) + ": input " +
                      rt::quoteName(spec.name) + " is " + given + ", net " +
                      rt::quoteName(net.name) + " expects " + wanted +
                      (spec.isText ? "; give an array of str" : ""));
}

/// rt::chooseStage() with as many bytes of strings as a stage has: the fewest
/// that the sample needs, else the most, so that readInputs() names these.
static Result<rt::StageChoice>
chooseForTexts(const samples::Sample &sample, const rt::NetSpec &net,
               std::vector<std::vector<int64_t>> shapes) {
  const std::vector<TensorSpec> &inputs = net.stages[0].inputs;
  std::vector<int64_t> needed(inputs.size(), 0);
  for (size_t i = 0; i < inputs.size() && net.stages.size() > 1; ++i)
    if (inputs[i].isText) {
      Result<int64_t> longest = sample.longestText(inputs[i].name);
      if (!longest)
        return longest.status();
      needed[i] = *longest;
    }
  // Whether they are too few, how many, and those of each input.
  std::set<std::tuple<bool, int64_t, std::vector<int64_t>>> offers;
  for (const rt::StageSpec &stage : net.stages) {
    std::vector<int64_t> bytes(inputs.size(), 0);
    bool isTooShort = false;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].isText) {
        bytes[i] = stage.inputs[i].shape.back();
        isTooShort |= bytes[i] < needed[i];
      }
    int64_t all = std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
    offers.emplace(isTooShort, isTooShort ? -all : all, std::move(bytes));
  }
  std::optional<Status> why;
  for (const auto &[isTooShort, order, bytes] : offers) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].isText)
        shapes[i].back() = bytes[i];
    Result<rt::StageChoice> chosen = rt::chooseStage(net, shapes);
    if (chosen)
      return chosen;
    if (!why)
      why = chosen.status();
  }
  return *why;
}

/// The most samples like this one that a stage takes, stacked; 0: none does.
static size_t largestStack(const samples::Sample &sample,
                           const rt::NetSpec &net) {
  size_t most = 0;
  for (size_t stage = 0; stage < net.stages.size(); ++stage) {
    std::vector<samples::Input> inputs = inputsOf(net);
    for (samples::Input &input : inputs)
      input.shapes = {input.shapes[stage]};
    most = std::max(most, samples::entriesOf(sample, inputs));
  }
  return most;
}

size_t cli::entriesOfBatch(const samples::Sample &sample,
                           const rt::NetSpec &net) {
  if (chooseStage(sample, net))
    return 1;
  return std::max<size_t>(1, largestStack(sample, net));
}

/// A shape that no stage runs, with what to do.
static Status noStage(const Status &why, const samples::Sample &sample,
                      const rt::NetSpec &net) {
  size_t entries = largestStack(sample, net);
  if (entries <= 1)
    return why.withContext(sample.path());
  return rt::fail(why.code(), sample.path() + ": " + why.message() + "; give " +
                                  std::to_string(entries) +
                                  " of them, --input each, or convert with "
                                  "--batch 1.." +
                                  std::to_string(entries) +
                                  ", whose programs fill up a smaller batch");
}

Result<rt::StageChoice> cli::chooseStage(const samples::Sample &sample,
                                         const rt::NetSpec &net) {
  WEFT_TRY(checkNames(sample, net));
  std::vector<std::vector<int64_t>> shapes;
  for (const TensorSpec &spec : net.stages[0].inputs) {
    WEFT_TRY(checkTexts(sample, spec, net));
    shapes.push_back(sample.shape(spec.name));
  }
  Result<rt::StageChoice> chosen =
      chooseForTexts(sample, net, std::move(shapes));
  if (!chosen)
    return noStage(chosen.status(), sample, net);
  for (const TensorSpec &spec : net.stages[chosen->stage].inputs) {
    ElementType given = sample.type(spec.name);
    if (!spec.isText && !rt::acceptsType(spec, given) &&
        !mayConvert(sample, spec))
      return rt::fail(
          Code::TypeMismatch,
          sample.path(spec.name) + ": input " + rt::quoteName(spec.name) +
              " is " + elementTypeName(given) + ", net " +
              rt::quoteName(net.name) + " expects " +
              elementTypeName(spec.type) +
              (spec.isQuantized() ? " codes, or reals as floats" : "") +
              "; convert the array first");
  }
  return chosen;
}

Result<std::vector<HostTensor>> cli::readInputs(const samples::Sample &sample,
                                                const rt::StageSpec &stage) {
  std::vector<HostTensor> tensors;
  for (const TensorSpec &spec : stage.inputs) {
    Result<HostTensor> tensor = spec.isText
                                    ? sample.readTexts(spec.name, spec.shape)
                                : rt::acceptsType(spec, sample.type(spec.name))
                                    ? sample.read(spec.name)
                                    : sample.readAs(spec.name, spec.type);
    if (!tensor)
      return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

std::vector<rt::InputElements>
cli::inputElements(const std::vector<HostTensor> &tensors) {
  std::vector<rt::InputElements> elements;
  for (const HostTensor &tensor : tensors)
    elements.push_back({tensor.type(), tensor.bytes()});
  return elements;
}
