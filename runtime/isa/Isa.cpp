//===- Isa.cpp - names of fields and engines ------------------------------===//

#include "runtime/isa/Isa.h"

using namespace weft::isa;

static constexpr std::string_view kFieldNames[] = {
#define WEFT_ISA_NAME(field) #field,
#include "runtime/isa/Names.def"
    "reserved",
};

std::string_view weft::isa::fieldName(Field field) {
  return kFieldNames[static_cast<size_t>(field)];
}

std::string_view weft::isa::engineName(Engine engine) {
  return engine == Engine::Tiu ? "tiu" : "gdma";
}

std::optional<Field> weft::isa::fieldByName(std::string_view name) {
  for (size_t i = 0; i < kFieldCount; ++i)
    if (kFieldNames[i] == name)
      return static_cast<Field>(i);
  return std::nullopt;
}
