//===- Custom.cpp - nodes of operators that plugins bring -----------------===//

#include "dialects/top/Host.h"
#include "frontend/onnx/DataDependent.h"
#include "frontend/onnx/Importer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

const PluginOperator *Importer::findPlugin(const Node &node,
                                           int64_t opset) const {
  for (const PluginOperator &plugin : options.plugins)
    if (plugin.domain == node.domain && plugin.name == node.opType &&
        plugin.firstOpset <= opset && opset <= plugin.lastOpset)
      return &plugin;
  return nullptr;
}

/// The attributes of a node for its plugin.
static FailureOr<DictionaryAttr> parametersOf(NodeImporter &n) {
  using Kind = NodeAttribute::Kind;
  OpBuilder &b = n.builder;
  NamedAttrList list;
  for (const NodeAttribute &attribute : n.node.attributes) {
    Attribute value;
    switch (attribute.kind) {
    case Kind::Float:
      value = b.getF64FloatAttr(attribute.floatValue);
      break;
    case Kind::Int:
      value = b.getI64IntegerAttr(attribute.intValue);
      break;
    case Kind::String:
      value = b.getStringAttr(attribute.stringValue);
      break;
    case Kind::Floats: {
      SmallVector<double> numbers(attribute.floats.begin(),
                                  attribute.floats.end());
      value = b.getDenseF64ArrayAttr(numbers);
      break;
    }
    case Kind::Ints:
      value = b.getDenseI64ArrayAttr(attribute.ints);
      break;
    case Kind::Strings: {
      SmallVector<StringRef> texts(attribute.strings.begin(),
                                   attribute.strings.end());
      value = b.getStrArrayAttr(texts);
      break;
    }
    case Kind::Tensor:
    case Kind::Graph:
    case Kind::Other:
      return n.unsupported() << "attribute '" << attribute.name
                             << "' of the kind " << attribute.kindName
                             << "; plugins read numbers, texts and lists of "
                                "them, make it an input";
    }
    list.append(attribute.name, value);
  }
  return list.getDictionary(b.getContext());
}

/// The inputs of a node as its plugin sees them.
static FailureOr<SmallVector<PluginOperator::Input>>
inputsOf(NodeImporter &n, ArrayRef<Entity> operands) {
  SmallVector<PluginOperator::Input> inputs;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    PluginOperator::Input input;
    if (operand.isTensor()) {
      if (isDataDependent(operand.value))
        return n.unsupported()
               << "input " << i << " ('" << n.node.inputs[i]
               << "'), whose size depends on data; plugins work on known sizes";
      input.type = NodeImporter::typeOf(operand.value);
      matchPattern(operand.value, m_Constant(&input.constant));
    } else if (!operand.isUnknown()) {
      return n.error() << "input " << i << " ('" << n.node.inputs[i] << "') is "
                       << describe(operand) << "; " << n.node.opType
                       << " takes tensors";
    }
    inputs.push_back(input);
  }
  return inputs;
}

/// The results of `top.custom`, checked.
static LogicalResult checkResults(NodeImporter &n,
                                  ArrayRef<RankedTensorType> types) {
  if (types.size() != n.node.outputs.size())
    return n.error() << "the shape function of its plugin gives "
                     << types.size() << " results, the node has "
                     << n.node.outputs.size() << " outputs";
  for (auto [i, type] : llvm::enumerate(types))
    if (!top::isTopTensor(type) || type.getNumElements() == 0 ||
        !countElements(type.getShape()))
      return n.error() << "the shape function of its plugin gives output " << i
                       << " the shape " << formatShape(type.getShape())
                       << "; sizes must be 1 or more, with at most "
                       << kMaxElements << " elements";
  return success();
}

std::vector<Entity> Importer::importByPlugin(const Node &node, int64_t opset,
                                             const PluginOperator &plugin,
                                             ArrayRef<Entity> operands,
                                             Body &body, Location location) {
  SmallVector<Value> present;
  SmallVector<int64_t> absent;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand.value)
      present.push_back(operand.value);
    else
      absent.push_back(int64_t(i));
  }
  NodeImporter n(node, opset, builder, location, present, budget);
  FailureOr<DictionaryAttr> parameters = parametersOf(n);
  FailureOr<SmallVector<PluginOperator::Input>> inputs = inputsOf(n, operands);
  if (failed(parameters) || failed(inputs))
    return {};
  auto types = plugin.infer(opset, *parameters, *inputs, node.outputs.size());
  if (!types) {
    n.error() << types.status().message();
    return {};
  }
  if (failed(checkResults(n, *types)))
    return {};
  SmallVector<StringRef> floats(plugin.floats.begin(), plugin.floats.end());
  SmallVector<Type> results(types->begin(), types->end());
  auto op = builder.create<top::CustomOp>(
      location, results, node.domain, node.opType, opset, present, *parameters,
      builder.getStrArrayAttr(floats),
      absent.empty() ? DenseI64ArrayAttr()
                     : builder.getDenseI64ArrayAttr(absent));
  std::vector<Entity> entities;
  for (auto [name, result] : llvm::zip(node.outputs, op.getOutputs())) {
    entities.push_back(Entity(result));
    if (!name.empty())
      body.scope[name] = entities.back();
  }
  return entities;
}
