//===- Words.cpp - words for the rows of Zhouyi's functions --------------===//

#include "runtime/zhouyi/rows/Words.h"
#include "runtime/zhouyi/Execute.h"

#include <algorithm>

using namespace weft;
using namespace weft::zhouyi;

using catalog::Names;
using catalog::SlotKind;

static std::string str(std::string_view text) { return std::string(text); }

/// "x is int8x32".
static std::string found(const Call &call, std::string_view slot) {
  return str(slot) + " is " + textOf(call[slot]);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

static Slot slotOf(std::string_view name, SlotKind kind, TypeSet types) {
  Slot slot;
  slot.name = name;
  slot.kind = kind;
  slot.types = types;
  return slot;
}

Slot zhouyi::vector(std::string_view name, TypeSet types) {
  return slotOf(name, SlotKind::Vector, types);
}

Slot zhouyi::vectorOrScalar(std::string_view name, TypeSet types) {
  return slotOf(name, SlotKind::VectorOrScalar, types);
}

Slot zhouyi::mask() {
  Slot slot = slotOf("mask", SlotKind::Mask, {});
  slot.optional = true;
  return slot;
}

Slot zhouyi::saturateFlag() { return catalog::flag("saturate"); }

Slot zhouyi::outSign() {
  // Without it the result has the sign of x and y: -1 is neither choice.
  return catalog::choice("out_sign", {"u", "s"}, -1);
}

Slot zhouyi::inactive(TypeSet types) {
  Slot slot = vectorOrScalar("r", types);
  slot.optional = true;
  return slot;
}

Slot zhouyi::matrixPointer(std::string_view name, catalog::Access access) {
  Slot slot = slotOf(name, SlotKind::Pointer, kSingle);
  slot.access = access;
  return slot;
}

Operation zhouyi::onVectors(Operation row, VectorWidth width,
                            std::string_view inactiveLanes,
                            VectorType (*result)(const Call &)) {
  row.unit = catalog::Unit::Vector;
  row.chips = {"zhouyi"};
  row.width = width;
  row.inactiveLanes = inactiveLanes;
  if (result)
    row.result = result;
  return row;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Rule zhouyi::someVector(Names names) {
  std::string text =
      names.size() == 1
          ? str(names[0]) + " must be a vector"
          : "one of " + catalog::joined(names, "and") + " must be a vector";
  return catalog::rule(text, [names](const Call &call) {
    for (std::string_view name : names)
      if (!isScalar(call[name]))
        return std::string();
    std::string scalars;
    for (std::string_view name : names)
      scalars += (scalars.empty() ? "" : ", ") + found(call, name);
    return scalars;
  });
}

static std::string widthText(VectorWidth width) {
  std::string each;
  for (unsigned bits : {8, 16, 32})
    each +=
        (each.empty() ? "" : ", ") + std::to_string(kRegisterBytes * 8 / bits) +
        (each.empty() ? " lanes of " : " of ") + std::to_string(bits) + " bits";
  switch (width) {
  case VectorWidth::Register:
    return "a vector must fill one register (" + each + ")";
  case VectorWidth::Multiple:
    return "a vector must fill whole registers (" + each + ")";
  case VectorWidth::Flexible:
    break;
  }
  return "a vector must have 2 to " + std::to_string(kMaxLanes) + " lanes";
}

static bool isLegalWidth(const Call &call, VectorWidth width,
                         const VectorType &vector) {
  unsigned each = registerLanes(call, vector.type);
  switch (width) {
  case VectorWidth::Register:
    return vector.lanes == each;
  case VectorWidth::Multiple:
    return vector.lanes != 0 && vector.lanes <= kMaxLanes && each != 0 &&
           vector.lanes % each == 0;
  case VectorWidth::Flexible:
    break;
  }
  return vector.lanes >= 2 && vector.lanes <= kMaxLanes;
}

Rule zhouyi::lanesAre(VectorWidth width, Names names) {
  return catalog::rule(widthText(width), [width, names](const Call &call) {
    for (std::string_view name : names)
      if (const Argument &argument = call[name];
          argument.isVector() && !isScalar(argument) &&
          !isLegalWidth(call, width, argument.vector))
        return found(call, name);
    return std::string();
  });
}

Rule zhouyi::scalarsFit() {
  return catalog::rule(
      "a scalar must fit the elements of the vector beside it or, if these are "
      "integers, those of the other sign; an integer takes no float",
      [](const Call &call) {
        const Argument *wide = vectorAmong(call, {"x", "y"});
        for (std::string_view name : {"x", "y"})
          if (const Argument &argument = call[name];
              wide && isScalar(argument) &&
              !scalarType(argument, wide->vector.type))
            return found(call, name) + " beside " + wide->vector.text();
        return std::string();
      });
}

Rule zhouyi::alike() {
  return catalog::rule(
      "x and y must have one lane count and elements of one width and kind",
      [](const Call &call) {
        VectorType x = operandType(call, "x"), y = operandType(call, "y");
        if (x.lanes == y.lanes && bitsOf(x.type) == bitsOf(y.type) &&
            isFloat(x.type) == isFloat(y.type))
          return std::string();
        return found(call, "x") + ", " + found(call, "y");
      });
}

Rule zhouyi::oneSign(bool byOutSign) {
  std::string text = "x and y must have one sign";
  if (byOutSign)
    text += " unless out_sign says which the result has";
  return catalog::rule(text, [byOutSign](const Call &call) {
    DataType x = operandType(call, "x").type, y = operandType(call, "y").type;
    bool isSaid = byOutSign && call["out_sign"].kind != Argument::Kind::None;
    if (x == y || isSaid)
      return std::string();
    std::string text = found(call, "x") + ", " + found(call, "y");
    // A number that fits the twin only: say as what it is read.
    for (auto [name, type] : {std::pair("x", x), std::pair("y", y)})
      if (call[name].isNumber())
        text += " (" + str(spelling(type)) + ")";
    return text;
  });
}

Rule zhouyi::maskFits(Names vectors) {
  return catalog::rule(
      "a mask has the lanes of " + catalog::joined(vectors, "and") +
          "; a list or string may have fewer, the rest is inactive then",
      [vectors](const Call &call) {
        const Argument &mask = call["mask"];
        if (mask.kind == Argument::Kind::None)
          return std::string();
        unsigned lanes = 1;
        for (std::string_view name : vectors)
          if (const Argument &argument = call[name]; isWide(argument))
            lanes = argument.vector.lanes;
        if (lanes == 1)
          return std::string("mask is given with scalars");
        return maskProblem(mask, lanes);
      });
}

Rule zhouyi::saturatesIntegers() {
  return catalog::rule(
      "saturate is for integers; leave it out", [](const Call &call) {
        const Argument *wide = vectorAmong(call, {"x", "y"});
        if (!call.integer("saturate") || !wide || !isFloat(wide->vector.type))
          return std::string();
        return "saturate is set for " + wide->vector.text();
      });
}

Rule zhouyi::inactiveFits() {
  return catalog::rule(
      "r must have the lanes and the type of the result (an integer may have "
      "the other sign), or be a scalar that fits it",
      [](const Call &call) {
        const Argument &r = call["r"];
        if (r.kind == Argument::Kind::None)
          return std::string();
        VectorType result = call.operation->result(call);
        bool fits =
            isScalar(r)
                ? scalarType(r, result.type).has_value()
                : r.vector == result ||
                      r.vector == VectorType{twinOf(result.type), result.lanes};
        return fits ? std::string()
                    : found(call, "r") + ", the result is " + result.text();
      });
}

Rule zhouyi::accumulatorFits(VectorType (*sums)(const Call &)) {
  return catalog::rule(
      "acc must have the type of the result", [sums](const Call &call) {
        VectorType wanted = sums(call);
        if (call["acc"].vector == wanted)
          return std::string();
        return found(call, "acc") + ", " + textOf(call["x"]) + " and " +
               textOf(call["y"]) + " give " + wanted.text();
      });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

VectorType zhouyi::sameAsX(const Call &call) { return call["x"].vector; }

/// The sign of the result: out_sign, or that of both.
static bool signOfResult(const Call &call, DataType x, DataType y) {
  bool hasSlot = call.operation->slot("out_sign");
  if (hasSlot && call["out_sign"].kind != Argument::Kind::None)
    return call.integer("out_sign") == 1;
  return isSigned(x) || isSigned(y);
}

VectorType zhouyi::lanewise(const Call &call) {
  VectorType x = operandType(call, "x"), y = operandType(call, "y");
  if (isFloat(x.type))
    return x;
  return {integerType(bitsOf(x.type), signOfResult(call, x.type, y.type)),
          x.lanes};
}

VectorType zhouyi::widened(const Call &call) {
  VectorType same = lanewise(call);
  if (bitsOf(same.type) == 32)
    return same;
  return {integerType(2 * bitsOf(same.type), isSigned(same.type)),
          same.lanes / 2};
}

static VectorType sumsOf(const Call &call, unsigned span) {
  VectorType x = operandType(call, "x"), y = operandType(call, "y");
  if (isFloat(x.type))
    return {DataType::Fp32, x.lanes / 2};
  return {
      integerType(span * bitsOf(x.type), isSigned(x.type) || isSigned(y.type)),
      x.lanes / span};
}

VectorType zhouyi::pairSums(const Call &call) { return sumsOf(call, 2); }
VectorType zhouyi::quadSums(const Call &call) { return sumsOf(call, 4); }
