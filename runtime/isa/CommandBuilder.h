//===- CommandBuilder.h - one command, made field by field -----*- C++ -*-===//

#ifndef WEFT_RUNTIME_ISA_COMMANDBUILDER_H
#define WEFT_RUNTIME_ISA_COMMANDBUILDER_H

#include "runtime/isa/Decode.h"
#include "runtime/status/Status.h"

namespace weft::isa {

/// Bytes of the longest instruction word of any form.
inline constexpr size_t kMaxCommandBytes = 128;

/// What a field holds unless somebody sets it: `cmd_id_en` 1 (0 in the TIU end
/// command), lane masks (`tsk_lane_num`, `localmem_mask_*`) all ones, else 0
/// (isa section 2 and 6). The text form leaves fields with this value out.
uint64_t fieldDefault(const Opcode &opcode, const FormSpec &form, Field field);

/// The form that compilers emit for an instruction: the short one on the TIU,
/// the long one on the GDMA (isa section 2: the vendor's runtime does not
/// survive short GDMA forms), or the only one there is.
Form usualForm(const Opcode &opcode);

/// A command under construction. Every field is checked when it is set: it must
/// exist in the form and hold the value. A default-constructed builder has no
/// form and refuses every field.
///
///   Result<CommandBuilder> add =
///       CommandBuilder::make(*chip.instructions, Engine::Tiu, 3, arith::Add);
///   WEFT_TRY(add->set(Field::res0_c, 64));
class CommandBuilder {
public:
  CommandBuilder() = default;
  /// `opcode` belongs to `set` and `form` is one of its two; the head and the
  /// defaults are set.
  CommandBuilder(const InstructionSet &set, const Opcode &opcode, Form form);

  /// The instruction of type and function of a chip in the form that is usual
  /// for it, or in `form`. Errors: NotFound for no such instruction,
  /// InvalidArgument for a form that it does not have.
  static rt::Result<CommandBuilder> make(const InstructionSet &set,
                                         Engine engine, unsigned type,
                                         unsigned func, Form form = Form::None);

  /// Errors: NotFound if the form lacks the field, OutOfRange if the value does
  /// not fit; nothing is written then.
  rt::Status set(Field field, uint64_t value);
  /// The same for a value that may be negative: two's complement of the field's
  /// width.
  rt::Status setSigned(Field field, int64_t value);
  /// Reserved bits, by their first bit; for tests and the assembler. Errors as
  /// above.
  rt::Status setReserved(unsigned offset, uint64_t value);

  Engine engine() const { return theSpec->engine; }
  Form form() const { return theForm; }
  const FormSpec &spec() const { return *theSpec; }
  const Opcode *opcode() const { return theOpcode; }
  bool has(Field field) const { return theSpec->has(field); }
  /// 0 if the form lacks the field.
  uint64_t get(Field field) const;

  const uint8_t *bytes() const { return word.data(); }
  unsigned sizeBytes() const { return theSpec->bytes; }
  /// A view of this builder's bytes; it must outlive the view.
  Decoded decoded() const;

private:
  const Opcode *theOpcode = nullptr;
  const FormSpec *theSpec = &kNoForm;
  Form theForm = Form::None;
  std::array<uint8_t, kMaxCommandBytes> word{};
};

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_COMMANDBUILDER_H
