#include "runtime/numeric/CarrierTypes.h"
#include "runtime/numeric/Float16.h"

#include <cstring>

namespace weft::numeric {

/// Bits of an integer type below 8 bits; 0 for all others.
static int narrowBits(ElementType type) {
  switch (type) {
  case ElementType::I4:
  case ElementType::U4:
    return 4;
  case ElementType::I2:
  case ElementType::U2:
    return 2;
  default:
    return 0;
  }
}

ElementType carrierType(ElementType type) {
  if (type == ElementType::BF16)
    return ElementType::F32;
  if (type == ElementType::I4 || type == ElementType::I2)
    return ElementType::I8;
  if (narrowBits(type) || (isFloatType(type) && elementBytes(type) == 1))
    return ElementType::U8;
  return type;
}

bool carries(ElementType given, ElementType wanted) {
  if (given == wanted || given == carrierType(wanted))
    return true;
  if (wanted == ElementType::BF16)
    return given == ElementType::U16;
  return given == ElementType::U8 && carrierType(wanted) != wanted;
}

/// A byte that holds a narrow integer, sign- or zero-extended; packers leave
/// the upper bits of a negative one 0 or 1. False if it holds something else.
static bool extendNarrow(uint8_t &byte, ElementType type) {
  int bits = narrowBits(type);
  uint8_t low = uint8_t(byte & ((1 << bits) - 1));
  uint8_t extended = low;
  if (isSignedType(type) && (low >> (bits - 1)))
    extended = uint8_t(low | (0xff << bits));
  bool fits = byte == low || byte == extended;
  byte = extended;
  return fits;
}

bool fromCarrier(HostTensor &tensor, ElementType wanted) {
  if (tensor.type() == wanted)
    return true;
  if (!carries(tensor.type(), wanted))
    return false;
  HostTensor result(wanted, tensor.shape());
  if (tensor.type() == ElementType::F32) {
    for (int64_t i = 0; i < tensor.elements(); ++i)
      result.setFromDouble(i, double(tensor.as<float>()[i]));
  } else {
    if (tensor.sizeBytes())
      std::memcpy(result.bytes(), tensor.bytes(), tensor.sizeBytes());
    // As signed values -1 is in range and 15 is not; as bits both are.
    bool asValues = tensor.type() == ElementType::I8;
    for (size_t i = 0; narrowBits(wanted) && i < result.sizeBytes(); ++i) {
      uint8_t given = result.bytes()[i];
      if (!extendNarrow(result.bytes()[i], wanted) ||
          (asValues && result.bytes()[i] != given))
        return false;
    }
  }
  tensor = std::move(result);
  return true;
}

HostTensor toCarrier(HostTensor tensor) {
  ElementType carrier = carrierType(tensor.type());
  if (carrier == tensor.type())
    return tensor;
  HostTensor result(carrier, tensor.shape());
  if (carrier == ElementType::F32)
    for (int64_t i = 0; i < tensor.elements(); ++i)
      result.as<float>()[i] = bf16ToFloat(tensor.as<uint16_t>()[i]);
  else if (tensor.sizeBytes())
    std::memcpy(result.bytes(), tensor.bytes(), tensor.sizeBytes());
  return result;
}

} // namespace weft::numeric
