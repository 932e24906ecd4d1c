//===- Language.cpp - functions, element types and chips as JSON ----------===//

#include "runtime/chips/Chips.h"
#include "tools/capi/weft-compiler.h"
#include "tools/catalog/Listing.h"

#include <map>

using namespace weft;
using Json = nlohmann::ordered_json;

const char *weft_catalog(const char *set) {
  static const std::map<std::string, std::string, std::less<>> texts = [] {
    std::map<std::string, std::string, std::less<>> made;
    for (catalog::Language language : catalog::languages())
      made.emplace(spelling(language), catalog::describe(language).dump());
    return made;
  }();
  auto found = set ? texts.find(std::string_view(set)) : texts.end();
  return found == texts.end() ? nullptr : found->second.c_str();
}

const char *weft_ppl_catalog(void) { return weft_catalog("ppl"); }

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
                      {"commands", chip->hasCommands()}});
    return rows.dump();
  }();
  return text.c_str();
}
