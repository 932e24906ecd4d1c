//===- VectorCall.h - a call of a vector function, slot by slot -*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_VECTORCALL_H
#define WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_VECTORCALL_H

#include "runtime/catalog/Dense.h"
#include "runtime/chips/Chips.h"
#include "runtime/chips/zhouyi.h"
#include "runtime/zhouyi/Execute.h"
#include "runtime/zhouyi/Types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <ostream>

namespace weft::zhouyi::testing {

inline constexpr catalog::DataType kI8 = catalog::DataType::Int8,
                                   kU8 = catalog::DataType::Uint8,
                                   kI16 = catalog::DataType::Int16,
                                   kU16 = catalog::DataType::Uint16,
                                   kI32 = catalog::DataType::Int32,
                                   kU32 = catalog::DataType::Uint32,
                                   kF16 = catalog::DataType::Fp16,
                                   kF32 = catalog::DataType::Fp32;
inline constexpr catalog::DataType kAllTypes[] = {kI8,  kU8,  kI16, kU16,
                                                  kI32, kU32, kF16, kF32};

using Numbers = std::vector<double>;

/// Lanes of the result; empty where it is undefined.
using Expected = std::vector<std::optional<double>>;
inline constexpr std::nullopt_t U = std::nullopt;

inline unsigned native(catalog::DataType type) { return 32 / bytesOf(type); }

/// 0, 1, 2 ... or first, first + step ...
inline Numbers counting(unsigned count, double first = 0, double step = 1) {
  Numbers numbers;
  for (unsigned i = 0; i < count; ++i)
    numbers.push_back(first + step * i);
  return numbers;
}
inline Numbers all(unsigned count, double value) {
  return Numbers(count, value);
}

inline catalog::Dense denseOf(catalog::DataType type, const Numbers &numbers) {
  catalog::Dense dense(type, {1, 1, 1, int64_t(numbers.size())});
  for (size_t i = 0; i < numbers.size(); ++i)
    if (isFloat(type))
      dense.setValue(int64_t(i), numbers[i]);
    else
      dense.setBits(int64_t(i), uint64_t(int64_t(numbers[i])));
  return dense;
}

/// A call; `run` computes it by its kernel and by the catalog's evaluator,
/// which must agree.
class VectorCall {
public:
  explicit VectorCall(std::string_view name) {
    call.operation = catalog::find(name, catalog::Language::Zhouyi);
    call.chip = &chips::zhouyi;
    EXPECT_NE(call.operation, nullptr) << name;
    call.arguments.resize(call.operation->slots.size());
  }

  Argument &argument(std::string_view slot) {
    int index = call.operation->slotIndex(slot);
    EXPECT_GE(index, 0) << call.operation->name << " has no " << slot;
    return call.arguments[size_t(index)];
  }
  /// A vector; one number: a scalar variable.
  VectorCall &vector(std::string_view slot, catalog::DataType type,
                     const Numbers &numbers) {
    shape(slot, type, unsigned(numbers.size()));
    values[slot] = denseOf(type, numbers);
    return *this;
  }
  /// A vector of which only the type matters.
  VectorCall &shape(std::string_view slot, catalog::DataType type,
                    unsigned lanes) {
    argument(slot) = Argument();
    argument(slot).kind = Argument::Kind::Vector;
    argument(slot).vector = {type, lanes};
    return *this;
  }
  VectorCall &undefined(std::string_view slot, std::vector<uint8_t> defined) {
    this->defined[slot] = std::move(defined);
    return *this;
  }
  VectorCall &number(std::string_view slot, int64_t value) {
    argument(slot) = Argument();
    argument(slot).kind = Argument::Kind::Integer;
    argument(slot).integer = value;
    return *this;
  }
  VectorCall &real(std::string_view slot, double value) {
    argument(slot) = Argument();
    argument(slot).kind = Argument::Kind::Float;
    argument(slot).real = value;
    return *this;
  }
  VectorCall &saturate() { return number("saturate", 1); }
  /// 'u' or 's'.
  VectorCall &outSign(char sign) { return number("out_sign", sign == 's'); }
  VectorCall &mask(std::string text) {
    argument("mask") = Argument();
    argument("mask").kind = Argument::Kind::Mask;
    argument("mask").text = std::move(text);
    return *this;
  }
  VectorCall &maskList(std::vector<uint8_t> lanes) {
    argument("mask") = Argument();
    argument("mask").kind = Argument::Kind::Mask;
    argument("mask").lanes = std::move(lanes);
    return *this;
  }
  /// A mask that the program computes.
  VectorCall &maskValue(std::vector<uint8_t> lanes) {
    argument("mask") = Argument();
    argument("mask").kind = Argument::Kind::Mask;
    argument("mask").vector.lanes = unsigned(lanes.size());
    maskRegister = std::move(lanes);
    return *this;
  }
  VectorCall &pointer(std::string_view slot, catalog::DataType type,
                      const Numbers &numbers = {}) {
    argument(slot) = Argument();
    argument(slot).kind = Argument::Kind::Pointer;
    argument(slot).vector = {type, 1};
    values[slot] = denseOf(type, numbers);
    return *this;
  }

  std::string problem() const { return problemOf(call); }
  std::string resultText() const { return call.operation->result(call).text(); }

  rt::Result<Lanes> tryRun() const {
    EXPECT_EQ(problem(), "") << call.operation->name;
    Kernel kernel(call);
    std::vector<Lanes> lanes(kernel.operands().size());
    std::vector<const Lanes *> operands;
    for (size_t i = 0; i < lanes.size(); ++i) {
      auto value = values.find(kernel.operands()[i].slot);
      bool isGiven = value != values.end() &&
                     kernel.operands()[i].origin != Origin::Constant;
      operands.push_back(isGiven ? &lanes[i] : nullptr);
      if (!isGiven)
        continue;
      lanes[i] =
          Lanes({value->second.type, unsigned(value->second.elements())});
      lanes[i].bytes = value->second.bytes;
      if (auto marks = defined.find(value->first); marks != defined.end())
        lanes[i].defined = marks->second;
    }
    rt::Result<Lanes> result =
        execute(kernel, operands, kernel.takesMask() ? &maskRegister : nullptr);
    compareEvaluator(kernel, lanes, result);
    return result;
  }
  Lanes run() const {
    rt::Result<Lanes> result = tryRun();
    EXPECT_TRUE(result.isOk()) << result.status().message();
    return result ? *result : Lanes();
  }

  catalog::Call call;

private:
  /// The catalog's evaluator takes operands that are vectors already.
  void compareEvaluator(const Kernel &kernel, const std::vector<Lanes> &lanes,
                        const rt::Result<Lanes> &expected) const {
    catalog::Values of;
    for (size_t i = 0; i < lanes.size(); ++i) {
      const KernelOperand &operand = kernel.operands()[i];
      if (operand.origin == Origin::Absent)
        continue;
      catalog::Dense dense(operand.type.type,
                           {1, 1, 1, int64_t(operand.type.lanes)});
      if (operand.origin == Origin::Constant)
        for (size_t at = 0; at < dense.bytes.size(); ++at)
          dense.bytes[at] = operand.constant[at % operand.constant.size()];
      else if (operand.origin == Origin::Scalar)
        kernel.spread(i, lanes[i].bytes.data(), dense.bytes.data());
      else
        dense.bytes = lanes[i].bytes;
      of[operand.slot] = dense;
      if (!lanes[i].defined.empty() && operand.origin == Origin::Register) {
        catalog::Dense mark(kU8, dense.shape);
        mark.bytes = lanes[i].defined;
        of[definedName(operand.slot)] = mark;
      }
    }
    if (kernel.maskLanes()) {
      catalog::Dense mask(kU8, {1, 1, 1, int64_t(kernel.maskLanes())});
      mask.bytes.assign(kernel.maskLanes(), 1);
      if (kernel.takesMask())
        mask.bytes = maskRegister;
      else if (kernel.knownMask())
        mask.bytes.assign(kernel.knownMask(),
                          kernel.knownMask() + kernel.maskLanes());
      of["mask"] = mask;
    }
    rt::Status status = evaluatorOf(*call.operation)(call, of);
    ASSERT_EQ(status.message(), expected.status().message());
    if (!expected)
      return;
    if (!kernel.hasResult()) {
      EXPECT_EQ(of.begin()->second.bytes, expected->bytes);
      return;
    }
    EXPECT_EQ(of["out"].type, expected->type.type);
    EXPECT_EQ(of["out"].bytes, expected->bytes) << call.operation->name;
    for (unsigned i = 0; i < expected->type.lanes; ++i)
      EXPECT_EQ(of["defined"].bytes[i] != 0, expected->isDefined(i));
  }

  std::map<std::string_view, catalog::Dense> values;
  std::map<std::string_view, std::vector<uint8_t>> defined;
  MaskLanes maskRegister;
};

inline catalog::Dense denseOf(const Lanes &lanes) {
  catalog::Dense dense(lanes.type.type, {1, 1, 1, int64_t(lanes.type.lanes)});
  dense.bytes = lanes.bytes;
  return dense;
}

/// The lanes as numbers.
inline Expected numbers(const Lanes &lanes) {
  Expected result;
  catalog::Dense dense = denseOf(lanes);
  for (unsigned i = 0; i < lanes.type.lanes; ++i)
    if (!lanes.isDefined(i))
      result.push_back(U);
    else if (isFloat(lanes.type.type))
      result.push_back(dense.value(i));
    else
      result.push_back(double(dense.integer(i)));
  return result;
}

} // namespace weft::zhouyi::testing

#endif // WEFT_TESTS_UNIT_RUNTIME_ZHOUYI_VECTORCALL_H
