//===- ElementRules.cpp - rules of element functions ---------------------===//

#include "runtime/ppl/rows/ElementRules.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace weft;
using namespace weft::catalog;

using Kind = Argument::Kind;

static bool isNumber(const Argument &argument) {
  return argument.kind == Kind::Integer || argument.kind == Kind::Float;
}

static std::string numberText(const Argument &argument) {
  if (argument.kind == Kind::Integer)
    return std::to_string(argument.integer);
  char text[32];
  std::snprintf(text, sizeof text, "%g", argument.real);
  return text;
}

/// What is wrong with a number that must be whole and in [low, high].
static std::string wholeProblem(const Call &call, std::string_view name,
                                int64_t low, int64_t high) {
  const Argument &argument = call[name];
  if (!isNumber(argument))
    return {};
  double value = argument.number();
  if (value == std::floor(value) && value >= double(low) &&
      value <= double(high))
    return {};
  return std::string(name) + " is " + numberText(argument);
}

static std::string rangeText(std::string_view name, int64_t low, int64_t high) {
  return "a number for " + std::string(name) + " must be whole and " +
         std::to_string(low) + " to " + std::to_string(high);
}

Rule catalog::numberInRange(std::string_view name, int64_t low, int64_t high) {
  return rule(rangeText(name, low, high), [=](const Call &call) {
    return wholeProblem(call, name, low, high);
  });
}

Rule catalog::wordFits(std::string_view name) {
  return numberInRange(name, INT32_MIN, UINT32_MAX);
}
Rule catalog::byteFits(std::string_view name) {
  return numberInRange(name, INT8_MIN, UINT8_MAX);
}

Rule catalog::numberFits(std::string_view name, std::string_view dst) {
  return rule("a number for " + std::string(name) +
                  " must be whole and fit the integer type of " +
                  std::string(dst),
              [=](const Call &call) {
                const Tensor *to = call.tensor(dst);
                if (!to || isFloat(to->type))
                  return std::string();
                unsigned bits = bitsOf(to->type);
                return wholeProblem(call, name, -(int64_t(1) << (bits - 1)),
                                    (int64_t(1) << bits) - 1);
              });
}

Rule catalog::signOfResult() {
  return rule(
      "dst is unsigned exactly if src0 and src1 are (a negative number counts "
      "as signed)",
      [](const Call &call) {
        const Tensor *dst = call.tensor("dst");
        bool hasSigned = false, hasRoom = false;
        for (std::string_view name : {"src0", "src1"}) {
          const Argument &argument = call[name];
          if (argument.isTensor()) {
            hasSigned |= isSigned(argument.tensor.type);
            continue;
          }
          hasSigned |= argument.number() < 0;
          double most =
              bitsOf(dst->type) == 16 && call.operation->name == "tiu.mac"
                  ? INT8_MAX
                  : INT32_MAX;
          hasRoom |= argument.number() <= most; // may count as signed
        }
        if (!isSigned(dst->type) && hasSigned)
          return "dst is " + std::string(spelling(dst->type)) +
                 ", an operand is signed";
        if (isSigned(dst->type) && !hasSigned && !hasRoom)
          return "dst is " + std::string(spelling(dst->type)) +
                 ", the operands are unsigned";
        return std::string();
      });
}

Rule catalog::onePerChannel(std::string_view name, std::string_view dst) {
  return rule(std::string(name) +
                  " must be 1 x c x 1 x 1 with the channels of " +
                  std::string(dst),
              [=](const Call &call) {
                const Tensor *to = call.tensor(dst), *from = call.tensor(name);
                if (!to || !from)
                  return std::string();
                const Dims &shape = from->shape;
                if (shape == Dims{1, to->shape[1], 1, 1})
                  return std::string();
                std::string text;
                for (int64_t size : shape)
                  text += (text.empty() ? "" : "x") + std::to_string(size);
                return std::string(name) + " has shape " + text + ", " +
                       std::string(dst) + " has " +
                       std::to_string(to->shape[1]) + " channels";
              });
}

static std::string typesText(std::string_view nameA, const Tensor &a,
                             std::string_view nameB, const Tensor &b) {
  return std::string(nameA) + " is " + std::string(spelling(a.type)) + ", " +
         std::string(nameB) + " is " + std::string(spelling(b.type));
}

Rule catalog::notWider(std::string_view name, std::string_view of) {
  return rule("elements of " + std::string(name) +
                  " must be no wider than those of " + std::string(of),
              [=](const Call &call) {
                const Tensor *a = call.tensor(name), *b = call.tensor(of);
                if (!a || !b || bitsOf(a->type) <= bitsOf(b->type))
                  return std::string();
                return typesText(name, *a, of, *b);
              });
}

Rule catalog::floatSaturation() {
  return rule(
      "floats saturate on sg2260e, sg2262 and sg2380, on bm1690 if they are "
      "fp8 and an operand is a number; set saturation to false",
      [](const Call &call) {
        std::string_view chip = call.chip->kernelName();
        const Tensor *dst = call.tensor("dst");
        bool isNever = chip == "bm1684x" || chip == "bm1688";
        bool isSome = kFp8.contains(dst->type) &&
                      (isNumber(call["src0"]) || isNumber(call["src1"]));
        if (!call.integer("saturation") || (!isNever && chip != "bm1690") ||
            (chip == "bm1690" && isSome))
          return std::string();
        return "saturation is true on " + std::string(chip) + " for " +
               std::string(spelling(dst->type));
      });
}

bool catalog::castRounds(DataType from, DataType to) {
  if (from == to)
    return false;
  if (isFloat(from))
    return !isFloat(to) || bitsOf(to) < bitsOf(from);
  // A float has as many digits as an exact integer needs, or fewer.
  unsigned digits = to == DataType::Fp32 ? 24 : to == DataType::Fp16 ? 11 : 8;
  return isFloat(to) && bitsOf(from) > digits;
}

Rule catalog::floatRounding() {
  return rule(
      "on bm1684x conversions from and to floats round by RM_HALF_TO_EVEN, "
      "RM_HALF_AWAY_FROM_ZERO, RM_TOWARDS_ZERO, RM_DOWN or RM_UP",
      [](const Call &call) {
        const Tensor *dst = call.tensor("dst"), *src = call.tensor("src");
        int64_t mode = call.integer("round_mode");
        bool rounds = dst->type == src->type
                          ? call.operation->name == "tiu.round"
                          : castRounds(src->type, dst->type) &&
                                (isFloat(src->type) || isFloat(dst->type));
        if (call.chip->kernelName() != "bm1684x" || !rounds || mode <= 4)
          return std::string();
        return "round_mode is " +
               std::string(call.operation->slot("round_mode")->choices[mode]);
      });
}

Rule catalog::logarithmBase(std::string_view name) {
  return rule("the base of a logarithm must be positive, finite and not 1",
              [=](const Call &call) {
                double base = call.real(name);
                if (base > 0 && base != 1 && std::isfinite(base))
                  return std::string();
                return std::string(name) + " is " + numberText(call[name]);
              });
}

Rule catalog::tableShape(std::string_view name, int64_t entries) {
  return rule(
      std::string(name) + " must be 1 x lanes of the chip x 1 x at least " +
          std::to_string(entries),
      [=](const Call &call) {
        const Tensor *table = call.tensor(name);
        if (!table)
          return std::string();
        const Dims &shape = table->shape;
        if (shape[0] == 1 && shape[1] == int64_t(call.chip->lanes) &&
            shape[2] == 1 && shape[3] >= entries)
          return std::string();
        std::string text;
        for (int64_t size : shape)
          text += (text.empty() ? "" : "x") + std::to_string(size);
        return std::string(name) + " has shape " + text + ", the chip " +
               std::to_string(call.chip->lanes) + " lanes";
      });
}

std::string catalog::halfSwapProblem(const Call &call) {
  const Tensor *dst = call.tensor("dst"), *src = call.tensor("src");
  if (dst->type == src->type || !isFloat(dst->type) || !isFloat(src->type) ||
      bitsOf(dst->type) != 16 || bitsOf(src->type) != 16)
    return {};
  return typesText("dst", *dst, "src", *src);
}

std::string catalog::widthProblem(const Call &call, std::string_view nameA,
                                  std::string_view nameB) {
  const Tensor *a = call.tensor(nameA), *b = call.tensor(nameB);
  if (!a || !b || bitsOf(a->type) == bitsOf(b->type))
    return {};
  return typesText(nameA, *a, nameB, *b);
}

std::string catalog::rotationProblem(const Call &call) {
  const Argument &shift = call["shift"];
  if (!isNumber(shift) ||
      std::abs(shift.number()) < double(bitsOf(call.tensor("dst")->type)))
    return {};
  return "shift is " + numberText(shift) + ", dst is " +
         std::string(spelling(call.tensor("dst")->type));
}
