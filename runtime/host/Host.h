//===- Host.h - operations computed by the processor of the host -*- C++
//-*-===//
//
// Kernels in plain C++ for every operation, written once: the evaluators of the
// `top` dialect call them, and the runtime calls them for the parts of a
// bmodel that the chip cannot express. A kernel is a function
//
//   rt::Status name(const Call &call, std::vector<HostTensor> &results);
//
// in namespace weft::host::kernels and one row in Kernels.def. At run time a
// call comes out of a file, so a kernel believes nothing: it checks its
// attributes, ranks, sizes and element types before it uses them, and fails
// with one message. It never throws (but std::bad_alloc) and keeps no state.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_HOST_H
#define WEFT_RUNTIME_HOST_HOST_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::host {

using numeric::ElementType;
using numeric::HostTensor;
using Shape = std::vector<int64_t>;

/// The size of an axis that only the operands' values decide.
inline constexpr int64_t kUnknownSize = -1;

/// One attribute of an operation. Booleans are integers 0 and 1, element types
/// and kinds are texts ("f32", "relu").
using Attribute =
    std::variant<int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>, HostTensor>;

/// The attributes of an operation by name. Each reader gives `fallback` if the
/// attribute is absent or of another kind; a kernel checks the value.
class Attributes {
public:
  void set(std::string name, Attribute value) {
    values.insert_or_assign(std::move(name), std::move(value));
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  int64_t integer(std::string_view name, int64_t fallback = 0) const;
  bool flag(std::string_view name) const { return integer(name) != 0; }
  /// A float attribute, or an integer one as a double.
  double number(std::string_view name, double fallback = 0) const;
  const std::string &text(std::string_view name) const; ///< "" if absent
  /// Empty if absent.
  const std::vector<int64_t> &integers(std::string_view name) const;
  const std::vector<double> &numbers(std::string_view name) const;
  const std::vector<std::string> &texts(std::string_view name) const;
  /// Null if absent.
  const HostTensor *tensor(std::string_view name) const;

  const std::map<std::string, Attribute, std::less<>> &all() const {
    return values;
  }
  bool operator==(const Attributes &other) const {
    return values == other.values;
  }

private:
  const Attribute *find(std::string_view name) const;

  std::map<std::string, Attribute, std::less<>> values;
};

/// What is known of a result before the kernel runs.
struct ResultType {
  ElementType type = ElementType::F32;
  /// Sizes, kUnknownSize where they depend on the operands' values.
  Shape shape;
  /// The same rank; the largest size of each axis (its size where it is known).
  Shape largest;

  bool isStatic() const { return shape == largest; }
  bool operator==(const ResultType &other) const {
    return type == other.type && shape == other.shape &&
           largest == other.largest;
  }
};

/// Elements of a value at most, as large as it may become, empty axes counted
/// as 1 (kernels walk the others): 8 GiB of doubles.
inline constexpr int64_t kMostElements = int64_t(1) << 30;
/// Whether a value may have this type: bounded sizes of one rank, at most
/// kMostElements elements. Loaders refuse others, so compilers must not make
/// them.
bool canHold(const ResultType &type);

/// The type of a result of known shape.
inline ResultType staticResult(ElementType type, Shape shape) {
  return {type, shape, shape};
}

/// One operation on host tensors.
struct Call {
  std::string kernel; ///< name in Kernels.def: "unary", "top_k"
  Attributes attributes;
  /// One an operand; null: an optional operand that is absent.
  std::vector<const HostTensor *> operands;
  std::vector<ResultType> results;

  /// Operand `index`; only for those that Kernels.def calls required, or after
  /// hasOperand.
  const HostTensor &operand(size_t index) const { return *operands[index]; }
  bool hasOperand(size_t index) const {
    return index < operands.size() && operands[index];
  }
  /// Appends the next result, zero-filled, with its declared element type.
  /// Fails if `shape` is not a shape that its declaration allows.
  rt::Status addResult(Shape shape, std::vector<HostTensor> &results) const;
  /// The same with the declared shape; fails if that is not static.
  rt::Status addResult(std::vector<HostTensor> &results) const;
  /// A failure that begins with the kernel's name.
  [[gnu::format(printf, 2, 3)]] rt::Status fail(const char *format, ...) const;
};

/// True if Kernels.def has a kernel of that name.
bool hasKernel(std::string_view kernel);

/// Appends the results of `call`, one each of `call.results`, of their types.
/// Fails with Code::InvalidArgument for an unknown kernel, a wrong number of
/// operands or results, and for what the kernel refuses.
rt::Status run(const Call &call, std::vector<HostTensor> &results);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_HOST_H
