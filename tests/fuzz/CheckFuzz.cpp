//===- CheckFuzz.cpp - any commands against the hardware's rules ----------===//
//
// Every command can be checked; a command that keeps the rules touches memory
// that the chip has.
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/Chips.h"
#include "runtime/isa/Accesses.h"
#include "runtime/isa/Rules.h"
#include "tests/fuzz/CommandBytes.h"

#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const Chip &chip = chips::bm1684x;
  fuzz::visitCommands(bytes, size, [&](const isa::Decoded &command) {
    rt::Status status = isa::checkCommand(command, chip);
    if (!status) {
      if (status.message().empty())
        std::abort();
      return;
    }
    for (const isa::Access &access : isa::accessesOf(command, chip))
      if (access.memory == isa::Memory::None || access.leavesMemory ||
          access.begin > access.end)
        std::abort();
  });
  return 0;
}
