//===- plugin.h - ONNX operators written as kernels -----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_PLUGIN_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_PLUGIN_H

#include "ppl/plugin_interface.h"
#include "ppl/tensor.h"

#include <stdexcept>
#include <string>
#include <vector>

/// A library for `weft convert --plugin LIB.so`. It brings operators of ONNX
/// domains that Weft does not know, or replaces operators that it does:
///
///   static void infer(ppl::Node &node) { node.output(0).like(node.input(0)); }
///   static void reference(ppl::Node &node) { ... float loops ... }
///   template <class T> void swirl(ppl::Node &node) { ... a kernel ... }
///   PPL_OPERATOR("com.example", "Swirl", infer, reference,
///                PPL_KERNEL(float, swirl<float>),
///                PPL_KERNEL(ppl::fp16, swirl<ppl::fp16>))
///
/// All three see one node. `infer` gives its outputs types and shapes,
/// `reference` computes them on the host in float (it folds constants and is
/// what calibration and `weft compare` go by), the kernel records what the chip
/// does. They report what is wrong with the node by `node.fail(...)`, which
/// does not return. Compile with `g++ -std=c++17 -O2 -fPIC -shared`.

namespace ppl {

//===----------------------------------------------------------------------===//
// The same in C++
//===----------------------------------------------------------------------===//

/// What `Node::fail` throws; nothing else may leave a function of a plugin.
class NodeError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An input or output of a node, of any rank.
class NodeTensor {
public:
  NodeTensor(const weft_plugin_tensor &tensor, std::string name)
      : tensor(tensor), name(std::move(name)) {}

  /// False for an optional input that is left out.
  bool exists() const { return tensor.type != DT_NONE; }
  /// ONNX's element type in `infer`. In `reference` floats are DT_FP32. In the
  /// kernel floats are what it was made for, 64-bit integers are DT_INT32.
  data_type_t type() const { return data_type_t(tensor.type); }
  int rank() const { return tensor.rank; }
  /// The size of an axis; -1 is the last one.
  int64_t size(int axis) const {
    if (axis < -rank() || axis >= rank())
      throw NodeError(name + " has no axis " + std::to_string(axis) +
                      ", its rank is " + std::to_string(rank()));
    return tensor.shape[axis < 0 ? axis + rank() : axis];
  }
  std::vector<int64_t> shape() const {
    return std::vector<int64_t>(tensor.shape, tensor.shape + rank());
  }
  int64_t elements() const { return product(0, rank()); }
  /// The product of the sizes of axes [begin, end).
  int64_t product(int begin, int end) const {
    int64_t result = 1;
    for (int axis = begin; axis < end; ++axis)
      result *= size(axis);
    return result;
  }
  /// The values, in `reference` (and constants in `infer`, else null).
  template <class T>
  T *data() const {
    if (convert_dtype<std::remove_const_t<T>>() != tensor.type)
      throw NodeError(name + " has elements of data_type_t " +
                      std::to_string(tensor.type) + ", not " +
                      std::to_string(convert_dtype<std::remove_const_t<T>>()));
    return static_cast<T *>(tensor.memory);
  }
  /// The tensor in DRAM, in the kernel: its elements in row-major order as
  /// `shape`, which has as many.
  template <class T>
  gtensor<T> global(const dim4 &shape, Line at = {}) const {
    if (int64_t(shape.n) * shape.c * shape.h * shape.w != elements())
      throw NodeError(name + " has " + std::to_string(elements()) +
                      " elements, not those of the shape " +
                      std::to_string(shape.n) + "x" + std::to_string(shape.c) +
                      "x" + std::to_string(shape.h) + "x" +
                      std::to_string(shape.w));
    if (convert_dtype<T>() != tensor.type)
      throw NodeError(name + " has elements of data_type_t " +
                      std::to_string(tensor.type) + ", not " +
                      std::to_string(convert_dtype<T>()));
    return gtensor<T>(shape, GLOBAL, tensor.memory, at);
  }

protected:
  weft_plugin_tensor tensor;
  std::string name;
};

/// An output.
class NodeOutput : public NodeTensor {
public:
  NodeOutput(const weft_plugin_node &node, int index)
      : NodeTensor(node.output[index], "output " + std::to_string(index)),
        node(node), index(index) {}

  /// In `infer`: what the output will be.
  void describe(data_type_t type, const std::vector<int64_t> &shape) const {
    node.describe(node.self, index, type, int32_t(shape.size()), shape.data());
  }
  void like(const NodeTensor &other) const {
    describe(other.type(), other.shape());
  }

private:
  const weft_plugin_node &node;
  int index;
};

/// A node of the ONNX graph.
class Node {
public:
  explicit Node(const weft_plugin_node &node) : node(node) {}

  int64_t opset() const { return node.opset; }
  int inputs() const { return node.inputs; }
  int outputs() const { return node.outputs; }
  bool has(int input) const {
    return input >= 0 && input < node.inputs &&
           node.input[input].type != DT_NONE;
  }
  /// An input, which must be there.
  NodeTensor input(int index) const {
    if (!has(index))
      throw NodeError("input " + std::to_string(index) +
                      " is missing; the node has " +
                      std::to_string(node.inputs));
    return NodeTensor(node.input[index], "input " + std::to_string(index));
  }
  NodeOutput output(int index) const {
    if (index < 0 || index >= node.outputs)
      throw NodeError("output " + std::to_string(index) +
                      " is missing; the node has " +
                      std::to_string(node.outputs));
    return NodeOutput(node, index);
  }

  int64_t integer(const char *name, int64_t fallback) const {
    const auto *found = find(name, WEFT_PLUGIN_INTEGERS, "an integer", true);
    return found ? found->integers[0] : fallback;
  }
  double real(const char *name, double fallback) const {
    const auto *found = find(name, WEFT_PLUGIN_FLOATS, "a float", true);
    return found ? found->floats[0] : fallback;
  }
  std::string text(const char *name, const char *fallback) const {
    const auto *found = find(name, WEFT_PLUGIN_TEXTS, "a text", true);
    return found ? found->texts[0] : fallback;
  }
  std::vector<int64_t> integers(const char *name) const {
    const auto *found = find(name, WEFT_PLUGIN_INTEGERS, "integers", false);
    return found ? std::vector<int64_t>(found->integers,
                                        found->integers + found->count)
                 : std::vector<int64_t>();
  }
  std::vector<double> reals(const char *name) const {
    const auto *found = find(name, WEFT_PLUGIN_FLOATS, "floats", false);
    return found ? std::vector<double>(found->floats,
                                       found->floats + found->count)
                 : std::vector<double>();
  }

  /// Says why the node cannot be: what was found, the rule, what to do.
  [[noreturn]] void fail(const std::string &message) const {
    throw NodeError(message);
  }

private:
  const weft_plugin_attribute *find(const char *name, int kind,
                                    const char *what, bool single) const {
    for (int i = 0; i < node.attributes; ++i) {
      const weft_plugin_attribute &found = node.attribute[i];
      if (std::strcmp(found.name, name))
        continue;
      if ((found.count && found.kind != kind) || (single && found.count != 1))
        throw NodeError("attribute '" + std::string(name) + "' must be " +
                        what);
      return &found;
    }
    return nullptr;
  }

  const weft_plugin_node &node;
};

namespace detail {
/// Hidden: each library has its own.
inline __attribute__((visibility("hidden"))) weft_plugin_operator *operators =
    nullptr;

/// Calls a function of a plugin; what it throws becomes a message.
template <void (*function)(Node &)>
void guarded(const weft_plugin_node *node) {
  try {
    Node view(*node);
    function(view);
  } catch (const Stopped &stopped) {
    if (!recorder().get(recorder().self, WEFT_PPL_FAILED, 0))
      node->fail(node->self, stopped.what());
  } catch (const std::exception &error) {
    node->fail(node->self, error.what());
  } catch (...) {
    node->fail(node->self, "an exception that is no std::exception");
  }
}

/// The kernels of an operator, one a float type.
struct KernelRow {
  int32_t type;
  void (*kernel)(Node &);
};

/// Runs the kernel of the type that the node's floats have; of the first one
/// if it has none.
template <const KernelRow *rows, size_t count>
void dispatch(Node &node) {
  for (int i = 0; i < node.inputs() + node.outputs(); ++i) {
    if (i < node.inputs() && !node.has(i))
      continue;
    data_type_t type = i < node.inputs()
                           ? node.input(i).type()
                           : node.output(i - node.inputs()).type();
    for (size_t row = 0; row < count; ++row)
      if (rows[row].type == type)
        return rows[row].kernel(node);
  }
  rows[0].kernel(node);
}

struct Registration {
  explicit Registration(weft_plugin_operator *added) {
    added->next = operators;
    operators = added;
  }
};
} // namespace detail
} // namespace ppl

extern "C" inline __attribute__((used, visibility("default")))
const weft_plugin_operator *
weft_plugin_operators(void) {
  return ppl::detail::operators;
}

#define PPL_JOIN_(a, b) a##b
#define PPL_JOIN(a, b) PPL_JOIN_(a, b)

/// Brings an operator of every opset. `KERNELS` is a list of
/// PPL_KERNEL(type, function), the first one preferred when a program computes
/// in a type that is not in the list.
#define PPL_OPERATOR(DOMAIN, NAME, INFER, REFERENCE, ...)                      \
  PPL_OPERATOR_OPSETS(DOMAIN, NAME, 1, INT64_MAX, INFER, REFERENCE, __VA_ARGS__)

/// The same for opsets FIRST to LAST of its domain.
#define PPL_OPERATOR_OPSETS(DOMAIN, NAME, FIRST, LAST, INFER, REFERENCE, ...)  \
  namespace {                                                                  \
  namespace PPL_JOIN(plugin_, __LINE__) {                                      \
  constexpr ppl::detail::KernelRow rows[] = {__VA_ARGS__};                     \
  constexpr size_t count = sizeof(rows) / sizeof(rows[0]);                     \
  int32_t types[count];                                                        \
  weft_plugin_operator self = {                                                \
      sizeof(weft_plugin_operator),                                            \
      WEFT_PLUGIN_VERSION,                                                     \
      DOMAIN,                                                                  \
      NAME,                                                                    \
      FIRST,                                                                   \
      LAST,                                                                    \
      types,                                                                   \
      int32_t(count),                                                          \
      ppl::detail::guarded<INFER>,                                             \
      ppl::detail::guarded<REFERENCE>,                                         \
      ppl::detail::guarded<ppl::detail::dispatch<rows, count>>,                \
      nullptr};                                                                \
  ppl::detail::Registration registration((                                     \
      (void)[] {                                                               \
        for (size_t i = 0; i < count; ++i)                                     \
          types[i] = rows[i].type;                                             \
      }(),                                                                     \
      &self));                                                                 \
  }                                                                            \
  }
/// One kernel of an operator: for nodes whose floats are of TYPE.
#define PPL_KERNEL(TYPE, FUNCTION)                                             \
  ppl::detail::KernelRow { ppl::convert_dtype<TYPE>(), FUNCTION }

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_PLUGIN_H
