//===- Program.h - the frame of the weft program ----------------*- C++ -*-===//
//
// A command is one file <Name>Command.cpp with one function add<Name>Command()
// that declares its options and its action; Commands.def lists the commands.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_PROGRAM_H
#define WEFT_TOOLS_WEFT_PROGRAM_H

#include "runtime/status/Status.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace weft::cli {

/// Exit codes of every command.
enum class ExitCode : int {
  Ok = 0,
  /// `compare` ran and the values differ too much, `info --check` found
  /// commands that break a rule of the hardware or lack a wait, or one of
  /// several equal runs gave other outputs.
  ComparisonFailed = 1,
  /// The user's input is wrong: option, file, data, device.
  UserError = 2,
  /// Weft itself is wrong.
  Internal = 70,
};

/// Collects the commands, parses the command line and runs one.
class Program {
public:
  using Action = std::function<ExitCode()>;

  Program();

  /// Adds `weft <name>`. `examples` are whole command lines, shown by --help.
  /// Variables that options are bound to must live in a shared object that
  /// `action` holds.
  CLI::App &addCommand(const std::string &name, const std::string &description,
                       const std::vector<std::string> &examples, Action action);

  /// Adds `weft <command> <name>`; a command that has verbs has no action (an
  /// empty one) of its own. As addCommand().
  CLI::App &addVerb(CLI::App &command, const std::string &name,
                    const std::string &description,
                    const std::vector<std::string> &examples, Action action);

  /// Parses and runs; the program's exit code. Prints every error as one line.
  int run(int argumentCount, char **arguments);

private:
  /// What the words are that no option or argument took, and what may be meant.
  std::string unknownWords(const std::string &first) const;
  /// "weft convert", "weft bmodel strip": as much of it as is known.
  std::string commandName() const;
  /// The command or verb that was given; the program without one.
  const CLI::App &givenCommand() const;

  CLI::App app;
  Action chosen;
};

/// For options whose empty value would mean "not given", so that `--net
/// "$NET"` with nothing in it is an error.
CLI::Validator nonEmptyValue();

/// Adds the positional option of a compiled model, a bmodel or a .zyp program.
void addProgramFile(CLI::App &command, std::string &path);

/// Prints "weft: error: <message>", or "weft: internal error: <message>; ..
/// please report it .." for Code::Internal, and gives the exit code for it.
ExitCode reportError(const rt::Status &status);

/// Prints the same of a check that found something wrong, and gives exit code
/// 1.
ExitCode reportCheckFailed(const std::string &message);

/// Prints "weft: warning: <message>".
void reportWarning(const std::string &message);

/// Prints "weft: remark: <message>".
void reportRemark(const std::string &message);

/// What is printed as an error when there is no memory left.
void setOutOfMemoryText(const std::string &text);

/// Writes text to stdout, rt::printableLines() of it; a failure becomes the
/// exit code.
ExitCode printText(const std::string &text);
/// The same for JSON, indented, with a newline.
ExitCode printJson(const nlohmann::ordered_json &json);

/// Text of --version.
std::string versionText();

#define WEFT_COMMAND(Name) void add##Name##Command(Program &program);
#define WEFT_COMPILER_COMMAND(Name) void add##Name##Command(Program &program);
#include "tools/weft/Commands.def"

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROGRAM_H
