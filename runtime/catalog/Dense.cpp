//===- Dense.cpp - values of a call ---------------------------------------===//

#include "runtime/catalog/Dense.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/SmallFloats.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::catalog;

uint64_t Dense::bits(int64_t index) const {
  uint64_t value = 0;
  unsigned size = bytesOf(type);
  std::memcpy(&value, bytes.data() + index * size, size);
  return value;
}

void Dense::setBits(int64_t index, uint64_t value) {
  unsigned size = bytesOf(type);
  std::memcpy(bytes.data() + index * size, &value, size);
}

double Dense::value(int64_t index) const {
  uint64_t code = bits(index);
  switch (type) {
  case DataType::Fp32:
  case DataType::Tf32:
    return numeric::floatFromBits(uint32_t(code));
  case DataType::Fp16:
    return numeric::halfToFloat(uint16_t(code));
  case DataType::Bf16:
    return numeric::floatFromBits(uint32_t(code) << 16);
  case DataType::Fp20:
    return numeric::floatFromBits(uint32_t(code) << 12);
  case DataType::Fp8e5m2:
    return numeric::decodeSmallFloat(numeric::ElementType::F8E5M2,
                                     uint8_t(code));
  case DataType::Fp8e4m3:
    return numeric::decodeSmallFloat(numeric::ElementType::F8E4M3FN,
                                     uint8_t(code));
  case DataType::Fp4:
    return numeric::decodeSmallFloat(numeric::ElementType::F4E2M1,
                                     uint8_t(code & 15));
  default:
    return type == DataType::Uint64 ? double(code) : double(integer(index));
  }
}

void Dense::setValue(int64_t index, double value) {
  using numeric::Overflow;
  switch (type) {
  case DataType::Fp32:
  case DataType::Tf32:
    return setBits(index, numeric::floatBits(float(value)));
  case DataType::Fp16:
    return setBits(index, numeric::doubleToHalf(value));
  case DataType::Bf16:
    return setBits(index, numeric::doubleToBf16(value));
  case DataType::Fp20: {
    uint32_t code = numeric::floatBits(float(value));
    if (!std::isnan(value)) // a carry may give infinity
      code += 0x7ff + (code >> 12 & 1);
    return setBits(index, code >> 12);
  }
  case DataType::Fp8e5m2:
    return setBits(index,
                   numeric::encodeSmallFloat(numeric::ElementType::F8E5M2,
                                             value, Overflow::Special));
  case DataType::Fp8e4m3:
    return setBits(index,
                   numeric::encodeSmallFloat(numeric::ElementType::F8E4M3FN,
                                             value, Overflow::Special));
  case DataType::Fp4:
    return setBits(index,
                   numeric::encodeSmallFloat(numeric::ElementType::F4E2M1,
                                             value, Overflow::Saturate));
  default:
    return setBits(index, uint64_t(int64_t(value)));
  }
}

int64_t Dense::integer(int64_t index) const {
  uint64_t code = bits(index);
  unsigned width = bitsOf(type);
  if (!isSigned(type) || width == 64)
    return int64_t(width == 4 ? code & 15 : code);
  unsigned shift = 64 - width;
  return int64_t(code << shift) >> shift;
}
