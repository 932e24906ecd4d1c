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

/// A stage of a net, which the model holds.
struct NamedStage {
  const rt::NetSpec *net = nullptr;
  size_t stage = 0;
};

/// Code::NotFound says which nets or stages there are.
rt::Result<NamedStage> namedStage(const rt::Bmodel &model,
                                  const StageFlags &flags);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_STAGEFLAGS_H
