//===- ProgramCycles.cpp - predicted cycles of a net ----------------------===//

#include "tools/driver/ProgramCycles.h"

#include "runtime/cycles/Cycles.h"
#include "runtime/isa/Decode.h"
#include "runtime/profile/Timeline.h"

using namespace weft;
using namespace weft::driver;
using isa::Engine;

static void collectNodeKeys(mlir::Location location,
                            llvm::SmallVectorImpl<NodeKey> &nodes) {
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      collectNodeKeys(part, nodes);
    return;
  }
  auto name = mlir::dyn_cast<mlir::NameLoc>(location);
  if (!name)
    return;
  auto position = mlir::dyn_cast<mlir::FileLineColLoc>(name.getChildLoc());
  NodeKey key{name.getName(), position ? int64_t(position.getLine()) : -1};
  if (!llvm::is_contained(nodes, key))
    nodes.push_back(key);
}

llvm::SmallVector<NodeKey, 2> driver::nodesOf(mlir::Location location) {
  llvm::SmallVector<NodeKey, 2> nodes;
  collectNodeKeys(location, nodes);
  return nodes;
}

/// The commands of one engine as the timeline sees them; false if one takes
/// absurdly long.
static bool issue(const std::vector<uint8_t> &bytes, Engine engine,
                  const Chip &chip, std::vector<profile::Issued> &issued) {
  isa::DecodedStream stream =
      isa::decodeStream(*chip.instructions, engine, bytes.data(), bytes.size());
  for (const isa::Decoded &command : stream.commands) {
    if (command.isEnd())
      break;
    uint64_t cycles = cycles::estimate(command, chip).cycles;
    if (cycles >= cycles::kMostCycles)
      return false;
    issued.push_back({cycles, command.dep()});
  }
  return true;
}

std::optional<ProgramCycles>
driver::predictCycles(ppl::NetOp net, const Chip &chip, codegen::Order order) {
  mlir::FailureOr<codegen::EncodedProgram> program =
      codegen::encodeProgram(net, codegen::Transfers::Planned, order);
  if (failed(program))
    return std::nullopt;
  std::vector<profile::IssuedGroup> issued(program->groups.size());
  for (auto [group, commands] : llvm::zip(issued, program->groups))
    if (!issue(commands.tiu, Engine::Tiu, chip, group.tiu) ||
        !issue(commands.gdma, Engine::Gdma, chip, group.gdma))
      return std::nullopt;
  rt::Result<profile::Timeline> timeline = profile::simulate(issued);
  if (!timeline)
    return std::nullopt;
  ProgramCycles cycles;
  cycles.total = timeline->totalCycles;
  cycles.hostParts = program->hostParts.size();
  for (const profile::IssuedGroup &group : issued)
    cycles.commands += group.tiu.size() + group.gdma.size();
  for (auto [spans, commands] : llvm::zip(timeline->groups, program->groups))
    for (Engine engine : {Engine::Tiu, Engine::Gdma}) {
      const std::vector<mlir::Location> &locations =
          engine == Engine::Tiu ? commands.tiuLocations
                                : commands.gdmaLocations;
      for (auto [span, location] : llvm::zip(spans.of(engine), locations))
        if (span.isCritical)
          cycles.critical[location] += span.cycles();
    }
  return cycles;
}
