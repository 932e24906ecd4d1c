#include "runtime/bmodel/Areas.h"
#include "runtime/isa/Accesses.h"

#include <cinttypes>

namespace weft::rt {

static Status checkAccess(const StageSpec &stage, const isa::Access &access) {
  struct Area {
    const char *name;
    const Region &region;
  };
  std::string operand(access.operand);
  const char *verb = access.isWrite ? "writes" : "reads";
  for (const Area &area : {Area{"weights", stage.weights},
                           {"context", stage.activations},
                           {"io", stage.io}}) {
    if (!area.region.contains(access.begin, 1))
      continue;
    if (access.isWrite && &area.region == &stage.weights)
      return failf(Code::BadCommand,
                   "%s writes 0x%" PRIx64 " to 0x%" PRIx64
                   ", in the weights; they are read only",
                   operand.c_str(), access.begin, access.end);
    if (!area.region.contains(access.begin, access.end - access.begin))
      return failf(Code::BadCommand,
                   "%s %s 0x%" PRIx64 " to 0x%" PRIx64
                   ", the area in which it begins (%s) ends at 0x%" PRIx64,
                   operand.c_str(), verb, access.begin, access.end, area.name,
                   area.region.end());
    return Status::ok();
  }
  return failf(Code::BadCommand,
               "%s %s 0x%" PRIx64 " to 0x%" PRIx64
               ", in none of the stage's areas (weights, context, io)",
               operand.c_str(), verb, access.begin, access.end);
}

Status checkAreas(const Chip &chip, const StageSpec &stage,
                  const isa::Decoded &command) {
  if (command.engine != isa::Engine::Gdma)
    return Status::ok();
  for (const isa::Access &access : isa::accessesOf(command, chip))
    if (access.memory == isa::Memory::Global)
      WEFT_TRY(checkAccess(stage, access));
  return Status::ok();
}

} // namespace weft::rt
