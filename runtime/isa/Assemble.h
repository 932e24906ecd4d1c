//===- Assemble.h - text to commands ---------------------------*- C++ -*-===//
//
// The text form of commands, one a line; `disassemble` writes it:
//
//   line     = [ command ] [ ";" comment ]
//   command  = engine { "id=" number | "dep=" number } mnemonic [ form ]
//              { field "=" value }
//   engine   = "tiu" | "gdma"
//   form     = "sAR", "AR", ...; the usual one (CommandBuilder.h) if left out
//   field    = a name of the instruction table, or "rsvd_b" first-bit for
//              reserved bits
//   value    = number | code | "fp32(" real ")" | "fp16(" real ")"
//              | "bf16(" real ")"
//   number   = [ "-" ] ( decimal | "0x" hex )
//   code     = int8 fp16 fp32 int16 int32 bf16 int4     in *_prec and
//                                                       *_data_format
//              aligned compact channel free per_lane    in res0_str, opd0_str,
//                                                       opd1_str, opd2_str
//              constant reflect edge circular           in pad_mode
//              half_to_even half_away_from_zero toward_zero floor ceil half_up
//              half_down                  in opd2_n_str where it is a rounding
//
// Words are separated by blanks; fields come in any order, each at most once. A
// field that is not named holds its default, `id` and `dep` 0. A negative
// number is the two's complement of the field's width. A real becomes the bits
// of that type, rounded half to even.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_ASSEMBLE_H
#define WEFT_RUNTIME_ISA_ASSEMBLE_H

#include "runtime/isa/CommandBuilder.h"

namespace weft::isa {

/// What is wrong with a line.
struct TextError {
  size_t column = 0; ///< of the word, from 1, in bytes
  /// The word, the rule, and what would be accepted; one line, without full
  /// stop.
  std::string message;
};

/// A line's command, or nothing (blank, comment only), or an error.
struct AssembledLine {
  std::optional<CommandBuilder> command;
  bool hasId = false;  ///< the line gives `id=`
  bool hasDep = false; ///< the line gives `dep=`
  std::optional<TextError> error;

  explicit operator bool() const { return !error; }
};

/// A command of `set`. The exact inverse of `disassemble`: assembling its text
/// gives the bytes that it was made from.
AssembledLine assemble(const InstructionSet &set, std::string_view line);

/// `text` as in messages about a wrong word: the name out of `names` that is
/// nearest to `word`, empty if none resembles it.
std::string_view nearestName(std::string_view word,
                             const std::vector<std::string_view> &names);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_ASSEMBLE_H
