//===- ImportNodes.cpp - nodes and functions ------------------------------===//

#include "frontend/onnx/DataDependent.h"
#include "frontend/onnx/GraphOrder.h"
#include "frontend/onnx/Importer.h"
#include "frontend/onnx/OldForms.h"
#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Strings.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "mlir/IR/Diagnostics.h"
#include <cstdio>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Functions within functions; real exporters nest a handful.
constexpr unsigned kMaxCallDepth = 32;
/// Nodes that functions and loops may expand to. Each of 32 levels could call
/// the next one twice, so depth alone does not bound the work.
constexpr uint64_t kMaxExpandedNodes = 100'000;

std::string weft::onnx::describe(const Entity &entity) {
  switch (entity.kind) {
  case Entity::Kind::Tensor: {
    RankedTensorType type = NodeImporter::typeOf(entity.value);
    return "a " + formatShape(type.getShape()) + " tensor of " +
           dataTypeName(onnxTypeOf(type.getElementType()));
  }
  case Entity::Kind::Strings: {
    SmallVector<int64_t> shape =
        *largestShape(NodeImporter::typeOf(entity.bytes));
    shape.pop_back();
    return "a " + formatShape(shape) + " tensor of strings";
  }
  case Entity::Kind::Sequence:
    return "a sequence of " + std::to_string(entity.items.size()) + " tensors";
  case Entity::Kind::Nothing:
    return "an optional without a value";
  case Entity::Kind::Unknown:
    break;
  }
  return "unknown";
}

Entity Body::lookup(StringRef name) const {
  for (const Body *body = this; body; body = body->parent) {
    auto found = body->scope.find(name);
    if (found != body->scope.end())
      return found->second;
    if (!body->seesParent)
      break;
  }
  return {};
}

Location Importer::nodeLocation(const Node &node, const Body &body) {
  std::string name = node.name.empty()
                         ? node.opType + "_" + std::to_string(node.index)
                         : node.name;
  if (!body.callSite)
    return NameLoc::get(builder.getStringAttr(name),
                        FileLineColLoc::get(file, node.index, 0));
  return NameLoc::get(builder.getStringAttr(body.caller + "/" + name),
                      body.callSite);
}

const Function *Importer::findFunction(const Node &node) const {
  for (const Function &function : model.functions)
    if (function.domain == node.domain && function.name == node.opType &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

/// Operators whose nearest alternative is worth more than a general advice.
static StringRef alternativeFor(StringRef opType) {
  static const std::pair<StringRef, StringRef> rows[] = {
      {"Bernoulli", "it draws random numbers; draw them outside of the model "
                    "and give them as an input"},
      {"RandomNormal", "it draws random numbers; make its result an input"},
      {"RandomNormalLike", "it draws random numbers; make its result an input"},
      {"RandomUniform", "it draws random numbers; make its result an input"},
      {"RandomUniformLike",
       "it draws random numbers; make its result an input"},
      {"Multinomial", "it draws random numbers; make its result an input"},
      {"ImageDecoder", "decode images before the model; pixels are its input"},
  };
  for (const auto &[name, alternative] : rows)
    if (name == opType)
      return alternative;
  return "replace it by operators that `weft ops` lists";
}

/// The supported operator whose name is nearest; empty if none is near.
static std::string nearestName(StringRef opType) {
  std::string best;
  unsigned bestScore = 6; // two edits
  for (const OpRow *row : OpRegistry::get().all()) {
    // People rarely get the first letter wrong.
    unsigned score = 2 * row->name.edit_distance_insensitive(opType) +
                     (row->name.front() != opType.front());
    if (score < bestScore) {
      bestScore = score;
      best = row->name.str();
    }
  }
  return best;
}

void Importer::reportUnknownOp(const Node &node, int64_t opset,
                               Location location) {
  if (unknownOps[node.domain + ":" + node.opType]++)
    return;
  SchemaFacts facts = lookUpSchema(node.domain, node.opType, opset);
  bool known = node.domain.empty() || facts.since;
  InFlightDiagnostic message = emitError(location);
  if (known && !facts.since) {
    message << "ONNX has no operator '" << node.opType << "' in opset "
            << opset;
    std::string nearest = nearestName(node.opType);
    if (nearest == node.opType)
      message << ", only in later ones; export the model again";
    else if (!nearest.empty())
      message << "; did you mean '" << nearest << "'";
    return;
  }
  if (facts.deprecated) {
    message << "operator " << node.opType << " was withdrawn in opset "
            << facts.since << "; export the model again";
    return;
  }
  // The nearest form that there is.
  int64_t first = 0, last = 0;
  for (const OpRow *row : OpRegistry::get().all())
    if (row->domain == node.domain && row->name == node.opType) {
      first = first ? std::min(first, row->firstOpset) : row->firstOpset;
      last = std::max(last, row->lastOpset);
    }
  if (first) {
    message << "unsupported: the form of " << node.opType << " in opset "
            << opset << "; Weft reads those of opsets " << first << " to "
            << last << ", convert the model with onnx.version_converter";
    return;
  }
  message << "unsupported: operator " << node.opType;
  if (!node.domain.empty())
    message << " of domain '" << node.domain << "'";
  unsigned uses = llvm::count_if(model.nodes, [&](const Node &other) {
    return other.opType == node.opType && other.domain == node.domain;
  });
  if (uses > 1)
    message << " (" << uses << " nodes)";
  message << "; "
          << (known ? alternativeFor(node.opType)
                    : "write it as a kernel and give its library with "
                      "--plugin, or replace it by operators that `weft ops` "
                      "lists");
}

static Node bindAttributes(const Node &node, const Node &call,
                           const Function &function);

/// A graph of a function's node, its references bound, too.
static std::shared_ptr<const Graph>
bindGraph(const Graph &graph, const Node &call, const Function &function) {
  auto bound = std::make_shared<Graph>(graph);
  for (Node &node : bound->nodes)
    node = bindAttributes(node, call, function);
  return bound;
}

/// Attributes of a call site put into the body's references to them.
static Node bindAttributes(const Node &node, const Node &call,
                           const Function &function) {
  Node result = node;
  result.attributes.clear();
  for (const NodeAttribute &attribute : node.attributes) {
    if (attribute.reference.empty()) {
      result.attributes.push_back(attribute);
      if (attribute.graph)
        result.attributes.back().graph =
            bindGraph(*attribute.graph, call, function);
      continue;
    }
    const NodeAttribute *bound = call.find(attribute.reference);
    if (!bound)
      for (const NodeAttribute &fallback : function.attributeDefaults)
        if (fallback.name == attribute.reference)
          bound = &fallback;
    // An optional attribute that the caller leaves out is left out here, too.
    if (!bound)
      continue;
    result.attributes.push_back(*bound);
    result.attributes.back().name = attribute.name;
  }
  return result;
}

LogicalResult Importer::countExpansion(size_t nodes, StringRef what,
                                       unsigned depth, Location location) {
  expandedNodes += nodes;
  if (depth < kMaxCallDepth && expandedNodes <= kMaxExpandedNodes)
    return success();
  report(location, what.str() + " expands to too many nodes; there may be " +
                       std::to_string(kMaxCallDepth) +
                       " levels of calls and graphs, and " +
                       std::to_string(kMaxExpandedNodes) +
                       " nodes in all; simplify the model or cut it before");
  return failure();
}

LogicalResult Importer::importCall(const Node &node, const Function &function,
                                   ArrayRef<Entity> operands, const Body &body,
                                   Location location) {
  for (const Body *at = &body; at; at = at->parent)
    if (at->function == &function) {
      report(location, "function '" + function.name +
                           "' calls itself; ONNX functions may not");
      return failure();
    }
  if (failed(countExpansion(function.nodes.size(),
                            "function '" + function.name + "'", body.depth,
                            location)))
    return failure();
  if (operands.size() > function.inputs.size()) {
    report(location, "function '" + function.name + "' takes " +
                         std::to_string(function.inputs.size()) +
                         " inputs, the node has " +
                         std::to_string(operands.size()));
    return failure();
  }
  Scope inner;
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i].isUnknown())
      inner[function.inputs[i]] = operands[i];
  auto outer = cast<NameLoc>(location);
  Body callee{inner,
              function.opsets,
              outer.getName().str(),
              cast<FileLineColLoc>(outer.getChildLoc()),
              body.depth + 1,
              &function,
              &body};
  // Inputs that the caller leaves out exist as names without a producer.
  std::vector<std::string> left(function.inputs.begin(), function.inputs.end());
  GraphOrder order = orderNodes(function.nodes, left);
  for (const OrderProblem &problem : order.problems)
    report(location, "in function '" + function.name + "': " + problem.message);
  if (!order.problems.empty())
    return failure();
  for (unsigned index : order.nodes) {
    Node bound = bindAttributes(function.nodes[index], node, function);
    for (std::string &input : bound.inputs)
      if (llvm::is_contained(function.inputs, input) && !inner.count(input))
        input.clear();
    importNode(bound, callee);
  }
  bool complete = true;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty())
      continue;
    Entity entity = i < function.outputs.size()
                        ? inner.lookup(function.outputs[i])
                        : Entity();
    complete &= !entity.isUnknown();
    body.scope[node.outputs[i]] = entity;
  }
  return success(complete);
}

Value Importer::clampedLengths(Value lengths, int64_t longest,
                               Location location) {
  auto type = NodeImporter::typeOf(lengths);
  for (auto [kind, bound] : {std::pair(top::BinaryKind::Max, int64_t(0)),
                             std::pair(top::BinaryKind::Min, longest)}) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value limit = builder.create<top::ConstantOp>(
        location, scalar, DenseElementsAttr::get(scalar, APInt(64, bound)));
    lengths = builder.create<top::BinaryOp>(location, kind, lengths, limit);
  }
  return lengths;
}

bool Importer::importByFunction(const Node &node, int64_t opset,
                                ArrayRef<Entity> given, bool complete,
                                Body &body, Location location) {
  SmallVector<Entity> operands(given);
  // How many keys of each batch count. Others are no such numbers, and what
  // the body makes of these stays small so.
  constexpr size_t kKeys = 1, kLengths = 6;
  bool hasLengths = node.domain.empty() && node.opType == "Attention" &&
                    operands.size() > kLengths &&
                    operands[kLengths].isTensor() &&
                    operands[kKeys].isTensor() &&
                    NodeImporter::typeOf(operands[kLengths].value)
                        .getElementType()
                        .isSignlessInteger(64); // of others the body complains
  if (hasLengths && complete) {
    ArrayRef<int64_t> keys =
        NodeImporter::typeOf(operands[kKeys].value).getShape();
    if (keys.size() >= 2)
      operands[kLengths] = clampedLengths(operands[kLengths].value,
                                          keys[keys.size() - 2], location);
  }
  if (const Function *function = findFunction(node)) {
    if (complete)
      (void)importCall(node, *function, operands, body, location);
    return true;
  }
  SmallVector<ValueType> types;
  for (const Entity &operand : operands) {
    ValueType type;
    if (operand.isTensor()) {
      RankedTensorType tensor = NodeImporter::typeOf(operand.value);
      type.type = onnxTypeOf(tensor.getElementType());
      type.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
    }
    types.push_back(std::move(type));
  }
  // The body of an operator of another domain speaks the default domain's
  // version of the caller.
  auto own = body.opsets.find("");
  auto function = functionOfSchema(
      node, opset, types,
      node.domain.empty() || own == body.opsets.end() ? opset : own->second);
  if (!function) {
    std::string text = llvm::toString(function.takeError());
    if (complete)
      report(location, text);
    return true;
  }
  // A body is worth trying only if it ends in rows; otherwise the user should
  // read about the operator in the model, not about ONNX's decomposition of it.
  if (!*function || llvm::any_of((*function)->nodes, [&](const Node &inner) {
        auto version = (*function)->opsets.find(inner.domain);
        return version == (*function)->opsets.end() ||
               (!OpRegistry::get().find(inner.domain, inner.opType,
                                        version->second) &&
                !lookUpSchema(inner.domain, inner.opType, version->second)
                     .hasFunction);
      }))
    return false;
  if (complete)
    (void)importCall(node, **function, operands, body, location);
  return true;
}

/// Marks the ops a node became with the ONNX value names they stand for.
void Importer::nameResults(const Node &node, Operation *before,
                           const Body &body, ArrayRef<Entity> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    Value value = results[i].isStrings() ? results[i].bytes : results[i].value;
    Operation *op = value ? value.getDefiningOp() : nullptr;
    std::string name =
        body.callSite ? body.caller + "/" + node.outputs[i] : node.outputs[i];
    if (options.values)
      options.values->insert(name);
    // Only ops made by this node: a node that passes a value on names nothing,
    // nor does one in a graph apart that passes a value from around it.
    if (!op || node.outputs[i].empty() || isa<top::ConstantOp>(op) ||
        op->getBlock() != builder.getBlock() ||
        (before && !before->isBeforeInBlock(op)))
      continue;
    if (op->getNumResults() == 1) {
      op->setAttr(top::kValueAttr, builder.getStringAttr(name));
      continue;
    }
    // Of an op with several results each has its name, "" if it has none.
    SmallVector<Attribute> names(op->getNumResults(),
                                 builder.getStringAttr(""));
    if (auto given = op->getAttrOfType<ArrayAttr>(top::kValueAttr))
      names.assign(given.begin(), given.end());
    names[cast<OpResult>(value).getResultNumber()] =
        builder.getStringAttr(name);
    op->setAttr(top::kValueAttr, builder.getArrayAttr(names));
  }
}

/// The value of an attribute; long lists and texts are cut.
static std::string attributeText(const NodeAttribute &attribute) {
  using Kind = NodeAttribute::Kind;
  constexpr size_t kShown = 8;
  std::string text;
  auto list = [&](const auto &values, auto toText) {
    for (size_t i = 0; i < values.size() && i < kShown; ++i)
      text += (i ? "," : "") + toText(values[i]);
    if (values.size() > kShown)
      text += ",..";
  };
  auto number = [](auto value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", double(value));
    return std::string(digits);
  };
  auto quote = [](const std::string &value) {
    return "'" + value.substr(0, 24) + "'";
  };
  switch (attribute.kind) {
  case Kind::Float:
    return number(attribute.floatValue);
  case Kind::Int:
    return std::to_string(attribute.intValue);
  case Kind::String:
    return quote(attribute.stringValue);
  case Kind::Floats:
    list(attribute.floats, number);
    return text;
  case Kind::Ints:
    list(attribute.ints, number);
    return text;
  case Kind::Strings:
    list(attribute.strings, quote);
    return text;
  case Kind::Tensor:
    return attribute.tensor ? dataTypeName(attribute.tensor->type) + " " +
                                  formatShape(attribute.tensor->dims)
                            : "a tensor";
  case Kind::Graph:
    return "a graph";
  case Kind::Other:
    break;
  }
  return attribute.kindName;
}

/// NodeTitle::details.
static std::string detailsOf(const Node &node, ArrayRef<Entity> operands) {
  std::string text;
  for (auto [name, operand] : llvm::zip(node.inputs, operands)) {
    text += text.empty() ? "inputs " : ", ";
    text += name.empty() ? "none" : "'" + name.substr(0, 40) + "'";
    if (operand.isTensor()) {
      RankedTensorType type = NodeImporter::typeOf(operand.value);
      text += " " + dataTypeName(onnxTypeOf(type.getElementType())) + " " +
              formatShape(type.getShape());
    } else if (!operand.isUnknown()) {
      text += " " + describe(operand);
    }
  }
  for (const NodeAttribute &attribute : node.attributes) {
    bool first = &attribute == &node.attributes.front();
    text += !first ? ", " : text.empty() ? "attributes " : "; attributes ";
    text += attribute.name + "=" + attributeText(attribute);
  }
  constexpr size_t kLongest = 400;
  if (text.size() > kLongest)
    text = text.substr(0, kLongest) + " ..";
  return text;
}

void Importer::importNode(const Node &node, Body &body) {
  Location location = nodeLocation(node, body);
  for (const std::string &output : node.outputs)
    if (!output.empty())
      body.scope.try_emplace(output, Entity()); // until it is imported
  if (!node.problem.empty())
    return report(location, node.problem);
  auto version = body.opsets.find(node.domain);
  if (version == body.opsets.end())
    return report(location, "no opset is imported for its domain '" +
                                node.domain +
                                "'; the model needs one in opset_import");
  int64_t opset = version->second;
  const PluginOperator *plugin = findPlugin(node, opset);
  const OpRow *row =
      plugin || findFunction(node)
          ? nullptr
          : OpRegistry::get().find(node.domain, node.opType, opset);
  if (!plugin && !row && !findFunction(node) && node.domain.empty() &&
      opset < kUpgradedOpset)
    row = OpRegistry::get().find("", node.opType, kUpgradedOpset);
  SmallVector<Entity> operands;
  bool complete = true;
  for (const std::string &input : node.inputs) {
    operands.push_back(input.empty() ? Entity() : body.lookup(input));
    complete &= input.empty() || !operands.back().isUnknown();
  }
  if (options.titles && !body.callSite && node.index < options.titles->size())
    (*options.titles)[node.index].details = detailsOf(node, operands);
  Operation *before =
      builder.getBlock()->empty() ? nullptr : &builder.getBlock()->back();
  std::vector<Entity> results;
  if (plugin) {
    if (!complete)
      return;
    results = importByPlugin(node, opset, *plugin, operands, body, location);
  } else if (row) {
    if (!complete)
      return;
    results = importByRow(node, opset, *row, operands, body, location);
  } else {
    // Also where operands are missing: an unknown operator must be reported.
    if (!importByFunction(node, opset, operands, complete, body, location))
      return reportUnknownOp(node, opset, location);
    for (const std::string &output : node.outputs)
      results.push_back(body.scope.lookup(output));
  }
  nameResults(node, before, body, results);
}

/// Why `node` cannot read its operands; empty if it can, as far as is known.
/// Asked of types that rows of the table do not tell from the bytes that hold
/// their elements.
static std::string refusedOperand(const Node &node, int64_t opset,
                                  ArrayRef<Entity> operands) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!operand.isTensor())
      continue;
    Type element = NodeImporter::typeOf(operand.value).getElementType();
    int32_t type = onnxTypeOf(element);
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() >= 16 ||
        takesType(node.domain, node.opType, opset, i, type))
      continue;
    return "input " + std::to_string(i) + " ('" + node.inputs[i] + "') is " +
           dataTypeName(type) + ", which " + node.opType + " of opset " +
           std::to_string(opset) + " does not take; cast it";
  }
  return "";
}

std::vector<Entity> Importer::importByRow(const Node &node, int64_t opset,
                                          const OpRow &row,
                                          ArrayRef<Entity> operands, Body &body,
                                          Location location) {
  if (std::string refused = refusedOperand(node, opset, operands);
      !refused.empty()) {
    report(location, refused);
    return {};
  }
  SmallVector<Value> values;
  for (const Entity &operand : operands)
    values.push_back(operand.value);
  Node upgraded;
  bool isOld = opset < row.firstOpset; // see importNode
  if (isOld) {
    upgraded = node;
    NodeImporter before(node, opset, builder, location, values, budget);
    if (failed(upgradeNode(before, upgraded, values)))
      return {};
    opset = kUpgradedOpset;
  }
  NodeImporter importer(isOld ? upgraded : node, opset, builder, location,
                        values, budget);
  std::vector<Entity> results;
  bool hasStrings = !row.structure && concernsStrings(node, operands);
  if (row.structure || hasStrings) {
    StructureNode structure{*this, body, importer, operands, {}};
    if (failed(hasStrings ? importStrings(structure, row)
                          : row.structure(structure)))
      return {};
    results = std::move(structure.outputs);
  } else {
    for (size_t i = 0; i < operands.size(); ++i)
      if (!operands[i].isTensor() && !operands[i].isUnknown()) {
        report(location, "input " + std::to_string(i) + " ('" + node.inputs[i] +
                             "') is " + describe(operands[i]) + "; " +
                             node.opType + " takes tensors");
        return {};
      }
    if (llvm::any_of(values, isDataDependent) && !usesSizes(node)) {
      SmallVector<Value> onHost;
      if (failed(importOnHost(row, node, opset, builder, location, values,
                              budget, onHost)))
        return {};
      results.assign(onHost.begin(), onHost.end());
    } else {
      if (failed(row.import(importer)))
        return {};
      for (size_t i = 0; i < node.outputs.size(); ++i)
        results.push_back(importer.output(i));
    }
  }
  results.resize(node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty())
      continue;
    if (results[i].isUnknown())
      report(location, "unsupported: output " + std::to_string(i) + " ('" +
                           node.outputs[i] + "') of " + node.opType +
                           "; remove it if nothing needs it");
    body.scope[node.outputs[i]] = results[i];
  }
  return results;
}

FailureOr<std::vector<Entity>>
Importer::importGraph(const Graph &graph, ArrayRef<Entity> inputs,
                      StringRef place, Location location, const Body &outer) {
  if (failed(countExpansion(graph.nodes.size(), "graph '" + graph.name + "'",
                            outer.depth, location)))
    return failure();
  if (inputs.size() != graph.inputs.size()) {
    report(location, "graph '" + graph.name + "' has " +
                         std::to_string(graph.inputs.size()) +
                         " inputs, the node gives it " +
                         std::to_string(inputs.size()) +
                         "; both must be the same");
    return failure();
  }
  auto outerName = cast<NameLoc>(location);
  Scope scope;
  Body body{scope,
            outer.opsets,
            outerName.getName().str() + "/" + place.str(),
            cast<FileLineColLoc>(outerName.getChildLoc()),
            outer.depth + 1,
            nullptr,
            &outer,
            /*seesParent=*/true};
  std::vector<std::string> given(graph.captured);
  for (const Tensor &tensor : graph.initializers) {
    scope[tensor.name] = constantEntity(tensor, location);
    given.push_back(tensor.name);
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (i < inputs.size())
      scope[graph.inputs[i].name] = inputs[i];
    given.push_back(graph.inputs[i].name);
  }
  GraphOrder order = orderNodes(graph.nodes, given);
  for (const OrderProblem &problem : order.problems)
    report(location, "in graph '" + graph.name + "': " + problem.message);
  if (!order.problems.empty())
    return failure();
  for (unsigned index : order.nodes)
    importNode(graph.nodes[index], body);
  std::vector<Entity> results;
  for (const ValueInfo &output : graph.outputs) {
    results.push_back(body.lookup(output.name));
    if (results.back().isUnknown())
      return failure(); // reported where it was to be made
  }
  return results;
}

FailureOr<Entity>
Importer::importOperator(StringRef opType, ArrayRef<Value> operands,
                         Location location, const Body &outer,
                         std::vector<NodeAttribute> attributes) {
  static const OpsetMap newest = {{"", kLastOpset}};
  auto outerName = cast<NameLoc>(location);
  Scope scope;
  Body body{scope,
            newest,
            outerName.getName().str(),
            cast<FileLineColLoc>(outerName.getChildLoc()),
            outer.depth + 1,
            nullptr,
            &outer};
  Node node;
  node.opType = opType.str();
  node.name = opType.str();
  node.attributes = std::move(attributes);
  node.outputs = {"result"};
  for (size_t i = 0; i < operands.size(); ++i) {
    node.inputs.push_back(operands[i] ? "operand" + std::to_string(i) : "");
    if (operands[i])
      scope[node.inputs.back()] = operands[i];
  }
  importNode(node, body);
  Entity result = scope.lookup("result");
  if (result.isUnknown())
    return failure(); // reported
  return result;
}

void Importer::importMainGraph(Scope &scope) {
  if (options.titles) {
    options.titles->clear();
    for (const Node &node : model.nodes) {
      auto version = model.opsets.find(node.domain);
      options.titles->push_back(
          {node.opType, version == model.opsets.end() ? 0 : version->second,
           ""});
    }
  }
  std::vector<std::string> given;
  for (const auto &entry : scope)
    given.push_back(entry.getKey().str());
  Body body{scope, model.opsets, "", nullptr};
  GraphOrder order = orderNodes(model.nodes, given);
  for (const OrderProblem &problem : order.problems)
    report(problem.node < 0 ? fileLocation()
                            : nodeLocation(model.nodes[problem.node], body),
           problem.message);
  for (unsigned index : order.nodes)
    importNode(model.nodes[index], body);
  // Nodes behind a cycle have names, so that their users are not reported.
  for (const Node &node : model.nodes)
    for (const std::string &output : node.outputs)
      scope.try_emplace(output, Entity());
}
