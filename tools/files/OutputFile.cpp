#include "tools/files/OutputFile.h"
#include "tools/files/TemporaryFile.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft;
using namespace weft::tools;
using rt::Code;
using rt::Status;

/// Whether `path` is one of our own files, which the user has not named.
static bool isTemporary(const std::string &path) {
  std::string root = temporaryRoot() + "/weft-";
  return path.compare(0, root.size(), root) == 0;
}

static Status systemFailure(const std::string &path, const char *what) {
  bool isFull = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
  return rt::failf(
      Code::IoError, "%s: cannot %s: %s%s", path.c_str(), what,
      std::strerror(errno),
      isFull && isTemporary(path) ? "; let TMPDIR name another folder" : "");
}

/// `path` cannot be created; errno says why.
static Status cannotCreate(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = path.substr(0, slash == path.npos ? 0 : slash);
  int reason = errno;
  if (reason != ENOENT || folder.empty())
    return systemFailure(path, "create");
  if (::access(folder.c_str(), F_OK) == 0) // /proc
    return rt::failf(Code::IoError,
                     "%s: cannot create: the file system of %s takes no new "
                     "files; give another folder",
                     path.c_str(), folder.c_str());
  return rt::failf(Code::IoError,
                   "%s: cannot create: there is no folder %s; make it first",
                   path.c_str(), folder.c_str());
}

static Status checkName(const std::string &path) {
  return path.empty() ? rt::fail(Code::InvalidArgument,
                                 "the name of the output is empty; give a file")
                      : Status::ok();
}

/// What exists at `path`. A file is replaced, not written, for which the folder
/// alone counts; but who has taken the right to write away wants to keep it.
static Status checkReplaceable(const std::string &path,
                               const struct stat &facts) {
  if (S_ISDIR(facts.st_mode))
    return rt::failf(Code::IoError, "%s: cannot write: it is a directory",
                     path.c_str());
  if (S_ISREG(facts.st_mode) &&
      ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return rt::failf(Code::IoError,
                     "%s: cannot write: the file is read-only (%s); allow "
                     "writing to it or name another file",
                     path.c_str(), std::strerror(errno));
  return Status::ok();
}

/// False with errno set when not everything could be written.
static bool writeAll(int file, const void *bytes, size_t size) {
  const char *next = static_cast<const char *>(bytes);
  while (size > 0) {
    ssize_t written = ::write(file, next, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    next += written;
    size -= size_t(written);
  }
  return true;
}

/// Small pieces together, large ones as they are. False with errno set when not
/// everything could be written.
static bool writeBody(int file, const FileBody &body) {
  constexpr size_t kBufferBytes = 1 << 20;
  std::string buffer;
  auto flush = [&] {
    bool done = writeAll(file, buffer.data(), buffer.size());
    buffer.clear();
    return done;
  };
  return body([&](const void *bytes, size_t size) {
           if (buffer.size() + size > kBufferBytes && !flush())
             return false;
           if (size > kBufferBytes)
             return writeAll(file, bytes, size);
           buffer.append(static_cast<const char *>(bytes), size);
           return true;
         }) &&
         flush();
}

static Status writeInPlace(const std::string &path, int file, bool closeIt,
                           const FileBody &body) {
  bool written = writeBody(file, body);
  Status status = written ? Status::ok() : systemFailure(path, "write");
  if (closeIt && ::close(file) != 0 && status.isOk())
    return systemFailure(path, "write");
  return status;
}

namespace {

/// What becomes the file `path` when it is whole. It has no name until then
/// where the file system can do that (O_TMPFILE), so not even SIGKILL leaves
/// anything; else it is a temporary file beside.
class NewFile {
public:
  explicit NewFile(const std::string &path) : path(path) {}
  ~NewFile() {
    if (file >= 0)
      ::close(file);
  }

  /// False with errno set if there can be none.
  bool open();
  int descriptor() const { return file; }
  /// Gives it its name, in place of a file that has it. False with errno set.
  bool publish();

private:
  std::string nameBeside() const;
  /// The name of the open file in /proc, by which it is linked.
  std::string link() const { return "/proc/self/fd/" + std::to_string(file); }

  std::string path;
  int file = -1;
  std::optional<TemporaryFile> beside;
};

} // namespace

std::string NewFile::nameBeside() const {
  constexpr size_t kMostKept = 200; // of 255 that file systems have
  size_t slash = path.rfind('/');
  size_t begin = slash == path.npos ? 0 : slash + 1;
  return unusedName(path.substr(0, begin), path.substr(begin, kMostKept) + ".",
                    "");
}

bool NewFile::open() {
  struct stat facts; // a name that can never be given later
  if (::stat(path.c_str(), &facts) != 0 && errno == ENAMETOOLONG)
    return false;
  size_t slash = path.rfind('/');
  std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
  if (file >= 0 && ::access(link().c_str(), F_OK) == 0)
    return true;
  if (file >= 0)
    ::close(file);
  beside.emplace(nameBeside());
  file = ::open(beside->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                0600);
  return file >= 0;
}

bool NewFile::publish() {
  // Some file systems tell only then that they could not store it.
  if (::close(::dup(file)) != 0)
    return false;
  if (!beside) {
    if (::linkat(AT_FDCWD, link().c_str(), AT_FDCWD, path.c_str(),
                 AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (errno != EEXIST)
      return false;
    beside.emplace(nameBeside());
    if (::linkat(AT_FDCWD, link().c_str(), AT_FDCWD, beside->path().c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      return false;
  }
  if (::rename(beside->path().c_str(), path.c_str()) != 0)
    return false;
  beside->keep();
  return true;
}

static Status writeBeside(const std::string &path, mode_t mode,
                          const FileBody &body) {
  NewFile file(path);
  if (!file.open())
    return cannotCreate(path);
  if (!writeBody(file.descriptor(), body) ||
      ::fchmod(file.descriptor(), mode) != 0)
    return systemFailure(path, "write");
  return file.publish() ? Status::ok() : systemFailure(path, "write");
}

/// N of "/dev/fd/N" and "/proc/self/fd/N"; -1 of other names.
static int namedDescriptor(const std::string &path) {
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    std::string name = path.substr(0, folder.size()) == folder
                           ? path.substr(folder.size())
                           : "";
    if (!name.empty() && name.size() < 8 &&
        name.find_first_not_of("0123456789") == name.npos)
      return std::atoi(name.c_str());
  }
  return -1;
}

/// The open descriptor that `path` stands for (/dev/stdout), which may be in
/// the midst of a file that others write, too: that file is not replaced. -1 if
/// there is none.
static int descriptorOf(const std::string &path) {
  struct stat facts, open;
  if (::stat(path.c_str(), &facts) != 0)
    return -1;
  if (int named = namedDescriptor(path); named >= 0)
    return named;
  for (int file : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    int flags = ::fcntl(file, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
        ::fstat(file, &open) == 0 && open.st_dev == facts.st_dev &&
        open.st_ino == facts.st_ino)
      return file;
  }
  return -1;
}

/// Where a file for `path` goes: to the end of all links, also where there is
/// none yet.
static std::string behindLinks(std::string path) {
  if (char *target = ::realpath(path.c_str(), nullptr)) {
    path = target;
    std::free(target);
    return path;
  }
  constexpr int kMostLinks = 40; // as Linux has it
  char link[PATH_MAX];
  for (int i = 0; i < kMostLinks; ++i) {
    ssize_t size = ::readlink(path.c_str(), link, sizeof link);
    if (size <= 0 || size == sizeof link)
      break;
    std::string target(link, size_t(size));
    path = target[0] == '/' ? target
                            : path.substr(0, path.rfind('/') + 1) + target;
  }
  return path;
}

namespace {

/// What stands at the name of an output.
struct Place {
  bool exists = false;
  struct stat facts;
};

} // namespace

/// Fails where nothing can be written.
static Status lookAt(const std::string &path, Place &place) {
  place.exists = ::stat(path.c_str(), &place.facts) == 0;
  if (!place.exists && errno == ELOOP)
    return systemFailure(path, "create");
  return place.exists ? checkReplaceable(path, place.facts) : Status::ok();
}

Status tools::writeOutputFile(const std::string &path, const void *bytes,
                              size_t size) {
  return writeOutputFile(
      path, [&](const ByteSink &sink) { return sink(bytes, size); });
}

Status tools::writeOutputFile(const std::string &path, const FileBody &body) {
  WEFT_TRY(checkName(path));
  if (path == "-")
    return writeInPlace("stdout", STDOUT_FILENO, false, body);
  if (int file = descriptorOf(path); file >= 0)
    return writeInPlace(path, file, false, body);
  Place place;
  WEFT_TRY(lookAt(path, place));
  if (place.exists && !S_ISREG(place.facts.st_mode)) {
    int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
      return systemFailure(path, "open");
    return writeInPlace(path, file, true, body);
  }
  mode_t mask = ::umask(0);
  ::umask(mask);
  // Not the rights of the older file's owner (setuid): the bytes are others.
  mode_t mode = place.exists ? place.facts.st_mode & 0777 : 0666 & ~mask;
  // A link is replaced at its target, not by a file.
  return writeBeside(behindLinks(path), mode, body);
}

Status tools::checkOutputFile(const std::string &path) {
  WEFT_TRY(checkName(path));
  if (path == "-" || descriptorOf(path) >= 0)
    return Status::ok();
  Place place;
  WEFT_TRY(lookAt(path, place));
  if (place.exists && !S_ISREG(place.facts.st_mode))
    return Status::ok(); // opening a pipe waits for its reader
  std::string target = behindLinks(path);
  return NewFile(target).open() ? Status::ok() : cannotCreate(target);
}

Status tools::writeStdout(const std::string &text) {
  return writeOutputFile("-", text.data(), text.size());
}
