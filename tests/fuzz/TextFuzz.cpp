//===- TextFuzz.cpp - any commands to text and back -----------------------===//
//
// Whatever decodes has a text, and its text assembles to the same bytes.
//
//===----------------------------------------------------------------------===//

#include "runtime/isa/Assemble.h"
#include "tests/fuzz/CommandBytes.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz::visitCommands(bytes, size, [](const isa::Decoded &command) {
    isa::AssembledLine line = isa::assemble(isa::disassemble(command));
    if (!line || !line.command ||
        line.command->sizeBytes() != command.sizeBytes ||
        std::memcmp(line.command->bytes(), command.bytes, command.sizeBytes))
      std::abort();
  });
  return 0;
}
