//===- TemporaryFolder.h - a folder for the time of a run -------*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_TEMPORARYFOLDER_H
#define WEFT_TOOLS_FILES_TEMPORARYFOLDER_H

#include "runtime/status/Status.h"
#include "tools/files/Leftovers.h"

#include <memory>
#include <string>

namespace weft::tools {

/// A new folder that is removed with all that is in it at the end of its life,
/// and through removeLeftovers() when a signal ends the program before.
class TemporaryFolder {
public:
  /// In temporaryRoot(), for the user alone; its name begins with `prefix`.
  /// Code::IoError.
  static rt::Result<std::unique_ptr<TemporaryFolder>>
  make(const std::string &prefix);
  /// Use make().
  explicit TemporaryFolder(const std::string &path)
      : name(path), entry(Leftover::Kind::Folder, path) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return name; }

private:
  std::string name;
  Leftover entry;
};

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_TEMPORARYFOLDER_H
