//===- CommandBytes.h - fuzz input as a command stream --------*- C++ -*-===//

#ifndef WEFT_TESTS_FUZZ_COMMANDBYTES_H
#define WEFT_TESTS_FUZZ_COMMANDBYTES_H

#include "runtime/isa/Decode.h"
#include "tests/unit/runtime/isa/FirstTable.h"

namespace weft::fuzz {

/// The first byte chooses the engine, the rest is its command buffer. Decoding
/// goes on behind end commands, so that no byte of an input is wasted.
template <typename Visit>
void visitCommands(const uint8_t *bytes, size_t size, Visit visit) {
  if (size == 0)
    return;
  isa::Engine engine = bytes[0] & 1 ? isa::Engine::Gdma : isa::Engine::Tiu;
  for (size_t offset = 1; offset < size;) {
    isa::DecodedStream stream =
        isa::decodeStream(engine, bytes + offset, size - offset);
    for (const isa::Decoded &command : stream.commands) {
      visit(command);
      offset += command.sizeBytes;
    }
    if (stream.error != isa::DecodeError::None)
      return;
  }
}

} // namespace weft::fuzz

#endif // WEFT_TESTS_FUZZ_COMMANDBYTES_H
