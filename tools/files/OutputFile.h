//===- OutputFile.h - files that appear whole or not at all -----*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_OUTPUTFILE_H
#define WEFT_TOOLS_FILES_OUTPUTFILE_H

#include "runtime/status/Status.h"

#include <cstddef>
#include <string>

namespace weft::tools {

/// Writes `size` bytes to `path`: into a temporary file beside it that is
/// renamed at the end, so a failure (disk full, signal) leaves an older file as
/// it was and nothing half-written. "-" is stdout; an existing file that is not
/// a regular one (a pipe, /dev/null) is written in place. Code::IoError names
/// the path.
rt::Status writeOutputFile(const std::string &path, const void *bytes,
                           size_t size);

/// Writes to stdout and flushes. A closed pipe or a full disk is Code::IoError.
rt::Status writeStdout(const std::string &text);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_OUTPUTFILE_H
