//===- DecodeFuzz.cpp - any bytes as commands -----------------------------===//
//
// Decoding never reads outside, and every field of what decodes can be read.
//
//===----------------------------------------------------------------------===//

#include "tests/fuzz/CommandBytes.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstdlib>

using namespace weft;

/// Keeps the compiler from leaving the reads out.
static volatile uint64_t sink;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  uint64_t sum = 0;
  fuzz::visitCommands(bytes, size, [&](const isa::Decoded &command) {
    const isa::FormSpec &form = isa::formSpec(command.form);
    if (command.sizeBytes != form.bytes || command.mnemonic.empty())
      std::abort();
    for (const isa::FieldSpec &field : form)
      if (field.name != isa::Field::Reserved)
        sum += command.get(field.name);
  });
  sink = sum;
  return 0;
}
