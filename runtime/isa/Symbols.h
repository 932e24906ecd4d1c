//===- Symbols.h - names of the codes that fields carry --------*- C++ -*-===//
//
// Shared by the disassembler and the assembler, so that what one prints the
// other reads.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_SYMBOLS_H
#define WEFT_RUNTIME_ISA_SYMBOLS_H

#include "runtime/isa/Isa.h"

namespace weft::isa {

/// The names of a field's codes, the name of code 0 first. Empty for a field
/// that holds a number.
struct Symbols {
  const std::string_view *names = nullptr;
  size_t count = 0;

  bool isEmpty() const { return count == 0; }
  const std::string_view *begin() const { return names; }
  const std::string_view *end() const { return names + count; }
};

/// `*_prec` and `*_data_format` hold precisions, `*_str` (not `*_n_str` and the
/// like) layouts, `pad_mode` padding modes, `opd2_n_str` a rounding mode where
/// the instruction rounds.
Symbols symbolsOf(const Opcode &opcode, Field field);

/// "fp16"; "code 7" for the code that means nothing.
std::string_view precisionName(Precision precision);

/// True for what is read in hex: addresses, masks, constants.
bool isHexField(Field field, unsigned width);

/// Fields that the text form does not spell as `name=value`: id and
/// dependency come first, the rest is said by mnemonic and form.
bool isHeadField(Field field);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_SYMBOLS_H
