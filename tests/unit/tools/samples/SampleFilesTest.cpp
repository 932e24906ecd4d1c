#include "tools/samples/SampleFiles.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::samples;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Files : public testing::Test {
protected:
  void touch(const std::string &name) {
    std::filesystem::path path = folder.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  }
  /// "input:file" of every sample, without folders.
  std::vector<std::string> list(const std::vector<std::string> &data,
                                int64_t limit = 0) {
    rt::Result<std::vector<SampleFiles>> samples = listSamples(data, limit);
    message = samples.status().message();
    std::vector<std::string> texts;
    for (size_t i = 0; samples && i < samples->size(); ++i) {
      std::string text;
      for (const SampleFile &file : (*samples)[i])
        text += (text.empty() ? "" : " ") + file.input + ":" +
                std::filesystem::path(file.path).filename().string();
      texts.push_back(text);
    }
    return texts;
  }

  test::TemporaryFolder folder{"samples"};
  std::string message;
};

TEST_F(Files, AFolderIsSortedAndMayBeMixed) {
  for (const char *name : {"d/c.npy", "d/a.JPG", "d/b.png", "d/e.npz",
                           "d/d.jpeg", "d/notes.txt", "d/f.webp"})
    touch(name);
  EXPECT_THAT(list({folder.file("d")}),
              ElementsAre(":a.JPG", ":b.png", ":c.npy", ":d.jpeg", ":e.npz"));
  EXPECT_THAT(list({folder.file("d")}, 2), ElementsAre(":a.JPG", ":b.png"));
  EXPECT_THAT(list({"x=" + folder.file("d")}, 1), ElementsAre("x:a.JPG"));
}

TEST_F(Files, FoldersOfInputsGoByName) {
  for (const char *name : {"a/2.png", "a/1.png", "b/1.npy", "b/2.npz"})
    touch(name);
  std::vector<std::string> both = {"x=" + folder.file("a"),
                                   "z=" + folder.file("b")};
  EXPECT_THAT(list(both), ElementsAre("x:1.png z:1.npy", "x:2.png z:2.npz"));
  touch("b/3.npy");
  EXPECT_THAT(list(both), ElementsAre());
  EXPECT_THAT(message, HasSubstr("b/3.npy' has no file of the same name"));
  touch("b/1.png");
  list(both);
  EXPECT_THAT(message, HasSubstr("have one name, and are the same sample of "
                                 "input 'z'; remove one"));
}

TEST_F(Files, WrongFoldersAreErrors) {
  list({folder.file("none")});
  EXPECT_THAT(message, HasSubstr("cannot read the folder"));
  touch("e/notes.txt");
  list({folder.file("e")});
  EXPECT_THAT(message, HasSubstr("holds no .npz, .npy, .png or .jpg file"));
  list({folder.file("e"), folder.file("e")});
  EXPECT_THAT(message, HasSubstr("NAME=PATH"));
  list({"x=" + folder.file("e"), "x=" + folder.file("e")});
  EXPECT_THAT(message, HasSubstr("'x' is given twice"));
}

TEST_F(Files, AFileWithAnEqualsSignIsAFile) {
  touch("x=1.npz");
  rt::Result<SampleFiles> files = parseFiles({folder.file("x=1.npz")});
  ASSERT_TRUE(files.isOk());
  EXPECT_EQ((*files)[0].input, "");
  EXPECT_EQ((*parseFiles({"x=a=b.npz"}))[0].path, "a=b.npz");
  EXPECT_EQ((*parseFiles({"=a.npz"}))[0].path, "=a.npz");
}

} // namespace
