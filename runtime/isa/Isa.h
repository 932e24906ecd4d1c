//===- Isa.h - instruction words: fields, packing, decoding ---*- C++ -*-===//
//
// Everything here derives from the table runtime/isa/bm1684x.def. Names of
// forms and fields are the spelling of the table (`Form::sAR`,
// `Field::opd0_addr`) so that one search finds them all.
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

/// An instruction word: `sAR` is the short, `AR` the long form of element
/// arithmetic.
enum class Form : uint8_t {
  None,
#define WEFT_ISA_FORM(engine, form, bits) form,
#include "runtime/isa/bm1684x.def"
};

/// A field name. One name means the same thing in every form that has it.
enum class Field : uint8_t {
#define WEFT_ISA_NAME(field) field,
#include "runtime/isa/bm1684x.def"
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

/// One instruction word: engine, size, and its fields in order, without gaps.
struct FormSpec {
  Engine engine;
  uint16_t bytes;
  std::string_view name;
  const FieldSpec *fields;
  size_t fieldCount;

  const FieldSpec *begin() const { return fields; }
  const FieldSpec *end() const { return fields + fieldCount; }
};

namespace detail {
#define WEFT_ISA_FORM(engine, form, bits)                                      \
  inline constexpr FieldSpec fieldsOf_##form[] = {
#define WEFT_ISA_FIELD(form, field, offset, width)                             \
  {Field::field, offset, width},
#define WEFT_ISA_RESERVED(form, field, offset, width)                          \
  {Field::Reserved, offset, width},
#define WEFT_ISA_END(form)                                                     \
  }                                                                            \
  ;
#include "runtime/isa/bm1684x.def"

inline constexpr FormSpec forms[] = {
    {Engine::Tiu, 0, "none", nullptr, 0},
#define WEFT_ISA_FORM(engine, form, bits)                                      \
  {Engine::engine, (bits) / 8, #form, fieldsOf_##form,                         \
   std::size(fieldsOf_##form)},
#include "runtime/isa/bm1684x.def"
};
} // namespace detail

inline constexpr size_t kFormCount = std::size(detail::forms);

constexpr const FormSpec &formSpec(Form form) {
  return detail::forms[static_cast<size_t>(form)];
}

namespace detail {
/// Fields follow each other without a gap and fill the word.
constexpr bool isContiguous(const FormSpec &spec) {
  unsigned next = 0;
  for (size_t i = 0; i < spec.fieldCount; ++i) {
    if (spec.fields[i].offset != next || spec.fields[i].width == 0)
      return false;
    next += spec.fields[i].width;
  }
  return next == spec.bytes * 8u;
}
#define WEFT_ISA_FORM(engine, form, bits)                                      \
  static_assert(isContiguous(formSpec(Form::form)),                            \
                "fields of " #form " must fill the word");
#include "runtime/isa/bm1684x.def"

/// A field's place in a form; width 0 (the zero-initialized value) if the form
/// lacks the field.
struct FieldPlace {
  uint16_t offset;
  uint8_t width;
};

using PlaceTable = std::array<std::array<FieldPlace, kFieldCount>, kFormCount>;

constexpr PlaceTable makePlaces() {
  PlaceTable places{};
  for (size_t form = 0; form < kFormCount; ++form)
    for (size_t i = 0; i < forms[form].fieldCount; ++i) {
      const FieldSpec &spec = forms[form].fields[i];
      if (spec.name != Field::Reserved)
        places[form][static_cast<size_t>(spec.name)] = {spec.offset,
                                                        spec.width};
    }
  return places;
}
inline constexpr PlaceTable places = makePlaces();

/// The eight bytes of a word that hold a field start here; never beyond the
/// last eight bytes.
constexpr unsigned windowStart(unsigned offset, unsigned formBytes) {
  unsigned start = offset / 8;
  return start + 8 <= formBytes ? start : formBytes - 8;
}

constexpr bool fieldsFitWindows() {
  for (const FormSpec &spec : forms)
    for (size_t i = 0; i < spec.fieldCount; ++i) {
      const FieldSpec &field = spec.fields[i];
      if (field.offset - windowStart(field.offset, spec.bytes) * 8u +
              field.width >
          64)
        return false;
    }
  return true;
}
static_assert(fieldsFitWindows(),
              "every field must lie inside one 8-byte load");

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

constexpr detail::FieldPlace placeOf(Form form, Field field) {
  return detail::places[static_cast<size_t>(form)][static_cast<size_t>(field)];
}

constexpr bool hasField(Form form, Field field) {
  return placeOf(form, field).width != 0;
}

/// Largest value the field can hold in this form; 0 if the form lacks it.
constexpr uint64_t fieldMax(Form form, Field field) {
  return hasField(form, field) ? detail::maskOf(placeOf(form, field).width) : 0;
}

/// Reads a field of a known form; `word` holds at least formSpec(form).bytes
/// bytes.
template <Form form, Field field>
uint64_t get(const uint8_t *word) {
  constexpr detail::FieldPlace place = placeOf(form, field);
  static_assert(place.width != 0, "this form has no such field");
  return detail::readBits(word, place.offset, place.width,
                          formSpec(form).bytes);
}

/// Writes a field of a known form. Bits beyond the field's width are dropped;
/// check with fieldMax.
template <Form form, Field field>
void set(uint8_t *word, uint64_t value) {
  constexpr detail::FieldPlace place = placeOf(form, field);
  static_assert(place.width != 0, "this form has no such field");
  detail::writeBits(word, place.offset, place.width, formSpec(form).bytes,
                    value);
}

/// Reads a field; std::nullopt if the form lacks it.
inline std::optional<uint64_t> get(Form form, Field field,
                                   const uint8_t *word) {
  detail::FieldPlace place = placeOf(form, field);
  if (place.width == 0)
    return std::nullopt;
  return detail::readBits(word, place.offset, place.width,
                          formSpec(form).bytes);
}

/// Writes a field. False, and nothing written, if the form lacks it or `value`
/// does not fit.
inline bool set(Form form, Field field, uint8_t *word, uint64_t value) {
  detail::FieldPlace place = placeOf(form, field);
  if (place.width == 0 || value > detail::maskOf(place.width))
    return false;
  detail::writeBits(word, place.offset, place.width, formSpec(form).bytes,
                    value);
  return true;
}

std::string_view fieldName(Field field);
std::string_view engineName(Engine engine);

/// The field of that name, spelt as in the table.
std::optional<Field> fieldByName(std::string_view name);

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

/// The row of a type and function number; nullptr if the chip has no such
/// instruction.
const Opcode *findOpcode(Engine engine, unsigned type, unsigned func);

/// Every row of the opcode table, in the table's order.
struct OpcodeRange {
  const Opcode *first;
  const Opcode *last;
  const Opcode *begin() const { return first; }
  const Opcode *end() const { return last; }
};
OpcodeRange allOpcodes();

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_ISA_H
