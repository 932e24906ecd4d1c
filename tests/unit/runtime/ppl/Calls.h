//===- Calls.h - calls of PPL functions for tests -------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_PPL_CALLS_H
#define WEFT_TESTS_UNIT_RUNTIME_PPL_CALLS_H

#include "runtime/chips/Chips.h"
#include "runtime/numeric/SplitMix64.h"
#include "runtime/ppl/Interpreter.h"
#include "tests/unit/runtime/ppl/Coverage.h"
#include "tests/unit/runtime/ppl/TypeNames.h"

#include <gtest/gtest.h>

#include <cmath>

/// Words to write calls and values of PPL functions in tests.
namespace weft::catalog::testing {

using namespace names;

/// A tensor in local memory, without an address.
inline Argument local(DataType type, const Dims &shape,
                      AlignMode layout = AlignMode::Aligned,
                      unsigned lane = 0) {
  Argument argument;
  argument.kind = Argument::Kind::Tensor;
  argument.tensor.type = type;
  argument.tensor.layout = layout;
  argument.tensor.shape = shape;
  argument.tensor.lane = lane;
  return argument;
}
/// The shape of most operands: channels in two rounds of lanes.
inline constexpr Dims kOperandShape = {2, 70, 3, 5};
inline Argument whole(DataType type, unsigned lane = 0) {
  return local(type, kOperandShape, AlignMode::Aligned, lane);
}
/// The same with strides of its own.
inline Argument strided(DataType type, const Dims &shape, const Dims &strides,
                        unsigned lane = 0) {
  Argument argument = local(type, shape, AlignMode::Free, lane);
  argument.tensor.strides = strides;
  return argument;
}
/// A tensor with an address in its lanes.
inline Argument at(uint64_t address, Argument argument) {
  argument.tensor.address = address;
  return argument;
}
inline Argument number(int64_t value) {
  Argument argument;
  argument.kind = Argument::Kind::Integer;
  argument.integer = value;
  return argument;
}
inline Argument number(int value) { return number(int64_t(value)); }
inline Argument number(double value) {
  Argument argument;
  argument.kind = Argument::Kind::Float;
  argument.real = value;
  return argument;
}
/// Left out.
inline Argument none() { return {}; }

/// A call with the strides of its layouts filled in.
inline Call callOf(std::string_view name, std::vector<Argument> arguments,
                   const Chip &chip = chips::bm1684x) {
  Call call;
  call.operation = find(name);
  EXPECT_NE(call.operation, nullptr) << name;
  call.chip = &chip;
  call.arguments = std::move(arguments);
  for (Argument &argument : call.arguments)
    if (argument.isTensor() && argument.tensor.layout != AlignMode::Free)
      argument.tensor.strides =
          stridesOf(argument.tensor.layout, argument.tensor.type,
                    argument.tensor.shape, argument.tensor.lane, chip);
  return call;
}

/// What `problemOf` says of a call; empty if it is legal.
inline std::string problem(std::string_view name,
                           std::vector<Argument> arguments,
                           const Chip &chip = chips::bm1684x) {
  return covered(name, problemOf(callOf(name, std::move(arguments), chip)));
}

inline Argument list(std::vector<int64_t> values) {
  Argument argument;
  argument.kind = Argument::Kind::Integers;
  argument.integers = std::move(values);
  return argument;
}

/// Arguments by the names of their slots.
using Arguments = std::map<std::string_view, Argument>;

inline Arguments with(Arguments base, std::string_view slot, Argument value) {
  base[slot] = std::move(value);
  return base;
}

/// A call by the names of its slots; the others are left out.
inline Call named(std::string_view function, Arguments arguments,
                  const Chip &chip = chips::bm1684x) {
  const Operation *operation = find(function);
  EXPECT_NE(operation, nullptr) << function;
  std::vector<Argument> ordered;
  for (const Slot &slot : operation->slots) {
    auto given = arguments.find(slot.name);
    ordered.push_back(given == arguments.end() ? none() : given->second);
    arguments.erase(slot.name);
  }
  for (auto &[name, argument] : arguments)
    ADD_FAILURE() << function << " has no slot " << name;
  return callOf(function, ordered, chip);
}
inline std::string problemNamed(std::string_view function, Arguments arguments,
                                const Chip &chip = chips::bm1684x) {
  return covered(function,
                 problemOf(named(function, std::move(arguments), chip)));
}

/// The same numbers in every run.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed) {}
  uint64_t next() { return numeric::nextRandom(state); }
  /// In [low, high].
  int64_t in(int64_t low, int64_t high) {
    return low + int64_t(next() % uint64_t(high - low + 1));
  }

private:
  uint64_t state;
};

/// The values of all tensors of a call, with random bits.
inline Values randomValues(const Call &call, Numbers &numbers) {
  Values values;
  for (const Slot &slot : call.operation->slots)
    if (const Tensor *tensor = call.tensor(slot.name)) {
      Dense dense(tensor->type, tensor->shape);
      for (int64_t i = 0; i < dense.elements(); ++i)
        dense.setBits(i, numbers.next() &
                             ((bitsOf(dense.type) == 64
                                   ? 0
                                   : uint64_t(1) << bitsOf(dense.type)) -
                              1));
      values.emplace(slot.name, std::move(dense));
    }
  return values;
}

/// Random whole numbers from -most to most, whose sums are exact in any order.
inline Values wholeValues(const Call &call, Numbers &numbers, int64_t most) {
  Values values = randomValues(call, numbers);
  for (auto &[name, dense] : values)
    for (int64_t i = 0; i < dense.elements(); ++i)
      dense.setValue(i, double(numbers.in(-most, most)));
  return values;
}

/// x rounded to a whole number by the rounding mode of that code, 0 to 6.
template <class Real>
Real roundedBy(int64_t mode, Real x) {
  Real low = std::floor(x), part = x - low;
  switch (mode) {
  case 0:
    return std::nearbyint(x);
  case 1:
    return std::round(x);
  case 2:
    return std::trunc(x);
  case 3:
    return low;
  case 4:
    return std::ceil(x);
  case 5:
    return part >= Real(0.5) ? low + 1 : low;
  default:
    return part > Real(0.5) ? low + 1 : low;
  }
}

/// Runs a call's meaning on `values`; the call must be legal.
inline rt::Status evaluate(const Call &call, Values &values) {
  std::string problem = problemOf(call);
  EXPECT_EQ(problem, "") << call.operation->name;
  if (problem.empty())
    cover("accepts", call.operation->name);
  coverRun(call);
  Evaluate evaluator = evaluatorOf(*call.operation);
  EXPECT_NE(evaluator, nullptr) << call.operation->name;
  return evaluator ? evaluator(call, values)
                   : rt::fail(rt::Code::Internal, "no evaluator");
}

/// Evaluates a call on random values and gives all of them; `old` holds those
/// from before.
inline Values run(const Call &call, uint64_t seed, Values *old = nullptr) {
  Numbers numbers(seed);
  Values values = randomValues(call, numbers);
  if (old)
    *old = values;
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values;
}

/// The bits of the one number that a call gives for those in its slots.
inline uint64_t singleResult(
    const Call &call,
    std::initializer_list<std::pair<std::string_view, uint64_t>> bits) {
  Numbers numbers(2);
  Values values = randomValues(call, numbers);
  for (auto [slot, given] : bits)
    values.at(slot).setBits(0, given);
  EXPECT_TRUE(evaluate(call, values).isOk());
  return values.at("dst").bits(0);
}

} // namespace weft::catalog::testing

#endif // WEFT_TESTS_UNIT_RUNTIME_PPL_CALLS_H
