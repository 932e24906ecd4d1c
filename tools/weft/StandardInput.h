//===- StandardInput.h - "-" in place of a file -----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_STANDARDINPUT_H
#define WEFT_TOOLS_WEFT_STANDARDINPUT_H

#include "runtime/status/Status.h"

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// What stdin gives, in a file called "stdin" in a temporary folder that lives
/// as long as the program: models and archives are read at several places, some
/// of them by other programs. Once: Code::InvalidArgument if stdin was read
/// before.
rt::Result<std::string> standardInputFile();

/// Whether `path` is that file: what is written into it is lost with it.
bool isStandardInput(const std::string &path);

/// `text` with "stdin" in place of that file.
std::string withStandardInputNamed(std::string text);

/// `option` names a file that is read: "-" (or "NAME=-") is stdin.
CLI::Option *mayBeStandardInput(CLI::Option *option);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_STANDARDINPUT_H
