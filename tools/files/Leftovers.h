//===- Leftovers.h - what must not outlive the program ----------*- C++ -*-===//
//
// Destructors remove temporary files, but a signal runs none. What is named
// here is removed by the handlers of signals, too. (A file that has no name yet
// needs no entry: see OutputFile.cpp.)
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_FILES_LEFTOVERS_H
#define WEFT_TOOLS_FILES_LEFTOVERS_H

#include <string>
#include <sys/types.h>

namespace weft::tools {

/// An entry for as long as it lives. To be made before what it names, so that
/// there is no moment in which a signal leaves that behind.
class Leftover {
public:
  enum class Kind { File, Folder };
  Leftover(Kind kind, const std::string &path);
  /// The process group of a child, which is ended.
  explicit Leftover(pid_t group);
  ~Leftover();
  Leftover(const Leftover &) = delete;
  Leftover &operator=(const Leftover &) = delete;

private:
  int slot = -1;
};

/// Ends the groups and removes the files and folders that are entered. While
/// another thread does that, waits for its end and does nothing more.
/// Only what a signal handler may call (POSIX signal-safety). Entries belong to
/// the process that made them: a child between fork and exec removes nothing.
void removeLeftovers();

/// From now on, on whatever thread they come, SIGHUP, SIGINT, SIGQUIT and
/// SIGTERM remove the leftovers before they end the program as they always do.
/// Those that are ignored (nohup, jobs in the background) stay so.
void removeLeftoversOnSignals();

/// A name in `folder` that nobody else has: `prefix`, a random part, `suffix`.
std::string unusedName(const std::string &folder, const std::string &prefix,
                       const std::string &suffix);

} // namespace weft::tools

#endif // WEFT_TOOLS_FILES_LEFTOVERS_H
