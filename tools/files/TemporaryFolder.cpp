#include "tools/files/TemporaryFolder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace weft;
using namespace weft::tools;

rt::Result<std::unique_ptr<TemporaryFolder>>
TemporaryFolder::make(const std::string &prefix) {
  const char *given = std::getenv("TMPDIR");
  std::string path =
      std::string(given && *given ? given : "/tmp") + "/" + prefix + "-XXXXXX";
  if (!::mkdtemp(path.data()))
    return rt::fail(rt::Code::IoError, "cannot make a temporary folder " +
                                           path + ": " + std::strerror(errno));
  return std::make_unique<TemporaryFolder>(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(name, ignored);
}
