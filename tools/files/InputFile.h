//===- InputFile.h - whole files and pipes as text --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_INPUTFILE_H
#define WEFT_TOOLS_FILES_INPUTFILE_H

#include "runtime/status/Status.h"

#include <string>

namespace weft::tools {

/// All bytes of `path`, which may be a pipe; "-" is stdin. Errors: NotFound,
/// IoError, with the path and the system's reason.
rt::Result<std::string> readInputFile(const std::string &path);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_INPUTFILE_H
