//===- Plugins.cpp - libraries of ONNX operators --------------------------===//

#include "tools/driver/Plugins.h"
#include "tools/driver/CustomKernel.h"
#include "tools/driver/LibraryOperators.h"
#include "tools/driver/UserCode.h"

#include "dialects/Evaluate.h"
#include "dialects/HostCall.h"
#include "dialects/ppl/Ppl.h"
#include "dialects/top/Top.h"
#include "runtime/catalog/Catalog.h"
#include "runtime/chips/Chip.h"

#include <deque>
#include <dlfcn.h>
#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::driver;
using numeric::HostTensor;
using rt::Code;
using rt::Status;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// What is wrong with the row of an operator; empty if nothing.
static std::string problemOf(const weft_plugin_operator &row) {
  if (row.version != WEFT_PLUGIN_VERSION)
    return "is of plugin version " + std::to_string(row.version) +
           ", this program takes version " +
           std::to_string(WEFT_PLUGIN_VERSION) +
           "; compile it with the headers of this program";
  if (row.bytes < sizeof(weft_plugin_operator) || !row.domain || !row.name ||
      !row.types || row.type_count < 1 || !row.infer || !row.reference ||
      !row.kernel)
    return "has an operator without a name, a float type, a shape function, a "
           "float reference or a kernel; use PPL_OPERATOR of ppl/plugin.h";
  return "";
}

Plugins::Plugins() {
  for (const weft_plugin_operator *row = libraryOperators(); row;
       row = row->next)
    library.push_back({"of this program", row, bindLibrary});
}

Status Plugins::load(const std::string &path) {
  auto wrong = [&](const std::string &what) {
    return rt::fail(Code::InvalidArgument, "plugin " + path + " " + what);
  };
  // Without a slash dlopen would look in the system's folders only.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  UserCode running("plugin " + path);
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return rt::fail(Code::IoError,
                    "plugin " + path + " cannot be opened: " + dlerror());
  auto list = reinterpret_cast<const weft_plugin_operator *(*)()>(
      dlsym(library, "weft_plugin_operators"));
  auto bind = reinterpret_cast<void (*)(const weft_ppl_recorder *)>(
      dlsym(library, "weft_ppl_bind"));
  const weft_plugin_operator *first = list && bind ? list() : nullptr;
  if (!first)
    return wrong("brings no operator; include ppl/plugin.h and use "
                 "PPL_OPERATOR");
  for (const weft_plugin_operator *row = first; row; row = row->next) {
    if (std::string problem = problemOf(*row); !problem.empty())
      return wrong(problem);
    for (const Operator &other : operators)
      if (StringRef(other.row->domain) == row->domain &&
          StringRef(other.row->name) == row->name &&
          other.row->first_opset <= row->last_opset &&
          row->first_opset <= other.row->last_opset)
        return wrong("brings operator " + std::string(row->name) +
                     " of domain '" + row->domain + "', which " +
                     other.library + " brings, too; give one of them");
    operators.push_back({path, row, bind});
  }
  return Status::ok();
}

Status Plugins::load(const std::vector<std::string> &paths) {
  for (const std::string &path : paths)
    WEFT_TRY(load(path));
  return Status::ok();
}

const Plugins::Operator *Plugins::find(StringRef domain, StringRef name,
                                       int64_t opset) const {
  for (const std::vector<Operator> *list : {&library, &operators})
    for (const Operator &found : *list)
      if (domain == found.row->domain && name == found.row->name &&
          found.row->first_opset <= opset && opset <= found.row->last_opset)
        return &found;
  return nullptr;
}

/// What the host calls that which operator HOST_by_WAY computes.
static StringRef hostKernelOf(StringRef name) {
  return name.rsplit("_by_").first;
}

std::vector<const Plugins::Operator *>
Plugins::libraryFor(StringRef kernel) const {
  std::vector<const Operator *> found;
  for (const Operator &one : library)
    if (hostKernelOf(one.row->name) == kernel)
      found.push_back(&one);
  return found;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// data_type_t of an element type; 0 if plugins have none.
static int32_t codeOf(Type type) {
  if (type.isF64())
    return WEFT_PLUGIN_DOUBLE;
  if (type.isInteger(1))
    return WEFT_PLUGIN_BOOL;
  bool isUnsigned = type.isUnsignedInteger();
  std::string spelling;
  if (type.isF32() || type.isF16())
    spelling = type.isF32() ? "fp32" : "fp16";
  else if (type.isBF16())
    spelling = "bf16";
  else if (auto integer = dyn_cast<IntegerType>(type))
    spelling =
        (isUnsigned ? "uint" : "int") + std::to_string(integer.getWidth());
#define PPL_DATA_TYPE(Name, text, code, bits, isFloat, isSigned)               \
  if (spelling == text)                                                        \
    return code;
#include "runtime/catalog/DataTypes.def"
  return 0;
}

static Type typeOf(int32_t code, MLIRContext *context) {
  Builder b(context);
  if (code == WEFT_PLUGIN_DOUBLE)
    return b.getF64Type();
  if (code == WEFT_PLUGIN_BOOL)
    return b.getI1Type();
  for (Type type :
       {Type(b.getF32Type()), Type(b.getF16Type()), Type(b.getBF16Type())})
    if (codeOf(type) == code)
      return type;
  for (unsigned width : {4, 8, 16, 32, 64})
    for (bool isUnsigned : {false, true}) {
      Type type = IntegerType::get(context, width,
                                   isUnsigned ? IntegerType::Unsigned
                                              : IntegerType::Signless);
      if (codeOf(type) == code)
        return type;
    }
  return {};
}

/// data_type_t of what a host tensor holds; bools are bytes.
static int32_t codeOf(numeric::ElementType type) {
  std::string spelling = numeric::elementTypeName(type);
  if (type == numeric::ElementType::Bool)
    return int32_t(catalog::DataType::Uint8);
  spelling = (spelling[0] == 'f'   ? "fp"
              : spelling[0] == 'u' ? "uint"
                                   : "int") +
             spelling.substr(1);
#define PPL_DATA_TYPE(Name, text, code, bits, isFloat, isSigned)               \
  if (spelling == text)                                                        \
    return code;
#include "runtime/catalog/DataTypes.def"
  return 0;
}

namespace {
/// A node as a plugin sees it. Owns what the C structs point to.
class NodeView {
public:
  NodeView(const CustomOperator &custom, size_t inputs, size_t outputs)
      : inputTensors(inputs), outputTensors(outputs), described(outputs) {
    node.bytes = sizeof(node);
    node.opset = custom.opset;
    node.self = this;
    node.fail = [](void *self, const char *message) {
      std::string &failure = static_cast<NodeView *>(self)->failure;
      if (failure.empty())
        failure = message && *message ? message : "no reason given";
    };
    node.describe = [](void *self, int32_t output, int32_t type, int32_t rank,
                       const int64_t *shape) {
      auto &list = static_cast<NodeView *>(self)->described;
      if (output >= 0 && size_t(output) < list.size() && rank >= 0)
        list[output] = {type, std::vector<int64_t>(shape, shape + rank)};
    };
    for (NamedAttribute attribute : custom.parameters)
      addAttribute(attribute.getName(), attribute.getValue());
  }

  struct Described {
    int32_t type = 0;
    std::vector<int64_t> shape;
  };

  static weft_plugin_tensor tensor(int32_t type, ArrayRef<int64_t> shape,
                                   const void *memory) {
    return {type, int32_t(shape.size()), shape.data(),
            const_cast<void *>(memory)};
  }

  /// Calls a function of the plugin; the reason if it refuses the node.
  Status call(const Plugins::Operator &found,
              void (*function)(const weft_plugin_node *), StringRef what) {
    UserCode running("operator " + std::string(found.row->name) +
                     " of plugin " + found.library);
    node.inputs = int32_t(inputTensors.size());
    node.outputs = int32_t(outputTensors.size());
    node.attributes = int32_t(attributes.size());
    node.input = inputTensors.data();
    node.output = outputTensors.data();
    node.attribute = attributes.data();
    function(&node);
    if (failure.empty())
      return Status::ok();
    return rt::fail(Code::InvalidArgument, "plugin " + found.library + ": " +
                                               what.str() + ": " + failure);
  }

  std::vector<weft_plugin_tensor> inputTensors, outputTensors;
  std::vector<Described> described;

private:
  void addAttribute(StringAttr name, Attribute value) {
    weft_plugin_attribute added = {};
    added.name = keep(name.getValue());
    if (auto integer = dyn_cast<IntegerAttr>(value))
      setIntegers(added, integer.getInt());
    else if (auto real = dyn_cast<FloatAttr>(value))
      setFloats(added, real.getValueAsDouble());
    else if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
      setIntegers(added, list.asArrayRef());
    else if (auto list = dyn_cast<DenseF64ArrayAttr>(value))
      setFloats(added, list.asArrayRef());
    else if (auto text = dyn_cast<StringAttr>(value))
      setTexts(added, {text.getValue()});
    else if (auto list = dyn_cast<ArrayAttr>(value))
      setTexts(added, llvm::to_vector(list.getAsValueRange<StringAttr>()));
    attributes.push_back(added);
  }
  void setIntegers(weft_plugin_attribute &added, ArrayRef<int64_t> values) {
    integers.emplace_back(values.begin(), values.end());
    added.kind = WEFT_PLUGIN_INTEGERS;
    added.count = int32_t(values.size());
    added.integers = integers.back().data();
  }
  void setFloats(weft_plugin_attribute &added, ArrayRef<double> values) {
    floats.emplace_back(values.begin(), values.end());
    added.kind = WEFT_PLUGIN_FLOATS;
    added.count = int32_t(values.size());
    added.floats = floats.back().data();
  }
  void setTexts(weft_plugin_attribute &added, ArrayRef<StringRef> values) {
    texts.emplace_back();
    for (StringRef value : values)
      texts.back().push_back(keep(value));
    added.kind = WEFT_PLUGIN_TEXTS;
    added.count = int32_t(values.size());
    added.texts = texts.back().data();
  }
  const char *keep(StringRef text) {
    strings.push_back(text.str());
    return strings.back().c_str();
  }

  weft_plugin_node node = {};
  std::vector<weft_plugin_attribute> attributes;
  // Deques: what they hold does not move.
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> floats;
  std::deque<std::vector<const char *>> texts;
  std::deque<std::string> strings;
  std::string failure;
};
} // namespace

/// The node's input slots of its operands: those that are not absent.
static std::vector<size_t> slotsOf(ArrayRef<int64_t> absent, size_t operands) {
  std::vector<size_t> slots;
  for (size_t slot = 0; slots.size() < operands; ++slot)
    if (!llvm::is_contained(absent, int64_t(slot)))
      slots.push_back(slot);
  return slots;
}

//===----------------------------------------------------------------------===//
// Shape function
//===----------------------------------------------------------------------===//

static rt::Result<std::vector<RankedTensorType>>
inferTypes(const Plugins::Operator &found, int64_t opset,
           DictionaryAttr parameters,
           ArrayRef<onnx::PluginOperator::Input> inputs, size_t outputs) {
  CustomOperator custom{
      found.row->domain, found.row->name, opset, parameters, {}};
  NodeView view(custom, inputs.size(), outputs);
  std::deque<HostTensor> constants;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!input.type)
      continue;
    int32_t code = codeOf(input.type.getElementType());
    if (!code)
      return rt::fail(Code::InvalidArgument,
                      "input " + std::to_string(i) +
                          " has an element type that plugins do not have; cast "
                          "it before");
    const void *memory = nullptr;
    if (input.constant) {
      FailureOr<HostTensor> tensor = toHostTensor(
          input.constant, UnknownLoc::get(parameters.getContext()));
      if (failed(tensor))
        return rt::fail(Code::InvalidArgument,
                        "input " + std::to_string(i) + " has no bytes");
      constants.push_back(std::move(*tensor));
      memory = constants.back().bytes();
    }
    view.inputTensors[i] =
        NodeView::tensor(code, input.type.getShape(), memory);
  }
  WEFT_TRY(view.call(found, found.row->infer, "shape function"));
  std::vector<RankedTensorType> types;
  for (auto [i, output] : llvm::enumerate(view.described)) {
    Type element = typeOf(output.type, parameters.getContext());
    if (!element || llvm::any_of(output.shape, [](int64_t d) { return d < 0; }))
      return rt::fail(Code::InvalidArgument,
                      "plugin " + found.library +
                          ": shape function: it gives output " +
                          std::to_string(i) +
                          " no type and sizes; call describe or like for every "
                          "output");
    types.push_back(RankedTensorType::get(output.shape, element));
  }
  return types;
}

/// "f32" for data_type_t; empty for types that are no float of a program.
static std::string floatName(int32_t code) {
  switch (catalog::dataTypeOf(code).value_or(catalog::DataType::Int8)) {
  case catalog::DataType::Fp32:
    return "f32";
  case catalog::DataType::Fp16:
    return "f16";
  case catalog::DataType::Bf16:
    return "bf16";
  default:
    return "";
  }
}

std::vector<onnx::PluginOperator> Plugins::importOperators() const {
  std::vector<onnx::PluginOperator> list;
  for (const Operator &found : operators) {
    onnx::PluginOperator added;
    added.domain = found.row->domain;
    added.name = found.row->name;
    added.firstOpset = found.row->first_opset;
    added.lastOpset = found.row->last_opset;
    for (int32_t i = 0; i < found.row->type_count; ++i)
      if (std::string name = floatName(found.row->types[i]); !name.empty())
        added.floats.push_back(name);
    added.infer = [found](int64_t opset, DictionaryAttr parameters,
                          ArrayRef<onnx::PluginOperator::Input> inputs,
                          size_t outputs) {
      return inferTypes(found, opset, parameters, inputs, outputs);
    };
    list.push_back(std::move(added));
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Float reference and kernel
//===----------------------------------------------------------------------===//

namespace {
class PluginKernels : public CustomKernels {
public:
  PluginKernels(Dialect *dialect, const Plugins &plugins)
      : CustomKernels(dialect), plugins(plugins) {}

  Status evaluate(const CustomOperator &custom,
                  ArrayRef<const HostTensor *> operands,
                  MutableArrayRef<HostTensor> results) const override {
    if (custom.domain == kLibraryDomain)
      return evaluateOnHost(custom, operands, results);
    const Plugins::Operator *found =
        plugins.find(custom.domain, custom.name, custom.opset);
    if (!found)
      return rt::fail(Code::InvalidArgument,
                      "no plugin brings operator " + custom.name.str() +
                          " of domain '" + custom.domain.str() +
                          "'; give it with --plugin");
    std::vector<size_t> slots = slotsOf(custom.absent, operands.size());
    NodeView view(custom, operands.size() + custom.absent.size(),
                  results.size());
    for (auto [slot, tensor] : llvm::zip(slots, operands))
      view.inputTensors[slot] = NodeView::tensor(
          codeOf(tensor->type()), tensor->shape(), tensor->bytes());
    for (auto [i, tensor] : llvm::enumerate(results))
      view.outputTensors[i] = NodeView::tensor(codeOf(tensor.type()),
                                               tensor.shape(), tensor.bytes());
    return view.call(*found, found->row->reference, "float reference");
  }

  bool hasLibraryKernel(StringRef kernel) const override {
    return !plugins.libraryFor(kernel).empty();
  }
  std::vector<LibraryKernel>
  libraryKernels(StringRef kernel, DictionaryAttr parameters, const Chip &chip,
                 ArrayRef<RankedTensorType> operands,
                 ArrayRef<RankedTensorType> results) const override;

private:
  static Status evaluateOnHost(const CustomOperator &custom,
                               ArrayRef<const HostTensor *> operands,
                               MutableArrayRef<HostTensor> results);

  const Plugins &plugins;
  /// Of calls that were asked about. A program is lowered several times until
  /// it is the cheapest one.
  mutable std::map<std::string, std::vector<LibraryKernel>> known;
};
} // namespace

Status PluginKernels::evaluateOnHost(const CustomOperator &custom,
                                     ArrayRef<const HostTensor *> operands,
                                     MutableArrayRef<HostTensor> results) {
  host::Call call;
  call.kernel = hostKernelOf(custom.name).str();
  FailureOr<host::Attributes> attributes = hostAttributes(
      custom.parameters, UnknownLoc::get(custom.parameters.getContext()));
  if (failed(attributes))
    return rt::fail(Code::InvalidArgument,
                    custom.name.str() + " has attributes that the host lacks");
  call.attributes = std::move(*attributes);
  call.operands.assign(operands.begin(), operands.end());
  for (const HostTensor &result : results)
    call.results.push_back({result.type(), result.shape(), result.shape()});
  std::vector<HostTensor> computed;
  WEFT_TRY(host::run(call, computed));
  for (auto [result, value] : llvm::zip(results, computed))
    result = std::move(value);
  return Status::ok();
}

std::vector<LibraryKernel>
PluginKernels::libraryKernels(StringRef kernel, DictionaryAttr parameters,
                              const Chip &chip,
                              ArrayRef<RankedTensorType> operands,
                              ArrayRef<RankedTensorType> results) const {
  MLIRContext *context = parameters.getContext();
  auto typesOf = [&](ArrayRef<RankedTensorType> types) {
    SmallVector<Attribute> attributes;
    for (RankedTensorType type : types)
      attributes.push_back(TypeAttr::get(type));
    return ArrayAttr::get(context, attributes);
  };
  ArrayAttr inputs = typesOf(operands), outputs = typesOf(results);
  std::string question;
  llvm::raw_string_ostream(question)
      << kernel << parameters << inputs << outputs << chip.name;
  auto [at, isNew] = known.try_emplace(question);
  std::vector<LibraryKernel> &kernels = at->second;
  if (!isNew)
    return kernels;
  // Each call takes a cycle at least, and what takes so many is compiled for
  // long, and has more commands than it is worth.
  size_t mostCalls = 1 << 14;
  for (const Plugins::Operator *found : plugins.libraryFor(kernel)) {
    CustomOperator called{kLibraryDomain, found->row->name, 1, parameters, {}};
    if (std::optional<uint64_t> cycles =
            kernelCycles(*context, chip, plugins, *found, called, inputs,
                         outputs, mostCalls)) {
      kernels.push_back({found->row->name, *cycles});
      mostCalls = std::min<size_t>(mostCalls, *cycles);
    }
  }
  llvm::stable_sort(kernels,
                    [](const LibraryKernel &a, const LibraryKernel &b) {
                      return a.cycles < b.cycles;
                    });
  return kernels;
}

void Plugins::attach(MLIRContext &context) const {
  // Kernels are recorded while passes run, when no dialect may be loaded.
  context.getOrLoadDialect<ppl::PplDialect>();
  auto *dialect = context.getOrLoadDialect<top::TopDialect>();
  dialect->addInterface(
      std::unique_ptr<DialectInterface>(new PluginKernels(dialect, *this)));
}

Status Plugins::record(const Operator &found, const CustomOperator &custom,
                       ArrayRef<Place> inputs, ArrayRef<Place> outputs,
                       const weft_ppl_recorder &recorder) const {
  std::vector<size_t> slots = slotsOf(custom.absent, inputs.size());
  NodeView view(custom, inputs.size() + custom.absent.size(), outputs.size());
  auto tensor = [](const Place &place) {
    Type element = place.type.getElementType();
    return NodeView::tensor(
        codeOf(element), place.type.getShape(),
        reinterpret_cast<const void *>(uintptr_t(place.address)));
  };
  for (auto [slot, place] : llvm::zip(slots, inputs))
    view.inputTensors[slot] = tensor(place);
  for (auto [i, place] : llvm::enumerate(outputs))
    view.outputTensors[i] = tensor(place);
  found.bind(&recorder);
  Status status = view.call(found, found.row->kernel, "kernel");
  found.bind(nullptr);
  return status;
}
