//===- Host.cpp - operations computed by the processor of the host --------===//

#include "runtime/host/Kernels.h"

#include <cstdarg>
#include <cstdio>

using namespace weft;
using namespace weft::host;
using rt::Code;
using rt::Status;

namespace {
constexpr size_t kAny = ~size_t(0);

struct KernelRow {
  std::string_view name;
  size_t required, operands, results;
  Status (*function)(const Call &, std::vector<HostTensor> &);
};

constexpr KernelRow kKernels[] = {
#define WEFT_HOST_KERNEL(name, required, limit, count)                         \
  {#name, required, limit, count, kernels::name},
#include "runtime/host/Kernels.def"
};
} // namespace

static const KernelRow *findKernel(std::string_view name) {
  for (const KernelRow &row : kKernels)
    if (row.name == name)
      return &row;
  return nullptr;
}

const Attribute *Attributes::find(std::string_view name) const {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

bool host::canHold(const ResultType &type) {
  // Empty axes do not excuse the others: kernels walk them.
  std::vector<int64_t> walked = type.largest;
  for (int64_t &size : walked)
    size = size == 0 ? 1 : size;
  std::optional<int64_t> elements = numeric::elementCount(walked);
  if (!elements || *elements > kMostElements ||
      type.shape.size() != type.largest.size())
    return false;
  for (size_t axis = 0; axis < type.shape.size(); ++axis)
    if (type.shape[axis] != kUnknownSize &&
        type.shape[axis] != type.largest[axis])
      return false;
  return true;
}

int64_t Attributes::integer(std::string_view name, int64_t fallback) const {
  const Attribute *value = find(name);
  const int64_t *integer = value ? std::get_if<int64_t>(value) : nullptr;
  return integer ? *integer : fallback;
}

double Attributes::number(std::string_view name, double fallback) const {
  const Attribute *value = find(name);
  if (!value)
    return fallback;
  if (const double *number = std::get_if<double>(value))
    return *number;
  const int64_t *integer = std::get_if<int64_t>(value);
  return integer ? static_cast<double>(*integer) : fallback;
}

/// The value of kind T, or one that is empty.
template <typename T>
static const T &listOf(const Attribute *value) {
  static const T empty{};
  const T *list = value ? std::get_if<T>(value) : nullptr;
  return list ? *list : empty;
}

const std::string &Attributes::text(std::string_view name) const {
  return listOf<std::string>(find(name));
}
const std::vector<int64_t> &Attributes::integers(std::string_view name) const {
  return listOf<std::vector<int64_t>>(find(name));
}
const std::vector<double> &Attributes::numbers(std::string_view name) const {
  return listOf<std::vector<double>>(find(name));
}
const std::vector<std::string> &Attributes::texts(std::string_view name) const {
  return listOf<std::vector<std::string>>(find(name));
}
const HostTensor *Attributes::tensor(std::string_view name) const {
  const Attribute *value = find(name);
  return value ? std::get_if<HostTensor>(value) : nullptr;
}

Status Call::fail(const char *format, ...) const {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(length > 0 ? size_t(length) : 0, '\0');
  if (length > 0)
    std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return rt::fail(Code::InvalidArgument, kernel + " on the host: " + text);
}

bool host::allows(const ResultType &type, const Shape &shape) {
  if (shape.size() != type.shape.size() || shape.size() != type.largest.size())
    return false;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < 0 || shape[axis] > type.largest[axis] ||
        (type.shape[axis] != kUnknownSize && type.shape[axis] != shape[axis]))
      return false;
  return numeric::elementCount(shape).has_value();
}

Status Call::addResult(Shape shape, std::vector<HostTensor> &computed) const {
  size_t index = computed.size();
  if (index >= results.size())
    return fail("gives more than the %zu results that are declared",
                results.size());
  const ResultType &type = results[index];
  if (!allows(type, shape))
    return fail("result %zu has shape %s but is declared with at most %s; "
                "shape and declaration must agree",
                index, numeric::shapeText(shape).c_str(),
                numeric::shapeText(type.largest).c_str());
  computed.emplace_back(type.type, std::move(shape));
  return Status::ok();
}

Status Call::addResult(std::vector<HostTensor> &computed) const {
  size_t index = computed.size();
  if (index >= results.size() || !results[index].isStatic())
    return fail("result %zu is not declared with a static shape", index);
  return addResult(results[index].shape, computed);
}

bool host::hasKernel(std::string_view kernel) {
  return findKernel(kernel) != nullptr;
}

/// Computes `call`, of the kernel of `row`, by `kernel`.
template <typename Kernel>
static Status runRow(const KernelRow *row, const Call &call,
                     const Kernel &kernel, std::vector<HostTensor> &results) {
  if (!row)
    return rt::failf(Code::InvalidArgument,
                     "no host kernel is named '%s'; this file may come from a "
                     "newer weft",
                     call.kernel.c_str());
  size_t operands = call.operands.size();
  if (operands < row->required || operands > row->operands)
    return call.fail("%zu operands are given, it takes %zu or more", operands,
                     row->required);
  for (size_t i = 0; i < row->required; ++i)
    if (!call.operands[i])
      return call.fail("operand %zu is absent but required", i);
  if (call.results.empty() || call.results.size() > row->results)
    return call.fail("%zu results are wanted, it has %zu at most",
                     call.results.size(), row->results);
  std::vector<HostTensor> computed;
  computed.reserve(call.results.size());
  WEFT_TRY(kernel(computed));
  if (computed.size() != call.results.size())
    return call.fail("gave %zu of %zu results", computed.size(),
                     call.results.size());
  // Kernels use addResult; the check costs nothing and lets callers trust.
  for (size_t i = 0; i < computed.size(); ++i)
    if (computed[i].type() != call.results[i].type ||
        !allows(call.results[i], computed[i].shape()))
      return call.fail("result %zu is not of its declared type", i);
  for (HostTensor &tensor : computed)
    results.push_back(std::move(tensor));
  return Status::ok();
}

Status host::run(const Call &call, std::vector<HostTensor> &results) {
  const KernelRow *row = findKernel(call.kernel);
  return runRow(
      row, call,
      [&](std::vector<HostTensor> &made) { return row->function(call, made); },
      results);
}

Status
host::runWith(const Call &call,
              const std::function<Status(std::vector<HostTensor> &)> &kernel,
              std::vector<HostTensor> &results) {
  return runRow(findKernel(call.kernel), call, kernel, results);
}
