//===- TableFuzz.cpp - any bytes as a precision or calibration table ------===//

#include "passes/quantize/Calibration.h"
#include "passes/quantize/PrecisionTable.h"

#include <cstdlib>

using namespace weft;

/// A table that is read gives a text that gives the same text; an error names
/// its source.
template <typename Table>
static void parseTwice(llvm::StringRef text) {
  llvm::Expected<Table> table = Table::parse(text, "table");
  if (!table) {
    if (llvm::toString(table.takeError()).compare(0, 6, "table:") != 0)
      std::abort();
    return;
  }
  std::string written = table->str();
  llvm::Expected<Table> again = Table::parse(written, "table");
  if (!again) {
    llvm::consumeError(again.takeError());
    std::abort();
  }
  if (again->str() != written)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes), size);
  parseTwice<quantize::PrecisionTable>(text);
  parseTwice<quantize::CalibrationTable>(text);
  return 0;
}
