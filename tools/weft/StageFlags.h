//===- StageFlags.h - one stage of a bmodel, by options ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_STAGEFLAGS_H
#define WEFT_TOOLS_WEFT_STAGEFLAGS_H

#include "runtime/bmodel/Bmodel.h"

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// --net and --stage.
struct StageFlags {
  std::string net;
  int stage = 0;
};

void addStageFlags(CLI::App &command, StageFlags &flags);

/// A stage of a bmodel, about which a command reports.
struct NamedStage {
  rt::Bmodel model;
  /// Of `model`.
  const rt::NetSpec &net;
  size_t number;

  const rt::StageSpec &stage() const { return net.stages[number]; }
};

/// The stage of the file `path` that `flags` name, for the command `command`
/// ("weft profile"), which messages name. Code::NotFound says which nets or
/// stages there are; else the errors of wantsBmodel and rt::Bmodel::load.
rt::Result<NamedStage> loadStage(const std::string &path,
                                 const StageFlags &flags, const char *command);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_STAGEFLAGS_H
