#include "tools/files/TemporaryFolder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::tools;

TEST(TemporaryFolder, IsRemovedWithWhatIsInIt) {
  auto folder = TemporaryFolder::make("weft-test");
  ASSERT_TRUE(folder.isOk()) << folder.status().message();
  std::string path = (*folder)->path();
  std::ofstream(path + "/file") << "text";
  EXPECT_TRUE(std::filesystem::exists(path + "/file"));
  folder->reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, SaysWhereItCannotBe) {
  ::setenv("TMPDIR", "/no/such/place", 1);
  auto folder = TemporaryFolder::make("weft-test");
  ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder.isOk());
  EXPECT_EQ(folder.status().message(),
            "cannot make a temporary folder in /no/such/place: No such file or "
            "directory; let TMPDIR name another folder");
}
