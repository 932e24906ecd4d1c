//===- ScoreFlags.h - a measure of the user's own ---------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_SCOREFLAGS_H
#define WEFT_TOOLS_WEFT_SCOREFLAGS_H

#include "runtime/status/Status.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace weft::cli {

/// --score COMMAND, --target-score X and --score-timeout SECONDS: a command
/// that prints how good something is, a number, higher is better.
class ScoreFlags {
public:
  /// `condition` begins the help ("With auto: a command ..."; may be empty);
  /// `given` says what the command is called with, `target` what the number is
  /// for.
  void addTo(CLI::App &command, const std::string &condition,
             const std::string &given, const std::string &target);

  /// Fails for numbers out of range and for options without --score.
  rt::Status check() const;
  bool isAsked() const { return !command.empty(); }
  std::optional<double> target() const;
  const std::string &commandText() const { return command; }
  CLI::Option *targetOption() const { return aim; }
  /// The first option that was given; "" for none.
  std::string given() const;

  /// What the command prints for `path`, a file or a folder; see scoreOf().
  rt::Result<double> scoreOf(const std::string &path) const;

private:
  std::string command;
  double least = 0, timeoutSeconds = 3600;
  CLI::Option *aim = nullptr, *timeout = nullptr;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_SCOREFLAGS_H
