//===- AssembleFuzz.cpp - any text as a listing ---------------------------===//
//
// Reading gives sections or faults, never neither; a line that assembles
// survives the way back through its own listing.
//
//===----------------------------------------------------------------------===//

#include "runtime/chips/Chips.h"
#include "runtime/isa/Assemble.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include "tools/weft/ListingText.h"

#include <cstdlib>

using namespace weft;

static void checkLine(std::string_view text) {
  isa::AssembledLine line = isa::assemble(text);
  if (line.error) {
    if (line.error->message.empty() || line.error->column == 0 ||
        line.error->column > text.size() + 1)
      std::abort();
    return;
  }
  if (!line.command)
    return;
  isa::AssembledLine again =
      isa::assemble(isa::disassemble(line.command->decoded()));
  if (!again || !again.command ||
      again.command->form() != line.command->form() ||
      std::memcmp(again.command->bytes(), line.command->bytes(),
                  line.command->sizeBytes()))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  std::string text(reinterpret_cast<const char *>(bytes), size);
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    checkLine(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  auto sections = cli::readListing(text, "fuzz", {&chips::bm1684x});
  if (!sections && sections.status().message().empty())
    std::abort();
  return 0;
}
