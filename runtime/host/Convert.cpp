//===- Convert.cpp - between the host's types and the chip's --------------===//

#include "runtime/host/Convert.h"

#include "runtime/numeric/SmallFloats.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>

using namespace weft;
using numeric::ElementType;
using numeric::HostTensor;

/// Floats of 8 bits and less are stored as their bits.
static bool isBits(ElementType from, ElementType to) {
  return (numeric::isSmallFloat(from) && to == ElementType::U8) ||
         (numeric::isSmallFloat(to) && from == ElementType::U8);
}

bool host::isConvertible(ElementType from, ElementType to) {
  return from == to || isBits(from, to) ||
         numeric::isFloatType(from) == numeric::isFloatType(to);
}

rt::Result<HostTensor> host::convert(const HostTensor &tensor,
                                     ElementType type) {
  if (tensor.type() == type)
    return tensor;
  if (!isConvertible(tensor.type(), type))
    return rt::failf(rt::Code::TypeMismatch,
                     "%s cannot be stored as %s; cast it first",
                     numeric::elementTypeName(tensor.type()),
                     numeric::elementTypeName(type));
  HostTensor result(type, tensor.shape());
  if (isBits(tensor.type(), type)) {
    std::copy_n(tensor.bytes(), tensor.sizeBytes(), result.bytes());
    return result;
  }
  if (numeric::isFloatType(type)) {
    numeric::storeDoubles(numeric::loadDoubles(tensor), result);
    return result;
  }
  std::vector<int64_t> values = numeric::loadIntegers(tensor);
  numeric::storeIntegers(values, result);
  // What was narrowed must come back; between 64 bits the sign must agree.
  std::vector<int64_t> back = numeric::loadIntegers(result);
  bool wideSigns =
      (tensor.type() == ElementType::U64) != (type == ElementType::U64);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != back[i] || (wideSigns && values[i] < 0))
      return rt::failf(rt::Code::OutOfRange,
                       "element %zu is %.0f, which does not fit into %s, the "
                       "type that the chip stores",
                       i, tensor.toDouble(int64_t(i)),
                       numeric::elementTypeName(type));
  return result;
}
