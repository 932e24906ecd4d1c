//===- PplFunctions.cpp - the functions of PPL as a listing --------------===//

#include "tools/weft/PplFunctions.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::catalog;

namespace {
/// A row of PplStates.def: what was measured.
struct State {
  std::string_view name, state;
};
} // namespace

static const State kStates[] = {
#define WEFT_PPL_STATE(name, state) {name, state},
#include "tools/weft/PplStates.def"
    {"", ""}, // so that an empty table compiles
};

static std::string stateOf(const Operation &operation) {
  for (const State &row : kStates)
    if (row.name == operation.name)
      return std::string(row.state);
  return "untested";
}

/// The targets that have the function, in the order of Chips.def.
static std::vector<std::string> chipsOf(const Operation &operation) {
  std::vector<std::string> names;
  for (const Chip *chip : chips::kernelTargets)
    if (operation.existsOn(*chip))
      names.emplace_back(chip->targetName);
  return names;
}

static std::vector<std::string> memoriesOf(const Slot &slot) {
  std::vector<std::string> names;
  for (Memory memory :
       {Memory::Local, Memory::Global, Memory::L2, Memory::Static})
    if (slot.memories >> unsigned(memory) & 1)
      names.emplace_back(spelling(memory));
  return names;
}

static nlohmann::ordered_json slotJson(const Slot &slot) {
  static constexpr const char *kinds[] = {
      "tensor", "tensor or number", "integer", "float",
      "flag",   "choice",           "integers"};
  static constexpr const char *accesses[] = {"read", "write", "read and write"};
  nlohmann::ordered_json json = {{"name", slot.name},
                                 {"kind", kinds[unsigned(slot.kind)]}};
  bool isTensor =
      slot.kind == SlotKind::Tensor || slot.kind == SlotKind::TensorOrScalar;
  if (isTensor) {
    json["access"] = accesses[unsigned(slot.access)];
    json["memories"] = memoriesOf(slot);
    json["types"] = nlohmann::json::array();
    for (DataType type : slot.types.members())
      json["types"].push_back(spelling(type));
  }
  json["optional"] = slot.optional;
  if (slot.optional && !isTensor)
    json["fallback"] = slot.fallback;
  if (slot.kind == SlotKind::Integers)
    json["count"] = slot.count;
  if (slot.low != INT64_MIN && !isTensor && slot.kind != SlotKind::Flag)
    json["low"] = slot.low;
  if (slot.high != INT64_MAX && !isTensor && slot.kind != SlotKind::Flag)
    json["high"] = slot.high;
  if (!slot.choices.empty())
    json["choices"] = slot.choices;
  return json;
}

nlohmann::ordered_json cli::pplFunctionsJson() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Operation &operation : operations()) {
    nlohmann::ordered_json slots = nlohmann::ordered_json::array();
    for (const Slot &slot : operation.slots)
      slots.push_back(slotJson(slot));
    nlohmann::ordered_json rules = nlohmann::ordered_json::array();
    for (const Rule &rule : operation.rules)
      rules.push_back(rule.text);
    rows.push_back({{"name", "ppl." + std::string(operation.name)},
                    {"state", stateOf(operation)},
                    {"chips", chipsOf(operation)},
                    {"unit", spelling(operation.unit)},
                    {"section", operation.section},
                    {"summary", operation.summary},
                    {"formula", operation.formula},
                    {"slots", slots},
                    {"rules", rules},
                    {"chip_note", operation.chipNote},
                    {"example", operation.example}});
  }
  return rows;
}

std::string cli::pplFunctionsTable() {
  std::string text = "| function | manual | BM1684X | chips | summary |\n"
                     "|---|---|---|---|---|\n";
  for (const Operation &operation : operations()) {
    std::string chips;
    for (const std::string &name : chipsOf(operation))
      chips += (chips.empty() ? "" : " ") + name;
    text += "| ppl." + std::string(operation.name) + " | " +
            std::string(operation.section) + " | " + stateOf(operation) +
            " | " + chips + " | " + std::string(operation.summary) + " |\n";
  }
  return text;
}

// What examples of data movement take for granted, and a result for the
// program around each.
static constexpr char kBefore[] =
    "  dim4 shape = {2, 8, 5, 7};\n"
    "  float *memory = ppl::malloc<float>(&shape);\n"
    "  gtensor<fp32> g(shape, GLOBAL, memory);\n"
    "  tensor<fp32> a(shape), b(shape);\n"
    "  dma::load(a, g);\n";
static constexpr char kAfter[] = "  dma::store(g, a);\n";

/// The chip whose example is run: the first that has the function.
static const Chip *exampleChip(const Operation &operation) {
  for (const Chip *chip : chips::kernelTargets)
    if (operation.existsOn(*chip))
      return chip;
  return nullptr;
}

std::string cli::pplExamples(const Chip &chip) {
  std::string text = "#include \"ppl/ppl.h\"\nusing namespace ppl;\n";
  for (const Operation &operation : operations()) {
    if (exampleChip(operation) != &chip || operation.example.empty())
      continue;
    std::string name(operation.name);
    name[name.find('.')] = '_';
    text += "__TEST__ void example_" + name + "() {\n" + kBefore + "{\n" +
            std::string(operation.example) + "\n}\n" + kAfter + "}\n";
  }
  return text;
}
