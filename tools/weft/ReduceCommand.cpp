#include "runtime/status/Quote.h"
#include "tools/driver/Reducer.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/files/TemporaryFile.h"
#include "tools/weft/CheckRun.h"
#include "tools/weft/Program.h"
#include "tools/weft/StandardInput.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

struct ReduceFlags {
  std::string model;
  std::string check;
  std::string match;
  std::string output = "reduced.onnx";
  double timeLimit = 60;
  size_t maxChecks = 10'000;
  bool json = false;
};

/// Runs the user's command on candidates in one temporary file.
class Judge {
public:
  Judge(const ReduceFlags &flags, std::string file)
      : flags(flags), file(std::move(file)) {}

  /// Runs the command on the model that is in the file and remembers how it
  /// fails. An error if it does not.
  Status learn(const std::string &model);

  bool stillFails(const std::string &bytes);

private:
  Result<CheckOutcome> run(const std::string &model) const {
    return runCheck(checkCommand(flags.check, model), flags.timeLimit);
  }
  const ReduceFlags &flags;
  std::string file;
  CheckOutcome wanted;
};

} // namespace

static std::string endingOf(const CheckOutcome &outcome) {
  return outcome.timedOut
             ? "takes longer than --time-limit"
             : "ends with exit code " + std::to_string(outcome.exitCode);
}

Status Judge::learn(const std::string &model) {
  Result<CheckOutcome> outcome = run(model);
  if (!outcome)
    return outcome.status();
  wanted = *std::move(outcome);
  if (wanted.exitCode == 0 && !wanted.timedOut)
    return rt::fail(Code::InvalidArgument,
                    "--check succeeds on the whole model; it must fail there "
                    "(exit code other than 0)");
  if (wanted.exitCode == 126 || wanted.exitCode == 127)
    return rt::fail(Code::InvalidArgument,
                    "--check cannot be run (exit code " +
                        std::to_string(wanted.exitCode) +
                        "): " + wanted.output.substr(0, 200));
  if (wanted.output.find(flags.match) == std::string::npos)
    return rt::fail(Code::InvalidArgument,
                    "--check " + endingOf(wanted) +
                        " on the whole model, but its output has no " +
                        rt::quoteName(flags.match) + "; it begins with " +
                        rt::quoteName(wanted.output.substr(0, 200)));
  return Status::ok();
}

bool Judge::stillFails(const std::string &bytes) {
  if (!tools::writeOutputFile(file, bytes.data(), bytes.size()))
    return false;
  Result<CheckOutcome> outcome = run(file);
  return outcome && outcome->timedOut == wanted.timedOut &&
         outcome->exitCode == wanted.exitCode &&
         outcome->output.find(flags.match) != std::string::npos;
}

static ExitCode reduce(const ReduceFlags &flags) {
  if (Status status = tools::checkInputsKept("--output", flags.output,
                                             {{"the model", flags.model}});
      !status)
    return reportError(status);
  Result<std::unique_ptr<tools::TemporaryFile>> temporary =
      tools::TemporaryFile::make("weft-reduce", ".onnx");
  if (!temporary)
    return reportError(temporary.status());
  Judge judge(flags, (*temporary)->path());
  if (Status status = judge.learn(flags.model); !status)
    return reportError(status);
  llvm::Expected<driver::ReducedModel> reduced = driver::reduceModel(
      flags.model,
      [&](const std::string &bytes) { return judge.stillFails(bytes); },
      flags.maxChecks);
  if (!reduced)
    return reportError(
        rt::fail(Code::BadFile,
                 flags.model + ": " + llvm::toString(reduced.takeError())));
  if (Status status = tools::writeOutputFile(
          flags.output, reduced->bytes.data(), reduced->bytes.size());
      !status)
    return reportError(status);
  if (flags.json)
    return printJson({{"output_file", flags.output},
                      {"nodes_before", reduced->nodesBefore},
                      {"nodes", reduced->nodesAfter},
                      {"bytes", reduced->bytes.size()},
                      {"checks", reduced->checks}});
  return printText(flags.output + ": " + std::to_string(reduced->nodesAfter) +
                   " of " + std::to_string(reduced->nodesBefore) + " nodes, " +
                   std::to_string(reduced->bytes.size()) + " bytes, after " +
                   std::to_string(reduced->checks) + " checks\n");
}

void cli::addReduceCommand(Program &program) {
  auto flags = std::make_shared<ReduceFlags>();
  CLI::App &command = program.addCommand(
      "reduce", "Cut a failing ONNX model to the smallest that still fails",
      {"weft reduce cls.onnx --check 'weft convert {} -o cls.bmodel' --match "
       "unsupported -o small.onnx"},
      [flags] { return reduce(*flags); });
  mayBeStandardInput(
      command.add_option("model", flags->model, "The model ('-': stdin)"))
      ->required()
      ->type_name("MODEL.onnx");
  command
      .add_option("--check", flags->check,
                  "Shell command that fails on the model; {} stands for the "
                  "file (without {}, the file comes last)")
      ->required()
      ->check(nonEmptyValue())
      ->type_name("COMMAND");
  command
      .add_option("--match", flags->match,
                  "Text that the output of the command must have, besides the "
                  "exit code of the whole model")
      ->type_name("TEXT");
  command.add_option("-o,--output", flags->output, "The small model")
      ->capture_default_str()
      ->type_name("FILE");
  command
      .add_option("--time-limit", flags->timeLimit,
                  "Seconds that one check may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--max-checks", flags->maxChecks, "Checks before it gives up")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("--json", flags->json, "Print the result as JSON");
}
