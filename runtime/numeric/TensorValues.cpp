//===- TensorValues.cpp - whole tensors as doubles or integers ------------===//

#include "runtime/numeric/TensorValues.h"

#include <cassert>

using namespace weft;
using namespace weft::numeric;

template <typename T, typename Out>
static void widen(const HostTensor &tensor, std::vector<Out> &values) {
  const T *source = tensor.as<T>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Out>(source[i]);
}

template <typename T>
static void narrow(const std::vector<int64_t> &values, HostTensor &tensor) {
  T *target = tensor.as<T>();
  for (size_t i = 0; i < values.size(); ++i)
    target[i] = static_cast<T>(values[i]);
}

/// Keeps the low `bits` of each value, sign- or zero-extended to a byte.
static void narrowBelowByte(const std::vector<int64_t> &values,
                            HostTensor &tensor, unsigned bits) {
  unsigned shift = 64 - bits;
  bool isSigned = numeric::isSignedType(tensor.type());
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t top = uint64_t(values[i]) << shift;
    tensor.bytes()[i] =
        uint8_t(isSigned ? uint64_t(int64_t(top) >> shift) : top >> shift);
  }
}

std::vector<double> numeric::loadDoubles(const HostTensor &tensor) {
  std::vector<double> values(tensor.elements());
  switch (tensor.type()) {
  case ElementType::F32:
    widen<float>(tensor, values);
    break;
  case ElementType::F64:
    widen<double>(tensor, values);
    break;
  default:
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = tensor.toDouble(i);
  }
  return values;
}

void numeric::storeDoubles(const std::vector<double> &values,
                           HostTensor &tensor) {
  assert(int64_t(values.size()) == tensor.elements());
  if (tensor.type() == ElementType::F32) {
    float *target = tensor.as<float>();
    for (size_t i = 0; i < values.size(); ++i)
      target[i] = static_cast<float>(values[i]);
    return;
  }
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(i, values[i]);
}

std::vector<int64_t> numeric::loadIntegers(const HostTensor &tensor) {
  std::vector<int64_t> values(tensor.elements());
  switch (tensor.type()) {
  case ElementType::Bool:
  case ElementType::U8:
  case ElementType::U4:
  case ElementType::U2:
    widen<uint8_t>(tensor, values);
    return values;
  case ElementType::I8:
  case ElementType::I4:
  case ElementType::I2:
    widen<int8_t>(tensor, values);
    return values;
  case ElementType::U16:
    widen<uint16_t>(tensor, values);
    return values;
  case ElementType::I16:
    widen<int16_t>(tensor, values);
    return values;
  case ElementType::U32:
    widen<uint32_t>(tensor, values);
    return values;
  case ElementType::I32:
    widen<int32_t>(tensor, values);
    return values;
  case ElementType::U64:
  case ElementType::I64:
    widen<int64_t>(tensor, values);
    return values;
  default:
    break;
  }
  HostTensor one(ElementType::I64, {1}); // rounds and saturates
  for (size_t i = 0; i < values.size(); ++i) {
    one.setFromDouble(0, tensor.toDouble(i));
    values[i] = *one.as<int64_t>();
  }
  return values;
}

void numeric::storeIntegers(const std::vector<int64_t> &values,
                            HostTensor &tensor) {
  assert(int64_t(values.size()) == tensor.elements());
  switch (tensor.type()) {
  case ElementType::Bool:
    for (size_t i = 0; i < values.size(); ++i)
      tensor.bytes()[i] = values[i] != 0;
    return;
  case ElementType::U8:
  case ElementType::I8:
    return narrow<uint8_t>(values, tensor);
  case ElementType::U4:
  case ElementType::I4:
    return narrowBelowByte(values, tensor, 4);
  case ElementType::U2:
  case ElementType::I2:
    return narrowBelowByte(values, tensor, 2);
  case ElementType::U16:
  case ElementType::I16:
    return narrow<uint16_t>(values, tensor);
  case ElementType::U32:
  case ElementType::I32:
    return narrow<uint32_t>(values, tensor);
  case ElementType::U64:
  case ElementType::I64:
    return narrow<int64_t>(values, tensor);
  default:
    for (size_t i = 0; i < values.size(); ++i)
      tensor.setFromDouble(i, static_cast<double>(values[i]));
  }
}
