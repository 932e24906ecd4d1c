#include "runtime/profile/Profile.h"
#include "tools/weft/ExplainReport.h"
#include "tools/weft/Program.h"
#include "tools/weft/StageFlags.h"

using namespace weft;
using namespace weft::cli;
using rt::Result;

namespace {
struct ExplainFlags {
  std::string model;
  StageFlags stage;
  bool json = false;
};
} // namespace

static ExitCode explainCommand(const ExplainFlags &flags) {
  Result<NamedStage> subject =
      loadStage(flags.model, flags.stage, "weft explain");
  if (!subject)
    return reportError(subject.status());
  std::optional<rt::Decisions> decisions = rt::readDecisions(subject->stage());
  if (!decisions)
    return reportError(rt::fail(
        rt::Code::NotFound,
        flags.model +
            ": the file does not say what its compiler decided; only `weft "
            "convert` without --strip writes that, and `weft profile` shows "
            "what follows from the commands alone"));
  Result<profile::Profile> profile =
      profile::profileStage(subject->model, subject->stage());
  if (!profile)
    return reportError(profile.status());
  uint64_t cycles = profile->totalCycles;
  return flags.json ? printJson(describeDecisions(*subject, *decisions, cycles))
                    : printText(decisionsText(*subject, *decisions, cycles));
}

void cli::addExplainCommand(Program &program) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App &command = program.addCommand(
      "explain",
      "Say why a bmodel is as it is: where groups of layers end, which "
      "intermediates lie in DRAM, what was chosen at which price",
      {"weft explain cls.bmodel", "weft explain cls.bmodel --json"},
      [flags] { return explainCommand(*flags); });
  addProgramFile(command, flags->model);
  addStageFlags(command, flags->stage);
  command.add_flag("--json", flags->json, "Print as JSON");
}
