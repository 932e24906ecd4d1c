//===- ProgramListing.h - .zyp programs for a reader ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROGRAMLISTING_H
#define WEFT_TOOLS_WEFT_PROGRAMLISTING_H

#include "runtime/status/Status.h"
#include "tools/weft/Program.h"

#include <string>

namespace weft::cli {

/// `weft info` for a program of vector operations, with the keys of bmodels
/// where they mean the same.
ExitCode showProgram(const std::string &path, bool check, bool json);

/// `weft disasm` for one.
ExitCode listProgram(const std::string &path, bool json);

/// Refuses a program of vector operations where `command` is about the commands
/// of a bmodel.
rt::Status wantsBmodel(const std::string &path, const char *command);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROGRAMLISTING_H
