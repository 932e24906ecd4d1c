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
  /// What a search measures.
  struct Search {
    std::string key;                  ///< a hash of what measurements depend on
    size_t products;                  ///< that may be floats
    std::vector<std::string> outputs; ///< of each program, and parts: names
  };
  /// Reads `path`, or makes it. A file of another search, and programs that are
  /// none of it, are Code::InvalidArgument. A last line that is not whole was
  /// interrupted and does not count.
  static rt::Result<std::unique_ptr<SearchLog>> open(const std::string &path,
                                                     Search search);

  /// The program with these floats; with `isScored` only if it has a score.
  std::optional<MixedProgram> find(const std::vector<bool> &isFloat,
                                   bool isScored,
                                   ProgramKind kind = ProgramKind::Mix);
  /// May be called by several threads at once.
  rt::Status add(const MixedProgram &program);

private:
  SearchLog(std::string path, Search search)
      : path(std::move(path)), search(std::move(search)) {}
  rt::Status read(const std::string &text, size_t &whole);
  bool isOfSearch(const MixedProgram &program) const;
  rt::Status append(const std::string &line);

  const std::string path;
  const Search search;
  std::mutex mutex;
  std::map<std::pair<ProgramKind, std::vector<bool>>, MixedProgram> programs;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_SEARCHLOG_H
