#include "runtime/bmodel/WorkBudget.h"

#include "runtime/cycles/Cycles.h"
#include "runtime/isa/Accesses.h"

#include <algorithm>
#include <cinttypes>

namespace weft::rt {

/// a * b, or 2^64 - 1.
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static Status tooMuch(uint64_t written, uint64_t bytes) {
  return failf(Code::BadCommand,
               "it writes %" PRIu64 " bytes into a memory of %" PRIu64
               ", some of them again and again (strides of 0, or smaller than "
               "an element); no compiler does that",
               written, bytes);
}

/// Element arithmetic is what can repeat a result by its strides; the others
/// have layouts in which every element has its own bytes.
static Status checkTiuResult(const isa::Decoded &command, const Chip &chip) {
  if (command.type != unsigned(isa::TiuType::Arith))
    return Status::ok();
  uint64_t elements = times(times(command.get(isa::Field::res0_n, 1),
                                  command.get(isa::Field::res0_c, 1)),
                            times(command.get(isa::Field::res0_h, 1),
                                  command.get(isa::Field::res0_w, 1)));
  // Elements of four bits are the smallest.
  if (elements <= 2 * chip.localMemoryBytes())
    return Status::ok();
  return tooMuch(elements, chip.localMemoryBytes());
}

Status WorkBudget::checkGdmaResult(const isa::Decoded &command,
                                   uint64_t movedBytes) const {
  auto bytesOf = [&](isa::Memory memory) -> uint64_t {
    switch (memory) {
    case isa::Memory::Local:
      return chip.localMemoryBytes();
    case isa::Memory::Static:
      return chip.staticMemoryBytes;
    case isa::Memory::L2:
      return chip.l2MemoryBytes;
    default:
      return dramBytes;
    }
  };
  // Looking closer takes longer, and few commands move so much.
  if (movedBytes <= std::min<uint64_t>({chip.staticMemoryBytes,
                                        chip.l2MemoryBytes, dramBytes}))
    return Status::ok();
  for (const isa::Access &access : isa::accessesOf(command, chip))
    if (uint64_t bytes = bytesOf(access.memory);
        access.isWrite && access.movedBytes > bytes)
      return tooMuch(access.movedBytes, bytes);
  return Status::ok();
}

Status WorkBudget::spend(const isa::Decoded &command) {
  if (!chip.costs)
    return Status::ok();
  cycles::CommandCost cost = cycles::estimate(command, chip);
  WEFT_TRY(command.engine == isa::Engine::Tiu
               ? checkTiuResult(command, chip)
               : checkGdmaResult(command, cost.bytes));
  spent += cost.cycles; // at most 2^48 each, and it ends beyond 2^38
  if (spent <= kMostStageCycles)
    return Status::ok();
  return failf(Code::BadCommand,
               "the commands up to here take %" PRIu64
               " predicted cycles; a stage may take %" PRIu64
               ", minutes on the machine: split the model, if it is one",
               spent, kMostStageCycles);
}

Status checkCommandCounts(const wire::Model &model) {
  uint64_t commands = 0;
  for (const wire::Net *net : *model.nets()) {
    if (!net->stages())
      continue;
    for (const wire::NetParameter *stage : *net->stages()) {
      if (!stage->groups())
        continue;
      for (const wire::CommandGroup *group : *stage->groups())
        commands += uint64_t(group->tiu_count()) + group->gdma_count();
    }
  }
  if (commands <= kMostFileCommands)
    return Status::ok();
  return failf(Code::BadFile,
               "the groups count %" PRIu64 " commands; a file may have %" PRIu64
               ": split the model, if it is one",
               commands, kMostFileCommands);
}

} // namespace weft::rt
