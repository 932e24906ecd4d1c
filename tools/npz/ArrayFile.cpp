#include "tools/npz/ArrayFile.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace weft;
using namespace weft::npz;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Result;

bool npz::isArchiveName(const std::string &path) {
  constexpr std::string_view kEnd = ".npz";
  return path.size() >= kEnd.size() &&
         path.compare(path.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

/// Nothing of what is no regular file, which the reader of archives reports.
static bool beginsAsNpy(const std::string &path) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return false;
  char bytes[8] = {};
  std::ifstream(path, std::ios::binary).read(bytes, sizeof bytes);
  return isNpy(std::string_view(bytes, sizeof bytes));
}

Result<std::unique_ptr<ArrayFile>> ArrayFile::open(const std::string &path) {
  auto file = std::make_unique<ArrayFile>();
  file->thePath = path;
  if (beginsAsNpy(path)) {
    Result<HostTensor> tensor = readNpy(path, &file->onlyIsText);
    if (!tensor)
      return tensor.status();
    file->only = *std::move(tensor);
    file->theNames = {std::filesystem::path(path).stem().string()};
    return file;
  }
  Result<Reader> archive = Reader::open(path);
  if (!archive)
    return archive.status();
  file->archive = *std::move(archive);
  file->theNames = file->archive->names();
  return file;
}

bool ArrayFile::has(const std::string &name) const {
  return archive ? archive->header(name) != nullptr : name == theNames[0];
}

ElementType ArrayFile::type(const std::string &name) const {
  return archive ? archive->header(name)->type : only.type();
}

bool ArrayFile::isText(const std::string &name) const {
  return archive ? archive->header(name)->isText() : onlyIsText;
}

const std::vector<int64_t> &ArrayFile::shape(const std::string &name) const {
  return archive ? archive->header(name)->shape : only.shape();
}

Result<HostTensor> ArrayFile::read(const std::string &name) const {
  if (archive)
    return archive->read(name);
  return only;
}
