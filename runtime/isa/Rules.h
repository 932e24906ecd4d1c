//===- Rules.h - what the hardware demands of a command --------*- C++ -*-===//
//
// Decoding accepts every bit pattern that has a form, and the emulator executes
// whatever stays inside its memories. The machine is stricter: operands that
// begin at the wrong byte or in different lanes, types that do not go together,
// or windows that are too large give wrong results or hang it, and the vendor's
// emulator says nothing. These are the rules, each with its source. They are
// about one command alone; ids and dependencies belong to whole streams
// (runtime/bmodel).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_RULES_H
#define WEFT_RUNTIME_ISA_RULES_H

#include "runtime/chips/Chip.h"
#include "runtime/isa/Decode.h"
#include "runtime/status/Status.h"

namespace weft::isa {

/// Begins the encoder's error about a command that breaks a rule. The driver
/// knows it by this: a compiled model is never the user's fault there.
inline constexpr std::string_view kBrokenRuleError =
    "the command for this operation breaks a rule of the hardware: ";

/// The first rule of the hardware that `command` breaks, as Code::BadCommand:
/// the value found, what it must be, and the rule's source in brackets. Success
/// for a command that keeps them all. Takes any command that decodes, and a
/// chip that has rules.
rt::Status checkCommand(const Decoded &command, const Chip &chip);

/// The sources of the rules of a chip that rows of tables hold, each once, as
/// they stand in the messages of checkCommand.
std::vector<std::string_view> ruleSources(const Chip &chip);

} // namespace weft::isa

#endif // WEFT_RUNTIME_ISA_RULES_H
