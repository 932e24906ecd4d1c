#include "tools/files/TemporaryFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace weft;
using namespace weft::tools;

std::string tools::temporaryRoot() {
  const char *given = std::getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

rt::Status tools::noTemporary(const std::string &what) {
  return rt::fail(rt::Code::IoError, "cannot make a temporary " + what +
                                         " in " + temporaryRoot() + ": " +
                                         std::strerror(errno) +
                                         "; let TMPDIR name another folder");
}

rt::Result<std::unique_ptr<TemporaryFile>>
TemporaryFile::make(const std::string &prefix, const std::string &suffix) {
  auto file = std::make_unique<TemporaryFile>(
      unusedName(temporaryRoot(), prefix + "-", suffix));
  int descriptor = ::open(file->path().c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return noTemporary("file");
  ::close(descriptor);
  return file;
}

TemporaryFile::TemporaryFile(const std::string &path)
    : name(path), entry(Leftover::Kind::File, path) {}

TemporaryFile::~TemporaryFile() {
  if (!kept)
    ::unlink(name.c_str());
}
