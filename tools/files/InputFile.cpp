#include "tools/files/InputFile.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft;
using rt::Code;

/// Reads to the end, or until there are more than `maxBytes`. False with errno
/// set when the system refuses.
static bool readAll(int file, size_t maxBytes, std::string &content) {
  constexpr size_t kPieceBytes = 1 << 20;
  ssize_t count = 0;
  do {
    size_t size = content.size();
    content.resize(size + kPieceBytes);
    do
      count = ::read(file, &content[size], kPieceBytes);
    while (count < 0 && errno == EINTR);
    content.resize(size + size_t(count < 0 ? 0 : count));
  } while (count > 0 && content.size() <= maxBytes);
  return count >= 0;
}

rt::Result<std::string> tools::readInputFile(const std::string &path,
                                             size_t maxBytes) {
  bool isStdin = path == "-";
  std::string name = isStdin ? "stdin" : path;
  int file =
      isStdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return rt::failf(errno == ENOENT ? Code::NotFound : Code::IoError,
                     "%s: cannot open: %s", name.c_str(), std::strerror(errno));
  std::string content;
  // A sparse file of any size is quickly made and slowly read.
  struct stat facts;
  bool isTooLong = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                   uint64_t(facts.st_size) > maxBytes;
  bool isRead = isTooLong || readAll(file, maxBytes, content);
  int reason = errno;
  if (!isStdin)
    ::close(file);
  if (!isRead)
    return rt::failf(Code::IoError, "%s: cannot read: %s", name.c_str(),
                     std::strerror(reason));
  if (isTooLong || content.size() > maxBytes)
    return rt::failf(Code::OutOfRange,
                     "%s: too long, at most %zu bytes are read", name.c_str(),
                     maxBytes);
  return content;
}

bool tools::isSameFile(const std::string &path, const std::string &other) {
  struct stat first, second;
  return path != "-" && other != "-" && ::stat(path.c_str(), &first) == 0 &&
         ::stat(other.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

rt::Status tools::checkInputsKept(const std::string &option,
                                  const std::string &output,
                                  const std::vector<NamedInput> &inputs) {
  for (const NamedInput &input : inputs)
    if (isSameFile(input.path, output))
      return rt::fail(Code::InvalidArgument,
                      output + ": " + option + " would overwrite " +
                          input.what + "; name another file");
  return rt::Status::ok();
}
