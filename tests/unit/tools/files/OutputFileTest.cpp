#include "tools/files/OutputFile.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft;
using testing::HasSubstr;
using tools::checkOutputFile;
using tools::writeOutputFile;

namespace {

class OutputFile : public testing::Test {
protected:
  size_t filesInFolder() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto &entry :
         std::filesystem::directory_iterator(folder))
      ++count;
    return count;
  }
  test::TemporaryFolder temporary{"output"};
  const std::filesystem::path &folder = temporary.path;
};

TEST_F(OutputFile, ReplacesAndLeavesNoTemporary) {
  std::string path = (folder / "a.bin").string();
  ASSERT_TRUE(writeOutputFile(path, "old", 3).isOk());
  ASSERT_TRUE(writeOutputFile(path, "newer", 5).isOk());
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(OutputFile, KeepsALinkAndWritesItsTarget) {
  std::string target = (folder / "target").string();
  ASSERT_TRUE(writeOutputFile(target, "old", 3).isOk());
  std::string link = (folder / "link").string();
  std::filesystem::create_symlink("target", link);
  ASSERT_TRUE(writeOutputFile(link, "newer", 5).isOk());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::file_size(target), 5u);
}

TEST_F(OutputFile, WritesTheTargetOfALinkThatIsNotThereYet) {
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/second", folder / "first");
  std::filesystem::create_symlink("target", folder / "sub/second");
  std::string link = (folder / "first").string();
  EXPECT_TRUE(checkOutputFile(link).isOk());
  ASSERT_TRUE(writeOutputFile(link, "newer", 5).isOk());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub/second"));
  EXPECT_EQ(std::filesystem::file_size(folder / "sub/target"), 5u);
  std::filesystem::create_symlink("loop", folder / "loop");
  link = (folder / "loop").string();
  EXPECT_THAT(checkOutputFile(link).message(),
              HasSubstr("cannot create: Too many levels of symbolic links"));
  EXPECT_FALSE(writeOutputFile(link, "x", 1).isOk());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST_F(OutputFile, KeepsThePermissionsButNoRightsOfTheOwner) {
  std::string path = (folder / "a").string();
  ASSERT_TRUE(writeOutputFile(path, "old", 3).isOk());
  ASSERT_EQ(::chmod(path.c_str(), 06750), 0);
  ASSERT_TRUE(writeOutputFile(path, "newer", 5).isOk());
  EXPECT_EQ(int(std::filesystem::status(path).permissions()), 0750);
}

TEST_F(OutputFile, WritesToADescriptorThatIsNamed) {
  std::string path = (folder / "log").string();
  ASSERT_TRUE(writeOutputFile(path, "old,", 4).isOk());
  int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  ASSERT_GE(file, 0);
  for (const char *names : {"/dev/fd/", "/proc/self/fd/"}) {
    std::string name = names + std::to_string(file);
    EXPECT_TRUE(checkOutputFile(name).isOk());
    ASSERT_TRUE(writeOutputFile(name, "new,", 4).isOk());
  }
  ::close(file);
  std::ifstream stream(path);
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "old,new,new,");
}

TEST_F(OutputFile, HasTheLongestNameThereIs) {
  for (size_t size : {200, 250, 255}) {
    std::string path = (folder / std::string(size, 'a')).string();
    EXPECT_TRUE(checkOutputFile(path).isOk());
    EXPECT_TRUE(writeOutputFile(path, "x", 1).isOk());
    EXPECT_EQ(std::filesystem::file_size(path), 1u);
  }
  std::string path = (folder / std::string(256, 'a')).string();
  EXPECT_THAT(checkOutputFile(path).message(), HasSubstr("File name too long"));
  EXPECT_FALSE(writeOutputFile(path, "x", 1).isOk());
  EXPECT_EQ(filesInFolder(), 3u);
}

TEST_F(OutputFile, IsRefusedWhereThereAreNoNewFiles) {
  // Users that are not root read that they may not.
  EXPECT_THAT(
      checkOutputFile("/proc/a.bin").message(),
      testing::AnyOf(HasSubstr("the file system of /proc takes no new files"),
                     HasSubstr("cannot create: Permission denied")));
}

TEST_F(OutputFile, IsCheckedWithoutATrace) {
  std::string path = (folder / "a.bin").string();
  EXPECT_TRUE(checkOutputFile(path).isOk());
  EXPECT_EQ(filesInFolder(), 0u);
  ASSERT_TRUE(writeOutputFile(path, "old", 3).isOk());
  EXPECT_TRUE(checkOutputFile(path).isOk());
  EXPECT_TRUE(checkOutputFile("-").isOk());
  EXPECT_TRUE(checkOutputFile("/dev/null").isOk());
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
  for (const std::string &bad : {(folder / "no/a").string(), folder.string()}) {
    EXPECT_FALSE(checkOutputFile(bad).isOk());
    EXPECT_EQ(checkOutputFile(bad).message(),
              writeOutputFile(bad, "x", 1).message());
  }
}

TEST_F(OutputFile, FailuresNamePathAndReason) {
  rt::Status status = writeOutputFile((folder / "no/a").string(), "x", 1);
  EXPECT_EQ(status.code(), rt::Code::IoError);
  EXPECT_THAT(status.message(),
              HasSubstr("no/a: cannot create: there is no folder "));
  EXPECT_THAT(writeOutputFile("/dev/full", "x", 1).message(),
              HasSubstr("/dev/full: cannot write: No space left"));
  EXPECT_THAT(writeOutputFile(folder.string(), "x", 1).message(),
              HasSubstr("it is a directory"));
  EXPECT_EQ(filesInFolder(), 0u);
}

} // namespace
