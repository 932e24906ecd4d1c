#include "tools/weft/Program.h"
#include "runtime/chips/Chips.h"
#include "runtime/status/Quote.h"
#include "tools/files/JsonText.h"
#include "tools/files/Leftovers.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/Crash.h"
#include "tools/weft/NearNames.h"
#include "tools/weft/StandardInput.h"
#include "tools/weft/Version.h"

#ifdef WEFT_WITH_COMPILER
#include "frontend/onnx/OnnxModel.h"
#include "llvm/Config/llvm-config.h"
#endif

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>
#ifdef WEFT_WITH_COMPILER
#include "llvm/Support/ErrorHandling.h"
#endif

using namespace weft;
using namespace weft::cli;

/// One line whatever the library's text is. Only lines that bear the program's
/// name (several problems of one model) stay lines.
static std::string oneLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '.'))
    text.pop_back();
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\r' ||
        (text[i] == '\n' && text.compare(i + 1, 6, "weft: ") != 0))
      text[i] = ' ';
  return text;
}

static void printLine(const std::string &kind, const std::string &message) {
  std::string line =
      "weft: " + kind + ": " +
      rt::printableLines(oneLine(withStandardInputNamed(message))) + "\n";
  // Nothing is left to do when even this cannot be written.
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, line.data(), line.size());
}

static void printError(const std::string &message) {
  printLine("error", message);
}

CLI::Validator cli::nonEmptyValue() {
  return CLI::Validator(
      [](const std::string &value) {
        return value.empty() ? std::string("the value is empty; give one or "
                                           "leave the option out")
                             : std::string();
      },
      "");
}

void cli::addProgramFile(CLI::App &command, std::string &path) {
  mayBeStandardInput(
      command.add_option("bmodel", path, "The model ('-': stdin)"))
      ->required()
      ->type_name("FILE");
}

ExitCode cli::reportError(const rt::Status &status) {
  if (status.code() != rt::Code::Internal) {
    printError(status.message());
    return ExitCode::UserError;
  }
  printLine("internal error", status.message() +
                                  "; this is a bug in weft; please report it "
                                  "with the command line and the input files");
  return ExitCode::Internal;
}

ExitCode cli::reportCheckFailed(const std::string &message) {
  printError(message);
  return ExitCode::ComparisonFailed;
}

void cli::reportWarning(const std::string &message) {
  printLine("warning", message);
}

void cli::reportRemark(const std::string &message) {
  printLine("remark", message);
}

ExitCode cli::printText(const std::string &text) {
  rt::Status status =
      tools::writeStdout(rt::printableLines(withStandardInputNamed(text)));
  return status.isOk() ? ExitCode::Ok : reportError(status);
}

ExitCode cli::printJson(const nlohmann::ordered_json &json) {
  return printText(tools::jsonText(json, 2) + "\n");
}

/// The line about the compiler.
static std::string compilerText() {
#ifdef WEFT_WITH_COMPILER
  return "compiler: ONNX opset " + std::to_string(onnx::kFirstOpset) + " to " +
         std::to_string(onnx::kLastOpset) + ", ONNX library " +
         onnx::libraryVersion().str() + ", MLIR " LLVM_VERSION_STRING "\n";
#else
  return "compiler: none, this build runs models only\n";
#endif
}

std::string cli::versionText() {
  std::string text = "weft " WEFT_VERSION "\nchips:";
  for (const Chip *chip : chips::withCommands())
    text += " " + std::string(chip->targetName);
  return text + "\n" + compilerText() +
         "libraries: " WEFT_LIBRARY_VERSIONS "\n";
}

Program::Program()
    : app("Compiler, runtime and emulator for Sophgo TPUs", "weft") {
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.add_flag_callback(
      "--version", [] { throw CLI::CallForVersion(versionText(), 0); },
      "Print versions, chips and libraries and exit");
  app.footer("Exit codes: 0 ok, 1 comparison or check failed, 2 wrong input or "
             "options, "
             "70 internal error.\nweft COMMAND --help shows the options and "
             "examples of a command.");
  // CLI11 2.1 would fold unknown words into "extras" of the main program.
  app.allow_extras(false);
}

CLI::App &Program::addCommand(const std::string &name,
                              const std::string &description,
                              const std::vector<std::string> &examples,
                              Action action) {
  return addVerb(app, name, description, examples, std::move(action));
}

CLI::App &Program::addVerb(CLI::App &command, const std::string &name,
                           const std::string &description,
                           const std::vector<std::string> &examples,
                           Action action) {
  CLI::App *verb = command.add_subcommand(name, description);
  std::string footer = "Examples:";
  for (const std::string &example : examples)
    footer += "\n  " + example;
  verb->footer(footer);
  // That of a command would run after its verb's.
  if (action)
    verb->callback([this, action = std::move(action)] { chosen = action; });
  return *verb;
}

/// A closed standard stream stays unusable: else the next file opened would get
/// its number and whatever is printed would go there.
static void occupyClosedStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
        // Opens the lowest free number, which is `stream`; reading only.
        [[maybe_unused]]
      int opened = ::open("/dev/null", O_RDONLY);
}

/// Made before there is none left.
static std::string &outOfMemoryLine() {
  static std::string line = "weft: error: out of memory\n";
  return line;
}

void cli::setOutOfMemoryText(const std::string &text) {
  outOfMemoryLine() = "weft: error: " + text + "\n";
}

/// Ends the program; allocates nothing. An exception would not do: the compiler
/// is built without them, and LLVM's containers abort.
[[noreturn]] static void endOutOfMemory() {
  const std::string &line = outOfMemoryLine();
  tools::removeLeftovers(); // no destructor does
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(int(ExitCode::UserError));
}

static void handleOutOfMemory() {
  outOfMemoryLine();
  std::set_new_handler(endOutOfMemory);
#ifdef WEFT_WITH_COMPILER
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endOutOfMemory(); });
#endif
}

/// "'a', 'b'".
static std::string quoted(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + rt::quoteName(word);
  return text;
}

static std::vector<std::string> optionNames(const CLI::App &command) {
  std::vector<std::string> names;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

static std::string withMeant(std::string text,
                             const std::vector<std::string> &meant) {
  return meant.empty() ? text : text + ", perhaps " + quoted(meant);
}

const CLI::App &Program::givenCommand() const {
  const CLI::App *command = &app;
  while (!command->get_subcommands().empty())
    command = command->get_subcommands().front();
  return *command;
}

std::string Program::commandName() const {
  std::string name = "weft";
  for (const CLI::App *command = &app; !command->get_subcommands().empty();) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return name;
}

std::string Program::unknownWords(const std::string &first) const {
  const CLI::App &given = givenCommand();
  std::vector<std::string> words = app.remaining(true), options, meant;
  std::vector<std::string> known = optionNames(given);
  std::vector<const CLI::App *> commands =
      given.get_subcommands([](const CLI::App *) { return true; });
  if (!commands.empty()) { // none of them was given
    std::string word = &given == &app ? first : words.front();
    for (const CLI::App *command : commands)
      known.push_back(command->get_name());
    if (std::string near = nearestName(word, known); !near.empty())
      meant = {near};
    return withMeant((&given == &app ? "unknown command or option "
                                     : "unknown verb or option ") +
                         rt::quoteName(word),
                     meant);
  }
  for (const std::string &word : words)
    if (word.size() > 1 && word[0] == '-')
      options.push_back(word.substr(0, word.find('=')));
  // Words behind an unknown option are probably its value.
  if (options.empty())
    return std::string("found ") + quoted(words) +
           ", which no option and no argument of " + commandName() + " takes";
  for (const std::string &option : options)
    if (std::string near = nearestName(option, known); !near.empty())
      meant.push_back(near);
  return withMeant(
      (options.size() == 1 ? "unknown option " : "unknown options ") +
          quoted(options),
      meant);
}

int Program::run(int argumentCount, char **arguments) {
  occupyClosedStreams();
  handleCrashes(argumentCount, arguments);
  handleOutOfMemory();
  tools::removeLeftoversOnSignals();
  // A closed pipe or a file size limit shows up as a failed write instead.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    app.parse(argumentCount, arguments);
  } catch (const CLI::CallForHelp &) {
    return int(printText(app.help()));
  } catch (const CLI::CallForVersion &version) {
    return int(printText(version.what()));
  } catch (const CLI::ExtrasError &) {
    printError(unknownWords(arguments[1]) + "; see " + commandName() +
               " --help");
    return int(ExitCode::UserError);
  } catch (const CLI::ParseError &error) {
    printError(std::string(error.what()) + "; see " + commandName() +
               " --help");
    return int(ExitCode::UserError);
  }
  if (!chosen) {
    printError((givenCommand().get_parent() ? "no verb given; see "
                                            : "no command given; see ") +
               commandName() + " --help");
    return int(ExitCode::UserError);
  }
  try {
    return int(chosen());
  } catch (const std::bad_alloc &) { // std::bad_array_new_length
    endOutOfMemory();
  } catch (const std::length_error &) { // more than any allocation can have
    endOutOfMemory();
  } catch (const std::exception &error) {
    return int(reportError(rt::fail(rt::Code::Internal, error.what())));
  }
}
