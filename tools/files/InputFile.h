//===- InputFile.h - whole files and pipes as text --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_INPUTFILE_H
#define WEFT_TOOLS_FILES_INPUTFILE_H

#include "runtime/status/Status.h"

#include <cstddef>
#include <string>
#include <vector>

namespace weft::tools {

/// What a listing or a bare command buffer may hold at most. A command group
/// ends at id 1048575 and a line has about 500 characters at most, so that a
/// full group of both engines fits; /dev/zero and the like end here instead of
/// filling the memory.
constexpr size_t kMaxInputBytes = size_t(1) << 30;

/// All bytes of `path`, which may be a pipe; "-" is stdin. Errors: NotFound,
/// IoError, with the path and the system's reason; OutOfRange if there are more
/// than `maxBytes`.
rt::Result<std::string> readInputFile(const std::string &path,
                                      size_t maxBytes = kMaxInputBytes);

/// Whether both names, neither of them "-", are the same existing regular file
/// (also through links), so that writing one overwrites the other.
bool isSameFile(const std::string &path, const std::string &other);

/// A file that a command reads, and what its user knows it as: "the model".
struct NamedInput {
  std::string what, path;
};

/// Refuses a file that `option` writes if it is one of those that are read,
/// which would be lost. To be asked before any work. Code::InvalidArgument.
rt::Status checkInputsKept(const std::string &option, const std::string &output,
                           const std::vector<NamedInput> &inputs);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_INPUTFILE_H
