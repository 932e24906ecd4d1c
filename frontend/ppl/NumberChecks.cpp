//===- NumberChecks.cpp - numbers that a tensor's type has not ------------===//
//
// The functions have a meaning for these numbers: bits are cut off, floats
// become infinite. What a model's constant may be, in a kernel is a mistake.
//
//===----------------------------------------------------------------------===//

#include "frontend/ppl/TensorChecks.h"
#include "runtime/catalog/Dense.h"

#include <array>
#include <cmath>

using namespace weft;
using namespace weft::frontend;

static std::string text(const catalog::Slot &slot,
                        const catalog::Argument &argument,
                        catalog::DataType type) {
  std::array<char, 32> digits = {};
  std::snprintf(digits.data(), digits.size(), "%.9g", argument.number());
  return std::string(slot.name) + " is " + digits.data() + ", dst is " +
         std::string(catalog::spelling(type));
}

/// Without a shift and saturation the low bits of a result are kept.
static bool keepsLowBits(const catalog::Call &call) {
  std::string_view name = call.operation->name;
  return (name == "tiu.add" || name == "tiu.sub" || name == "tiu.mul") &&
         !call["shift"].isTensor() && call.integer("shift") == 0 &&
         call.integer("saturation") == 0;
}

static bool isOfFloats(std::string_view name) {
  for (std::string_view each : {"tiu.fadd", "tiu.fsub", "tiu.fmul", "tiu.fdiv",
                                "tiu.fmac", "tiu.fmul_add", "tiu.fsub_abs"})
    if (name == each)
      return true;
  return false;
}

static bool fitsInteger(double value, catalog::DataType type) {
  double high = std::ldexp(1.0, int(catalog::bitsOf(type)));
  return value >= -high / 2 && value < high;
}

static bool becomesInfinite(double value, catalog::DataType type) {
  catalog::Dense one(type, {1, 1, 1, 1});
  one.setValue(0, value);
  return std::isfinite(value) && std::isinf(one.value(0));
}

std::string frontend::numberProblem(const catalog::Call &call) {
  bool isWhole = keepsLowBits(call);
  if (!isWhole && !isOfFloats(call.operation->name))
    return {};
  catalog::DataType type = call.tensor("dst")->type;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const catalog::Argument &argument = call.arguments[i];
    const catalog::Slot &slot = call.operation->slots[i];
    if (slot.kind != catalog::SlotKind::TensorOrScalar ||
        slot.name == "shift" || !argument.isNumber())
      continue;
    if (isWhole && !fitsInteger(argument.number(), type))
      return text(slot, argument, type) +
             ", so bits are cut off; give a number of that type, or a shift or "
             "saturation";
    if (!isWhole && becomesInfinite(argument.number(), type))
      return text(slot, argument, type) + ", which has no such number; " +
             (type == catalog::DataType::Fp32 ? ""
                                              : "cast to fp32 before, or ") +
             "give an infinity if it is meant";
  }
  return {};
}
