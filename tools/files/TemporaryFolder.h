//===- TemporaryFolder.h - a folder for the time of a run -------*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_TEMPORARYFOLDER_H
#define WEFT_TOOLS_FILES_TEMPORARYFOLDER_H

#include "runtime/status/Status.h"

#include <memory>
#include <string>

namespace weft::tools {

/// A new folder that is removed at the end of its life with all that is in it.
class TemporaryFolder {
public:
  /// In TMPDIR, or /tmp; its name begins with `prefix`. Code::IoError.
  static rt::Result<std::unique_ptr<TemporaryFolder>>
  make(const std::string &prefix);
  /// Use make().
  explicit TemporaryFolder(std::string path) : name(std::move(path)) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return name; }

private:
  std::string name;
};

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_TEMPORARYFOLDER_H
