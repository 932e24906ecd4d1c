//===- Language.cpp - the functions, types and chips of PPL as JSON -------===//

#include "runtime/catalog/Catalog.h"
#include "runtime/chips/Chips.h"
#include "tools/capi/weft-compiler.h"

#include <nlohmann/json.hpp>

using namespace weft;
using Json = nlohmann::ordered_json;

static Json describe(const catalog::Slot &slot) {
  Json types = Json::array(), memories = Json::array();
  bool isTensor = slot.kind == catalog::SlotKind::Tensor ||
                  slot.kind == catalog::SlotKind::TensorOrScalar;
#define PPL_DATA_TYPE(Name, text, code, bits, isFloat, isSigned)               \
  if (isTensor && slot.types.contains(catalog::DataType::Name))                \
    types.push_back(text);
#include "runtime/catalog/DataTypes.def"
  for (auto memory : {catalog::Memory::Local, catalog::Memory::Global,
                      catalog::Memory::Static, catalog::Memory::L2})
    if (isTensor && (slot.memories >> unsigned(memory) & 1))
      memories.push_back(std::string(catalog::spelling(memory)));
  return {{"name", slot.name},
          {"kind", catalog::spelling(slot.kind)},
          {"access", catalog::spelling(slot.access)},
          {"types", types},
          {"memories", memories},
          {"optional", slot.optional},
          {"fallback", slot.fallback},
          {"count", slot.count},
          {"choices", slot.choices}};
}

const char *weft_ppl_catalog(void) {
  static const std::string text = [] {
    Json rows = Json::array();
    for (const catalog::Operation &row : catalog::operations()) {
      Json slots = Json::array();
      for (const catalog::Slot &slot : row.slots)
        slots.push_back(describe(slot));
      rows.push_back({{"name", row.name},
                      {"summary", row.summary},
                      {"formula", row.formula},
                      {"section", row.section},
                      {"chips", row.chips},
                      {"chip_note", row.chipNote},
                      {"example", row.example},
                      {"slots", slots}});
    }
    return rows.dump();
  }();
  return text.c_str();
}

const char *weft_ppl_types(void) {
  static const std::string text = [] {
    Json rows = Json::array();
#define PPL_DATA_TYPE(Name, spelt, code, bitCount, isFloat, isSigned)          \
  rows.push_back({{"name", spelt},                                             \
                  {"code", code},                                              \
                  {"bits", bitCount},                                          \
                  {"float", isFloat},                                          \
                  {"signed", isSigned}});
#include "runtime/catalog/DataTypes.def"
    return rows.dump();
  }();
  return text.c_str();
}

const char *weft_ppl_chips(void) {
  static const std::string text = [] {
    Json rows = Json::array();
    for (const Chip *chip : chips::kernelTargets)
      rows.push_back({{"name", chip->targetName},
                      {"lanes", chip->lanes},
                      {"eu_bytes", chip->euBytes},
                      {"lane_bytes", chip->laneBytes},
                      {"cores", chip->cores},
                      {"commands", chips::hasCommands(*chip)}});
    return rows.dump();
  }();
  return text.c_str();
}
