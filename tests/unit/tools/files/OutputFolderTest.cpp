#include "tools/files/OutputFolder.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace weft;
using namespace weft::tools;
namespace fs = std::filesystem;

TEST(OutputFolder, AppearsWholeAtTheEnd) {
  test::TemporaryFolder root("output-folder");
  for (const char *name : {"new", "empty", "with/slash/"}) {
    std::string path = root.file(name);
    fs::create_directories(fs::path(path).parent_path());
    if (std::string(name) == "empty")
      fs::create_directory(path);
    auto folder = OutputFolder::make(path);
    ASSERT_TRUE(folder.isOk()) << folder.status().message();
    std::ofstream((*folder)->path() + "/file") << "text";
    EXPECT_FALSE(fs::exists(path + "/file"));
    ASSERT_TRUE((*folder)->publish().isOk());
    EXPECT_TRUE(fs::exists(path + "/file"));
  }
}

TEST(OutputFolder, LeavesNothingThatIsNotPublished) {
  test::TemporaryFolder root("output-folder");
  {
    auto folder = OutputFolder::make(root.file("new"));
    ASSERT_TRUE(folder.isOk());
    std::ofstream((*folder)->path() + "/file") << "text";
  }
  EXPECT_TRUE(fs::is_empty(root.path));
}

TEST(OutputFolder, KeepsWhatOthersPutThere) {
  test::TemporaryFolder root("output-folder");
  auto folder = OutputFolder::make(root.file("late"));
  ASSERT_TRUE(folder.isOk());
  fs::create_directory(root.file("late"));
  std::ofstream(root.file("late/mine")) << "text";
  EXPECT_FALSE((*folder)->publish().isOk());
  EXPECT_FALSE(OutputFolder::make(root.file("late")).isOk());
  EXPECT_FALSE(OutputFolder::make(root.file("late/mine")).isOk());
  EXPECT_FALSE(OutputFolder::make("").isOk());
  EXPECT_TRUE(fs::exists(root.file("late/mine")));
}

TEST(FileNameOf, IsNoPathAndDifferentForDifferentNames) {
  EXPECT_EQ(fileNameOf("conv_0.tmp-1"), "conv_0.tmp-1");
  EXPECT_EQ(fileNameOf("../etc/passwd"), "%2E.%2Fetc%2Fpasswd");
  EXPECT_EQ(fileNameOf("-rf \n"), "%2Drf%20%0A");
  EXPECT_EQ(fileNameOf(std::string("\xc3\xbc\0", 3)), "%C3%BC%00");
  std::set<std::string> names;
  for (const char *name : {"", ".", "%2E", "%", "%25", "a/b", "a%2Fb", "a:b"})
    EXPECT_TRUE(names.insert(fileNameOf(name)).second) << name;
}
