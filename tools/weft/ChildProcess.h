//===- ChildProcess.h - a program that answers line by line -----*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CHILDPROCESS_H
#define WEFT_TOOLS_WEFT_CHILDPROCESS_H

#include "runtime/status/Status.h"
#include "tools/weft/StreamTail.h"

#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace weft::cli {

/// A program that reads requests from stdin and answers on stdout, a line each,
/// in a process group of its own: whatever ends this process, it ends by the
/// end of its stdin and can clean up before. At the end of its life its stdin
/// and stdout are closed and its end awaited; if that takes long, it is killed.
class ChildProcess {
public:
  /// How it ended.
  struct End {
    bool isMissing = false; ///< there is no such program
    int exitCode = 0;       ///< of one that ended by itself
    int signal = 0;         ///< that ended it; 0: none
    std::string lastWords;  ///< the end of what it wrote to stderr
  };

  /// `command`: a program, looked for in PATH, and its arguments. What it
  /// writes to stderr is read all the time and its end kept. Code::IoError.
  static rt::Result<std::unique_ptr<ChildProcess>>
  start(const std::vector<std::string> &command);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Sends a line and gives the one that comes back, both without their ends.
  /// Code::NotFound if the program ends before: see end(); Code::OutOfRange if
  /// the line has no end.
  rt::Result<std::string> ask(const std::string &line);
  /// Closes its stdin and stdout and waits for its end.
  End end();

private:
  ChildProcess() = default;

  pid_t child = -1;
  int requests = -1, answers = -1; ///< descriptors
  std::unique_ptr<StreamTail> errors;
  std::string unread; ///< behind the last answer
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CHILDPROCESS_H
