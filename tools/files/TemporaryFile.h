//===- TemporaryFile.h - files that never outlive the program ---*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_TEMPORARYFILE_H
#define WEFT_TOOLS_FILES_TEMPORARYFILE_H

#include "runtime/status/Status.h"
#include "tools/files/Leftovers.h"

#include <memory>
#include <string>

namespace weft::tools {

/// Where temporary files go: TMPDIR, or /tmp.
std::string temporaryRoot();
/// Something cannot be made there; errno says why.
rt::Status noTemporary(const std::string &what);

/// Removes a file at the end of its life, and through removeLeftovers() when a
/// signal ends the program before.
class TemporaryFile {
public:
  /// A new empty file in temporaryRoot(), for the user alone. Code::IoError.
  static rt::Result<std::unique_ptr<TemporaryFile>>
  make(const std::string &prefix, const std::string &suffix);
  /// Of a file that is made next, at `path`.
  explicit TemporaryFile(const std::string &path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return name; }
  /// The file has got its final name; nothing is left to remove.
  void keep() { kept = true; }

private:
  std::string name;
  bool kept = false;
  Leftover entry;
};

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_TEMPORARYFILE_H
