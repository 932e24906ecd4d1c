//===- Isa.h - instruction words: fields, packing, tables -----*- C++ -*-===//
//
// Names of words and fields (Names.def) are common to all chips, so that one
// search finds them all: `Form::sAR`, `Field::opd0_addr`. Where a field lies
// and which instructions there are is a chip's own: an InstructionSet, which
// belongs to the Chip (runtime/chips).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_ISA_H
#define WEFT_RUNTIME_ISA_ISA_H

#include "runtime/isa/Codes.h"
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "instruction words are read with little-endian loads");

namespace weft::isa {

/// The name of an instruction word: `sAR` is the short, `AR` the long form of
/// element arithmetic.
enum class Form : uint8_t {
  None,
#define WEFT_ISA_FORM_NAME(form) form,
#include "runtime/isa/Names.def"
  End,
};
inline constexpr size_t kFormCount = static_cast<size_t>(Form::End);

/// A field name. One name means the same thing in every form that has it.
enum class Field : uint8_t {
#define WEFT_ISA_NAME(field) field,
#include "runtime/isa/Names.def"
  Reserved, ///< bits that must be zero; not addressable by name
};
inline constexpr size_t kFieldCount = static_cast<size_t>(Field::Reserved);

/// Where a field lies: bit offset from bit 0 of byte 0, and width in bits
/// (1..64).
struct FieldSpec {
  Field name;
  uint16_t offset;
  uint8_t width;
};

/// A field's place in a form; width 0 (the zero-initialized value) if the form
/// lacks the field.
struct FieldPlace {
  uint16_t offset;
  uint8_t width;
};

namespace detail {
/// The eight bytes of a word that hold a field start here; never beyond the
/// last eight bytes.
constexpr unsigned windowStart(unsigned offset, unsigned formBytes) {
  unsigned start = offset / 8;
  return start + 8 <= formBytes ? start : formBytes - 8;
}

constexpr uint64_t maskOf(unsigned width) {
  return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

inline uint64_t readBits(const uint8_t *word, unsigned offset, unsigned width,
                         unsigned bytes) {
  unsigned start = windowStart(offset, bytes);
  uint64_t window;
  std::memcpy(&window, word + start, sizeof(window));
  return (window >> (offset - start * 8)) & maskOf(width);
}

inline void writeBits(uint8_t *word, unsigned offset, unsigned width,
                      unsigned bytes, uint64_t value) {
  unsigned start = windowStart(offset, bytes), shift = offset - start * 8;
  uint64_t window;
  std::memcpy(&window, word + start, sizeof(window));
  window =
      (window & ~(maskOf(width) << shift)) | ((value & maskOf(width)) << shift);
  std::memcpy(word + start, &window, sizeof(window));
}
} // namespace detail

/// One instruction word of a chip: engine, size, and its fields in order,
/// without gaps. A word of 0 bytes is one that the chip lacks.
struct FormSpec {
  Engine engine = Engine::Tiu;
  uint16_t bytes = 0;
  std::string_view name = "none";
  const FieldSpec *fields = nullptr;
  size_t fieldCount = 0;
  /// The same by name, so that reading a field is one look-up.
  std::array<FieldPlace, kFieldCount> places{};

  const FieldSpec *begin() const { return fields; }
  const FieldSpec *end() const { return fields + fieldCount; }

  constexpr FieldPlace place(Field field) const {
    return places[static_cast<size_t>(field)];
  }
  constexpr bool has(Field field) const { return place(field).width != 0; }
  /// Largest value the field can hold; 0 if the word lacks it.
  constexpr uint64_t max(Field field) const {
    return has(field) ? detail::maskOf(place(field).width) : 0;
  }
  /// Reads a field of `word`, which holds at least `bytes` bytes; std::nullopt
  /// if the word lacks the field.
  std::optional<uint64_t> get(const uint8_t *word, Field field) const {
    FieldPlace at = place(field);
    if (at.width == 0)
      return std::nullopt;
    return detail::readBits(word, at.offset, at.width, bytes);
  }
  /// Writes a field. False, and nothing written, if the word lacks it or
  /// `value` does not fit.
  bool set(uint8_t *word, Field field, uint64_t value) const {
    FieldPlace at = place(field);
    if (at.width == 0 || value > detail::maskOf(at.width))
      return false;
    detail::writeBits(word, at.offset, at.width, bytes, value);
    return true;
  }
};

/// The word of a command that has none.
inline constexpr FormSpec kNoForm{};

/// One row of the opcode table; `longForm` or `shortForm` is Form::None when it
/// does not exist.
struct Opcode {
  Engine engine;
  uint8_t type;
  uint8_t func;
  std::string_view mnemonic;
  Form longForm;
  Form shortForm;
};

/// Rows of the opcode table, in the table's order.
struct OpcodeRange {
  const Opcode *first;
  const Opcode *last;
  const Opcode *begin() const { return first; }
  const Opcode *end() const { return last; }
};

/// The fields that select an instruction. They lie at the same place in all
/// words of an engine, so that they can be read before the word is known.
struct HeadPlaces {
  FieldPlace isShort, type, func;
};

/// The instructions of a chip. Made at compile time from its table
/// (MakeInstructionSet.inc).
struct InstructionSet {
  /// Rows by engine (1 bit), type (4 bits) and function (5 bits), so that
  /// decoding is one load.
  static constexpr size_t kSlots = 2 * 16 * 32;

  std::array<FormSpec, kFormCount> forms{};
  std::array<HeadPlaces, 2> heads{}; ///< by engine
  const Opcode *opcodeRows = nullptr;
  size_t opcodeCount = 0;
  std::array<uint8_t, kSlots> index{}; ///< number of the row, from 1

  constexpr const FormSpec &form(Form form) const {
    return forms[static_cast<size_t>(form)];
  }
  /// The row of a type and function number; nullptr if the chip has no such
  /// instruction.
  constexpr const Opcode *find(Engine engine, unsigned type,
                               unsigned func) const {
    if (type >= 16 || func >= 32)
      return nullptr;
    uint8_t row = index[slotOf(engine, type, func)];
    return row ? &opcodeRows[row - 1] : nullptr;
  }
  constexpr OpcodeRange opcodes() const {
    return {opcodeRows, opcodeRows + opcodeCount};
  }
  static constexpr size_t slotOf(Engine engine, unsigned type, unsigned func) {
    return (static_cast<size_t>(engine) * 16 + type) * 32 + func;
  }
};

std::string_view fieldName(Field field);
std::string_view engineName(Engine engine);

/// The field of that name, spelt as in Names.def.
std::optional<Field> fieldByName(std::string_view name);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_ISA_H
