#include "runtime/profile/Profile.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/ProfilePage.h"
#include "tools/weft/ProfileReport.h"
#include "tools/weft/Program.h"
#include "tools/weft/StageFlags.h"

using namespace weft;
using namespace weft::cli;
using rt::Result;

namespace {
struct ProfileFlags {
  std::string model;
  StageFlags stage;
  std::string page;
  bool json = false;
};
} // namespace

static rt::Status checkFlags(const ProfileFlags &flags) {
  if (flags.json && flags.page == "-")
    return rt::fail(rt::Code::InvalidArgument,
                    "--json and --html - both write to stdout");
  return tools::checkInputsKept("--html", flags.page,
                                {{"the model", flags.model}});
}

static ExitCode profileCommand(const ProfileFlags &flags) {
  if (rt::Status status = checkFlags(flags); !status)
    return reportError(status);
  Result<NamedStage> subject =
      loadStage(flags.model, flags.stage, "weft profile");
  if (!subject)
    return reportError(subject.status());
  Result<profile::Profile> profile =
      profile::profileStage(subject->model, subject->stage());
  if (!profile)
    return reportError(profile.status().withContext(flags.model));
  if (!flags.page.empty()) {
    std::string page = profilePage(*subject, *profile);
    rt::Status status =
        tools::writeOutputFile(flags.page, page.data(), page.size());
    if (!status)
      return reportError(status);
    // Else the report would follow the page on stdout.
    if (flags.page == "-")
      return ExitCode::Ok;
  }
  return flags.json ? printJson(describeProfile(*subject, *profile))
                    : printText(profileText(*subject, *profile));
}

void cli::addProfileCommand(Program &program) {
  auto flags = std::make_shared<ProfileFlags>();
  CLI::App &command = program.addCommand(
      "profile",
      "Predict where the cycles of a bmodel go: engines, instructions, ONNX "
      "nodes, DRAM, local memory",
      {"weft profile cls.bmodel", "weft profile cls.bmodel --json",
       "weft profile cls.bmodel --html cls.html"},
      [flags] { return profileCommand(*flags); });
  addProgramFile(command, flags->model);
  addStageFlags(command, flags->stage);
  command
      .add_option("--html", flags->page,
                  "Also write a page with the timeline of both engines and the "
                  "local memory map")
      ->check(nonEmptyValue())
      ->type_name("FILE");
  command.add_flag("--json", flags->json, "Print as JSON");
}
