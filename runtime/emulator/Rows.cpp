#include "runtime/emulator/Rows.h"

namespace weft::emulator {
namespace {

/// Calls `body(T())` with the integer type of an element kind.
template <class Body>
inline void withInteger(ElementKind kind, Body body) {
  switch (kind.bytes()) {
  case 1:
    return kind.isSigned ? body(int8_t()) : body(uint8_t());
  case 2:
    return kind.isSigned ? body(int16_t()) : body(uint16_t());
  default:
    return kind.isSigned ? body(int32_t()) : body(uint32_t());
  }
}

} // namespace

WEFT_MULTIVERSION
void loadIntegers(const uint8_t *from, uint64_t step, ElementKind kind,
                  int64_t *to, unsigned count) {
  withInteger(kind, [=](auto zero) {
    using T = decltype(zero);
    if (step == sizeof(T))
      for (unsigned i = 0; i < count; ++i)
        to[i] = loadAs<T>(from + i * sizeof(T));
    else
      for (unsigned i = 0; i < count; ++i)
        to[i] = loadAs<T>(from + i * step);
  });
}

WEFT_MULTIVERSION
void storeIntegers(uint8_t *to, uint64_t step, Precision precision,
                   const int64_t *from, unsigned count) {
  withInteger({precision, false}, [=](auto zero) {
    using T = decltype(zero);
    if (step == sizeof(T))
      for (unsigned i = 0; i < count; ++i)
        storeAs(to + i * sizeof(T), static_cast<T>(from[i]));
    else
      for (unsigned i = 0; i < count; ++i)
        storeAs(to + i * step, static_cast<T>(from[i]));
  });
}

WEFT_MULTIVERSION
void loadFloats(const uint8_t *from, uint64_t step, Precision precision,
                float *to, unsigned count) {
  if (precision == Precision::Fp32) {
    if (step == 4)
      std::memcpy(to, from, size_t(count) * 4);
    else
      for (unsigned i = 0; i < count; ++i)
        to[i] = loadAs<float>(from + i * step);
    return;
  }
  if (precision == Precision::Bf16) {
    for (unsigned i = 0; i < count; ++i)
      to[i] = numeric::bf16ToFloat(loadAs<uint16_t>(from + i * step));
    return;
  }
  uint16_t halves[64];
  for (unsigned done = 0; done < count; done += 64) {
    unsigned part = count - done < 64 ? count - done : 64;
    if (step == 2)
      std::memcpy(halves, from + size_t(done) * 2, size_t(part) * 2);
    else
      for (unsigned i = 0; i < part; ++i)
        halves[i] = loadAs<uint16_t>(from + (done + i) * step);
    for (unsigned i = 0; i < part; ++i)
      to[done + i] = numeric::halfToFloat(halves[i]);
  }
}

WEFT_MULTIVERSION
void storeFloats(uint8_t *to, uint64_t step, Precision precision,
                 const float *from, unsigned count) {
  if (precision == Precision::Fp32) {
    if (step == 4)
      std::memcpy(to, from, size_t(count) * 4);
    else
      for (unsigned i = 0; i < count; ++i)
        storeAs(to + i * step, from[i]);
    return;
  }
  uint16_t halves[64];
  for (unsigned done = 0; done < count; done += 64) {
    unsigned part = count - done < 64 ? count - done : 64;
    if (precision == Precision::Fp16)
      for (unsigned i = 0; i < part; ++i)
        halves[i] = numeric::floatToHalfFast(from[done + i]);
    else
      for (unsigned i = 0; i < part; ++i)
        halves[i] = numeric::floatToBf16Fast(from[done + i]);
    if (step == 2)
      std::memcpy(to + size_t(done) * 2, halves, size_t(part) * 2);
    else
      for (unsigned i = 0; i < part; ++i)
        storeAs(to + (done + i) * step, halves[i]);
  }
}

void copyElements(uint8_t *to, uint64_t toStep, const uint8_t *from,
                  uint64_t fromStep, unsigned bytes, unsigned count) {
  if (toStep == bytes && fromStep == bytes) {
    std::memmove(to, from, size_t(count) * bytes);
    return;
  }
  for (unsigned i = 0; i < count; ++i)
    switch (bytes) {
    case 1:
      to[i * toStep] = from[i * fromStep];
      break;
    case 2:
      storeAs(to + i * toStep, loadAs<uint16_t>(from + i * fromStep));
      break;
    default:
      storeAs(to + i * toStep, loadAs<uint32_t>(from + i * fromStep));
      break;
    }
}

WEFT_MULTIVERSION
void roundFloats(Precision precision, float *values, unsigned count) {
  if (precision == Precision::Fp16)
    for (unsigned i = 0; i < count; ++i)
      values[i] = numeric::halfToFloat(numeric::floatToHalfFast(values[i]));
  else if (precision == Precision::Bf16)
    for (unsigned i = 0; i < count; ++i)
      values[i] = numeric::bf16ToFloat(numeric::floatToBf16Fast(values[i]));
}

} // namespace weft::emulator
