#include "tools/files/TemporaryFolder.h"
#include "tools/files/TemporaryFile.h"

#include <filesystem>
#include <sys/stat.h>

using namespace weft;
using namespace weft::tools;

rt::Result<std::unique_ptr<TemporaryFolder>>
TemporaryFolder::make(const std::string &prefix) {
  auto folder = std::make_unique<TemporaryFolder>(
      unusedName(temporaryRoot(), prefix + "-", ""));
  if (::mkdir(folder->path().c_str(), 0700) != 0)
    return noTemporary("folder");
  return folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(name, ignored);
}
