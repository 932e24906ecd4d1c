//===- Arguments.h - arguments of random calls ----------------*- C++ -*-===//

#ifndef WEFT_TESTS_OPS_PPL_SAMPLERS_ARGUMENTS_H
#define WEFT_TESTS_OPS_PPL_SAMPLERS_ARGUMENTS_H

#include "runtime/ppl/Window.h"
#include "tests/ops/ppl/Samplers.h"
#include "tests/unit/runtime/ppl/TypeNames.h"

/// Words to fill a Case slot by slot.
namespace weft::cases {

using catalog::AlignMode;
using catalog::Argument;
using catalog::DataType;
using catalog::Dense;
using catalog::Dims;
using namespace catalog::names;

class Drawn {
public:
  Drawn(Numbers &numbers, Case &drawn) : numbers(numbers), drawn(drawn) {
    drawn.call.arguments.assign(drawn.call.operation->slots.size(), Argument());
  }

  const Chip &chip() const { return *drawn.call.chip; }
  const catalog::Operation &operation() const { return *drawn.call.operation; }
  /// True if the slot holds a tensor.
  bool has(std::string_view slot) const { return drawn.call.tensor(slot); }
  int64_t between(int64_t low, int64_t high) {
    return numbers.between(low, high);
  }
  bool chance(double probability) { return numbers.chance(probability); }
  template <class T>
  T oneOf(std::initializer_list<T> choices) {
    return numbers.among(std::vector<T>(choices));
  }

  void set(std::string_view slot, Argument argument);
  void number(std::string_view slot, int64_t value);
  void real(std::string_view slot, double value);
  void list(std::string_view slot, std::vector<int64_t> values);
  void tensor(std::string_view slot, DataType type, const Dims &shape,
              AlignMode layout = AlignMode::Aligned, unsigned lane = 0);
  /// A tensor with room between its elements.
  void strided(std::string_view slot, DataType type, const Dims &shape,
               unsigned lane);
  /// Gives a float tensor finite values of all sizes: small ones, large ones,
  /// zeros and subnormal numbers.
  void finite(std::string_view slot);
  Dense &values(std::string_view slot);

private:
  Numbers &numbers;
  Case &drawn;
};

} // namespace weft::cases

#endif // WEFT_TESTS_OPS_PPL_SAMPLERS_ARGUMENTS_H
