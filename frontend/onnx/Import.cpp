//===- Import.cpp - inputs, initializers and outputs of a model -----------===//

#include "frontend/onnx/Import.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Symbols.h"
#include "frontend/onnx/Importer.h"
#include "frontend/onnx/Strings.h"
#include "frontend/onnx/StructuredInputs.h"
#include "frontend/onnx/Symbols.h"
#include "runtime/numeric/CarrierTypes.h"
#include "runtime/status/Quote.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

//===----------------------------------------------------------------------===//
// Inputs, initializers, outputs
//===----------------------------------------------------------------------===//

void Importer::startModule() {
  module = ModuleOp::create(fileLocation());
  module->setAttr(top::kModelNameAttr, builder.getStringAttr(model.graphName));
  builder.setInsertionPointToEnd(module.getBody());
  main = builder.create<func::FuncOp>(fileLocation(), "main",
                                      builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
}

uint64_t Importer::constantBytes(const Model &model,
                                 const ImportOptions &options) {
  uint64_t bytes = 0;
  for (const Tensor &tensor : model.initializers)
    bytes += tensor.bytes.size();
  for (const Node &node : model.nodes)
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.tensor)
        bytes += attribute.tensor->bytes.size();
  for (const auto &[name, tensor] : options.bindings)
    bytes += tensor.sizeBytes();
  return bytes;
}

Entity Importer::constantEntity(const Tensor &tensor, Location location) {
  ElementsAttr value = constantAttribute(tensor, &context);
  Value constant =
      builder.create<top::ConstantOp>(location, value.getType(), value);
  return tensor.type == kString ? Entity::strings(constant) : Entity(constant);
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
    scope[tensor.name] = constantEntity(tensor, location);
  }
}

/// Fails, with a report, if `options` give an axis of an input two sizes.
LogicalResult Importer::checkGivenSizes(const ValueInfo &input) {
  auto whole = options.shapes.find(input.name);
  for (size_t axis = 0; input.dims && axis < input.dims->size(); ++axis) {
    std::vector<GivenSize> sizes = givenSizes(model, options, input, axis);
    if (whole != options.shapes.end() && axis < whole->second.size())
      sizes.push_back({"--shape " + input.name, whole->second[axis]});
    for (const GivenSize &size : sizes)
      if (size.size != sizes.front().size) {
        report(namedLocation(input.name),
               "axis " + std::to_string(axis) + " of input '" + input.name +
                   "' is given two sizes, " +
                   std::to_string(sizes.front().size) + " by " +
                   sizes.front().option + " and " + std::to_string(size.size) +
                   " by " + size.option + "; leave one");
        return failure();
      }
  }
  return success();
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
  if (failed(checkGivenSizes(input)))
    return std::nullopt;
  SmallVector<int64_t> shape;
  if (isGiven)
    shape.assign(given->second.begin(), given->second.end());
  else
    for (const auto &[axis, dim] : llvm::enumerate(*input.dims))
      shape.push_back(sizeOfAxis(model, options, input, axis)
                          .value_or(dim.value.value_or(-1)));
  std::optional<int64_t> bytes = takeStringBytes(input, isGiven, shape);
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
    bool isChanged = fixed && *dim->value != shape[i];
    if (isChanged && i == 0 && *dim->value == 1) {
      emitRemark(location) << "the model fixes the first axis of input '"
                           << input.name << "' to 1, here it is " << shape[i]
                           << "; nodes that have the 1 in a constant may "
                              "refuse that";
    } else if (isChanged) {
      report(location,
             "--shape gives dimension " + std::to_string(i) + " of input '" +
                 input.name + "' the size " + std::to_string(shape[i]) +
                 ", the model fixes it to " + std::to_string(*dim->value));
      return std::nullopt;
    }
    if (shape[i] == 0 && !isGiven)
      emitRemark(location)
          << "input '" << input.name
          << "' has no elements: the model declares its dimension " << i
          << " as 0; give a size with --shape if that stands for an unknown "
             "one";
    if (shape[i] >= 0)
      continue;
    if (isGiven || (dim && dim->value && *dim->value != -1))
      report(location, "dimension " + std::to_string(i) + " of input '" +
                           input.name + "' is " + std::to_string(shape[i]) +
                           ", must be >= 0");
    else
      report(location,
             "dimension " + std::to_string(i) + " of input '" + input.name +
                 "' ('" + (dim->value ? "-1" : dim->symbol) +
                 "') has no fixed size; give all sizes with --shape " +
                 shapeTemplate(input));
    return std::nullopt;
  }
  if (bytes)
    shape.push_back(*bytes);
  if (!countElements(shape)) {
    report(location, "input '" + input.name + "' has the shape " +
                         formatShape(shape) + "; there may be at most " +
                         std::to_string(kMaxElements) + " elements");
    return std::nullopt;
  }
  return shape;
}

/// A name that a bmodel cannot hold.
static std::string unfitName(const char *kind, const std::string &name,
                             const char *problem) {
  return std::string("the name of ") + kind + " '" + name + "' " + problem +
         ", a bmodel cannot hold it; give it another name in the model";
}

/// Why an input is none that a program can have.
static std::string wrongInputType(const ValueInfo &input) {
  if (input.type != kUndefined || input.kindName == "tensor")
    return "has element type " + dataTypeName(input.type) +
           "; it must be a float type, an integer type, bool or string";
  bool isVowel = StringRef("aeiou").contains(input.kindName.front());
  return "is " + std::string(isVowel ? "an " : "a ") + input.kindName +
         "; only tensors, sequences of tensors, and optionals of these can be "
         "inputs of a bmodel; cut the model behind the operators that take it "
         "apart";
}

/// Sequences of the inputs that stand for them, and optionals without a value.
void Importer::importStructuredInputs(Scope &scope) {
  for (const StructuredInput &input : structuredInputs) {
    if (input.isAbsent) {
      scope[input.name] = Entity::nothing();
      continue;
    }
    std::vector<Value> items;
    for (const std::string &name : input.tensors) {
      Entity tensor = scope.lookup(name);
      scope.erase(name); // no value of the model is called so
      if (tensor.isTensor())
        items.push_back(tensor.value);
    }
    scope[input.name] = items.size() == input.tensors.size()
                            ? Entity::sequence(std::move(items))
                            : Entity();
  }
}

void Importer::addInterface(const ValueInfo &info, const Entity &entity,
                            SmallVectorImpl<DictionaryAttr> &attributes) {
  if (!entity.isStrings()) {
    attributes.push_back(interfaceAttributes(
        &context, info, NodeImporter::typeOf(entity.value).getRank()));
    return;
  }
  ValueInfo withBytes = info;
  if (withBytes.dims)
    withBytes.dims->emplace_back(); // their number has no name
  NamedAttrList list(interfaceAttributes(
      &context, withBytes, NodeImporter::typeOf(entity.bytes).getRank()));
  list.set(top::kStringsAttr, builder.getUnitAttr());
  attributes.push_back(list.getDictionary(&context));
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
    scope.try_emplace(input.name, Entity());
    if (const char *problem = rt::nameProblem(input.name)) {
      report(location, unfitName("input", input.name, problem));
      continue;
    }
    Type element = input.type == kString ? stringByteType(&context)
                                         : elementTypeOf(input.type, &context);
    if (!element) {
      report(location, "unsupported: input '" + input.name + "' " +
                           wrongInputType(input));
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
    Value argument = main.getBody().front().addArgument(types.back(), location);
    scope[input.name] =
        input.type == kString ? Entity::strings(argument) : Entity(argument);
    addInterface(input, scope[input.name], attributes);
  }
  main.setFunctionType(builder.getFunctionType(types, {}));
  main.setAllArgAttrs(attributes);
  importStructuredInputs(scope);
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

/// What is wrong with an array of shape `given` for an input; "" if nothing is.
static std::string shapeProblem(const ValueInfo &input,
                                ArrayRef<int64_t> given) {
  if (input.type == kString) // the array has an axis more, of their bytes
    given = given.drop_back(std::min<size_t>(given.size(), 1));
  std::string start =
      "--bind gives input '" + input.name + "' the shape " + formatShape(given);
  if (!shapeFits(input, given))
    return start + ", the model expects " + declaredShape(input) +
           "; give an array of that shape";
  if (!countElements(given))
    return start + "; there may be at most " + std::to_string(kMaxElements) +
           " elements";
  return "";
}

std::string onnx::bindingProblem(StringRef path, const std::string &name,
                                 ArrayRef<int64_t> shape, const GraphCut &cut) {
  llvm::Expected<Model> model =
      readModelFile(path, nullptr, /*infersTypes=*/!cut.isWhole());
  if (!model) {
    llvm::consumeError(model.takeError());
    return "";
  }
  if (GraphCut named = cut; !cut.isWhole() && !cutGraph(*model, named).empty())
    return "";
  if (const ValueInfo *found = findInput(*model, name)) {
    ValueInfo input = *found;
    input.name = name;
    return shapeProblem(input, shape);
  }
  std::string known;
  for (const ValueInfo &input : model->inputs)
    known += (known.empty() ? "'" : ", '") + input.name + "'";
  return "--bind names '" + name +
         "', which is not an input of the model; inputs: " +
         (known.empty() ? "none" : known);
}

/// Makes an input the constant that `--bind` gives for it.
void Importer::bindInput(const ValueInfo &input, Type element, Scope &scope) {
  numeric::HostTensor tensor = options.bindings.at(input.name);
  Location location = namedLocation(input.name);
  if (!numeric::fromCarrier(tensor, *hostElementType(element)))
    return report(location, "--bind gives input '" + input.name + "' " +
                                numeric::elementTypeName(tensor.type()) +
                                " elements, the model expects " +
                                dataTypeName(input.type) +
                                "; convert the array first");
  if (std::string problem = shapeProblem(input, tensor.shape());
      !problem.empty())
    return report(location, problem);
  auto type = RankedTensorType::get(tensor.shape(), element);
  ElementsAttr value = toElementsAttr(std::move(tensor), type, input.name);
  Value constant = builder.create<top::ConstantOp>(location, type, value);
  scope[input.name] =
      input.type == kString ? Entity::strings(constant) : Entity(constant);
}

/// Of "x[9]", where the input x has no axis 9; "" of other names.
static std::string axisProblem(const Model &model, StringRef name) {
  auto [input, index] = name.rsplit('[');
  unsigned axis = 0;
  if (!index.consume_back("]") || index.getAsInteger(10, axis))
    return "";
  for (const ValueInfo &info : model.inputs)
    if (info.name == input && info.dims && axis >= info.dims->size())
      return "input '" + info.name + "' has " +
             (info.dims->empty()
                  ? std::string("no axes")
                  : "the axes 0 to " + std::to_string(info.dims->size() - 1));
  return "";
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
  for (const StructuredInput &input : structuredInputs)
    known += (known.empty() ? "'" : ", '") + input.name + "'" +
             (input.isAbsent ? " (without a value)" : " (a sequence)");
  std::string missingAxis = axisProblem(model, name);
  if (option == "--shape" && !missingAxis.empty()) {
    report(fileLocation(), "--shape names '" + name + "', but " + missingAxis);
    return failure();
  }
  report(fileLocation(), option.str() + " names '" + name +
                             "', which is not an input of the model; inputs: " +
                             (known.empty() ? "none" : known) + symbols);
  return failure();
}

/// Fails if an axis of a tensor, by its name or number, is given what is no
/// size: a shape, as the tensors of a sequence take it, or a word.
LogicalResult Importer::checkAxisSize(const std::string &name,
                                      ArrayRef<int64_t> shape) {
  bool isInput = llvm::any_of(
      model.inputs, [&](const ValueInfo &input) { return input.name == name; });
  if (isInput || !namesAxis(model, name) ||
      (shape.size() == 1 && shape.front() > 0))
    return success();
  report(fileLocation(), "--shape gives '" + name +
                             "', which is an axis of a tensor, what is no "
                             "size; give one number");
  return failure();
}

/// Fails if `--shape` or `--bind` names something that is no input; then
/// missing sizes of the real inputs would only follow from it.
LogicalResult Importer::checkNamesInOptions() {
  bool allFound = true;
  for (const auto &[name, shape] : options.shapes) {
    if (llvm::any_of(structuredInputs, [&, &name = name](const auto &input) {
          return input.name == name;
        }))
      continue;
    if (failed(checkAxisSize(name, shape))) {
      allFound = false;
      continue;
    }
    if (shape.size() == 1 && namesAxis(model, name))
      continue;
    if (name == kBatchKey) {
      report(fileLocation(), "--batch finds no input whose first axis the "
                             "model leaves open or fixes to 1");
      allFound = false;
      continue;
    }
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

LogicalResult Importer::checkOutputType(const ValueInfo &output,
                                        const Entity &entity) {
  if (output.type == kUndefined)
    return success();
  std::string declared = dataTypeName(output.type), made;
  if (output.isSequence != entity.isSequence()) {
    declared = "a " + output.kindName;
    made = describe(entity);
  }
  ArrayRef<Value> items = entity.items;
  for (Value item : entity.isSequence() ? items : ArrayRef(entity.value)) {
    Type element = NodeImporter::typeOf(item).getElementType();
    if (made.empty() && onnxTypeOf(element) != output.type)
      made = dataTypeName(onnxTypeOf(element));
  }
  if (made.empty())
    return success();
  report(namedLocation(output.name), "output '" + output.name +
                                         "' is declared as " + declared +
                                         ", but its node makes " + made);
  return failure();
}

std::vector<Importer::NamedValue> Importer::tensorsOf(const ValueInfo &output,
                                                      const Entity &entity,
                                                      const Scope &scope) {
  if (entity.isTensor())
    return {{output, entity.value}};
  Location location = namedLocation(output.name);
  if (!entity.isSequence() || entity.items.empty())
    emitRemark(location) << "output '" << output.name << "' is "
                         << (entity.isSequence() ? "an empty sequence"
                                                 : describe(entity))
                         << "; the program has no output for it";
  std::vector<NamedValue> tensors;
  for (auto [i, item] : llvm::enumerate(entity.items)) {
    ValueInfo tensor = output;
    tensor.name = tensorOfSequence(output.name, i);
    auto other = scope.find(tensor.name);
    if (other != scope.end() && other->second.value != item) {
      report(location, "tensor " + std::to_string(i) + " of sequence '" +
                           output.name + "' would be called '" + tensor.name +
                           "', as another value of the model is; rename one "
                           "of them in the model");
      return {};
    }
    tensors.push_back({std::move(tensor), item});
  }
  return tensors;
}

void Importer::importOutputs(Scope &scope) {
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  llvm::StringSet<> seen;
  if (model.outputs.empty())
    report(fileLocation(), "the model has no outputs");
  bool isComplete = true;
  for (const ValueInfo &output : model.outputs) {
    Location location = namedLocation(output.name);
    auto value = scope.find(output.name);
    if (value == scope.end() || value->second.isUnknown()) {
      isComplete = false;
      lost = output.name;
    }
    if (!seen.insert(output.name).second) {
      report(location, "there are two outputs of this name; names must be "
                       "unique");
    } else if (const char *problem = rt::nameProblem(output.name)) {
      report(location, unfitName("output", output.name, problem));
    } else if (value == scope.end()) {
      report(location,
             "output '" + output.name +
                 "' is not produced by any node, input or initializer");
    } else if (value->second.isStrings()) {
      if (output.type != kUndefined && output.type != kString)
        report(location, "output '" + output.name + "' is declared as " +
                             dataTypeName(output.type) +
                             ", but its node makes " + dataTypeName(kString));
      values.push_back(value->second.bytes);
      addInterface(output, value->second, attributes);
    } else if (!value->second.isUnknown()) {
      const Entity &entity = value->second;
      if (!entity.isNothing())
        (void)checkOutputType(output, entity);
      for (const auto &[tensor, item] : tensorsOf(output, entity, scope)) {
        if (entity.isSequence() && !seen.insert(tensor.name).second)
          report(namedLocation(tensor.name), "there are two outputs of this "
                                             "name; names must be unique");
        values.push_back(item);
        attributes.push_back(interfaceAttributes(
            &context, tensor, NodeImporter::typeOf(item).getRank()));
      }
    }
  }
  if (values.empty() && isComplete && !model.outputs.empty())
    report(fileLocation(), "no output of the model has a tensor; a program "
                           "needs one");
  builder.create<func::ReturnOp>(fileLocation(), values);
  main.setFunctionType(builder.getFunctionType(main.getArgumentTypes(),
                                               ValueRange(values).getTypes()));
  main.setAllResultAttrs(attributes);
}

void Importer::removeUnusedConstants() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
    if (isa<top::ConstantOp>(op) && op.use_empty())
      op.erase();
}

/// Those of graphs within the nodes, too.
static void collectValues(ArrayRef<Node> nodes, std::set<std::string> &names) {
  for (const Node &node : nodes) {
    names.insert(node.outputs.begin(), node.outputs.end());
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph) {
        for (const ValueInfo &input : attribute.graph->inputs)
          names.insert(input.name);
        collectValues(attribute.graph->nodes, names);
      }
  }
}

static void collectValues(const Model &model, std::set<std::string> &names) {
  for (const ValueInfo &input : model.inputs)
    names.insert(input.name);
  for (const Tensor &tensor : model.initializers)
    names.insert(tensor.name);
  collectValues(model.nodes, names);
  for (const Function &function : model.functions)
    collectValues(function.nodes, names);
}

/// Leaves the part of the model that is asked for.
LogicalResult Importer::cutModel() {
  if (options.cut.isWhole())
    return success();
  GraphCut cut = options.cut;
  std::vector<std::string> problems = cutGraph(model, cut);
  for (const std::string &problem : problems)
    report(fileLocation(), problem);
  if (options.namedCut)
    *options.namedCut = cut;
  // What was inferred of them may be of other sizes of the inputs before.
  for (ValueInfo &input : model.inputs)
    if (options.shapes.count(input.name) &&
        llvm::is_contained(cut.inputs, input.name))
      input.dims.reset();
  return success(problems.empty());
}

/// Puts tensors in the places of sequences among the inputs.
LogicalResult Importer::takeInputsApart() {
  std::vector<std::string> problems =
      onnx::takeInputsApart(model, options, structuredInputs);
  for (const std::string &problem : problems)
    report(fileLocation(), problem);
  if (options.emptyInputs)
    for (const StructuredInput &input : structuredInputs)
      if (input.tensors.empty())
        (*options.emptyInputs)[input.name] = {input.isAbsent ? kAbsentInput
                                                             : 0};
  return success(problems.empty());
}

OwningOpRef<ModuleOp> Importer::run() {
  startModule();
  OwningOpRef<ModuleOp> owner(module);
  for (const std::string &problem : model.problems)
    report(fileLocation(), problem);
  // Without a usable opset or with unreadable weights the rest would follow
  // from it; the structure is still checked below.
  Scope scope;
  if (options.values)
    collectValues(model, *options.values);
  if (failed(cutModel()) || failed(takeInputsApart()))
    return nullptr;
  importInitializers(scope);
  if (options.inputs)
    for (const ValueInfo &input : model.inputs)
      if (!initializerNames.contains(input.name))
        options.inputs->push_back(input.name);
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
    Importer importer(std::move(*model), name, options, context);
    module = importer.run();
    // A program that lacks an output must not look like a whole one.
    if (module && errors == 0 && !importer.lostOutput().empty())
      emitError(fileLocation)
          << "output '" << importer.lostOutput()
          << "' cannot be imported, for a reason that is not known; cut the "
             "model before it with --outputs, and report the model";
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
  rt::Digest digest;
  llvm::Expected<Model> model =
      readModelFile(path, options.digest ? &digest : nullptr,
                    /*infersTypes=*/!options.cut.isWhole());
  if (model && options.digest)
    *options.digest = digest;
  return importModel(std::move(model), path, options, context);
}

OwningOpRef<ModuleOp> weft::onnx::importOnnxBytes(ArrayRef<char> bytes,
                                                  StringRef name,
                                                  const ImportOptions &options,
                                                  MLIRContext &context) {
  rt::Digest digest;
  llvm::Expected<Model> model =
      readModelBytes(bytes, "", options.digest ? &digest : nullptr);
  if (model && options.digest)
    *options.digest = digest;
  return importModel(std::move(model), name, options, context);
}
