//===- MakeInstructionSet.h - a chip's instructions from rows -*- C++ -*-===//
//
// For MakeInstructionSet.inc, which reads a table into these rows.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_MAKEINSTRUCTIONSET_H
#define WEFT_RUNTIME_ISA_MAKEINSTRUCTIONSET_H

#include "runtime/isa/CommandBuilder.h"

namespace weft::isa::table {

/// An instruction word as a table has it.
struct WordRow {
  Form form;
  Engine engine;
  unsigned bits;
  std::string_view name;
  const FieldSpec *fields;
  size_t fieldCount;
};

constexpr FormSpec specOf(const WordRow &row) {
  FormSpec spec;
  spec.engine = row.engine;
  spec.bytes = uint16_t(row.bits / 8);
  spec.name = row.name;
  spec.fields = row.fields;
  spec.fieldCount = row.fieldCount;
  for (size_t i = 0; i < row.fieldCount; ++i)
    if (row.fields[i].name != Field::Reserved)
      spec.places[static_cast<size_t>(row.fields[i].name)] = {
          row.fields[i].offset, row.fields[i].width};
  return spec;
}

constexpr HeadPlaces headOf(const FormSpec &spec) {
  bool tiu = spec.engine == Engine::Tiu;
  return {spec.place(Field::cmd_short),
          spec.place(tiu ? Field::tsk_typ : Field::cmd_type),
          spec.place(tiu ? Field::tsk_eu_typ : Field::cmd_special_function)};
}

template <size_t words, size_t rows>
constexpr InstructionSet makeInstructionSet(const WordRow (&wordRows)[words],
                                            const Opcode (&opcodes)[rows]) {
  static_assert(rows < 255, "the index holds row numbers in one byte");
  InstructionSet set;
  for (const WordRow &row : wordRows)
    set.forms[static_cast<size_t>(row.form)] = specOf(row);
  for (const FormSpec &spec : set.forms)
    if (spec.has(Field::cmd_short))
      set.heads[static_cast<size_t>(spec.engine)] = headOf(spec);
  set.opcodeRows = opcodes;
  set.opcodeCount = rows;
  for (size_t i = 0; i < rows; ++i)
    set.index[InstructionSet::slotOf(opcodes[i].engine, opcodes[i].type,
                                     opcodes[i].func)] = uint8_t(i + 1);
  return set;
}

/// Fields follow each other without a gap, fill the word, and each lies inside
/// one 8-byte load.
constexpr bool isWhole(const FormSpec &spec) {
  unsigned next = 0;
  for (size_t i = 0; i < spec.fieldCount; ++i) {
    const FieldSpec &field = spec.fields[i];
    unsigned start = detail::windowStart(field.offset, spec.bytes) * 8;
    if (field.offset != next || field.width == 0 ||
        field.offset - start + field.width > 64)
      return false;
    next += field.width;
  }
  return next == spec.bytes * 8u && spec.bytes <= kMaxCommandBytes;
}

constexpr bool isSamePlace(FieldPlace a, FieldPlace b) {
  return a.offset == b.offset && a.width == b.width;
}

/// The head must be readable before the word is known.
constexpr bool hasHead(const FormSpec &spec, const HeadPlaces &head) {
  HeadPlaces own = headOf(spec);
  // SYSID and LAR have one form and no short bit.
  return (!spec.has(Field::cmd_short) ||
          isSamePlace(own.isShort, head.isShort)) &&
         isSamePlace(own.type, head.type) && isSamePlace(own.func, head.func) &&
         head.func.offset + head.func.width <= 64u;
}

/// What decoding, building and reading rely on.
constexpr bool isSound(const InstructionSet &set) {
  for (const FormSpec &spec : set.forms)
    if (spec.bytes != 0 &&
        (!isWhole(spec) ||
         !hasHead(spec, set.heads[static_cast<size_t>(spec.engine)])))
      return false;
  return true;
}

} // namespace weft::isa::table

#endif // WEFT_RUNTIME_ISA_MAKEINSTRUCTIONSET_H
