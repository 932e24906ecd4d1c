//===- OnnxModel.cpp - an ONNX file as plain structs ----------------------===//
//
// Compiled with exceptions: ONNX's library throws. Every call into it that can
// throw is inside a try block here and no exception leaves this file.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/OnnxModel.h"

#include "frontend/onnx/OnnxTensor.h"
#include "frontend/onnx/ParseFailure.h"
#include "frontend/onnx/RawData.h"
#include "onnx/checker.h"
#include "onnx/defs/function.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "onnx/shape_inference/implementation.h"
#include "runtime/numeric/Pages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/stubs/logging.h>

using namespace weft::onnx;
using google::protobuf::io::CodedInputStream;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

static llvm::Error fileError(const llvm::Twine &text) {
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument), text);
}

const NodeAttribute *Node::find(StringRef attribute) const {
  for (const NodeAttribute &candidate : attributes)
    if (candidate.name == attribute)
      return &candidate;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Protobuf to structs
//===----------------------------------------------------------------------===//

/// First line of an exception's text, first letter lower case, no full stop.
static std::string oneLine(StringRef text) {
  std::string line = text.split('\n').first.rtrim(". ").str();
  if (line.size() > 1 && !llvm::isUpper(line[1]))
    line[0] = llvm::toLower(line[0]);
  return line;
}

static std::string normalDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

namespace {
/// Converts one ModelProto; collects problems instead of stopping.
class ModelConverter {
public:
  ModelConverter(std::shared_ptr<const ::onnx::ModelProto> proto,
                 std::string folder,
                 std::shared_ptr<llvm::MemoryBuffer> file = nullptr)
      : proto(std::move(proto)), files(std::move(folder)) {
    files.model = std::move(file);
  }

  Model run(bool infersTypes);

  /// Of the model's `bytes` and, after run(), its external data.
  weft::rt::Digest digestOf(llvm::ArrayRef<char> bytes) const {
    weft::rt::Sha256 hash;
    hash.add(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    files.addTo(hash);
    return hash.finish();
  }

  std::vector<Node>
  nodes(const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &protos,
        const OpsetMap &opsets);
  Function function(const ::onnx::FunctionProto &proto);

private:
  NodeAttribute attribute(const ::onnx::AttributeProto &proto,
                          const OpsetMap &opsets, std::string &problem);
  std::shared_ptr<const Graph> graph(const ::onnx::GraphProto &proto,
                                     const OpsetMap &opsets,
                                     std::string &problem);
  Node node(const ::onnx::NodeProto &proto, const OpsetMap &opsets);
  ValueInfo valueInfo(const ::onnx::ValueInfoProto &proto);
  void initializers(const ::onnx::GraphProto &graph,
                    std::vector<Tensor> &tensors,
                    std::vector<std::string> &problems);
  void opsets(Model &model);

  std::shared_ptr<const ::onnx::ModelProto> proto;
  ExternalFiles files;
};
} // namespace

/// Opsets of a model or function; the two spellings of ONNX's own domain meet.
template <typename Proto>
static OpsetMap opsetsOf(const Proto &proto) {
  OpsetMap opsets;
  for (const ::onnx::OperatorSetIdProto &import : proto.opset_import()) {
    int64_t &version = opsets[normalDomain(import.domain())];
    version = std::max<int64_t>(version, import.version());
  }
  return opsets;
}

static NodeAttribute::Kind kindOf(::onnx::AttributeProto::AttributeType type) {
  using Kind = NodeAttribute::Kind;
  switch (type) {
  case ::onnx::AttributeProto::FLOAT:
    return Kind::Float;
  case ::onnx::AttributeProto::INT:
    return Kind::Int;
  case ::onnx::AttributeProto::STRING:
    return Kind::String;
  case ::onnx::AttributeProto::TENSOR:
    return Kind::Tensor;
  case ::onnx::AttributeProto::GRAPH:
    return Kind::Graph;
  case ::onnx::AttributeProto::FLOATS:
    return Kind::Floats;
  case ::onnx::AttributeProto::INTS:
    return Kind::Ints;
  case ::onnx::AttributeProto::STRINGS:
    return Kind::Strings;
  default:
    return Kind::Other;
  }
}

NodeAttribute ModelConverter::attribute(const ::onnx::AttributeProto &proto,
                                        const OpsetMap &opsets,
                                        std::string &problem) {
  NodeAttribute result;
  result.name = proto.name();
  result.kind = kindOf(proto.type());
  result.kindName = ::onnx::AttributeProto::AttributeType_Name(proto.type());
  result.reference = proto.ref_attr_name();
  result.floatValue = proto.f();
  result.intValue = proto.i();
  result.stringValue = proto.s();
  result.floats.assign(proto.floats().begin(), proto.floats().end());
  result.ints.assign(proto.ints().begin(), proto.ints().end());
  result.strings.assign(proto.strings().begin(), proto.strings().end());
  if (result.kind == NodeAttribute::Kind::Tensor && proto.has_t()) {
    // A NaN in an attribute may be a mark, not a weight.
    Expected<Tensor> tensor =
        readTensor(proto.t(), this->proto, files, /*allowsNan=*/true);
    if (tensor)
      result.tensor = std::make_shared<Tensor>(std::move(*tensor));
    else if (std::string text = sentenceAbout(
                 "attribute '" + proto.name() + "'", tensor.takeError());
             problem.empty())
      problem = text;
  }
  if (result.kind == NodeAttribute::Kind::Graph)
    result.graph = graph(proto.g(), opsets, problem);
  return result;
}

/// Names that `nodes` use and neither they nor `known` make.
static std::vector<std::string> namesFromOutside(const std::vector<Node> &nodes,
                                                 llvm::StringSet<> known) {
  for (const Node &node : nodes)
    for (const std::string &output : node.outputs)
      known.insert(output);
  std::vector<std::string> captured;
  auto use = [&](const std::string &name) {
    if (!name.empty() && known.insert(name).second)
      captured.push_back(name);
  };
  for (const Node &node : nodes) {
    llvm::for_each(node.inputs, use);
    llvm::for_each(node.captured, use);
  }
  return captured;
}

std::shared_ptr<const Graph>
ModelConverter::graph(const ::onnx::GraphProto &proto, const OpsetMap &opsets,
                      std::string &problem) {
  auto result = std::make_shared<Graph>();
  result->name = proto.name();
  std::vector<std::string> problems;
  initializers(proto, result->initializers, problems);
  if (!problems.empty() && problem.empty())
    problem = "its graph '" + proto.name() + "': " + problems.front();
  llvm::StringSet<> known;
  for (const ::onnx::ValueInfoProto &input : proto.input()) {
    result->inputs.push_back(valueInfo(input));
    known.insert(input.name());
  }
  for (const Tensor &tensor : result->initializers)
    known.insert(tensor.name);
  result->nodes = nodes(proto.node(), opsets);
  result->captured = namesFromOutside(result->nodes, known);
  for (const Node &node : result->nodes)
    for (const std::string &output : node.outputs)
      known.insert(output);
  for (const ::onnx::ValueInfoProto &output : proto.output()) {
    result->outputs.push_back(valueInfo(output));
    if (known.insert(output.name()).second)
      result->captured.push_back(output.name());
  }
  return result;
}

/// ONNX's rules for one node: number of operands, names and types of
/// attributes. Nodes of domains without schemas have none.
static std::string checkAgainstSchema(const ::onnx::NodeProto &proto,
                                      const OpsetMap &opsets) {
  std::string domain = normalDomain(proto.domain());
  auto opset = opsets.find(domain);
  if (opset == opsets.end())
    return "no opset is imported for its domain '" + domain +
           "'; the model needs one in opset_import";
  try {
    const ::onnx::OpSchema *schema = ::onnx::OpSchemaRegistry::Schema(
        proto.op_type(), static_cast<int>(opset->second), domain);
    if (schema && !schema->Deprecated())
      schema->Verify(proto);
  } catch (const std::exception &error) {
    return oneLine(error.what());
  }
  return "";
}

Node ModelConverter::node(const ::onnx::NodeProto &proto,
                          const OpsetMap &opsets) {
  Node result;
  result.name = proto.name();
  result.domain = normalDomain(proto.domain());
  result.opType = proto.op_type();
  result.overload = proto.overload();
  result.inputs.assign(proto.input().begin(), proto.input().end());
  result.outputs.assign(proto.output().begin(), proto.output().end());
  if (result.opType.empty())
    result.problem = "has no operator type";
  else
    result.problem = checkAgainstSchema(proto, opsets);
  for (const ::onnx::AttributeProto &attributeProto : proto.attribute())
    result.attributes.push_back(
        attribute(attributeProto, opsets, result.problem));
  // Of control flow the graphs are imported; of other operators (FlexAttention)
  // they become part of a function body, which ONNX builds from the bytes.
  for (int i = 0; !result.domain.empty() && i < proto.attribute_size(); ++i)
    if (proto.attribute(i).has_g())
      result.attributes[i].stringValue =
          proto.attribute(i).g().SerializeAsString();
  for (const NodeAttribute &attribute : result.attributes)
    if (attribute.graph)
      result.captured.insert(result.captured.end(),
                             attribute.graph->captured.begin(),
                             attribute.graph->captured.end());
  return result;
}

std::vector<Node> ModelConverter::nodes(
    const google::protobuf::RepeatedPtrField<::onnx::NodeProto> &protos,
    const OpsetMap &opsets) {
  std::vector<Node> result;
  result.reserve(protos.size());
  for (const ::onnx::NodeProto &nodeProto : protos) {
    result.push_back(node(nodeProto, opsets));
    result.back().index = result.size() - 1;
  }
  return result;
}

Function ModelConverter::function(const ::onnx::FunctionProto &proto) {
  Function result;
  result.domain = normalDomain(proto.domain());
  result.name = proto.name();
  result.overload = proto.overload();
  result.inputs.assign(proto.input().begin(), proto.input().end());
  result.outputs.assign(proto.output().begin(), proto.output().end());
  result.opsets = opsetsOf(proto);
  std::string problem; // an unreadable default matters only where it is used
  for (const ::onnx::AttributeProto &value : proto.attribute_proto())
    result.attributeDefaults.push_back(
        attribute(value, result.opsets, problem));
  result.nodes = nodes(proto.node(), result.opsets);
  return result;
}

static const char *typeKindName(::onnx::TypeProto::ValueCase kind) {
  switch (kind) {
  case ::onnx::TypeProto::kTensorType:
    return "tensor";
  case ::onnx::TypeProto::kSequenceType:
    return "sequence";
  case ::onnx::TypeProto::kMapType:
    return "map";
  case ::onnx::TypeProto::kOptionalType:
    return "optional";
  case ::onnx::TypeProto::kSparseTensorType:
    return "sparse tensor";
  case ::onnx::TypeProto::kOpaqueType:
    return "opaque value";
  default:
    return "untyped value";
  }
}

ValueInfo ModelConverter::valueInfo(const ::onnx::ValueInfoProto &proto) {
  ValueInfo result;
  result.name = proto.name();
  const ::onnx::TypeProto *declared = &proto.type();
  result.isOptional =
      declared->value_case() == ::onnx::TypeProto::kOptionalType;
  if (result.isOptional)
    declared = &declared->optional_type().elem_type();
  result.isSequence =
      declared->value_case() == ::onnx::TypeProto::kSequenceType;
  if (result.isSequence)
    declared = &declared->sequence_type().elem_type();
  const ::onnx::TypeProto &type = *declared;
  result.kindName = typeKindName(type.value_case());
  if (result.isSequence)
    result.kindName = "sequence of " + result.kindName + "s";
  if (type.value_case() != ::onnx::TypeProto::kTensorType)
    return result;
  result.type = type.tensor_type().elem_type();
  if (!type.tensor_type().has_shape())
    return result;
  result.dims.emplace();
  for (const auto &dim : type.tensor_type().shape().dim()) {
    Dimension dimension;
    if (dim.has_dim_value())
      dimension.value = dim.dim_value();
    dimension.symbol = dim.dim_param().empty() ? "?" : dim.dim_param();
    result.dims->push_back(std::move(dimension));
  }
  return result;
}

void ModelConverter::initializers(const ::onnx::GraphProto &graph,
                                  std::vector<Tensor> &tensors,
                                  std::vector<std::string> &problems) {
  for (const ::onnx::TensorProto &tensorProto : graph.initializer()) {
    Expected<Tensor> tensor = readTensor(tensorProto, proto, files);
    if (tensor) {
      tensors.push_back(std::move(*tensor));
      continue;
    }
    problems.push_back(sentenceAbout("initializer '" + tensorProto.name() + "'",
                                     tensor.takeError()));
  }
  for (const ::onnx::SparseTensorProto &sparse : graph.sparse_initializer())
    problems.push_back("unsupported: initializer '" + sparse.values().name() +
                       "' is sparse; store it as a dense tensor");
}

void ModelConverter::opsets(Model &model) {
  model.opsets = opsetsOf(*proto);
  auto main = model.opsets.find("");
  if (main == model.opsets.end()) {
    bool needed = llvm::any_of(proto->graph().node(), [](const auto &node) {
      return normalDomain(node.domain()).empty();
    });
    if (needed)
      model.problems.push_back(
          "the model imports no opset of ONNX's own domain (opset_import)");
    return;
  }
  if (main->second < kFirstOpset || main->second > kLastOpset)
    model.problems.push_back(
        formatv("unsupported: the model uses opset {0}; Weft reads {1} to {2}, "
                "convert it with onnx.version_converter",
                main->second, kFirstOpset, kLastOpset)
            .str());
}

Model ModelConverter::run(bool infersTypes) {
  Model model;
  const ::onnx::GraphProto &graph = proto->graph();
  model.graphName = graph.name();
  model.producer = proto->producer_name();
  for (const auto *list :
       {&graph.value_info(), &graph.input(), &graph.output()})
    for (const ::onnx::ValueInfoProto &value : *list)
      if (infersTypes)
        model.values[value.name()] = valueInfo(value);
  opsets(model);
  if (!proto->has_graph())
    model.problems.push_back("the model has no graph");
  for (const ::onnx::ValueInfoProto &input : graph.input())
    model.inputs.push_back(valueInfo(input));
  for (const ::onnx::ValueInfoProto &output : graph.output())
    model.outputs.push_back(valueInfo(output));
  initializers(graph, model.initializers, model.problems);
  // With a foreign opset every node would be reported once more.
  if (model.problems.empty() || !graph.node().empty())
    model.nodes = nodes(graph.node(), model.opsets);
  for (const ::onnx::FunctionProto &functionProto : proto->functions())
    model.functions.push_back(function(functionProto));
  return model;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Bytes in pieces; those that protobuf has read leave the process's memory if
/// they are a file's, so that a large model is not there twice.
class PagedInput : public google::protobuf::io::ZeroCopyInputStream {
public:
  explicit PagedInput(llvm::ArrayRef<char> bytes) : bytes(bytes) {}

  bool Next(const void **data, int *size) override {
    constexpr size_t kPieceBytes = 4 << 20;
    weft::numeric::pageOut(bytes.data() + begin, at - begin);
    begin = at;
    size_t piece = std::min(kPieceBytes, bytes.size() - at);
    *data = bytes.data() + at;
    *size = static_cast<int>(piece);
    at += piece;
    return piece != 0;
  }
  void BackUp(int count) override { at -= count; }
  bool Skip(int count) override {
    size_t skipped = std::min<size_t>(count, bytes.size() - at);
    at += skipped;
    return skipped == size_t(count);
  }
  int64_t ByteCount() const override { return static_cast<int64_t>(at); }

private:
  llvm::ArrayRef<char> bytes;
  size_t begin = 0, at = 0; ///< of the last piece
};
} // namespace

static bool parseModel(google::protobuf::io::ZeroCopyInputStream &stream,
                       ::onnx::ModelProto &proto) {
  CodedInputStream input(&stream);
  input.SetRecursionLimit(kMaxNesting);
  return proto.ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

/// Adds what ONNX's rules say of the types of values to `proto`. Functions of
/// the model are not looked into: a few of them, each calling the next twice,
/// would take for ever.
static void inferTypes(::onnx::ModelProto &proto) {
  std::unordered_map<std::string, int> opsets;
  for (const auto &[domain, version] : opsetsOf(proto))
    opsets[domain] = static_cast<int>(version);
  try {
    ::onnx::ShapeInferenceOptions options(/*check_type=*/false,
                                          /*strict_mode=*/0,
                                          /*data_prop=*/true);
    ::onnx::shape_inference::InferShapes(proto.mutable_graph(), opsets,
                                         ::onnx::OpSchemaRegistry::Instance(),
                                         options);
  } catch (const std::exception &) {
    // What was found so far, then.
  }
}

/// `file`, if there is one, has `bytes` and is kept for its weights.
static Expected<Model> readModel(llvm::ArrayRef<char> bytes, StringRef folder,
                                 std::shared_ptr<llvm::MemoryBuffer> file,
                                 weft::rt::Digest *digest, bool infersTypes) {
  if (bytes.empty())
    return fileError("is empty");
  if (bytes.size() > static_cast<size_t>(INT32_MAX))
    return fileError("is larger than 2 GiB, which protobuf cannot read; store "
                     "the weights as external data");
  try {
    // Protobuf would print its own lines about what we report ourselves.
    google::protobuf::SetLogHandler(nullptr);
    auto proto = std::make_shared<::onnx::ModelProto>();
    std::optional<std::string> rest;
    if (file)
      rest = leaveOutRawData(bytes);
    PagedInput pages(rest ? llvm::ArrayRef<char>(rest->data(), rest->size())
                          : bytes);
    if (!parseModel(pages, *proto))
      return fileError(explainParseFailure(bytes));
    if (!proto->has_ir_version() && !proto->has_graph())
      return fileError("is not an ONNX model (neither ir_version nor graph)");
    if (infersTypes)
      inferTypes(*proto);
    ModelConverter converter(proto, folder.str(), rest ? file : nullptr);
    Model model = converter.run(infersTypes);
    if (digest)
      *digest = converter.digestOf(bytes);
    return model;
  } catch (const std::bad_alloc &) {
    return fileError("needs more memory than there is");
  } catch (const std::exception &error) {
    return fileError("cannot be read: " + oneLine(error.what()));
  }
}

Expected<Model> weft::onnx::readModelBytes(llvm::ArrayRef<char> bytes,
                                           StringRef folder,
                                           weft::rt::Digest *digest) {
  return readModel(bytes, folder, nullptr, digest, /*infersTypes=*/false);
}

Expected<Model> weft::onnx::readModelFile(StringRef path,
                                          weft::rt::Digest *digest,
                                          bool infersTypes) {
  if (llvm::sys::fs::is_directory(path))
    return fileError("is a folder, not a file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fileError("cannot be read: " +
                     StringRef(buffer.getError().message()).lower());
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(*buffer);
  StringRef folder = llvm::sys::path::parent_path(path);
  return readModel({file->getBufferStart(), file->getBufferSize()},
                   folder.empty() ? "." : folder, file, digest, infersTypes);
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

/// Null if there is none.
static const ::onnx::OpSchema *schemaOf(StringRef domain, StringRef opType,
                                        int64_t opset) {
  try {
    return ::onnx::OpSchemaRegistry::Schema(
        opType.str(), static_cast<int>(opset), domain.str());
  } catch (const std::exception &) {
    return nullptr;
  }
}

SchemaFacts weft::onnx::lookUpSchema(StringRef domain, StringRef opType,
                                     int64_t opset) {
  SchemaFacts facts;
  if (const ::onnx::OpSchema *schema = schemaOf(domain, opType, opset)) {
    facts.since = schema->SinceVersion();
    facts.deprecated = schema->Deprecated();
    facts.hasFunction =
        schema->HasFunction() || schema->HasContextDependentFunction();
  }
  return facts;
}

bool weft::onnx::takesType(StringRef domain, StringRef opType, int64_t opset,
                           size_t number, int32_t type) {
  const ::onnx::OpSchema *schema = schemaOf(domain, opType, opset);
  if (!schema || schema->inputs().empty())
    return true;
  // The last one may stand for any number of inputs.
  const auto &inputs = schema->inputs();
  const auto &input = inputs[std::min(number, inputs.size() - 1)];
  std::string wanted = "tensor(" + dataTypeName(type) + ")";
  return llvm::any_of(input.GetTypes(), [&](const std::string *taken) {
    return *taken == wanted;
  });
}

static void setAttribute(const NodeAttribute &attribute,
                         ::onnx::AttributeProto &proto) {
  using Kind = NodeAttribute::Kind;
  proto.set_name(attribute.name);
  switch (attribute.kind) {
  case Kind::Float:
    proto.set_type(::onnx::AttributeProto::FLOAT);
    proto.set_f(attribute.floatValue);
    break;
  case Kind::Int:
    proto.set_type(::onnx::AttributeProto::INT);
    proto.set_i(attribute.intValue);
    break;
  case Kind::String:
    proto.set_type(::onnx::AttributeProto::STRING);
    proto.set_s(attribute.stringValue);
    break;
  case Kind::Floats:
    proto.set_type(::onnx::AttributeProto::FLOATS);
    proto.mutable_floats()->Add(attribute.floats.begin(),
                                attribute.floats.end());
    break;
  case Kind::Ints:
    proto.set_type(::onnx::AttributeProto::INTS);
    proto.mutable_ints()->Add(attribute.ints.begin(), attribute.ints.end());
    break;
  case Kind::Strings:
    proto.set_type(::onnx::AttributeProto::STRINGS);
    for (const std::string &text : attribute.strings)
      proto.add_strings(text);
    break;
  case Kind::Tensor:
    proto.set_type(::onnx::AttributeProto::TENSOR);
    if (attribute.tensor && attribute.tensor->type != kString) {
      const Tensor &tensor = *attribute.tensor;
      proto.mutable_t()->set_data_type(tensor.type);
      proto.mutable_t()->mutable_dims()->Add(tensor.dims.begin(),
                                             tensor.dims.end());
      // Types below 8 bits are packed in files; no function body looks inside.
      proto.mutable_t()->set_raw_data(tensor.bytes.data(), tensor.bytes.size());
    }
    break;
  case Kind::Graph: // empty where no function body looks inside
    proto.set_type(::onnx::AttributeProto::GRAPH);
    if (!attribute.stringValue.empty())
      proto.mutable_g()->ParseFromString(attribute.stringValue);
    break;
  case Kind::Other:
    break;
  }
}

/// The node as ONNX's function builders want to see it.
static ::onnx::NodeProto nodeProto(const Node &node) {
  ::onnx::NodeProto proto;
  proto.set_op_type(node.opType);
  proto.set_domain(node.domain);
  for (const std::string &input : node.inputs)
    proto.add_input(input);
  for (const std::string &output : node.outputs)
    proto.add_output(output);
  for (const NodeAttribute &attribute : node.attributes)
    setAttribute(attribute, *proto.add_attribute());
  return proto;
}

Expected<std::optional<Function>>
weft::onnx::functionOfSchema(const Node &node, int64_t opset,
                             llvm::ArrayRef<ValueType> inputTypes,
                             int64_t defaultOpset) {
  try {
    int version = static_cast<int>(opset);
    const ::onnx::OpSchema *schema =
        ::onnx::OpSchemaRegistry::Schema(node.opType, version, node.domain);
    if (!schema)
      return std::nullopt;
    auto model = std::make_shared<::onnx::ModelProto>(); // owns the body
    ::onnx::FunctionProto *body = model->add_functions();
    if (schema->HasContextDependentFunction()) {
      std::vector<::onnx::TypeProto> types(inputTypes.size());
      for (size_t i = 0; i < inputTypes.size(); ++i) {
        if (inputTypes[i].type == kUndefined)
          continue;
        auto *tensor = types[i].mutable_tensor_type();
        tensor->set_elem_type(inputTypes[i].type);
        for (int64_t dim : inputTypes[i].dims)
          tensor->mutable_shape()->add_dim()->set_dim_value(dim);
      }
      // The context points into the node and must not outlive it.
      ::onnx::NodeProto proto = nodeProto(node);
      ::onnx::FunctionBodyBuildContextImpl context(proto, types);
      if (!schema->BuildContextDependentFunction(context, *body, version))
        return std::nullopt;
    } else if (const ::onnx::FunctionProto *fixed =
                   schema->GetFunction(version)) {
      *body = *fixed;
    } else {
      return std::nullopt;
    }
    for (const auto &[name, attribute] : schema->attributes())
      if (attribute.default_value.has_name())
        *body->add_attribute_proto() = attribute.default_value;
    if (!opsetsOf(*body).count("")) {
      auto *import = body->add_opset_import();
      import->set_domain("");
      import->set_version(defaultOpset);
    }
    return std::optional<Function>(ModelConverter(model, "").function(*body));
  } catch (const std::exception &error) {
    return fileError("ONNX cannot expand this node into its function: " +
                     oneLine(error.what()));
  }
}

StringRef weft::onnx::libraryVersion() { return WEFT_ONNX_VERSION; }
