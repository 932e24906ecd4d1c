//===- StructuredInputs.cpp - sequences and optionals as inputs -----------===//

#include "frontend/onnx/StructuredInputs.h"
#include "frontend/onnx/Symbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace weft;
using namespace weft::onnx;
using llvm::StringRef;

/// Tensors that a sequence may have as an input; more is taken for a mistake.
constexpr int64_t kMostTensors = 1024;

std::string onnx::tensorOfSequence(StringRef sequence, size_t i) {
  return (sequence + "[" + llvm::Twine(i) + "]").str();
}

std::string onnx::shapeTemplate(const ValueInfo &input) {
  std::string text = input.name + "=";
  if (!input.dims)
    return text + "AxB..";
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const Dimension &dim = (*input.dims)[i];
    text += i ? "x" : "";
    text += dim.value && *dim.value > 0 ? std::to_string(*dim.value)
                                        : std::string(1, 'A' + i % 26);
  }
  return text;
}

/// The number in "S[2]" and "S[2][0]" (axis 0 of that tensor) for sequence S.
static std::optional<int64_t> positionIn(StringRef sequence, StringRef key) {
  int64_t at = 0;
  if (!key.consume_front(sequence) || !key.consume_front("[") ||
      key.consumeInteger(10, at) || at < 0 || !key.consume_front("]") ||
      !(key.empty() || key.starts_with("[")))
    return std::nullopt;
  return at;
}

namespace {
/// The inputs of one model on their way to those of a program.
class InputTaker {
public:
  InputTaker(Model &model, const ImportOptions &options,
             std::vector<StructuredInput> &structured)
      : model(model), options(options), structured(structured) {
    for (const Tensor &tensor : model.initializers)
      values.insert(tensor.name);
    for (const ValueInfo &input : model.inputs)
      values.insert(input.name);
    for (const Node &node : model.nodes)
      for (const std::string &output : node.outputs)
        values.insert(output);
  }

  std::vector<std::string> run() {
    for (const ValueInfo &input : model.inputs) {
      if (isLeftOut(input))
        leaveOut(input);
      else if (input.isSequence && input.type != kUndefined)
        takeApart(input);
      else
        inputs.push_back(input);
    }
    if (problems.empty())
      model.inputs = std::move(inputs);
    return problems;
  }

private:
  bool isLeftOut(const ValueInfo &input) const {
    auto given = options.shapes.find(input.name);
    return given != options.shapes.end() &&
           given->second == std::vector<int64_t>{kAbsentInput};
  }
  /// Whether `--shape` says that a sequence has no tensors.
  bool isEmpty(const ValueInfo &sequence) const {
    auto given = options.shapes.find(sequence.name);
    return given != options.shapes.end() &&
           given->second == std::vector<int64_t>{0};
  }
  void leaveOut(const ValueInfo &input);
  void takeApart(const ValueInfo &sequence);
  std::optional<int64_t> countOf(const ValueInfo &sequence);
  std::string howToGive(const ValueInfo &sequence) const;
  bool isSized(const ValueInfo &tensor) const;

  Model &model;
  const ImportOptions &options;
  std::vector<StructuredInput> &structured;
  llvm::StringSet<> values; ///< names
  std::vector<ValueInfo> inputs;
  std::vector<std::string> problems;
};
} // namespace

void InputTaker::leaveOut(const ValueInfo &input) {
  if (!input.isOptional)
    problems.push_back("--shape " + input.name + "=none leaves out input '" +
                       input.name + "', a " + input.kindName +
                       "; only optionals can be left out");
  else if (options.bindings.count(input.name))
    problems.push_back("--shape leaves out input '" + input.name +
                       "', to which --bind gives a value; leave one");
  else
    structured.push_back({input.name, /*isAbsent=*/true, {}});
}

/// "--shape S[0]=AxB.. --shape S[1]=AxB.. and so on".
std::string InputTaker::howToGive(const ValueInfo &sequence) const {
  ValueInfo tensor = sequence;
  std::string text;
  bool isFixed = tensor.dims && llvm::all_of(*tensor.dims, [](const auto &dim) {
                   return dim.value && *dim.value >= 0;
                 });
  if (isFixed) {
    text = "their number, for example --shape " + sequence.name + "=2";
  } else {
    text = "the shape of each:";
    for (size_t i = 0; i < 2; ++i) {
      tensor.name = tensorOfSequence(sequence.name, i);
      text += " --shape " + shapeTemplate(tensor);
    }
    text += " and so on";
  }
  text += ", or --shape " + sequence.name + "=empty";
  return sequence.isOptional
             ? text + ", or --shape " + sequence.name + "=none without a value"
             : text;
}

/// How many tensors `options` give to a sequence; none, with a problem, if they
/// do not say.
std::optional<int64_t> InputTaker::countOf(const ValueInfo &sequence) {
  const std::string &name = sequence.name;
  auto problem = [&](const std::string &text) {
    problems.push_back(text);
    return std::nullopt;
  };
  if (options.bindings.count(name))
    return problem("--bind names '" + name +
                   "', which is a sequence; bind its tensors, --bind " +
                   tensorOfSequence(name, 0) + "=FILE.npz");
  std::set<int64_t> positions;
  for (const auto &[key, shape] : options.shapes)
    if (auto at = positionIn(name, key))
      positions.insert(*at);
  for (const auto &[key, tensor] : options.bindings)
    if (auto at = positionIn(name, key))
      positions.insert(*at);
  // S[INT64_MAX] is one too many, too.
  int64_t named = positions.empty() ? 0 : *positions.rbegin();
  named += !positions.empty() && named < INT64_MAX;
  auto given = options.shapes.find(name);
  bool isGiven = given != options.shapes.end();
  if (isGiven && given->second.size() != 1)
    return problem("--shape gives '" + name + "', which is a sequence, a " +
                   "shape; give " + howToGive(sequence));
  if (!isGiven && positions.empty())
    return problem("input '" + name + "' is a sequence of " +
                   dataTypeName(sequence.type) +
                   " tensors, and a program has a fixed number of them; give " +
                   howToGive(sequence));
  int64_t count = isGiven ? given->second.front() : named;
  if (std::max(count, named) > kMostTensors)
    return problem("sequence '" + name + "' has " +
                   std::to_string(std::max(count, named)) +
                   " tensors; there may be at most " +
                   std::to_string(kMostTensors));
  if (named > count)
    return problem("an option names '" + tensorOfSequence(name, named - 1) +
                   "', but '" + name + "' is given " + std::to_string(count) +
                   " tensors by --shape " + name + "=" +
                   (count ? std::to_string(count) : "empty") +
                   "; they are counted from 0");
  for (int64_t i = 0; !isGiven && i < count; ++i)
    if (!positions.count(i))
      return problem("tensor " + std::to_string(i) + " of sequence '" + name +
                     "' is not given, only a later one; give its shape, " +
                     "--shape " + tensorOfSequence(name, i) +
                     "=AxB.., or the number of all, --shape " + name + "=" +
                     std::to_string(count));
  return count;
}

/// Whether the sizes of all axes are known.
bool InputTaker::isSized(const ValueInfo &tensor) const {
  if (options.shapes.count(tensor.name) || options.bindings.count(tensor.name))
    return true;
  for (size_t axis = 0; tensor.dims && axis < tensor.dims->size(); ++axis)
    if ((*tensor.dims)[axis].value.value_or(-1) < 0 &&
        !sizeOfAxis(model, options, tensor, axis))
      return false;
  return tensor.dims.has_value();
}

void InputTaker::takeApart(const ValueInfo &sequence) {
  if (sequence.type == kString && !isEmpty(sequence)) {
    problems.push_back("unsupported: input '" + sequence.name + "' is a " +
                       sequence.kindName +
                       " of strings; a program can have sequences of numbers "
                       "only. Make it one tensor of strings in the model, or "
                       "cut the model with --inputs behind what takes it "
                       "apart");
    return;
  }
  std::optional<int64_t> count = countOf(sequence);
  if (!count)
    return;
  StructuredInput parts{sequence.name, /*isAbsent=*/false, {}};
  std::string missing;
  for (int64_t i = 0; i < *count; ++i) {
    ValueInfo tensor = sequence;
    tensor.name = tensorOfSequence(sequence.name, i);
    tensor.kindName = "tensor";
    tensor.isSequence = tensor.isOptional = false;
    if (!values.insert(tensor.name).second) {
      problems.push_back("tensor " + std::to_string(i) + " of sequence '" +
                         sequence.name + "' would be called '" + tensor.name +
                         "', as another value of the model is; rename one of "
                         "them in the model");
      return;
    }
    if (isLeftOut(tensor))
      leaveOut(tensor); // says that it cannot be
    if (!isSized(tensor))
      missing += " --shape " + shapeTemplate(tensor);
    parts.tensors.push_back(tensor.name);
    inputs.push_back(std::move(tensor));
  }
  if (!missing.empty())
    problems.push_back("the model leaves sizes of tensors of sequence '" +
                       sequence.name + "' open; give them:" + missing);
  structured.push_back(std::move(parts));
}

std::vector<std::string>
onnx::takeInputsApart(Model &model, const ImportOptions &options,
                      std::vector<StructuredInput> &structured) {
  return InputTaker(model, options, structured).run();
}

const ValueInfo *onnx::findInput(const Model &model, StringRef name) {
  for (const ValueInfo &input : model.inputs)
    if (input.name == name ||
        (input.isSequence &&
         name == tensorOfSequence(input.name,
                                  positionIn(input.name, name).value_or(0))))
      return &input;
  return nullptr;
}
