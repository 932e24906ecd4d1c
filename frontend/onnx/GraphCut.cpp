//===- GraphCut.cpp - a part of a model in place of the whole -------------===//

#include "frontend/onnx/GraphCut.h"

#include "frontend/onnx/OnnxModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

using namespace weft::onnx;
using llvm::StringRef;

static std::string inQuotes(StringRef name) { return ("'" + name + "'").str(); }

namespace {
/// One model on its way to a part of it.
class Cutter {
public:
  Cutter(Model &model, GraphCut &cut) : model(model), cut(cut) {
    for (size_t i = 0; i < model.nodes.size(); ++i)
      for (const std::string &output : model.nodes[i].outputs)
        if (!output.empty())
          producers.try_emplace(output, i);
    for (const Tensor &tensor : model.initializers)
      constants.try_emplace(tensor.name, &tensor);
    for (const ValueInfo &input : model.inputs)
      if (!constants.count(input.name))
        inputs.try_emplace(input.name, &input);
  }

  std::vector<std::string> run() {
    GraphCut named;
    named.inputs = resolve("--inputs", cut.inputs);
    named.outputs = resolve("--outputs", cut.outputs);
    if (!problems.empty())
      return problems;
    for (const std::string &name : named.inputs)
      starts.insert(name);
    if (named.outputs.empty())
      for (const ValueInfo &output : model.outputs)
        need(output.name);
    else
      llvm::for_each(named.outputs, [&](const auto &name) { need(name); });
    checkInputs(named);
    std::vector<ValueInfo> newInputs = inputsOf(named);
    if (!problems.empty())
      return problems;
    apply(named, std::move(newInputs));
    cut = std::move(named);
    return {};
  }

private:
  bool isKnown(StringRef name) const {
    return producers.count(name) || constants.count(name) || inputs.count(name);
  }
  std::vector<std::string> resolve(const char *option,
                                   const std::vector<std::string> &texts);
  std::string unknown(const char *option, StringRef name) const;
  void need(StringRef output);
  void checkInputs(const GraphCut &named);
  std::vector<ValueInfo> inputsOf(const GraphCut &named);
  void apply(const GraphCut &named, std::vector<ValueInfo> newInputs);

  Model &model;
  GraphCut &cut;
  llvm::StringMap<size_t> producers;
  llvm::StringMap<const Tensor *> constants;
  llvm::StringMap<const ValueInfo *> inputs; ///< without those
  llvm::StringSet<> starts;                  ///< where the walk back ends
  llvm::StringSet<> needed;                  ///< values
  std::vector<std::string> problems;
};
} // namespace

std::vector<std::string>
Cutter::resolve(const char *option, const std::vector<std::string> &texts) {
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  auto add = [&](StringRef name) {
    if (!isKnown(name))
      problems.push_back(unknown(option, name));
    else if (!seen.insert(name).second)
      problems.push_back(std::string(option) + " names " + inQuotes(name) +
                         " twice");
    else
      names.push_back(name.str());
  };
  for (const std::string &text : texts) {
    if (isKnown(text)) { // names may hold commas
      add(text);
      continue;
    }
    llvm::SmallVector<StringRef> parts;
    StringRef(text).split(parts, ',');
    llvm::for_each(parts, add);
  }
  return names;
}

/// Why `name` is no value between which the graph can be cut.
std::string Cutter::unknown(const char *option, StringRef name) const {
  std::string start = std::string(option) + " names " + inQuotes(name) + ", ";
  if (name.empty())
    return std::string(option) + " has an empty name; write NAME,NAME";
  for (const Node &node : model.nodes) {
    if (node.name == name) {
      std::string values;
      for (const std::string &output : node.outputs)
        if (!output.empty())
          values += (values.empty() ? "" : ", ") + inQuotes(output);
      return start + "which is a node; name a value that it makes: " + values;
    }
    for (const NodeAttribute &attribute : node.attributes) {
      if (!attribute.graph)
        continue;
      for (const Node &inner : attribute.graph->nodes)
        if (llvm::is_contained(inner.outputs, name))
          return start + "which is inside of node " +
                 std::to_string(node.index) + " " + inQuotes(node.name) + " (" +
                 node.opType + "); only values of the main graph can be named";
    }
  }
  return start + "which is no value of the model; weft info shows the names "
                 "of a converted model's values, Netron those of any";
}

/// Marks `output` and all that it is computed from, up to the starts.
void Cutter::need(StringRef output) {
  llvm::SmallVector<std::string> open = {output.str()};
  while (!open.empty()) {
    std::string name = open.pop_back_val();
    if (name.empty() || !needed.insert(name).second || starts.contains(name))
      continue;
    auto producer = producers.find(name);
    if (producer == producers.end())
      continue;
    const Node &node = model.nodes[producer->second];
    open.append(node.inputs.begin(), node.inputs.end());
    open.append(node.captured.begin(), node.captured.end());
  }
}

void Cutter::checkInputs(const GraphCut &named) {
  if (named.inputs.empty())
    return;
  for (const std::string &name : named.inputs)
    if (!needed.contains(name))
      problems.push_back("--inputs names " + inQuotes(name) +
                         ", which the outputs do not need; leave it out");
  for (const ValueInfo &input : model.inputs)
    if (inputs.count(input.name) && needed.contains(input.name) &&
        !starts.contains(input.name))
      problems.push_back("the outputs also need input " + inQuotes(input.name) +
                         ", which --inputs does not name; name it, too, or the "
                         "values that are made of it");
}

/// What the inputs are then.
std::vector<ValueInfo> Cutter::inputsOf(const GraphCut &named) {
  std::vector<ValueInfo> result;
  for (const std::string &name : named.inputs) {
    ValueInfo info;
    auto given = inputs.find(name);
    auto constant = constants.find(name);
    auto value = model.values.find(name);
    if (given != inputs.end()) {
      info = *given->second;
    } else if (constant != constants.end()) {
      info.type = constant->second->type;
      info.kindName = "tensor";
      info.dims.emplace();
      for (int64_t size : constant->second->dims)
        info.dims->push_back({size, "?"});
    } else if (value != model.values.end()) {
      info = value->second;
    }
    info.name = name;
    if (info.type == kUndefined)
      problems.push_back("the type of " + inQuotes(name) +
                         ", which --inputs names, is not known: neither does "
                         "the model declare it, nor do ONNX's rules infer it; "
                         "add it to the model's value_info, or name a value "
                         "behind it");
    result.push_back(std::move(info));
  }
  if (named.inputs.empty())
    for (const ValueInfo &input : model.inputs)
      if (constants.count(input.name) || needed.contains(input.name))
        result.push_back(input);
  return result;
}

void Cutter::apply(const GraphCut &named, std::vector<ValueInfo> newInputs) {
  llvm::erase_if(model.nodes, [&](const Node &node) {
    return llvm::none_of(node.outputs, [&](const std::string &output) {
      return !output.empty() && needed.contains(output) &&
             !starts.contains(output);
    });
  });
  // A node may make a start beside what is needed of it.
  for (Node &node : model.nodes)
    for (std::string &output : node.outputs)
      if (starts.contains(output))
        do
          output += " (cut off)";
        while (isKnown(output));
  llvm::erase_if(model.initializers, [&](const Tensor &tensor) {
    return starts.contains(tensor.name) ||
           (!tensor.name.empty() && !needed.contains(tensor.name));
  });
  model.inputs = std::move(newInputs);
  if (named.outputs.empty())
    return;
  std::vector<ValueInfo> outputs;
  for (const std::string &name : named.outputs) {
    // Its type is what its node gives; names of dimensions are the file's.
    auto value = model.values.find(name);
    outputs.push_back(value == model.values.end() ? ValueInfo()
                                                  : value->second);
    outputs.back().name = name;
    outputs.back().type = kUndefined;
  }
  model.outputs = std::move(outputs);
}

std::vector<std::string> weft::onnx::cutGraph(Model &model, GraphCut &cut) {
  return Cutter(model, cut).run();
}
