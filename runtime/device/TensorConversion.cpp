#include "runtime/device/TensorConversion.h"
#include "runtime/numeric/Float16.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

namespace weft::rt {

using numeric::ElementType;
using numeric::elementTypeName;

template <typename T>
static T loadElement(const uint8_t *bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
static void storeElement(uint8_t *bytes, int64_t index, T value) {
  std::memcpy(bytes + index * int64_t(sizeof(T)), &value, sizeof(T));
}

/// Element of a real float type as double; `type` is one that isRealFloat().
static double loadFloat(ElementType type, const uint8_t *bytes, int64_t index) {
  switch (type) {
  case ElementType::F64:
    return loadElement<double>(bytes, index);
  case ElementType::F32:
    return double(loadElement<float>(bytes, index));
  case ElementType::F16:
    return double(numeric::halfToFloat(loadElement<uint16_t>(bytes, index)));
  default:
    return double(numeric::bf16ToFloat(loadElement<uint16_t>(bytes, index)));
  }
}

static bool isRealFloat(ElementType type) {
  return type == ElementType::F64 || type == ElementType::F32 ||
         type == ElementType::F16 || type == ElementType::BF16;
}

static bool isStoredHalf(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16;
}

bool acceptsType(const TensorSpec &tensor, ElementType given) {
  if (given == tensor.type)
    return true;
  bool wantsFloats = isStoredHalf(tensor.type) ||
                     (tensor.isQuantized() && tensor.type == tensor.storedType);
  return wantsFloats && isRealFloat(given);
}

/// Integers given in a wide type must fit the narrow one.
template <typename Wide, typename Narrow>
static Status narrowIntegers(const TensorSpec &tensor, const uint8_t *elements,
                             uint8_t *stored) {
  using Limits = std::numeric_limits<Narrow>;
  for (int64_t i = 0; i < tensor.elements; ++i) {
    Wide value = loadElement<Wide>(elements, i);
    if (value < Wide(Limits::min()) || value > Wide(Limits::max()))
      return fail(Code::OutOfRange, "element " + std::to_string(i) + " is " +
                                        std::to_string(value) +
                                        "; the model stores " +
                                        elementTypeName(tensor.type) + " as " +
                                        elementTypeName(tensor.storedType) +
                                        ", " + std::to_string(Limits::min()) +
                                        " to " + std::to_string(Limits::max()));
    storeElement<Narrow>(stored, i, Narrow(value));
  }
  return Status::ok();
}

static Status narrowDoubles(const TensorSpec &tensor, const uint8_t *elements,
                            uint8_t *stored) {
  for (int64_t i = 0; i < tensor.elements; ++i) {
    double value = loadElement<double>(elements, i);
    if (std::isfinite(value) &&
        std::fabs(value) > double(std::numeric_limits<float>::max()))
      return failf(Code::OutOfRange,
                   "element %lld is %g; the model stores f64 as f32, at most "
                   "3.40282e+38",
                   static_cast<long long>(i), value);
    storeElement<float>(stored, i, static_cast<float>(value));
  }
  return Status::ok();
}

template <typename T>
static Status quantize(const TensorSpec &tensor, ElementType given,
                       const uint8_t *elements, uint8_t *stored) {
  constexpr double low = double(std::numeric_limits<T>::min());
  constexpr double high = double(std::numeric_limits<T>::max());
  for (int64_t i = 0; i < tensor.elements; ++i) {
    double real = loadFloat(given, elements, i);
    if (std::isnan(real))
      return failf(
          Code::OutOfRange, "element %lld is nan; it cannot be quantized to %s",
          static_cast<long long>(i), elementTypeName(tensor.storedType));
    // The default rounding mode makes nearbyint round half to even.
    double value =
        std::nearbyint(real * double(tensor.scale) + double(tensor.zeroPoint));
    value = value < low ? low : value > high ? high : value;
    storeElement<T>(stored, i, T(value));
  }
  return Status::ok();
}

static Status quantizeTo(const TensorSpec &tensor, ElementType given,
                         const uint8_t *elements, uint8_t *stored) {
  switch (tensor.storedType) {
  case ElementType::I8:
    return quantize<int8_t>(tensor, given, elements, stored);
  case ElementType::U8:
    return quantize<uint8_t>(tensor, given, elements, stored);
  case ElementType::I16:
    return quantize<int16_t>(tensor, given, elements, stored);
  case ElementType::U16:
    return quantize<uint16_t>(tensor, given, elements, stored);
  case ElementType::I32:
    return quantize<int32_t>(tensor, given, elements, stored);
  case ElementType::U32:
    return quantize<uint32_t>(tensor, given, elements, stored);
  default:
    return failf(Code::TypeMismatch, "%s cannot become %s",
                 elementTypeName(given), elementTypeName(tensor.storedType));
  }
}

static void roundToHalf(const TensorSpec &tensor, ElementType given,
                        const uint8_t *elements, uint8_t *stored) {
  bool brain = tensor.storedType == ElementType::BF16;
  for (int64_t i = 0; i < tensor.elements; ++i) {
    // A double rounds twice here, to f32 first: as numpy's and ONNX's casts.
    auto value = static_cast<float>(loadFloat(given, elements, i));
    storeElement<uint16_t>(stored, i,
                           brain ? numeric::floatToBf16(value)
                                 : numeric::floatToHalf(value));
  }
}

/// Types that are stored as they are, a byte an element.
static bool isOneByte(ElementType type) {
  return type != ElementType::Bool && numeric::elementBytes(type) == 1;
}

Status toStored(const TensorSpec &tensor, ElementType given,
                const uint8_t *elements, uint8_t *stored) {
  if (!acceptsType(tensor, given))
    return failf(Code::TypeMismatch, "is %s, the model expects %s",
                 elementTypeName(given), elementTypeName(tensor.type));
  if (given != tensor.type) {
    if (!isStoredHalf(tensor.type))
      return quantizeTo(tensor, given, elements, stored);
    roundToHalf(tensor, given, elements, stored);
    return Status::ok();
  }
  if (given == tensor.storedType || isOneByte(given)) {
    if (tensor.elements) // DRAM has one element of an empty tensor
      std::memcpy(stored, elements, tensor.storedBytes);
    return Status::ok();
  }
  switch (given) {
  case ElementType::I64:
    return narrowIntegers<int64_t, int32_t>(tensor, elements, stored);
  case ElementType::U64:
    return narrowIntegers<uint64_t, uint32_t>(tensor, elements, stored);
  case ElementType::F64:
    return narrowDoubles(tensor, elements, stored);
  case ElementType::Bool:
    for (int64_t i = 0; i < tensor.elements; ++i)
      stored[i] = elements[i] != 0;
    return Status::ok();
  default:
    return failf(Code::Internal, "no way from %s to %s", elementTypeName(given),
                 elementTypeName(tensor.storedType));
  }
}

void fromStored(const TensorSpec &tensor, const uint8_t *stored,
                uint8_t *elements) {
  if (tensor.type == tensor.storedType) {
    if (tensor.elements)
      std::memcpy(elements, stored, tensor.storedBytes);
    return;
  }
  for (int64_t i = 0; i < tensor.elements; ++i) {
    switch (tensor.type) {
    case ElementType::I64:
      storeElement<int64_t>(elements, i, loadElement<int32_t>(stored, i));
      break;
    case ElementType::U64:
      storeElement<uint64_t>(elements, i, loadElement<uint32_t>(stored, i));
      break;
    case ElementType::F64:
      storeElement<double>(elements, i, double(loadElement<float>(stored, i)));
      break;
    case ElementType::Bool:
      elements[i] = stored[i] != 0;
      break;
    default: // the verifier leaves types of a byte an element only
      elements[i] = stored[i];
      break;
    }
  }
}

} // namespace weft::rt
