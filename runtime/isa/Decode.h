//===- Decode.h - command bytes to instructions ---------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ISA_DECODE_H
#define WEFT_RUNTIME_ISA_DECODE_H

#include "runtime/isa/Isa.h"
#include <string>
#include <vector>

namespace weft::isa {

/// One command, as a view of the bytes it was decoded from (they must outlive
/// it).
struct Decoded {
  Engine engine = Engine::Tiu;
  Form form = Form::None;
  const FormSpec *spec = &kNoForm; ///< of the chip that it was decoded for
  const Opcode *opcode = nullptr;
  uint8_t type = 0; ///< `tsk_typ` or `cmd_type`
  uint8_t func = 0; ///< `tsk_eu_typ` or `cmd_special_function`
  std::string_view mnemonic;
  unsigned sizeBytes = 0;
  const uint8_t *bytes = nullptr;

  /// The field's value; std::nullopt if this form lacks the field.
  std::optional<uint64_t> field(Field name) const {
    return spec->get(bytes, name);
  }
  std::optional<uint64_t> field(std::string_view name) const {
    std::optional<Field> found = fieldByName(name);
    return found ? field(*found) : std::nullopt;
  }
  /// The field's value, or `otherwise` where this form lacks the field (short
  /// forms leave out fields whose value is fixed).
  uint64_t get(Field name, uint64_t otherwise = 0) const {
    FieldPlace place = spec->place(name);
    if (place.width == 0)
      return otherwise;
    return detail::readBits(bytes, place.offset, place.width, sizeBytes);
  }
  bool has(Field name) const { return spec->has(name); }

  uint32_t id() const { return static_cast<uint32_t>(get(Field::cmd_id)); }
  /// Id of the other engine's command that must be complete first; 0 = none.
  uint32_t dep() const { return static_cast<uint32_t>(get(Field::cmd_id_dep)); }
  bool isEnd() const;
};

/// Why bytes are not a command.
enum class DecodeError : uint8_t {
  None,
  Truncated,       ///< fewer bytes left than the instruction has
  UnknownType,     ///< no instruction of this type number
  UnknownFunction, ///< the type has no such function
  NoSuchForm,      ///< the instruction has no short or no long form
};

/// Lower-case text of the reason, without full stop.
std::string_view decodeErrorText(DecodeError error);

struct DecodeResult {
  Decoded command; ///< valid if `error` is None
  DecodeError error = DecodeError::None;
  explicit operator bool() const { return error == DecodeError::None; }
};

/// Decodes the command of `set` at the start of `bytes`; never reads beyond
/// `size`.
DecodeResult decodeOne(const InstructionSet &set, Engine engine,
                       const uint8_t *bytes, size_t size);

/// The commands of one buffer, up to the first that did not decode.
struct DecodedStream {
  std::vector<Decoded> commands;
  DecodeError error = DecodeError::None;
  size_t errorOffset = 0; ///< byte offset of the command that did not decode
};

/// Decodes a whole command buffer, up to and including the end command, or to
/// the last byte. Bytes after the end command are ignored.
DecodedStream decodeStream(const InstructionSet &set, Engine engine,
                           const uint8_t *bytes, size_t size);

/// One command as text, in the grammar of Assemble.h: `tiu id=3 dep=1 arith.add
/// sAR res0_prec=fp32 ... opd0_addr=0x4000`. Fields that hold their default
/// (CommandBuilder.h) are left out; every bit can be read back.
std::string disassemble(const Decoded &command);

/// The end command of a TIU buffer: SYSID, 16 bytes. `id` = last id + 1.
std::array<uint8_t, 16> makeTiuEnd(const InstructionSet &set, uint32_t id);
/// The end command of a GDMA buffer: sDMA_sys, 16 bytes. `id` = last id + 1.
std::array<uint8_t, 16> makeGdmaEnd(const InstructionSet &set, uint32_t id);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_DECODE_H
