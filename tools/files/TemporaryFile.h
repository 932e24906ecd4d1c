//===- TemporaryFile.h - files that never outlive the program ---*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_TEMPORARYFILE_H
#define WEFT_TOOLS_FILES_TEMPORARYFILE_H

#include <string>

namespace weft::tools {

/// Removes a file at the end of its life, and through `removeTemporaryFiles`
/// when the program crashes before.
class TemporaryFile {
public:
  explicit TemporaryFile(std::string path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return name; }
  /// The file has got its final name; nothing is left to remove.
  void keep() { kept = true; }

private:
  std::string name;
  bool kept = false;
  int slot;
};

/// Removes every temporary file that is alive. Only what a signal handler may
/// call (POSIX signal-safety).
void removeTemporaryFiles();

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_TEMPORARYFILE_H
