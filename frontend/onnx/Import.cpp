//===- Import.cpp - the walk over an ONNX graph ---------------------------===//

#include "frontend/onnx/Import.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Constant.h"
#include "frontend/onnx/GraphOrder.h"
#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Symbols.h"
#include "runtime/numeric/CarrierTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Functions within functions; real exporters nest a handful.
constexpr unsigned kMaxCallDepth = 32;
/// Nodes that functions may expand to. Each of 32 levels could call the next
/// one twice, so depth alone does not bound the work.
constexpr uint64_t kMaxExpandedNodes = 100'000;

namespace {

/// The names visible in the main graph or in one function body. A name without
/// a value stands for a result that could not be imported: its users are
/// skipped without a further message.
using Scope = llvm::StringMap<Value>;

/// Where a list of nodes stands.
struct Body {
  Scope &scope;
  const OpsetMap &opsets;
  /// Call that expands this body; empty in the main graph.
  std::string caller;
  /// Location of that call; null in the main graph.
  FileLineColLoc callSite;
  unsigned depth = 0;
  /// The function this is the body of; null in the main graph.
  const Function *function = nullptr;
  const Body *parent = nullptr;
};

class Importer {
public:
  Importer(Model model, StringRef file, const ImportOptions &options,
           MLIRContext &context)
      : model(std::move(model)), options(options), context(context),
        builder(&context), file(StringAttr::get(&context, file)) {}

  OwningOpRef<ModuleOp> run();

private:
  Location fileLocation() { return NameLoc::get(file); }
  Location namedLocation(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), NameLoc::get(file));
  }
  Location nodeLocation(const Node &node, const Body &body);
  void report(Location location, StringRef message) {
    emitError(location) << message;
  }

  void startModule();
  void importInitializers(Scope &scope);
  void importInputs(Scope &scope);
  std::optional<SmallVector<int64_t>> inputShape(const ValueInfo &input);
  LogicalResult checkNamesInOptions();
  LogicalResult checkNamedInput(StringRef option, const std::string &name);
  void bindInput(const ValueInfo &input, Type element, Scope &scope);
  void importMainGraph(Scope &scope);
  void importOutputs(Scope &scope);
  void removeUnusedConstants();

  void importNode(const Node &node, Body &body);
  LogicalResult importCall(const Node &node, const Function &function,
                           ArrayRef<Value> operands, const Body &body,
                           Location location);
  /// False if no function defines the node's operator. Without all operands
  /// (`complete`) nothing is imported.
  bool importByFunction(const Node &node, int64_t opset,
                        ArrayRef<Value> operands, bool complete, Body &body,
                        Location location);
  void reportUnknownOp(const Node &node, int64_t opset, Location location);
  void nameResults(const Node &node, Operation *before, const Body &body,
                   ArrayRef<Value> results);
  const Function *findFunction(const Node &node) const;

  Model model;
  const ImportOptions &options;
  MLIRContext &context;
  OpBuilder builder;
  StringAttr file;
  ModuleOp module;
  func::FuncOp main;
  llvm::StringSet<> initializerNames;
  /// Nodes of an operator that was reported once already, by domain and name.
  llvm::StringMap<unsigned> unknownOps;
  uint64_t expandedNodes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Inputs, initializers, outputs
//===----------------------------------------------------------------------===//

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

void Importer::startModule() {
  module = ModuleOp::create(fileLocation());
  module->setAttr(top::kModelNameAttr, builder.getStringAttr(model.graphName));
  builder.setInsertionPointToEnd(module.getBody());
  main = builder.create<func::FuncOp>(fileLocation(), "main",
                                      builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
}

void Importer::importInitializers(Scope &scope) {
  for (const Tensor &tensor : model.initializers) {
    Location location = namedLocation(tensor.name);
    if (tensor.name.empty()) {
      report(fileLocation(), "an initializer has no name");
      continue;
    }
    if (!initializerNames.insert(tensor.name).second) {
      report(location, "there are two initializers of this name; names must "
                       "be unique");
      continue;
    }
    ElementsAttr value = constantAttribute(tensor, &context);
    scope[tensor.name] =
        builder.create<top::ConstantOp>(location, value.getType(), value);
  }
}

/// "x=?x3xHxW": how `--shape` has to look for an input.
static std::string shapeTemplate(const ValueInfo &input) {
  std::string text = input.name + "=";
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const Dimension &dim = (*input.dims)[i];
    text += i ? "x" : "";
    text += dim.value && *dim.value > 0 ? std::to_string(*dim.value)
                                        : std::string(1, 'A' + i % 26);
  }
  return text;
}

/// The static shape of an input from the file and `--shape`.
std::optional<SmallVector<int64_t>>
Importer::inputShape(const ValueInfo &input) {
  Location location = namedLocation(input.name);
  auto given = options.shapes.find(input.name);
  bool isGiven = given != options.shapes.end();
  if (!input.dims && !isGiven) {
    report(location, "input '" + input.name +
                         "' has no shape in the model; give its sizes, for "
                         "example --shape " +
                         input.name + "=1x3x48x192");
    return std::nullopt;
  }
  SmallVector<int64_t> shape;
  if (isGiven)
    shape.assign(given->second.begin(), given->second.end());
  else
    for (const Dimension &dim : *input.dims)
      shape.push_back(
          dim.value.value_or(sizeOfSymbol(model, options, dim).value_or(-1)));
  if (input.dims && shape.size() != input.dims->size()) {
    report(location, "--shape gives input '" + input.name + "' " +
                         std::to_string(shape.size()) +
                         " dimensions, the model has " +
                         std::to_string(input.dims->size()));
    return std::nullopt;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const Dimension *dim = input.dims ? &(*input.dims)[i] : nullptr;
    // Some exporters write -1 for an unknown size.
    bool fixed = dim && dim->value && *dim->value > 0;
    if (isGiven && fixed && *dim->value != shape[i]) {
      report(location,
             "--shape gives dimension " + std::to_string(i) + " of input '" +
                 input.name + "' the size " + std::to_string(shape[i]) +
                 ", the model fixes it to " + std::to_string(*dim->value));
      return std::nullopt;
    }
    if (shape[i] >= 1)
      continue;
    if (isGiven || (dim && dim->value && *dim->value != -1))
      report(location, "dimension " + std::to_string(i) + " of input '" +
                           input.name + "' is " + std::to_string(shape[i]) +
                           ", must be >= 1");
    else
      report(location,
             "dimension " + std::to_string(i) + " of input '" + input.name +
                 "' ('" + (dim->value ? "-1" : dim->symbol) +
                 "') has no fixed size; give all sizes with --shape " +
                 shapeTemplate(input));
    return std::nullopt;
  }
  if (!countElements(shape)) {
    report(location, "input '" + input.name + "' has the shape " +
                         formatShape(shape) + "; there may be at most " +
                         std::to_string(kMaxElements) + " elements");
    return std::nullopt;
  }
  return shape;
}

void Importer::importInputs(Scope &scope) {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  llvm::StringSet<> seen;
  for (const ValueInfo &input : model.inputs) {
    // Before IR version 4 every initializer was listed as an input, too.
    if (initializerNames.contains(input.name))
      continue;
    Location location = namedLocation(input.name);
    if (!seen.insert(input.name).second) {
      report(location, "there are two inputs of this name; names must be "
                       "unique");
      continue;
    }
    scope.try_emplace(input.name, Value());
    Type element = elementTypeOf(input.type, &context);
    if (!element) {
      report(location,
             input.type == kUndefined && input.kindName != "tensor"
                 ? "unsupported: input '" + input.name + "' is a " +
                       input.kindName + "; it must be a tensor"
                 : "unsupported: input '" + input.name + "' has element type " +
                       dataTypeName(input.type) +
                       "; it must be a float type, an integer of 8 to 64 bits "
                       "or bool");
      continue;
    }
    if (options.bindings.count(input.name)) {
      bindInput(input, element, scope);
      continue;
    }
    std::optional<SmallVector<int64_t>> shape = inputShape(input);
    if (!shape)
      continue;
    types.push_back(RankedTensorType::get(*shape, element));
    attributes.push_back(interfaceAttributes(&context, input, shape->size()));
    scope[input.name] =
        main.getBody().front().addArgument(types.back(), location);
  }
  main.setFunctionType(builder.getFunctionType(types, {}));
  main.setAllArgAttrs(attributes);
}

/// Whether an array of shape `given` agrees with the declared dimensions.
static bool shapeFits(const ValueInfo &input, ArrayRef<int64_t> given) {
  if (!input.dims)
    return true;
  return llvm::equal(
      given, *input.dims, [](int64_t size, const Dimension &dim) {
        return !dim.value || *dim.value == size || *dim.value == -1;
      });
}

/// "?x3xHxW": the dimensions that an input declares.
static std::string declaredShape(const ValueInfo &input) {
  std::string text;
  for (const Dimension &dim : *input.dims)
    text += (text.empty() ? "" : "x") +
            (dim.value ? std::to_string(*dim.value) : dim.symbol);
  return text.empty() ? "scalar" : text;
}

/// Makes an input the constant that `--bind` gives for it.
void Importer::bindInput(const ValueInfo &input, Type element, Scope &scope) {
  numeric::HostTensor tensor = options.bindings.at(input.name);
  Location location = namedLocation(input.name);
  if (!numeric::fromCarrier(tensor, *hostElementType(element)))
    return report(location, "--bind gives input '" + input.name + "' " +
                                numeric::elementTypeName(tensor.type()) +
                                " elements, the model wants " +
                                dataTypeName(input.type) +
                                "; convert the array first");
  if (!shapeFits(input, tensor.shape()))
    return report(location, "--bind gives input '" + input.name +
                                "' the shape " + formatShape(tensor.shape()) +
                                ", the model wants " + declaredShape(input) +
                                "; give an array of that shape");
  if (!countElements(tensor.shape()))
    return report(location, "--bind gives input '" + input.name +
                                "' the shape " + formatShape(tensor.shape()) +
                                "; there may be at most " +
                                std::to_string(kMaxElements) + " elements");
  auto type = RankedTensorType::get(tensor.shape(), element);
  ElementsAttr value = toElementsAttr(tensor, type, input.name);
  scope[input.name] = builder.create<top::ConstantOp>(location, type, value);
}

/// Fails if `option` names something that is no input.
LogicalResult Importer::checkNamedInput(StringRef option,
                                        const std::string &name) {
  std::string known;
  for (const ValueInfo &input : model.inputs) {
    if (initializerNames.contains(input.name))
      continue;
    if (input.name == name)
      return success();
    known += (known.empty() ? "'" : ", '") + input.name + "'";
  }
  std::string symbols;
  if (option == "--shape")
    for (const std::string &symbol : symbolsOf(model))
      symbols += (symbols.empty() ? "; dimensions: '" : ", '") + symbol + "'";
  report(fileLocation(), option.str() + " names '" + name +
                             "', which is no input of the model; inputs: " +
                             (known.empty() ? "none" : known) + symbols);
  return failure();
}

/// Fails if `--shape` or `--bind` names something that is no input; then
/// missing sizes of the real inputs would only follow from it.
LogicalResult Importer::checkNamesInOptions() {
  bool allFound = true;
  for (const auto &[name, shape] : options.shapes) {
    if (shape.size() == 1 && llvm::is_contained(symbolsOf(model), name))
      continue;
    allFound &= succeeded(checkNamedInput("--shape", name));
    if (!options.bindings.count(name))
      continue;
    report(fileLocation(), "--shape and --bind both name input '" + name +
                               "'; a bound input has the array's shape, leave "
                               "--shape out");
    allFound = false;
  }
  for (const auto &[name, tensor] : options.bindings)
    allFound &= succeeded(checkNamedInput("--bind", name));
  return success(allFound);
}

void Importer::importOutputs(Scope &scope) {
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  llvm::StringSet<> seen;
  if (model.outputs.empty())
    report(fileLocation(), "the model has no outputs");
  for (const ValueInfo &output : model.outputs) {
    Location location = namedLocation(output.name);
    auto value = scope.find(output.name);
    if (!seen.insert(output.name).second) {
      report(location, "there are two outputs of this name; names must be "
                       "unique");
    } else if (value == scope.end()) {
      report(location, "output '" + output.name +
                           "' is made by no node, input or initializer");
    } else if (value->second) {
      Type element = NodeImporter::typeOf(value->second).getElementType();
      if (output.type != kUndefined && onnxTypeOf(element) != output.type)
        report(location, "output '" + output.name + "' is declared as " +
                             dataTypeName(output.type) +
                             ", but its node makes " +
                             dataTypeName(onnxTypeOf(element)));
      values.push_back(value->second);
      attributes.push_back(interfaceAttributes(
          &context, output, NodeImporter::typeOf(value->second).getRank()));
    }
  }
  builder.create<func::ReturnOp>(fileLocation(), values);
  main.setFunctionType(builder.getFunctionType(main.getArgumentTypes(),
                                               ValueRange(values).getTypes()));
  main.setAllResultAttrs(attributes);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

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
      {"If", "export the model with fixed control flow"},
      {"Loop", "export the model with the loop unrolled"},
      {"Scan", "export the model with the loop unrolled"},
      {"LSTM", "export it unrolled into MatMul, Sigmoid and Tanh"},
      {"GRU", "export it unrolled into MatMul, Sigmoid and Tanh"},
      {"RNN", "export it unrolled into MatMul and Tanh"},
      {"NonZero", "its result has no fixed shape, cut the model before it"},
      {"NonMaxSuppression",
       "its result has no fixed shape, cut the model before it"},
      {"Resize", "cut the model before it"},
      {"ConvTranspose", "use Conv where the model allows it"},
      {"LogSoftmax", "use Softmax and Log"},
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
    if (!nearest.empty())
      message << "; did you mean '" << nearest << "'";
    return;
  }
  if (facts.deprecated) {
    message << "operator " << node.opType << " was withdrawn in opset "
            << facts.since << "; export the model again";
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
  message << "; " << alternativeFor(node.opType);
}

/// Attributes of a call site put into the body's references to them.
static Node bindAttributes(const Node &node, const Node &call,
                           const Function &function) {
  Node result = node;
  result.attributes.clear();
  for (const NodeAttribute &attribute : node.attributes) {
    if (attribute.reference.empty()) {
      result.attributes.push_back(attribute);
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

LogicalResult Importer::importCall(const Node &node, const Function &function,
                                   ArrayRef<Value> operands, const Body &body,
                                   Location location) {
  for (const Body *at = &body; at; at = at->parent)
    if (at->function == &function) {
      report(location, "function '" + function.name +
                           "' calls itself; ONNX functions may not");
      return failure();
    }
  expandedNodes += function.nodes.size();
  if (body.depth >= kMaxCallDepth || expandedNodes > kMaxExpandedNodes) {
    report(location, "function '" + function.name +
                         "' expands to too many nodes; there may be " +
                         std::to_string(kMaxCallDepth) +
                         " levels of calls and " +
                         std::to_string(kMaxExpandedNodes) + " nodes");
    return failure();
  }
  if (operands.size() > function.inputs.size()) {
    report(location, "function '" + function.name + "' takes " +
                         std::to_string(function.inputs.size()) +
                         " inputs, the node has " +
                         std::to_string(operands.size()));
    return failure();
  }
  Scope inner;
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i])
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
    Value value = i < function.outputs.size()
                      ? inner.lookup(function.outputs[i])
                      : Value();
    complete &= value != nullptr;
    body.scope[node.outputs[i]] = value;
  }
  return success(complete);
}

bool Importer::importByFunction(const Node &node, int64_t opset,
                                ArrayRef<Value> operands, bool complete,
                                Body &body, Location location) {
  if (const Function *function = findFunction(node)) {
    if (complete)
      (void)importCall(node, *function, operands, body, location);
    return true;
  }
  SmallVector<ValueType> types;
  for (Value operand : operands) {
    ValueType type;
    if (operand) {
      RankedTensorType tensor = NodeImporter::typeOf(operand);
      type.type = onnxTypeOf(tensor.getElementType());
      type.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
    }
    types.push_back(std::move(type));
  }
  auto function = functionOfSchema(node, opset, types);
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
               !OpRegistry::get().find(inner.domain, inner.opType,
                                       version->second);
      }))
    return false;
  if (complete)
    (void)importCall(node, **function, operands, body, location);
  return true;
}

/// Marks the ops a node became with the ONNX value names they stand for.
void Importer::nameResults(const Node &node, Operation *before,
                           const Body &body, ArrayRef<Value> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    Operation *op = results[i] ? results[i].getDefiningOp() : nullptr;
    // Only ops made by this node: a node that passes a value on names nothing.
    if (!op || node.outputs[i].empty() || isa<top::ConstantOp>(op) ||
        (before && !before->isBeforeInBlock(op)))
      continue;
    std::string name =
        body.callSite ? body.caller + "/" + node.outputs[i] : node.outputs[i];
    op->setAttr(top::kValueAttr, builder.getStringAttr(name));
  }
}

void Importer::importNode(const Node &node, Body &body) {
  Location location = nodeLocation(node, body);
  for (const std::string &output : node.outputs)
    if (!output.empty())
      body.scope.try_emplace(output, Value()); // until it is imported
  if (!node.problem.empty())
    return report(location, node.problem);
  auto version = body.opsets.find(node.domain);
  if (version == body.opsets.end())
    return report(location,
                  "no opset is imported for its domain '" + node.domain + "'");
  int64_t opset = version->second;
  const OpRow *row =
      findFunction(node)
          ? nullptr
          : OpRegistry::get().find(node.domain, node.opType, opset);
  SmallVector<Value> operands;
  bool complete = true;
  for (const std::string &input : node.inputs) {
    operands.push_back(input.empty() ? Value() : body.scope.lookup(input));
    complete &= input.empty() || operands.back();
  }
  Operation *before =
      builder.getBlock()->empty() ? nullptr : &builder.getBlock()->back();
  if (!row) {
    // Also where operands are missing: an unknown operator must be reported.
    if (!importByFunction(node, opset, operands, complete, body, location))
      return reportUnknownOp(node, opset, location);
    SmallVector<Value> results;
    for (const std::string &output : node.outputs)
      results.push_back(body.scope.lookup(output));
    return nameResults(node, before, body, results);
  }
  if (!complete)
    return;
  NodeImporter importer(node, opset, builder, location, operands);
  if (failed(row->import(importer)))
    return;
  SmallVector<Value> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    results.push_back(importer.output(i));
    if (node.outputs[i].empty())
      continue;
    if (!importer.output(i))
      report(location, "unsupported: output " + std::to_string(i) + " ('" +
                           node.outputs[i] + "') of " + node.opType +
                           "; remove it if nothing needs it");
    body.scope[node.outputs[i]] = importer.output(i);
  }
  nameResults(node, before, body, results);
}

void Importer::importMainGraph(Scope &scope) {
  if (options.titles) {
    options.titles->clear();
    for (const Node &node : model.nodes) {
      auto version = model.opsets.find(node.domain);
      options.titles->push_back(
          {node.opType, version == model.opsets.end() ? 0 : version->second});
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
      scope.try_emplace(output, Value());
}

void Importer::removeUnusedConstants() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
    if (isa<top::ConstantOp>(op) && op.use_empty())
      op.erase();
}

OwningOpRef<ModuleOp> Importer::run() {
  startModule();
  OwningOpRef<ModuleOp> owner(module);
  for (const std::string &problem : model.problems)
    report(fileLocation(), problem);
  // Without a usable opset or with unreadable weights the rest would follow
  // from it; the structure is still checked below.
  Scope scope;
  importInitializers(scope);
  if (failed(checkNamesInOptions()))
    return nullptr;
  importInputs(scope);
  if (!model.problems.empty())
    return nullptr;
  importMainGraph(scope);
  importOutputs(scope);
  removeUnusedConstants();
  return owner;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static OwningOpRef<ModuleOp> importModel(llvm::Expected<Model> model,
                                         StringRef name,
                                         const ImportOptions &options,
                                         MLIRContext &context) {
  context.loadDialect<func::FuncDialect, top::TopDialect>();
  Location fileLocation = NameLoc::get(StringAttr::get(&context, name));
  if (!model) {
    emitError(fileLocation) << llvm::toString(model.takeError());
    return nullptr;
  }
  unsigned errors = 0;
  OwningOpRef<ModuleOp> module;
  {
    // Counts, passes the first ones on and swallows the rest.
    ScopedDiagnosticHandler counter(&context, [&](Diagnostic &diagnostic) {
      bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
      errors += isError;
      return success(isError && errors > options.maxProblems);
    });
    module = Importer(std::move(*model), name, options, context).run();
    if (module && errors == 0 && failed(verify(*module)) && errors == 0)
      ++errors;
  }
  if (errors > options.maxProblems)
    emitError(fileLocation)
        << errors - options.maxProblems << " more problems are not shown";
  if (errors)
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> weft::onnx::importOnnxFile(StringRef path,
                                                 const ImportOptions &options,
                                                 MLIRContext &context) {
  return importModel(readModelFile(path), path, options, context);
}

OwningOpRef<ModuleOp> weft::onnx::importOnnxBytes(ArrayRef<char> bytes,
                                                  StringRef name,
                                                  const ImportOptions &options,
                                                  MLIRContext &context) {
  return importModel(readModelBytes(bytes), name, options, context);
}
