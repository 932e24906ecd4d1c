#include "tools/files/OutputFolder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

using namespace weft;
using namespace weft::tools;
using rt::Code;
using rt::Status;

static Status cannot(const std::string &path, const char *what) {
  return rt::failf(Code::IoError, "%s: cannot %s: %s", path.c_str(), what,
                   std::strerror(errno));
}

Status tools::checkOutputFolder(const std::string &path) {
  struct stat facts;
  if (path.empty())
    return rt::fail(Code::InvalidArgument,
                    "the name of the folder is empty; give one");
  if (::stat(path.c_str(), &facts) != 0)
    return errno == ENOENT ? Status::ok() : cannot(path, "create");
  if (!S_ISDIR(facts.st_mode))
    return rt::fail(Code::InvalidArgument,
                    path + ": is a file; name a folder, or an .npz file");
  std::error_code error;
  bool isEmpty = std::filesystem::is_empty(path, error);
  if (error)
    return rt::fail(Code::IoError, path + ": cannot read: " + error.message());
  return isEmpty ? Status::ok()
                 : rt::fail(Code::InvalidArgument,
                            path + ": the folder is not empty; name a new one, "
                                   "or remove it");
}

rt::Result<std::unique_ptr<OutputFolder>>
OutputFolder::make(const std::string &path) {
  std::string target = path;
  while (target.size() > 1 && target.back() == '/')
    target.pop_back();
  WEFT_TRY(checkOutputFolder(target));
  // A folder is replaced where a link to it leads.
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(target, error);
  if (!error)
    target = real.string();
  size_t slash = target.rfind('/');
  size_t begin = slash == target.npos ? 0 : slash + 1;
  constexpr size_t kMostKept = 200; // of 255 that file systems have
  auto folder = std::make_unique<OutputFolder>(
      target, unusedName(target.substr(0, begin),
                         target.substr(begin, kMostKept) + ".", ""));
  if (::mkdir(folder->path().c_str(), 0777) != 0)
    return cannot(path, "create");
  return folder;
}

Status OutputFolder::publish() {
  // Replaces an empty folder, and fails if it is not empty any more.
  if (::rename(name.c_str(), target.c_str()) != 0)
    return cannot(target, "create");
  isPublished = true;
  return Status::ok();
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!isPublished)
    std::filesystem::remove_all(name, ignored);
}

std::string tools::fileNameOf(const std::string &name) {
  std::string text;
  for (char c : name) {
    bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (isPlain && !(text.empty() && (c == '.' || c == '-'))) {
      text += c;
      continue;
    }
    char code[8];
    std::snprintf(code, sizeof code, "%%%02X", unsigned(uint8_t(c)));
    text += code;
  }
  return text;
}
