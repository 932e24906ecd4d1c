//===- ListingText.h - a listing of commands, read --------------*- C++ -*-===//
//
// What `weft disasm` prints and `weft asm` reads:
//
//   net 'NAME' stage S group G tiu      a heading: the section that follows
//     tiu id=1 dep=0 arith.add ...      its commands (runtime/isa/Assemble.h)
//   ; anything                          a comment, also behind a command
//
// Commands before any heading form a section of their own. A command without
// `id=` has the id of the one before plus 1, the first of a section 1.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_LISTINGTEXT_H
#define WEFT_TOOLS_WEFT_LISTINGTEXT_H

#include "runtime/chips/Chip.h"
#include "runtime/isa/Codes.h"
#include "runtime/status/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

/// The commands below one heading, assembled.
struct ListingSection {
  /// Without comment and blanks around it; empty for commands without heading.
  std::string heading;
  size_t line = 0; ///< of the heading, or of the first command; from 1
  isa::Engine engine = isa::Engine::Tiu;
  uint32_t count = 0; ///< commands
  std::vector<uint8_t> bytes;
};

/// Whose commands the lines are, and whether those that break a rule of the
/// chip are errors.
struct ListingRules {
  const Chip *chip = nullptr; ///< never null
  bool checked = true;        ///< false: nothing but the grammar is checked
};

/// Reads a listing. The error has one line for each of the first 20 faults,
/// "FILE:LINE:COLUMN: <word, rule, what is accepted>"; `name` stands for FILE.
rt::Result<std::vector<ListingSection>> readListing(const std::string &text,
                                                    const std::string &name,
                                                    const ListingRules &rules);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_LISTINGTEXT_H
