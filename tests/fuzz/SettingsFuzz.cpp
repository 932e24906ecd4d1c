//===- SettingsFuzz.cpp - any bytes as a file of preprocessing ------------===//

#include "tools/preprocess/SettingsFile.h"

#include <cstdlib>

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  preprocess::Options options;
  rt::Status status = preprocess::parseSettings(
      {reinterpret_cast<const char *>(bytes), size}, "settings", options);
  // An error names its line.
  if (!status && status.message().compare(0, 9, "settings:") != 0)
    std::abort();
  return 0;
}
