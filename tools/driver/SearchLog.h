//===- SearchLog.h - measured programs in a file ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_SEARCHLOG_H
#define WEFT_TOOLS_DRIVER_SEARCHLOG_H

#include "tools/driver/PrecisionSearch.h"

#include <map>
#include <memory>
#include <mutex>

namespace weft::driver {

/// The programs that a search has measured, in a file of JSON lines: the first
/// says of which search, each other is a program. Lines are added as programs
/// are measured, so a search that was interrupted goes on behind the last.
class SearchLog {
public:
  /// Reads `path`, or makes it. `key` is a hash of what the measurements depend
  /// on; a file of another search is Code::InvalidArgument. A last line that is
  /// not whole was interrupted and does not count.
  static rt::Result<std::unique_ptr<SearchLog>> open(const std::string &path,
                                                     const std::string &key);

  /// The program with these floats; with `isScored` only if it has a score.
  std::optional<MixedProgram> find(const std::vector<bool> &isFloat,
                                   bool isScored);
  /// May be called by several threads at once.
  rt::Status add(const MixedProgram &program);

private:
  SearchLog() = default;
  rt::Status read(const std::string &text, const std::string &key,
                  size_t &whole);
  rt::Status append(const std::string &line);

  std::string path;
  std::mutex mutex;
  std::map<std::vector<bool>, MixedProgram> programs;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_SEARCHLOG_H
