/// Rows of elements between local memory and typed buffers.
#ifndef WEFT_RUNTIME_EMULATOR_ROWS_H
#define WEFT_RUNTIME_EMULATOR_ROWS_H

#include "runtime/isa/Codes.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/VectorClones.h"

#include <cstdint>
#include <cstring>

namespace weft::emulator {

using isa::Precision;

/// Elements processed at a time, so that buffers stay in the first-level cache.
constexpr unsigned kRowElements = 512;

/// An element type of the machine.
struct ElementKind {
  Precision precision = Precision::Fp32;
  bool isSigned = true;

  unsigned bytes() const { return isa::elementBytes(precision); }
  bool isFloat() const { return isa::isFloat(precision); }
  unsigned bits() const { return bytes() * 8; }
  /// The range of an integer type.
  int64_t lowest() const {
    return isSigned ? -(int64_t(1) << (bits() - 1)) : 0;
  }
  int64_t highest() const { return (int64_t(1) << (bits() - isSigned)) - 1; }
};

/// Reads `count` integers, sign- or zero-extended, `step` bytes apart.
void loadIntegers(const uint8_t *from, uint64_t step, ElementKind kind,
                  int64_t *to, unsigned count);
/// Writes the low bits of `count` integers.
void storeIntegers(uint8_t *to, uint64_t step, Precision precision,
                   const int64_t *from, unsigned count);
/// Reads `count` floats of any of the three formats, exactly.
void loadFloats(const uint8_t *from, uint64_t step, Precision precision,
                float *to, unsigned count);
/// Writes `count` floats, rounded to nearest even where the format is narrower.
void storeFloats(uint8_t *to, uint64_t step, Precision precision,
                 const float *from, unsigned count);
/// Copies `count` elements of `bytes` (1, 2 or 4) bytes.
void copyElements(uint8_t *to, uint64_t toStep, const uint8_t *from,
                  uint64_t fromStep, unsigned bytes, unsigned count);

/// Rounds every value to the format, in place.
void roundFloats(Precision precision, float *values, unsigned count);

inline float roundedTo(Precision precision, float value) {
  if (precision == Precision::Fp16)
    return numeric::halfToFloat(numeric::floatToHalfFast(value));
  if (precision == Precision::Bf16)
    return numeric::bf16ToFloat(numeric::floatToBf16Fast(value));
  return value;
}

/// The constant in a 32-bit address field: low bits for integers, bit pattern
/// for floats.
inline int64_t integerConstant(uint32_t bits, ElementKind kind) {
  int64_t value;
  loadIntegers(reinterpret_cast<const uint8_t *>(&bits), 0, kind, &value, 1);
  return value;
}
inline float floatConstant(uint32_t bits, Precision precision) {
  float value;
  loadFloats(reinterpret_cast<const uint8_t *>(&bits), 0, precision, &value, 1);
  return value;
}

template <class T>
inline T loadAs(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
inline void storeAs(uint8_t *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

} // namespace weft::emulator

#endif
