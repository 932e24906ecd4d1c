//===- Evaluate.cpp - the functions on values of the catalog --------------===//

#include "runtime/catalog/Sets.h"
#include "runtime/zhouyi/Execute.h"

#include <deque>

using namespace weft;
using namespace weft::catalog;

std::string_view zhouyi::definedName(std::string_view slot) {
  static constexpr std::string_view names[][2] = {
      {"x", "x defined"},
      {"y", "y defined"},
      {"r", "r defined"},
      {"acc", "acc defined"},
      {"min_val", "min_val defined"},
      {"max_val", "max_val defined"}};
  for (auto &[name, defined] : names)
    if (name == slot)
      return defined;
  return {};
}

/// The call with vectors for scalars, as its values are; the mask is a value.
static Call ofVectors(const Call &call, const Values &values) {
  Call vectors = call;
  vectors.arguments.resize(call.operation->slots.size());
  for (size_t i = 0; i < call.operation->slots.size(); ++i) {
    const Slot &slot = call.operation->slots[i];
    Argument &argument = vectors.arguments[i];
    auto value = values.find(slot.name);
    if (value == values.end())
      continue;
    if (slot.kind == SlotKind::Vector ||
        slot.kind == SlotKind::VectorOrScalar) {
      argument = Argument();
      argument.kind = Argument::Kind::Vector;
      argument.vector = {value->second.type,
                         unsigned(value->second.elements())};
    } else if (slot.kind == SlotKind::Mask) {
      argument = Argument();
      argument.kind = Argument::Kind::Mask;
      argument.vector.lanes = unsigned(value->second.elements());
    }
  }
  return vectors;
}

static rt::Status evaluate(const Call &call, Values &values) {
  zhouyi::Kernel kernel(ofVectors(call, values));
  std::deque<zhouyi::Lanes> lanes;
  std::vector<const zhouyi::Lanes *> operands;
  Dense *memory = nullptr;
  for (const zhouyi::KernelOperand &operand : kernel.operands()) {
    operands.push_back(nullptr);
    auto value = values.find(operand.slot);
    if (value == values.end())
      continue;
    zhouyi::Lanes &given = lanes.emplace_back(
        VectorType{value->second.type, unsigned(value->second.elements())});
    given.bytes = value->second.bytes;
    if (auto defined = values.find(zhouyi::definedName(operand.slot));
        defined != values.end())
      given.defined = defined->second.bytes;
    operands.back() = &given;
    if (operand.origin == zhouyi::Origin::Memory)
      memory = &value->second;
  }
  auto mask = values.find("mask");
  rt::Result<zhouyi::Lanes> result = zhouyi::execute(
      kernel, operands,
      kernel.takesMask() && mask != values.end() ? &mask->second.bytes
                                                 : nullptr);
  if (!result)
    return std::move(result).status();
  if (memory) {
    memory->bytes = result->bytes;
    return {};
  }
  Dense &out = values["out"], &defined = values["defined"];
  Dims shape = {1, 1, 1, int64_t(result->type.lanes)};
  out = Dense(result->type.type, shape);
  out.bytes = result->bytes;
  defined = Dense(DataType::Uint8, shape);
  if (result->defined.empty())
    defined.bytes.assign(result->type.lanes, 1);
  else
    defined.bytes = result->defined;
  return {};
}

std::vector<EvaluatorRow> catalog::zhouyiEvaluators() {
  std::vector<EvaluatorRow> rows;
  for (const Operation &operation : zhouyiRows())
    rows.push_back({operation.name, evaluate});
  return rows;
}
