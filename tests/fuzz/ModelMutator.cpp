//===- ModelMutator.cpp - ONNX models that are almost right ---------------===//

#include "tests/fuzz/ModelMutator.h"

#include "onnx/onnx_pb.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <random>

using namespace weft::fuzz;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

struct ModelMutator::Seeds {
  std::vector<ModelProto> models;
  std::vector<std::string> opTypes; ///< of all nodes of all seeds
};

namespace {

constexpr int64_t kSizes[] = {
    0,         1,         -1,        2,         3,         4,
    5,         7,         -2,        -5,        16,        64,
    65,        1000,      65535,     65536,     1 << 20,   INT32_MAX,
    INT32_MIN, 1LL << 32, 1LL << 40, 1LL << 62, INT64_MAX, INT64_MIN};
const float kFloats[] = {0.0f,
                         -0.0f,
                         1.0f,
                         -1.0f,
                         0.5f,
                         1e-30f,
                         3e38f,
                         -3e38f,
                         std::numeric_limits<float>::infinity(),
                         -std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::quiet_NaN()};
const char *const kTexts[] = {
    "",       "NOTSET",   "SAME_UPPER", "SAME_LOWER",    "VALID",
    "linear", "nearest",  "cubic",      "reflect",       "edge",
    "wrap",   "constant", "add",        "mul",           "max",
    "mean",   "forward",  "reverse",    "bidirectional", "ij,jk->ik",
    "...",    "\xff\xfe", "DCR"};

/// One mutated model.
class Mutation {
public:
  Mutation(ModelProto &model, const std::vector<std::string> &opTypes,
           uint64_t seed)
      : model(model), opTypes(opTypes), random(seed) {}

  void apply() {
    for (uint64_t left = 1 + random() % 3; left; --left)
      changeGraph(*model.mutable_graph());
    if (random() % 50 == 0)
      changeOpset();
  }

private:
  size_t below(size_t count) { return size_t(random() % count); }
  template <typename T, size_t N>
  T pick(const T (&list)[N]) {
    return list[below(N)];
  }
  template <typename List>
  auto *any(List &list) {
    return list.empty() ? nullptr : list.Mutable(int(below(list.size())));
  }

  void changeOpset() {
    if (auto *opset = any(*model.mutable_opset_import()))
      opset->set_version(pick(kSizes));
  }

  void changeGraph(GraphProto &graph) {
    switch (below(12)) {
    case 0:
      return changeList(*graph.mutable_node());
    case 1:
    case 2:
      return changeConstant(graph);
    case 3:
    case 4:
      return changeValue(any(*graph.mutable_input()));
    case 5:
      return changeOutputs(graph);
    default:
      if (NodeProto *node = any(*graph.mutable_node()))
        changeNode(graph, *node);
    }
  }

  /// Drops, doubles or swaps an entry.
  template <typename List>
  void changeList(List &list) {
    if (list.empty())
      return;
    int at = int(below(list.size()));
    switch (below(3)) {
    case 0:
      list.DeleteSubrange(at, 1);
      break;
    case 1: {
      auto copy = list.Get(at);
      *list.Add() = copy;
      break;
    }
    default:
      list.SwapElements(at, int(below(list.size())));
    }
  }

  std::string anyName(const GraphProto &graph) {
    std::vector<std::string> names = {"", "nobody"};
    for (const NodeProto &node : graph.node()) {
      names.insert(names.end(), node.input().begin(), node.input().end());
      names.insert(names.end(), node.output().begin(), node.output().end());
    }
    for (const TensorProto &tensor : graph.initializer())
      names.push_back(tensor.name());
    for (const ValueInfoProto &value : graph.input())
      names.push_back(value.name());
    return names[below(names.size())];
  }

  void changeNode(GraphProto &graph, NodeProto &node) {
    switch (below(10)) {
    case 0:
      node.set_op_type(opTypes[below(opTypes.size())]);
      return;
    case 1:
      return changeList(*node.mutable_input());
    case 2:
      if (std::string *input = any(*node.mutable_input()))
        *input = anyName(graph);
      return;
    case 3:
      if (std::string *output = any(*node.mutable_output()))
        *output = anyName(graph);
      return;
    case 4:
      *node.add_input() = anyName(graph);
      return;
    case 5:
      return changeList(*node.mutable_attribute());
    default:
      if (AttributeProto *attribute = any(*node.mutable_attribute()))
        return changeAttribute(*attribute);
      if (std::string *input = any(*node.mutable_input()))
        *input = anyName(graph);
    }
  }

  template <typename List, typename Value>
  void changeNumbers(List &list, Value value) {
    size_t kind = below(4);
    if (kind == 0 && !list.empty())
      list.RemoveLast();
    else if (kind == 1 || list.empty())
      list.Add(value);
    else
      list.Set(int(below(list.size())), value);
  }

  void changeAttribute(AttributeProto &attribute) {
    if (attribute.has_g() && random() % 8 != 0)
      return changeGraph(*attribute.mutable_g());
    switch (below(12)) {
    case 0:
      attribute.set_name(pick(kTexts));
      return;
    case 1:
      attribute.set_type(AttributeProto::AttributeType(below(15)));
      return;
    default:
      break;
    }
    switch (attribute.type()) {
    case AttributeProto::INT:
      return attribute.set_i(pick(kSizes));
    case AttributeProto::INTS:
      return changeNumbers(*attribute.mutable_ints(), pick(kSizes));
    case AttributeProto::FLOAT:
      return attribute.set_f(pick(kFloats));
    case AttributeProto::FLOATS:
      return changeNumbers(*attribute.mutable_floats(), pick(kFloats));
    case AttributeProto::STRING:
      return attribute.set_s(pick(kTexts));
    case AttributeProto::STRINGS:
      return changeList(*attribute.mutable_strings());
    case AttributeProto::TENSOR:
      return changeTensor(*attribute.mutable_t());
    default:
      return attribute.set_i(pick(kSizes));
    }
  }

  void changeConstant(GraphProto &graph) {
    TensorProto *tensor = any(*graph.mutable_initializer());
    if (!tensor)
      return changeValue(any(*graph.mutable_input()));
    if (random() % 8 == 0)
      return changeList(*graph.mutable_initializer());
    changeTensor(*tensor);
  }

  void changeTensor(TensorProto &tensor) {
    switch (below(5)) {
    case 0:
      return changeNumbers(*tensor.mutable_dims(), pick(kSizes));
    case 1:
      return tensor.set_data_type(int(below(28)));
    case 2: {
      std::string *raw = tensor.mutable_raw_data();
      raw->resize(random() % 2 ? raw->size() / 2 : raw->size() + 1);
      return;
    }
    default:
      break;
    }
    // Other values of the same type: shapes and axes come this way.
    std::string *raw = tensor.mutable_raw_data();
    int64_t size = pick(kSizes);
    float value = pick(kFloats);
    if (tensor.data_type() == TensorProto::INT64 && raw->size() >= 8)
      raw->replace(below(raw->size() / 8) * 8, 8,
                   reinterpret_cast<const char *>(&size), 8);
    else if (raw->size() >= 4)
      raw->replace(below(raw->size() / 4) * 4, 4,
                   reinterpret_cast<const char *>(&value), 4);
  }

  void changeValue(ValueInfoProto *value) {
    if (!value)
      return;
    auto *tensor = value->mutable_type()->mutable_tensor_type();
    switch (below(6)) {
    case 0:
      return tensor->set_elem_type(int(below(28)));
    case 1:
      return tensor->clear_shape();
    case 2:
      return value->mutable_type()->clear_value();
    case 3:
      return changeList(*tensor->mutable_shape()->mutable_dim());
    case 4:
      return tensor->mutable_shape()->add_dim()->set_dim_value(pick(kSizes));
    default:
      if (auto *dim = any(*tensor->mutable_shape()->mutable_dim())) {
        if (random() % 6 == 0)
          return dim->set_dim_param("n");
        return dim->set_dim_value(pick(kSizes));
      }
    }
  }

  void changeOutputs(GraphProto &graph) {
    if (random() % 2)
      return changeValue(any(*graph.mutable_output()));
    if (random() % 2)
      return graph.add_output()->set_name(anyName(graph));
    changeList(*graph.mutable_output());
  }

  ModelProto &model;
  const std::vector<std::string> &opTypes;
  std::mt19937_64 random;
};

} // namespace

ModelMutator::ModelMutator() : all(std::make_unique<Seeds>()) {}
ModelMutator::~ModelMutator() = default;

bool ModelMutator::addSeed(const std::string &bytes) {
  ModelProto model;
  if (!model.ParseFromString(bytes))
    return false;
  for (const NodeProto &node : model.graph().node())
    all->opTypes.push_back(node.op_type());
  all->models.push_back(std::move(model));
  return true;
}

size_t ModelMutator::seeds() const { return all->models.size(); }

std::string ModelMutator::model(uint64_t index) const {
  ModelProto model = all->models[index % all->models.size()];
  if (index >= all->models.size() && !all->opTypes.empty())
    Mutation(model, all->opTypes, index * 0x9E3779B97F4A7C15u + 1684).apply();
  return model.SerializeAsString();
}
