//===- TemporaryFolder.h - files of a test ----------------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_TOOLS_TEMPORARYFOLDER_H
#define WEFT_TESTS_UNIT_TOOLS_TEMPORARYFOLDER_H

#include <filesystem>
#include <string>
#include <unistd.h>

namespace weft::test {

/// An empty folder of this process, gone with the object.
class TemporaryFolder {
public:
  explicit TemporaryFolder(const std::string &name)
      : path(std::filesystem::temp_directory_path() /
             ("weft-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  std::string file(const std::string &name) const {
    return (path / name).string();
  }

  const std::filesystem::path path;
};

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_TOOLS_TEMPORARYFOLDER_H
