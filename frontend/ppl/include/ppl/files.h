//===- files.h - npy, npz and raw files ------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_FILES_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_FILES_H

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// What `read_npy`, `read_npz` and `read_bin` of test.h find in files.
namespace ppl::detail {

/// The elements of a file. `problem` is empty if they could be read.
struct FileValues {
  std::string problem;
  std::string type; ///< numpy's: "f4", "i8", "V2"; empty for raw bytes
  std::vector<char> bytes;
};

inline uint32_t little(const char *at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint32_t(uint8_t(at[i])) << (8 * i);
  return value;
}

inline FileValues readBytes(const std::string &path) {
  FileValues file;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    file.problem = "cannot open '" + path + "'";
    return file;
  }
  // A folder can be opened, but not read.
  char part[4096];
  while (stream.read(part, sizeof(part)) || stream.gcount() > 0)
    file.bytes.insert(file.bytes.end(), part, part + stream.gcount());
  if (stream.bad())
    file.problem = "cannot read '" + path + "'; is it a file?";
  return file;
}

/// The text after `'key':` in the header of an npy file, up to `end`.
inline std::string npyField(const std::string &header, const std::string &key,
                            char end) {
  size_t at = header.find("'" + key + "':");
  if (at == std::string::npos)
    return {};
  at = header.find_first_not_of(' ', at + key.size() + 3);
  size_t stop = at == std::string::npos ? at : header.find(end, at);
  return stop == std::string::npos ? std::string()
                                   : header.substr(at, stop - at);
}

/// Cuts the header off an npy file.
inline FileValues parseNpy(FileValues file, const std::string &name) {
  if (!file.problem.empty())
    return file;
  std::vector<char> &b = file.bytes;
  bool first = b.size() >= 10 && b[6] == 1;
  size_t start = first ? 10 : 12;
  if (b.size() < start || std::memcmp(b.data(), "\x93NUMPY", 6) != 0) {
    file.problem = "'" + name + "' is not an npy file";
    return file;
  }
  size_t length = little(b.data() + 8, first ? 2 : 4);
  if (length > b.size() - start) {
    file.problem = "'" + name + "' ends inside its header";
    return file;
  }
  std::string header(b.data() + start, length);
  std::string type = npyField(header, "descr", ',');
  if (npyField(header, "fortran_order", ',') != "False") {
    file.problem = "unsupported: '" + name +
                   "' is in Fortran order; save numpy.ascontiguousarray of it";
    return file;
  }
  if (type.size() < 5 || type[0] != '\'' || type.back() != '\'' ||
      type[1] == '>') {
    file.problem = "unsupported: '" + name + "' has elements of type " + type +
                   "; save numbers in little-endian order";
    return file;
  }
  file.type = type.substr(2, type.size() - 3);
  b.erase(b.begin(), b.begin() + std::ptrdiff_t(start + length));
  return file;
}

/// The array of that name; entries must be stored, as numpy.savez does.
inline FileValues readNpz(const std::string &path, const std::string &array) {
  FileValues file = readBytes(path);
  if (!file.problem.empty())
    return file;
  const std::vector<char> &b = file.bytes;
  std::string wanted = array + ".npy", names;
  auto fails = [&](const std::string &text) {
    FileValues none;
    none.problem = text;
    return none;
  };
  // The central directory stands at the end; its sizes are always filled in.
  size_t end = b.size() < 22 ? 0 : b.size() - 22;
  while (end > 0 && std::memcmp(b.data() + end, "PK\5\6", 4) != 0)
    --end;
  if (b.size() < 22 || std::memcmp(b.data() + end, "PK\5\6", 4) != 0)
    return fails("'" + path + "' is not an npz file");
  size_t at = little(b.data() + end + 16, 4);
  for (unsigned n = little(b.data() + end + 10, 2); n > 0; --n) {
    if (at + 46 > end)
      return fails("'" + path + "' is damaged: its directory is cut off");
    const char *entry = b.data() + at;
    size_t nameSize = little(entry + 28, 2), size = little(entry + 24, 4),
           local = little(entry + 42, 4);
    if (at + 46 + nameSize > end)
      return fails("'" + path + "' is damaged: its directory is cut off");
    std::string name(entry + 46, nameSize);
    at += 46 + nameSize + little(entry + 30, 2) + little(entry + 32, 2);
    names += (names.empty() ? "" : ", ") + name;
    if (name != wanted && name != array)
      continue;
    if (little(entry + 10, 2) != 0)
      return fails("unsupported: '" + array + "' of '" + path +
                   "' is compressed; write the file with numpy.savez");
    if (local + 30 > b.size())
      return fails("'" + path + "' is damaged: '" + array + "' is cut off");
    size_t start = local + 30 + little(b.data() + local + 26, 2) +
                   little(b.data() + local + 28, 2);
    if (start > b.size() || size > b.size() - start)
      return fails("'" + path + "' is damaged: '" + array + "' is cut off");
    FileValues found;
    found.bytes.assign(b.begin() + std::ptrdiff_t(start),
                       b.begin() + std::ptrdiff_t(start + size));
    return parseNpy(std::move(found), path + ":" + array);
  }
  return fails("'" + path + "' has no array '" + array + "'; it has " +
               (names.empty() ? "none" : names));
}

} // namespace ppl::detail

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_FILES_H
