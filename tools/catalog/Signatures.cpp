//===- Signatures.cpp - the types that a function takes -------------------===//

#include "tools/catalog/Signatures.h"

using namespace weft;
using namespace weft::catalog;

static bool isVectorSlot(const Slot &slot) {
  return slot.kind == SlotKind::Vector || slot.kind == SlotKind::VectorOrScalar;
}

/// The vectors that a call must have.
static std::vector<size_t> operandsOf(const Operation &operation) {
  std::vector<size_t> slots;
  for (size_t i = 0; i < operation.slots.size(); ++i)
    if (isVectorSlot(operation.slots[i]) && !operation.slots[i].optional)
      slots.push_back(i);
  return slots;
}

static Call callWith(const Operation &operation, const Chip &chip,
                     const std::vector<VectorType> &operands, int64_t outSign) {
  Call call{&operation, &chip, {}};
  call.arguments.resize(operation.slots.size());
  size_t next = 0;
  for (size_t slot : operandsOf(operation)) {
    call.arguments[slot].kind = Argument::Kind::Vector;
    call.arguments[slot].vector = operands[next++];
  }
  for (size_t i = 0; i < operation.slots.size(); ++i)
    if (operation.slots[i].kind == SlotKind::Pointer) {
      call.arguments[i].kind = Argument::Kind::Pointer;
      call.arguments[i].vector.type = DataType::Fp32;
    }
  int sign = operation.slotIndex("out_sign");
  if (sign >= 0 && outSign >= 0) {
    call.arguments[sign].kind = Argument::Kind::Integer;
    call.arguments[sign].integer = outSign;
  }
  return call;
}

/// Adds what is legal for these operands: without out_sign, else with.
static void addLegal(const Operation &operation, const Chip &chip,
                     const std::vector<VectorType> &operands,
                     std::vector<Signature> &found) {
  const Slot *sign = operation.slot("out_sign");
  int64_t choices = sign ? int64_t(sign->choices.size()) : 0;
  for (int64_t outSign = -1; outSign < choices; ++outSign) {
    Call call = callWith(operation, chip, operands, outSign);
    if (!problemOf(call).empty())
      continue;
    Signature signature;
    signature.operands = operands;
    if (operation.result)
      signature.result = operation.result(call);
    if (outSign < 0) {
      found.push_back(signature);
      return;
    }
    signature.outSign = sign->choices[size_t(outSign)];
    found.push_back(signature);
  }
}

std::vector<Signature> catalog::signaturesOf(const Operation &operation,
                                             const Chip &chip) {
  std::vector<DataType> types;
  for (DataType type : (kAnyElement).members())
    types.push_back(type);
  std::vector<Signature> found;
  std::vector<size_t> slots = operandsOf(operation);
  if (slots.empty() || !chip.vector.registerBytes)
    return found;
  // Every combination, the last operand fastest.
  std::vector<size_t> choice(slots.size(), 0);
  std::vector<VectorType> operands(slots.size());
  for (;;) {
    for (size_t i = 0; i < slots.size(); ++i)
      operands[i] = {types[choice[i]],
                     chip.vector.registerBytes / bytesOf(types[choice[i]])};
    addLegal(operation, chip, operands, found);
    size_t axis = slots.size();
    while (axis && ++choice[axis - 1] == types.size())
      choice[--axis] = 0;
    if (!axis)
      return found;
  }
}

std::vector<std::string_view> catalog::featuresOf(const Operation &operation) {
  std::vector<std::string_view> features;
  for (std::string_view name : {"mask", "r", "saturate", "out_sign"})
    if (operation.slot(name))
      features.push_back(name);
  for (const Slot &slot : operation.slots)
    if (slot.kind == SlotKind::VectorOrScalar && !slot.optional) {
      features.push_back("scalar");
      break;
    }
  if (operation.width == VectorWidth::Flexible)
    features.push_back("flexible_width");
  if (operation.width != VectorWidth::Register)
    features.push_back("multiple_width");
  return features;
}
