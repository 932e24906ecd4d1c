//===- CheckRun.h - a command of the user and how it ends -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CHECKRUN_H
#define WEFT_TOOLS_WEFT_CHECKRUN_H

#include "runtime/status/Status.h"

#include <string>

namespace weft::cli {

/// How a command ended.
struct CheckOutcome {
  /// As a shell tells it: 128 + the number of a signal.
  int exitCode = 0;
  bool timedOut = false; ///< it was killed at the end of its time
  std::string output;    ///< stdout and stderr
};

/// `command` with `{}` replaced by `file`, or `file` behind it if it has none.
/// The name is quoted for the shell.
std::string checkCommand(const std::string &command, const std::string &file);

/// Runs `command` in /bin/sh. Code::IoError if it cannot be started.
rt::Result<CheckOutcome> runCheck(const std::string &command,
                                  double timeLimitSeconds);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CHECKRUN_H
