/// A tensor in host memory: element type, shape and owned bytes in row-major
/// order.
#ifndef WEFT_RUNTIME_NUMERIC_HOSTTENSOR_H
#define WEFT_RUNTIME_NUMERIC_HOSTTENSOR_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::numeric {

/// ONNX's numeric element types (ElementTypes.def).
enum class ElementType : uint8_t {
#define ELEMENT_TYPE(Name, spelling, bytes, isFloat, isSigned, onnx) Name,
#include "runtime/numeric/ElementTypes.def"
};

/// Bytes of one element in a HostTensor.
size_t elementBytes(ElementType type);
/// "f32", "i8", ...
const char *elementTypeName(ElementType type);
/// The type with that spelling, if any.
std::optional<ElementType> parseElementType(std::string_view name);
/// Real or complex floats of any width.
bool isFloatType(ElementType type);
/// Neither float nor Bool.
bool isIntegerType(ElementType type);
bool isSignedType(ElementType type);
/// TensorProto.DataType of ONNX.
int onnxDataType(ElementType type);
std::optional<ElementType> fromOnnxDataType(int dataType);

/// Number of elements of a shape: 1 for rank 0, 0 when a dimension is 0.
/// std::nullopt for a negative dimension or a product above 2^62.
std::optional<int64_t> elementCount(const std::vector<int64_t> &shape);
/// "1x3x48x192"; "scalar" for rank 0.
std::string shapeText(const std::vector<int64_t> &shape);

/// Shape and bytes always agree: bytes.size() == elements() *
/// elementBytes(type).
class HostTensor {
public:
  HostTensor() : shapeValue{0} {}
  /// Zero-filled. The shape must be valid (elementCount has a value).
  HostTensor(ElementType type, std::vector<int64_t> shape);

  ElementType type() const { return typeValue; }
  const std::vector<int64_t> &shape() const { return shapeValue; }
  int64_t elements() const {
    return static_cast<int64_t>(storage.size() / elementBytes(typeValue));
  }

  uint8_t *bytes() { return storage.data(); }
  const uint8_t *bytes() const { return storage.data(); }
  size_t sizeBytes() const { return storage.size(); }
  /// Leaves an empty tensor behind.
  std::vector<uint8_t> takeBytes() && {
    shapeValue = {0};
    return std::move(storage);
  }

  /// The elements as a T. The caller keeps to a T of elementBytes(type())
  /// bytes.
  template <class T>
  T *as() {
    return reinterpret_cast<T *>(storage.data());
  }
  template <class T>
  const T *as() const {
    return reinterpret_cast<const T *>(storage.data());
  }

  /// Element `index` (row-major) as a double: exact but for 64-bit integers
  /// above 2^53. Complex numbers give their real part.
  double toDouble(int64_t index) const;
  /// Stores `value` rounded to nearest even (floats) or toward zero and
  /// saturated (integers; NaN gives 0). Bool: value != 0. Complex numbers get
  /// imaginary part 0. The 8-bit and 4-bit float types saturate to their
  /// largest finite value.
  void setFromDouble(int64_t index, double value);

  /// The same bytes under another shape with as many elements; false (and no
  /// change) otherwise.
  [[nodiscard]] bool reshape(std::vector<int64_t> shape);

  bool operator==(const HostTensor &other) const {
    return typeValue == other.typeValue && shapeValue == other.shapeValue &&
           storage == other.storage;
  }
  bool operator!=(const HostTensor &other) const { return !(*this == other); }

private:
  ElementType typeValue = ElementType::F32;
  std::vector<int64_t> shapeValue;
  std::vector<uint8_t> storage;
};

} // namespace weft::numeric

#endif
