#include "tools/files/TemporaryFile.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <optional>
#include <unistd.h>

using namespace weft::tools;

/// An empty file of a new name.
static std::string newFile() {
  std::string path = testing::TempDir() + "weft-test.XXXXXX";
  ::close(::mkstemp(path.data()));
  return path;
}

static bool exists(const std::string &path) {
  return ::access(path.c_str(), F_OK) == 0;
}

TEST(TemporaryFile, IsRemovedAtTheEnd) {
  std::string path = newFile();
  std::optional<TemporaryFile> file(path);
  EXPECT_TRUE(exists(path));
  file.reset();
  EXPECT_FALSE(exists(path));
}

TEST(TemporaryFile, StaysWhenKept) {
  std::string path = newFile();
  std::optional<TemporaryFile> file(path);
  file->keep();
  file.reset();
  EXPECT_TRUE(exists(path));
  ::unlink(path.c_str());
}

TEST(TemporaryFile, ACrashRemovesThoseAlive) {
  std::string kept = newFile(), alive = newFile();
  {
    TemporaryFile file(kept);
    file.keep();
  }
  TemporaryFile file(alive);
  removeLeftovers();
  EXPECT_TRUE(exists(kept));
  EXPECT_FALSE(exists(alive));
  ::unlink(kept.c_str());
}
