//===- Reducer.cpp - the smallest model that still fails ------------------===//
//
// Compiled with exceptions: ONNX's shape inference throws; none leaves this
// file.
//
//===----------------------------------------------------------------------===//

#include "tools/driver/Reducer.h"

#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace weft::driver;
using llvm::Expected;
using llvm::StringRef;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;
using ::onnx::ValueInfoProto;

static llvm::Error fileError(const llvm::Twine &text) {
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument), text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Puts external data into `tensor`. False if it cannot be found.
static bool makeInternal(TensorProto &tensor, StringRef folder) {
  if (tensor.data_location() != TensorProto::EXTERNAL)
    return true;
  std::string location;
  int64_t offset = 0, length = -1;
  for (const auto &entry : tensor.external_data()) {
    StringRef value = entry.value();
    if (entry.key() == "location")
      location = entry.value();
    else if ((entry.key() == "offset" && value.getAsInteger(10, offset)) ||
             (entry.key() == "length" && value.getAsInteger(10, length)))
      return false;
  }
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, location);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file || offset < 0 || offset > int64_t((*file)->getBufferSize()))
    return false;
  StringRef bytes = (*file)->getBuffer().drop_front(offset);
  if (length >= 0)
    bytes = bytes.take_front(length);
  tensor.set_raw_data(bytes.data(), bytes.size());
  tensor.clear_external_data();
  tensor.clear_data_location();
  return true;
}

static Expected<ModelProto> readModel(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fileError("cannot be read: " +
                     StringRef(buffer.getError().message()).lower());
  ModelProto model;
  if ((*buffer)->getBufferSize() > size_t(INT32_MAX) ||
      !model.ParseFromArray((*buffer)->getBufferStart(),
                            int((*buffer)->getBufferSize())))
    return fileError("is not an ONNX model that protobuf can read; weft reduce "
                     "cuts graphs, not broken files");
  for (TensorProto &tensor : *model.mutable_graph()->mutable_initializer())
    if (!makeInternal(tensor, llvm::sys::path::parent_path(path)))
      return fileError("initializer '" + tensor.name() +
                       "' has external data that cannot be read");
  return model;
}

/// Types of all values that shape inference or the model know.
static llvm::StringMap<TypeProto> typesOf(const ModelProto &model) {
  ModelProto inferred = model;
  try {
    ::onnx::ShapeInferenceOptions options(/*check_type=*/false,
                                          /*strict_mode=*/0,
                                          /*data_prop=*/true);
    ::onnx::shape_inference::InferShapes(
        inferred, ::onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception &) {
    // What was found so far, then.
  }
  llvm::StringMap<TypeProto> types;
  const GraphProto &graph = inferred.graph();
  for (const auto *list :
       {&graph.input(), &graph.output(), &graph.value_info()})
    for (const ValueInfoProto &value : *list)
      types[value.name()] = value.type();
  for (const TensorProto &tensor : graph.initializer()) {
    TypeProto &type = types[tensor.name()];
    type.mutable_tensor_type()->set_elem_type(tensor.data_type());
    auto *shape = type.mutable_tensor_type()->mutable_shape();
    shape->clear_dim();
    for (int64_t dim : tensor.dims())
      shape->add_dim()->set_dim_value(dim);
  }
  return types;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

/// Names that the bodies of control flow read from outside.
static void collectReads(const GraphProto &graph, llvm::StringSet<> &reads);

static void collectReads(const NodeProto &node, llvm::StringSet<> &reads) {
  for (const std::string &input : node.input())
    if (!input.empty())
      reads.insert(input);
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectReads(attribute.g(), reads);
    for (const GraphProto &graph : attribute.graphs())
      collectReads(graph, reads);
  }
}

static void collectReads(const GraphProto &graph, llvm::StringSet<> &reads) {
  for (const NodeProto &node : graph.node())
    collectReads(node, reads);
  for (const ValueInfoProto &output : graph.output())
    reads.insert(output.name());
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      reads.erase(output);
  for (const ValueInfoProto &input : graph.input())
    reads.erase(input.name());
}

template <typename List, typename Keep>
static void keepIf(List &list, Keep keep) {
  List kept;
  for (auto &entry : list)
    if (keep(entry))
      *kept.Add() = std::move(entry);
  list.Swap(&kept);
}

namespace {
class Reducer {
public:
  Reducer(ModelProto model, const FailureCheck &stillFails, size_t maxChecks)
      : best(std::move(model)), types(typesOf(best)), stillFails(stillFails),
        maxChecks(maxChecks) {}

  ReducedModel run();
  /// Leaves the nodes at `positions`, and what is computed of constants for
  /// them.
  ReducedModel cutOut(llvm::ArrayRef<int32_t> positions, const Shapes &shapes);

private:
  bool isDone() const { return checks >= maxChecks; }
  /// Takes `candidate` if it fails.
  bool accept(ModelProto candidate);
  ModelProto withNodes(const std::vector<bool> &kept) const;
  void addInterface(GraphProto &graph) const;
  bool dropNodes();
  bool bypassNodes();
  bool dropOutputs();
  bool dropAttributes();
  bool simplifyConstants();
  bool dropExtras();

  ModelProto best;
  llvm::StringMap<TypeProto> types;
  const FailureCheck &stillFails;
  size_t maxChecks, checks = 0;
};
} // namespace

bool Reducer::accept(ModelProto candidate) {
  if (isDone())
    return false;
  ++checks;
  if (!stillFails(candidate.SerializeAsString()))
    return false;
  best = std::move(candidate);
  return true;
}

/// Gives the graph the inputs and outputs that its nodes ask for: what nobody
/// makes is an input, what nobody reads an output. Old ones of these keep their
/// places.
void Reducer::addInterface(GraphProto &graph) const {
  llvm::StringSet<> made, read, constants;
  for (const NodeProto &node : graph.node()) {
    collectReads(node, read);
    for (const std::string &output : node.output())
      made.insert(output);
  }
  keepIf(*graph.mutable_initializer(), [&](const TensorProto &tensor) {
    return read.contains(tensor.name());
  });
  for (const TensorProto &tensor : graph.initializer())
    constants.insert(tensor.name());
  keepIf(*graph.mutable_input(), [&](const ValueInfoProto &input) {
    return read.contains(input.name());
  });
  keepIf(*graph.mutable_output(), [&](const ValueInfoProto &output) {
    return made.contains(output.name());
  });
  llvm::StringSet<> listed;
  for (const auto *list : {&graph.input(), &graph.output()})
    for (const ValueInfoProto &value : *list)
      listed.insert(value.name());
  auto add = [&](ValueInfoProto *value, const std::string &name) {
    value->set_name(name);
    if (auto type = types.find(name); type != types.end())
      *value->mutable_type() = type->second;
  };
  for (const NodeProto &node : graph.node()) {
    llvm::StringSet<> reads;
    collectReads(node, reads);
    std::vector<std::string> names;
    for (const auto &entry : reads)
      names.push_back(entry.getKey().str());
    llvm::sort(names);
    for (const std::string &name : names)
      if (!made.contains(name) && !constants.contains(name) &&
          listed.insert(name).second)
        add(graph.add_input(), name);
    for (const std::string &output : node.output())
      if (!output.empty() && !read.contains(output) &&
          listed.insert(output).second)
        add(graph.add_output(), output);
  }
}

ModelProto Reducer::withNodes(const std::vector<bool> &kept) const {
  ModelProto model = best;
  size_t index = 0;
  keepIf(*model.mutable_graph()->mutable_node(),
         [&](const NodeProto &) { return kept[index++]; });
  addInterface(*model.mutable_graph());
  return model;
}

/// Pieces of the list, the large ones first.
bool Reducer::dropNodes() {
  bool changed = false;
  for (size_t piece = (best.graph().node_size() + 1) / 2; piece >= 1;
       piece = piece == 1 ? 0 : (piece + 1) / 2) {
    // From the end: what nobody reads goes before what it reads.
    for (size_t end = best.graph().node_size(); end > 0 && !isDone();) {
      size_t count = best.graph().node_size();
      size_t begin = end > piece ? end - piece : 0;
      std::vector<bool> kept(count, true);
      std::fill(kept.begin() + begin, kept.begin() + end, false);
      if (end - begin < count && accept(withNodes(kept)))
        changed = true;
      end = begin;
    }
  }
  return changed;
}

static void renameReads(GraphProto &graph, const std::string &from,
                        const std::string &to) {
  for (NodeProto &node : *graph.mutable_node()) {
    for (std::string &input : *node.mutable_input())
      if (input == from)
        input = to;
    for (auto &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        renameReads(*attribute.mutable_g(), from, to);
      for (GraphProto &inner : *attribute.mutable_graphs())
        renameReads(inner, from, to);
    }
  }
}

/// Readers of a node take one of its inputs instead.
bool Reducer::bypassNodes() {
  bool changed = false;
  for (int i = best.graph().node_size() - 1; i >= 0 && !isDone(); --i) {
    NodeProto node = best.graph().node(i);
    auto type =
        node.output_size() == 0 ? types.end() : types.find(node.output(0));
    if (type == types.end())
      continue;
    for (const std::string &input : node.input()) {
      auto own = types.find(input);
      if (own == types.end() ||
          own->second.SerializeAsString() != type->second.SerializeAsString())
        continue;
      ModelProto model = best;
      GraphProto &graph = *model.mutable_graph();
      graph.mutable_node()->DeleteSubrange(i, 1);
      renameReads(graph, node.output(0), input);
      addInterface(graph);
      if (graph.node_size() != 0 && graph.output_size() != 0 &&
          accept(std::move(model))) {
        changed = true;
        break;
      }
    }
  }
  return changed;
}

bool Reducer::dropOutputs() {
  bool changed = false;
  for (int i = best.graph().output_size() - 1;
       i >= 0 && best.graph().output_size() > 1 && !isDone(); --i) {
    ModelProto model = best;
    model.mutable_graph()->mutable_output()->DeleteSubrange(i, 1);
    changed |= accept(std::move(model));
  }
  return changed;
}

bool Reducer::dropAttributes() {
  bool changed = false;
  for (int i = 0; i < best.graph().node_size(); ++i)
    for (int j = best.graph().node(i).attribute_size() - 1; j >= 0; --j) {
      ModelProto model = best;
      model.mutable_graph()
          ->mutable_node(i)
          ->mutable_attribute()
          ->DeleteSubrange(j, 1);
      changed |= accept(std::move(model));
    }
  return changed;
}

static bool isZero(const TensorProto &tensor) {
  return tensor.has_raw_data() &&
         llvm::all_of(tensor.raw_data(), [](char c) { return c == 0; });
}

/// Constants become inputs; those that may not be ones become zeros.
bool Reducer::simplifyConstants() {
  bool changed = false;
  for (int i = best.graph().initializer_size() - 1; i >= 0 && !isDone(); --i) {
    ModelProto model = best;
    GraphProto &graph = *model.mutable_graph();
    graph.mutable_initializer()->DeleteSubrange(i, 1);
    addInterface(graph);
    if (accept(std::move(model))) {
      changed = true;
      continue;
    }
    if (!best.graph().initializer(i).has_raw_data() ||
        isZero(best.graph().initializer(i)))
      continue;
    model = best;
    TensorProto *tensor = model.mutable_graph()->mutable_initializer(i);
    tensor->set_raw_data(std::string(tensor->raw_data().size(), '\0'));
    changed |= accept(std::move(model));
  }
  return changed;
}

/// What no computation needs.
bool Reducer::dropExtras() {
  ModelProto model = best;
  model.clear_doc_string();
  model.clear_metadata_props();
  model.clear_producer_name();
  model.clear_producer_version();
  GraphProto &graph = *model.mutable_graph();
  graph.clear_value_info();
  graph.clear_doc_string();
  graph.clear_quantization_annotation();
  for (NodeProto &node : *graph.mutable_node())
    node.clear_doc_string();
  keepIf(*model.mutable_functions(), [&](const auto &function) {
    return llvm::any_of(graph.node(),
                        [&](const NodeProto &node) {
                          return node.op_type() == function.name();
                        }) ||
           model.functions_size() > 1;
  });
  if (model.SerializeAsString() == best.SerializeAsString())
    return false;
  return accept(std::move(model));
}

ReducedModel Reducer::run() {
  ReducedModel result;
  result.nodesBefore = best.graph().node_size();
  bool changed = true;
  while (changed && !isDone()) {
    changed = dropNodes();
    changed |= bypassNodes();
    changed |= dropOutputs();
    changed |= simplifyConstants();
    changed |= dropAttributes();
    changed |= dropExtras();
  }
  result.bytes = best.SerializeAsString();
  result.nodesAfter = best.graph().node_size();
  result.checks = checks;
  return result;
}

/// Of each node, whether it computes of constants alone.
static std::vector<bool> constantNodes(const GraphProto &graph) {
  llvm::StringSet<> constants;
  for (const TensorProto &tensor : graph.initializer())
    constants.insert(tensor.name());
  std::vector<bool> isConstant;
  for (const NodeProto &node : graph.node()) {
    llvm::StringSet<> reads;
    collectReads(node, reads);
    isConstant.push_back(llvm::all_of(reads, [&](const auto &name) {
      return constants.contains(name.getKey());
    }));
    if (isConstant.back())
      for (const std::string &output : node.output())
        constants.insert(output);
  }
  return isConstant;
}

static void setShape(ValueInfoProto &input, const std::vector<int64_t> &shape) {
  auto *dims = input.mutable_type()->mutable_tensor_type()->mutable_shape();
  dims->clear_dim();
  for (int64_t size : shape)
    dims->add_dim()->set_dim_value(size);
}

/// Makes inputs that are sequences of their tensors ("S[0]", "S[1]" .., as a
/// program calls them), whose shapes are known: that needs no options.
static void constructSequences(GraphProto &graph, const Shapes &shapes) {
  std::vector<NodeProto> nodes;
  std::vector<ValueInfoProto> tensors;
  for (const ValueInfoProto &input : graph.input()) {
    if (!input.type().has_sequence_type() ||
        !shapes.count(input.name() + "[0]"))
      continue;
    NodeProto &node = nodes.emplace_back();
    node.set_op_type("SequenceConstruct");
    node.add_output(input.name());
    for (size_t i = 0;; ++i) {
      std::string name = input.name() + "[" + std::to_string(i) + "]";
      auto shape = shapes.find(name);
      if (shape == shapes.end())
        break;
      node.add_input(name);
      ValueInfoProto &tensor = tensors.emplace_back();
      tensor.set_name(name);
      *tensor.mutable_type() = input.type().sequence_type().elem_type();
      setShape(tensor, shape->second);
    }
  }
  keepIf(*graph.mutable_input(), [&](const ValueInfoProto &input) {
    return llvm::none_of(nodes, [&](const NodeProto &node) {
      return node.output(0) == input.name();
    });
  });
  for (const ValueInfoProto &tensor : tensors)
    *graph.add_input() = tensor;
  nodes.insert(nodes.end(), graph.node().begin(), graph.node().end());
  graph.clear_node();
  for (const NodeProto &node : nodes)
    *graph.add_node() = node;
}

ReducedModel Reducer::cutOut(llvm::ArrayRef<int32_t> positions,
                             const Shapes &shapes) {
  const GraphProto &graph = best.graph();
  std::vector<bool> isConstant = constantNodes(graph),
                    kept(size_t(graph.node_size()), false);
  for (int32_t position : positions)
    if (position < graph.node_size())
      kept[size_t(position)] = true;
  llvm::StringSet<> read;
  for (size_t i = kept.size(); i-- > 0;) {
    const NodeProto &node = graph.node(int(i));
    kept[i] = kept[i] || (isConstant[i] &&
                          llvm::any_of(node.output(), [&](const auto &name) {
                            return read.contains(name);
                          }));
    if (kept[i])
      collectReads(node, read);
  }
  ReducedModel result;
  result.nodesBefore = kept.size();
  best = withNodes(kept);
  for (ValueInfoProto &input : *best.mutable_graph()->mutable_input())
    if (auto known = shapes.find(input.name()); known != shapes.end())
      setShape(input, known->second);
  constructSequences(*best.mutable_graph(), shapes);
  dropExtras();
  result.bytes = best.SerializeAsString();
  result.nodesAfter = size_t(best.graph().node_size());
  return result;
}

Expected<ReducedModel> weft::driver::cutOutNodes(StringRef path,
                                                 llvm::ArrayRef<int32_t> nodes,
                                                 const Shapes &shapes) {
  try {
    Expected<ModelProto> model = readModel(path);
    if (!model)
      return model.takeError();
    if (model->functions_size() > 0)
      return fileError("has functions, whose nodes are no nodes of the graph; "
                       "leave out --reproducer and use weft reduce");
    FailureCheck always = [](const std::string &) { return true; };
    return Reducer(std::move(*model), always, /*maxChecks=*/1)
        .cutOut(nodes, shapes);
  } catch (const std::bad_alloc &) {
    return fileError("needs more memory than there is");
  } catch (const std::exception &error) {
    return fileError(llvm::Twine("cannot be cut: ") + error.what());
  }
}

Expected<ReducedModel> weft::driver::reduceModel(StringRef path,
                                                 const FailureCheck &stillFails,
                                                 size_t maxChecks) {
  try {
    Expected<ModelProto> model = readModel(path);
    if (!model)
      return model.takeError();
    return Reducer(std::move(*model), stillFails, maxChecks).run();
  } catch (const std::bad_alloc &) {
    return fileError("needs more memory than there is");
  } catch (const std::exception &error) {
    return fileError(llvm::Twine("cannot be cut: ") + error.what());
  }
}
