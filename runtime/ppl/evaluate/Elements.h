//===- Elements.h - walks of element functions ----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_EVALUATE_ELEMENTS_H
#define WEFT_RUNTIME_PPL_EVALUATE_ELEMENTS_H

#include "runtime/ppl/Interpreter.h"

namespace weft::catalog {

/// An operand that is repeated along axes of size 1, or a number.
class Operand {
public:
  /// A number becomes an element of `type`.
  Operand(const Call &call, const Values &values, std::string_view slot,
          DataType type)
      : number(type, {1, 1, 1, 1}) {
    auto found = values.find(slot);
    if (found != values.end())
      tensor = &found->second;
    else
      number.setValue(0, call.real(slot));
  }
  Operand(const Operand &) = delete;

  const Dense &dense() const { return tensor ? *tensor : number; }
  DataType type() const { return dense().type; }
  /// The element that goes with n, c, h, w of the result. Channels come round
  /// again after the last one.
  int64_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    const Dims &shape = dense().shape;
    auto on = [&](int axis, int64_t i) { return shape[axis] == 1 ? 0 : i; };
    return dense().at(on(0, n), c % shape[1], on(2, h), on(3, w));
  }
  uint64_t bits(int64_t index) const { return dense().bits(index); }
  int64_t integer(int64_t index) const { return dense().integer(index); }

private:
  const Dense *tensor = nullptr;
  Dense number;
};

/// The type of the first of the slots that holds a tensor.
inline DataType typeOfTensor(const Call &call,
                             std::initializer_list<std::string_view> slots) {
  for (std::string_view slot : slots)
    if (const Tensor *tensor = call.tensor(slot))
      return tensor->type;
  return DataType::Fp32;
}

/// body(index, n, c, h, w) for every element in row-major order.
template <class Body>
void eachElement(const Dims &shape, Body body) {
  int64_t index = 0;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w)
          body(index++, n, c, h, w);
}

/// The range of an integer type.
inline int64_t lowest(DataType type) {
  return isSigned(type) ? -(int64_t(1) << (bitsOf(type) - 1)) : 0;
}
inline int64_t highest(DataType type) {
  return (int64_t(1) << (bitsOf(type) - isSigned(type))) - 1;
}

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_EVALUATE_ELEMENTS_H
