//===- FirstTable.h - words of the first chip, for tests -------*- C++ -*-===//
//
// Most tests of commands are about the chip of the vendor's emulator, the first
// of Chips.def: these are the functions of runtime/isa with its instructions
// filled in.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_ISA_FIRSTTABLE_H
#define WEFT_TESTS_UNIT_RUNTIME_ISA_FIRSTTABLE_H

#include "runtime/chips/Chips.h"
#include "runtime/isa/Assemble.h"

#include <cassert>

namespace weft::isa {

inline const InstructionSet &firstTable() {
  return *chips::all[0]->instructions;
}
inline const FormSpec &formSpec(Form form) { return firstTable().form(form); }
inline bool hasField(Form form, Field field) {
  return formSpec(form).has(field);
}
inline uint64_t fieldMax(Form form, Field field) {
  return formSpec(form).max(field);
}
inline std::optional<uint64_t> get(Form form, Field field,
                                   const uint8_t *word) {
  return formSpec(form).get(word, field);
}
inline bool set(Form form, Field field, uint8_t *word, uint64_t value) {
  return formSpec(form).set(word, field, value);
}
/// Of a field that the form has.
template <Form form, Field field>
uint64_t get(const uint8_t *word) {
  return *get(form, field, word);
}
template <Form form, Field field>
void set(uint8_t *word, uint64_t value) {
  [[maybe_unused]] bool fits = set(form, field, word, value);
  assert(fits && "the form has the field, and it holds the value");
}
inline const Opcode *findOpcode(Engine engine, unsigned type, unsigned func) {
  return firstTable().find(engine, type, func);
}
inline OpcodeRange allOpcodes() { return firstTable().opcodes(); }
inline DecodeResult decodeOne(Engine engine, const uint8_t *bytes,
                              size_t size) {
  return decodeOne(firstTable(), engine, bytes, size);
}
inline DecodedStream decodeStream(Engine engine, const uint8_t *bytes,
                                  size_t size) {
  return decodeStream(firstTable(), engine, bytes, size);
}
inline std::array<uint8_t, 16> makeTiuEnd(uint32_t id) {
  return makeTiuEnd(firstTable(), id);
}
inline std::array<uint8_t, 16> makeGdmaEnd(uint32_t id) {
  return makeGdmaEnd(firstTable(), id);
}
inline AssembledLine assemble(std::string_view line) {
  return assemble(firstTable(), line);
}

} // namespace weft::isa

#endif // WEFT_TESTS_UNIT_RUNTIME_ISA_FIRSTTABLE_H
