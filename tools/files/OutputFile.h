//===- OutputFile.h - files that appear whole or not at all -----*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_OUTPUTFILE_H
#define WEFT_TOOLS_FILES_OUTPUTFILE_H

#include "runtime/status/Status.h"

#include <cstddef>
#include <functional>
#include <string>

namespace weft::tools {

/// Writes `size` bytes to `path`: into a file without a name, or a temporary
/// one beside it, that gets the name at the end, so a failure (disk full,
/// signal) leaves an older file as it was and nothing half-written. "-" is
/// stdout; an existing file that is not a regular one (a pipe, /dev/null) is
/// written in place, and so is what an open descriptor stands for (/dev/stdout,
/// also where that is a file). One that the user may not write is refused.
/// Code::IoError names the path.
rt::Status writeOutputFile(const std::string &path, const void *bytes,
                           size_t size);

/// Takes bytes in their order; false means that nothing more can be written.
using ByteSink = std::function<bool(const void *, size_t)>;

/// The same for what `write` gives its sink, for files that should not be in
/// memory whole. `write` returns false when the sink did.
using FileBody = std::function<bool(const ByteSink &)>;
rt::Status writeOutputFile(const std::string &path, const FileBody &write);

/// Whether writeOutputFile() can make a file at `path`, before work is done for
/// it. Fails as that would; nothing is left.
rt::Status checkOutputFile(const std::string &path);

/// Writes to stdout and flushes. A closed pipe or a full disk is Code::IoError.
rt::Status writeStdout(const std::string &text);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_OUTPUTFILE_H
