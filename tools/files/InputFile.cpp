#include "tools/files/InputFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace weft;
using rt::Code;

rt::Result<std::string> tools::readInputFile(const std::string &path) {
  bool isStdin = path == "-";
  std::string name = isStdin ? "stdin" : path;
  int file =
      isStdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return rt::failf(errno == ENOENT ? Code::NotFound : Code::IoError,
                     "%s: cannot open: %s", name.c_str(), std::strerror(errno));
  std::string content;
  constexpr size_t kPieceBytes = 1 << 20;
  ssize_t count = 0;
  do {
    size_t size = content.size();
    content.resize(size + kPieceBytes);
    do
      count = ::read(file, &content[size], kPieceBytes);
    while (count < 0 && errno == EINTR);
    content.resize(size + size_t(count < 0 ? 0 : count));
  } while (count > 0);
  int reason = errno;
  if (!isStdin)
    ::close(file);
  if (count < 0)
    return rt::failf(Code::IoError, "%s: cannot read: %s", name.c_str(),
                     std::strerror(reason));
  return content;
}
