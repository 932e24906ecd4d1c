#include "runtime/numeric/HostTensor.h"

#include "runtime/numeric/Float16.h"
#include "runtime/numeric/SmallFloats.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace weft::numeric {
namespace {

struct TypeRow {
  const char *name;
  uint8_t bytes;
  bool isFloat;
  bool isSigned;
  int onnx;
};

constexpr TypeRow kTypes[] = {
#define ELEMENT_TYPE(Name, spelling, bytes, isFloat, isSigned, onnx)           \
  {spelling, bytes, isFloat, isSigned, onnx},
#include "runtime/numeric/ElementTypes.def"
};
constexpr size_t kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);

template <class T>
T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void store(uint8_t *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
T saturateTo(double value, T low = std::numeric_limits<T>::min(),
             T high = std::numeric_limits<T>::max()) {
  if (value != value)
    return 0;
  if (value <= double(low))
    return low;
  return value >= double(high) ? high : static_cast<T>(value);
}

} // namespace

static const TypeRow &row(ElementType type) {
  return kTypes[static_cast<size_t>(type)];
}

size_t elementBytes(ElementType type) { return row(type).bytes; }
const char *elementTypeName(ElementType type) { return row(type).name; }
bool isFloatType(ElementType type) { return row(type).isFloat; }
bool isIntegerType(ElementType type) {
  return !row(type).isFloat && type != ElementType::Bool;
}
bool isSignedType(ElementType type) { return row(type).isSigned; }
int onnxDataType(ElementType type) { return row(type).onnx; }

std::optional<ElementType> parseElementType(std::string_view name) {
  for (size_t i = 0; i < kTypeCount; ++i)
    if (name == kTypes[i].name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<ElementType> fromOnnxDataType(int dataType) {
  for (size_t i = 0; i < kTypeCount; ++i)
    if (dataType == kTypes[i].onnx)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<int64_t> elementCount(const std::vector<int64_t> &shape) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      empty = true;
    else if (count > limit / dim)
      return std::nullopt;
    else
      count *= dim;
  }
  return empty ? 0 : count;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + std::to_string(shape[i]);
  return text;
}

HostTensor::HostTensor(ElementType type, std::vector<int64_t> shape)
    : typeValue(type), shapeValue(std::move(shape)) {
  std::optional<int64_t> count = elementCount(shapeValue);
  assert(count && "HostTensor needs a valid shape");
  storage.resize(static_cast<size_t>(*count) * elementBytes(type));
}

bool HostTensor::reshape(std::vector<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  if (!count || *count != elements())
    return false;
  shapeValue = std::move(shape);
  return true;
}

double HostTensor::toDouble(int64_t index) const {
  assert(index >= 0 && index < elements());
  const uint8_t *at = storage.data() + size_t(index) * elementBytes(typeValue);
  switch (typeValue) {
  case ElementType::F32:
  case ElementType::C64:
    return load<float>(at);
  case ElementType::F64:
  case ElementType::C128:
    return load<double>(at);
  case ElementType::F16:
    return halfToFloat(load<uint16_t>(at));
  case ElementType::BF16:
    return bf16ToFloat(load<uint16_t>(at));
  case ElementType::I8:
  case ElementType::I4:
  case ElementType::I2:
    return load<int8_t>(at);
  case ElementType::U8:
  case ElementType::U4:
  case ElementType::U2:
  case ElementType::Bool:
    return *at;
  case ElementType::I16:
    return load<int16_t>(at);
  case ElementType::U16:
    return load<uint16_t>(at);
  case ElementType::I32:
    return load<int32_t>(at);
  case ElementType::U32:
    return load<uint32_t>(at);
  case ElementType::I64:
    return static_cast<double>(load<int64_t>(at));
  case ElementType::U64:
    return static_cast<double>(load<uint64_t>(at));
  default:
    return decodeSmallFloat(typeValue, *at);
  }
}

/// Nearest power of two of a positive value, ties up, saturated to 2^-127 ..
/// 2^127.
static uint8_t encodeE8M0(double value) {
  if (value != value || value < 0)
    return 0xff;
  if (value == 0)
    return 0;
  if (std::isinf(value))
    return 254;
  int exponent;
  double fraction = std::frexp(value, &exponent); // [0.5, 1)
  return uint8_t(clampTo(exponent - 1 + (fraction >= 0.75) + 127, 0, 254));
}

void HostTensor::setFromDouble(int64_t index, double value) {
  assert(index >= 0 && index < elements());
  uint8_t *at = storage.data() + size_t(index) * elementBytes(typeValue);
  switch (typeValue) {
  case ElementType::F32:
    return store(at, static_cast<float>(value));
  case ElementType::C64:
    store(at + 4, 0.0f);
    return store(at, static_cast<float>(value));
  case ElementType::F64:
    return store(at, value);
  case ElementType::C128:
    store(at + 8, 0.0);
    return store(at, value);
  case ElementType::F16:
    return store(at, doubleToHalf(value));
  case ElementType::BF16:
    return store(at, doubleToBf16(value));
  case ElementType::Bool:
    return store(at, uint8_t(value != 0));
  case ElementType::I8:
    return store(at, saturateTo<int8_t>(value));
  case ElementType::U8:
    return store(at, saturateTo<uint8_t>(value));
  case ElementType::I4:
    return store(at, saturateTo<int8_t>(value, -8, 7));
  case ElementType::U4:
    return store(at, saturateTo<uint8_t>(value, 0, 15));
  case ElementType::I2:
    return store(at, saturateTo<int8_t>(value, -2, 1));
  case ElementType::U2:
    return store(at, saturateTo<uint8_t>(value, 0, 3));
  case ElementType::I16:
    return store(at, saturateTo<int16_t>(value));
  case ElementType::U16:
    return store(at, saturateTo<uint16_t>(value));
  case ElementType::I32:
    return store(at, saturateTo<int32_t>(value));
  case ElementType::U32:
    return store(at, saturateTo<uint32_t>(value));
  case ElementType::I64:
    return store(at, saturateTo<int64_t>(value));
  case ElementType::U64:
    return store(at, saturateTo<uint64_t>(value));
  case ElementType::F8E8M0:
    return store(at, encodeE8M0(value));
  default:
    return store(at,
                 encodeSmallFloat(typeValue, value, Overflow::KeepInfinity));
  }
}

} // namespace weft::numeric
