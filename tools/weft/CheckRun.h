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
  std::string output;    ///< stdout, and stderr if it was asked for
};

/// `command` with `{}` replaced by `file`, or `file` behind it if it has none.
/// The name is quoted for the shell.
std::string checkCommand(const std::string &command, const std::string &file);

/// Where the messages of a command go.
enum class ErrorStream { Joined, Inherited };

/// Runs `command` in /bin/sh. Code::IoError if it cannot be started.
rt::Result<CheckOutcome> runCheck(const std::string &command,
                                  double timeLimitSeconds,
                                  ErrorStream errors = ErrorStream::Joined);

/// The number that `command` prints for `file` on its last line that is not
/// empty, higher is better. Code::InvalidArgument says how it failed.
rt::Result<double> scoreOf(const std::string &command, const std::string &file,
                           double timeLimitSeconds);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CHECKRUN_H
