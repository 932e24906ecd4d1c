//===- OutputFolder.h - folders that appear whole or not at all -*- C++ -*-===//

#ifndef WEFT_TOOLS_FILES_OUTPUTFOLDER_H
#define WEFT_TOOLS_FILES_OUTPUTFOLDER_H

#include "runtime/status/Status.h"
#include "tools/files/Leftovers.h"

#include <memory>
#include <string>

namespace weft::tools {

/// A folder that is filled under a name of its own beside the place where it
/// belongs, and gets its name at the end. What is not published is removed with
/// all that is in it, also when a signal ends the program (but SIGKILL, for
/// folders cannot be without a name).
class OutputFolder {
public:
  /// Of the folder `path`, which must be empty or not be there yet: what is in
  /// it would be lost or mixed with the new. Code::IoError, InvalidArgument.
  static rt::Result<std::unique_ptr<OutputFolder>>
  make(const std::string &path);
  /// Use make().
  OutputFolder(const std::string &target, const std::string &path)
      : target(target), name(path), entry(Leftover::Kind::Folder, path) {}
  ~OutputFolder();
  OutputFolder(const OutputFolder &) = delete;
  OutputFolder &operator=(const OutputFolder &) = delete;

  /// Where files go until then.
  const std::string &path() const { return name; }
  /// Gives it its name. Code::IoError.
  rt::Status publish();

private:
  std::string target, name;
  bool isPublished = false;
  Leftover entry;
};

/// Whether OutputFolder::make() can make one at `path`, before work is done for
/// it; what stands there is looked at, rights are not.
rt::Status checkOutputFolder(const std::string &path);

/// `name`, of which others chose the bytes, as the name of a file that is no
/// path, is not hidden and has no character that a shell or a terminal takes
/// for something: letters, digits, `.`, `_` and `-` stay (at the beginning no
/// dot and no dash), every other byte becomes %XX. Different names give
/// different ones. May be longer than a file system allows, or empty.
std::string fileNameOf(const std::string &name);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_OUTPUTFOLDER_H
