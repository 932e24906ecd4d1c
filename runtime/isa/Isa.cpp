//===- Isa.cpp - names and opcodes of the instruction table --------------===//

#include "runtime/isa/Isa.h"

using namespace weft::isa;

static constexpr std::string_view kFieldNames[] = {
#define WEFT_ISA_NAME(field) #field,
#include "runtime/isa/bm1684x.def"
    "reserved",
};

static constexpr Opcode kOpcodes[] = {
#define WEFT_ISA_OPCODE(engine, type, func, mnemonic, longForm, shortForm)     \
  {Engine::engine, type, func, mnemonic, Form::longForm, Form::shortForm},
#include "runtime/isa/bm1684x.def"
};

// Rows by engine (1 bit), type (4 bits) and function (5 bits), so that decoding
// is one load.
static constexpr size_t kSlots = 2 * 16 * 32;
static constexpr size_t slotOf(Engine engine, unsigned type, unsigned func) {
  return (static_cast<size_t>(engine) * 16 + type) * 32 + func;
}

static constexpr std::array<uint8_t, kSlots> makeIndex() {
  std::array<uint8_t, kSlots> index{};
  for (size_t i = 0; i < std::size(kOpcodes); ++i)
    index[slotOf(kOpcodes[i].engine, kOpcodes[i].type, kOpcodes[i].func)] =
        i + 1;
  return index;
}
static_assert(std::size(kOpcodes) < 255,
              "the index holds row numbers in one byte");
static constexpr std::array<uint8_t, kSlots> kIndex = makeIndex();

const Opcode *weft::isa::findOpcode(Engine engine, unsigned type,
                                    unsigned func) {
  if (type >= 16 || func >= 32)
    return nullptr;
  uint8_t row = kIndex[slotOf(engine, type, func)];
  return row ? &kOpcodes[row - 1] : nullptr;
}

OpcodeRange weft::isa::allOpcodes() {
  return {std::begin(kOpcodes), std::end(kOpcodes)};
}

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
