#include "runtime/numeric/ConvertValues.h"

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace weft::numeric {

/// Holds every number of every type exactly, 64-bit integers among them.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64,
              "64-bit integers and doubles must both fit");

static bool isComplex(ElementType type) {
  return type == ElementType::C64 || type == ElementType::C128;
}

bool convertsByValue(ElementType given, ElementType wanted) {
  return !isComplex(given) && !isComplex(wanted);
}

static Wide load(const HostTensor &tensor, int64_t index) {
  switch (tensor.type()) {
  case ElementType::I64:
    return Wide(tensor.as<int64_t>()[index]);
  case ElementType::U64:
    return Wide(tensor.as<uint64_t>()[index]);
  default:
    return Wide(tensor.toDouble(index));
  }
}

/// False if T does not have the value.
template <typename T>
static bool storeInteger(HostTensor &tensor, int64_t index, Wide value) {
  constexpr Wide low = Wide(std::numeric_limits<T>::min());
  // One above the largest, a power of two. (A NaN fails every comparison.)
  constexpr Wide end = Wide(std::numeric_limits<T>::max()) + 1;
  if (!(value >= low && value < end) || std::trunc(value) != value)
    return false;
  tensor.as<T>()[index] = static_cast<T>(value);
  return true;
}

static bool store(HostTensor &tensor, int64_t index, Wide value, bool rounds) {
  if (tensor.type() == ElementType::I64)
    return storeInteger<int64_t>(tensor, index, value);
  if (tensor.type() == ElementType::U64)
    return storeInteger<uint64_t>(tensor, index, value);
  tensor.setFromDouble(index, double(value));
  // What saturates or rounds is seen here.
  double stored = tensor.toDouble(index);
  if (std::isnan(value))
    return std::isnan(stored);
  return Wide(stored) == value ||
         (rounds && std::isfinite(stored) && std::isfinite(value));
}

static bool isWideFloat(ElementType type) {
  return isFloatType(type) && elementBytes(type) >= 2;
}

std::optional<int64_t> convertValues(HostTensor &tensor, ElementType wanted) {
  assert(convertsByValue(tensor.type(), wanted));
  if (tensor.type() == wanted)
    return std::nullopt;
  bool rounds = isWideFloat(tensor.type()) && isWideFloat(wanted);
  HostTensor result(wanted, tensor.shape());
  for (int64_t i = 0; i < tensor.elements(); ++i)
    if (!store(result, i, load(tensor, i), rounds))
      return i;
  tensor = std::move(result);
  return std::nullopt;
}

/// The number nearest to what `text` says, of the type that `tensor` has.
static Wide parsed(const char *text, ElementType type) {
  if (!isFloatType(type))
    return std::strtold(text, nullptr);
  return type == ElementType::F64 ? Wide(std::strtod(text, nullptr))
                                  : Wide(std::strtof(text, nullptr));
}

std::string elementText(const HostTensor &tensor, int64_t index) {
  const Wide value = load(tensor, index);
  char text[64];
  // The shortest that reads as the same number: 0.1 for the f32 next to it.
  for (int digits = 6; digits <= 20; ++digits) {
    std::snprintf(text, sizeof text, "%.*Lg", digits, value);
    if (parsed(text, tensor.type()) == value)
      break;
  }
  return std::isnan(value) ? "nan" : text;
}

std::string placeText(const std::vector<int64_t> &shape, int64_t index) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    text =
        std::to_string(index % shape[axis]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

} // namespace weft::numeric
