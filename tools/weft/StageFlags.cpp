#include "tools/weft/StageFlags.h"

#include "runtime/status/Quote.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgramListing.h"

#include <limits>

using namespace weft;

void cli::addStageFlags(CLI::App &command, StageFlags &flags) {
  command.add_option("--net", flags.net, "Which net, if there are several")
      ->check(nonEmptyValue())
      ->type_name("NAME");
  command
      .add_option("--stage", flags.stage,
                  "Which stage, if the net has several (default 0)")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()))
      ->type_name("N");
}

rt::Result<cli::NamedStage> cli::loadStage(const std::string &path,
                                           const StageFlags &flags,
                                           const char *command) {
  WEFT_TRY(wantsBmodel(path, command));
  rt::Result<rt::Bmodel> model = rt::Bmodel::load(path);
  if (!model)
    return model.status();
  rt::Result<const rt::NetSpec *> net = chooseNet(*model, flags.net);
  if (!net)
    return net.status();
  size_t stages = (*net)->stages.size(), stage = size_t(flags.stage);
  if (stage >= stages)
    return rt::fail(rt::Code::NotFound, model->path() + ": there is no stage " +
                                            std::to_string(stage) + "; net " +
                                            rt::quoteName((*net)->name) +
                                            " has " + std::to_string(stages) +
                                            ", counted from 0");
  return NamedStage{*model, **net, stage};
}
