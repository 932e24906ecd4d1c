//===- Listing.cpp - the functions of an operation set listed -------------===//

#include "tools/catalog/Listing.h"

#include "runtime/chips/Chips.h"
#include "tools/catalog/Signatures.h"

using namespace weft;
using namespace weft::catalog;
using Json = nlohmann::ordered_json;

/// The targets that programs of a set can be for.
static std::vector<const Chip *> targetsOf(Language language) {
  switch (language) {
  case Language::Ppl:
    return {std::begin(chips::kernelTargets), std::end(chips::kernelTargets)};
  case Language::Zhouyi:
    return {std::begin(chips::vectorTargets), std::end(chips::vectorTargets)};
  case Language::Ascend:
    return {std::begin(chips::cubeTargets), std::end(chips::cubeTargets)};
  }
  return {};
}

std::vector<std::string> catalog::targetsOf(const Operation &operation) {
  std::vector<std::string> names;
  for (const Chip *chip : ::targetsOf(operation.language))
    if (operation.existsOn(*chip))
      names.emplace_back(chip->targetName);
  return names;
}

static bool hasElements(const Slot &slot) {
  switch (slot.kind) {
  case SlotKind::Tensor:
  case SlotKind::TensorOrScalar:
  case SlotKind::Vector:
  case SlotKind::VectorOrScalar:
  case SlotKind::Pointer:
    return true;
  default:
    return false;
  }
}

static bool liesInMemory(const Slot &slot) {
  return slot.kind == SlotKind::Tensor || slot.kind == SlotKind::TensorOrScalar;
}

static Json describe(const Slot &slot) {
  Json types = Json::array(), memories = Json::array();
  if (hasElements(slot))
    for (DataType type : slot.types.members())
      types.push_back(spelling(type));
  if (liesInMemory(slot))
    for (Memory memory : {Memory::Local, Memory::Global, Memory::L2,
                          Memory::Static, Memory::L1})
      if (slot.memories >> unsigned(memory) & 1)
        memories.push_back(spelling(memory));
  Json json = {{"name", slot.name},
               {"kind", spelling(slot.kind)},
               {"access", spelling(slot.access)},
               {"types", types},
               {"memories", memories},
               {"optional", slot.optional},
               {"fallback", slot.fallback},
               {"count", slot.count},
               {"choices", slot.choices}};
  bool hasRange = !hasElements(slot) && slot.kind != SlotKind::Flag;
  if (hasRange && slot.low != INT64_MIN)
    json["low"] = slot.low;
  if (hasRange && slot.high != INT64_MAX)
    json["high"] = slot.high;
  return json;
}

/// [{"operands": ["int8x32", "int8x32"], "out_sign": "", "result": ..}, ..]
static Json describe(const std::vector<Signature> &signatures) {
  Json rows = Json::array();
  for (const Signature &signature : signatures) {
    Json operands = Json::array();
    for (const VectorType &type : signature.operands)
      operands.push_back(type.text());
    rows.push_back({{"operands", operands},
                    {"out_sign", signature.outSign},
                    {"result", signature.result ? signature.result->text()
                                                : std::string()}});
  }
  return rows;
}

Json catalog::describe(const Operation &operation) {
  Json slots = Json::array(), rules = Json::array();
  for (const Slot &slot : operation.slots)
    slots.push_back(::describe(slot));
  for (const Rule &rule : operation.rules)
    rules.push_back(rule.text);
  Json row = {{"name", operation.name},
              {"set", spelling(operation.language)},
              {"chips", targetsOf(operation)},
              {"unit", spelling(operation.unit)},
              {"section", operation.section},
              {"summary", operation.summary},
              {"formula", operation.formula},
              {"slots", slots},
              {"rules", rules},
              {"chip_note", operation.chipNote},
              {"example", operation.example}};
  if (operation.language == Language::Zhouyi) {
    const Chip &chip = *chips::vectorTargets[0];
    row["features"] = featuresOf(operation);
    row["inactive_lanes"] = operation.inactiveLanes;
    row["signatures"] = ::describe(signaturesOf(operation, chip));
  }
  return row;
}

Json catalog::describe(Language language) {
  Json rows = Json::array();
  for (const Operation &operation : operations(language))
    rows.push_back(describe(operation));
  return rows;
}

/// The element types of the last operand, which every function has once each.
static std::string elementTypes(const std::vector<Signature> &signatures) {
  TypeSet types;
  for (const Signature &signature : signatures)
    types = types | signature.operands.back().type;
  std::string text;
  for (DataType type : types.members())
    text += (text.empty() ? "" : " ") + std::string(spelling(type));
  return text;
}

static std::string spaced(const std::vector<std::string_view> &words) {
  std::string text;
  for (std::string_view word : words)
    text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

/// What a result is: "as x", else the types that it may have.
static std::string resultText(const Operation &operation,
                              const std::vector<Signature> &signatures) {
  TypeSet types;
  bool isFirst = true;
  for (const Signature &signature : signatures) {
    if (!signature.result)
      return "none";
    isFirst &= *signature.result == signature.operands.front();
    types = types | signature.result->type;
  }
  if (isFirst)
    return "as " + std::string(operation.slots.front().name);
  std::string text;
  for (DataType type : types.members())
    text += (text.empty() ? "" : " ") + std::string(spelling(type));
  return text;
}

std::string catalog::functionTable(Language language) {
  bool isVector = language == Language::Zhouyi;
  std::string text =
      isVector
          ? "| function | element types | features | result | summary |\n"
            "|---|---|---|---|---|\n"
          : "| function | section | chips | summary |\n|---|---|---|---|\n";
  for (const Operation &operation : operations(language)) {
    text += "| " + std::string(spelling(language)) + "." +
            std::string(operation.name) + " | ";
    if (isVector) {
      const Chip &chip = *chips::vectorTargets[0];
      std::vector<Signature> signatures = signaturesOf(operation, chip);
      text += elementTypes(signatures) + " | " + spaced(featuresOf(operation)) +
              " | " + resultText(operation, signatures);
    } else {
      std::string names;
      for (const std::string &name : targetsOf(operation))
        names += (names.empty() ? "" : " ") + name;
      text += std::string(operation.section) + " | " + names;
    }
    text += " | " + std::string(operation.summary) + " |\n";
  }
  return text;
}
