#include "tools/npz/ArrayFile.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::npz;
using numeric::ElementType;
using numeric::HostTensor;
using testing::ElementsAre;

namespace {

HostTensor numbers(ElementType type) {
  HostTensor tensor(type, {2});
  tensor.setFromDouble(1, 1.5);
  return tensor;
}

ArraySource source(const std::string &name, const HostTensor &tensor) {
  return {name, tensor.type(), tensor.shape(), [tensor] { return tensor; }};
}

class Arrays : public testing::Test {
protected:
  test::TemporaryFolder folder{"array-file"};
  std::string archive = folder.file("a.npz"), array = folder.file("b c.npy");
};

} // namespace

TEST_F(Arrays, ReadsArchivesAndSingleArrays) {
  HostTensor floats = numbers(ElementType::F32),
             brain = numbers(ElementType::BF16);
  ASSERT_TRUE(
      streamNpz(archive, {source("x", floats), source("y", brain)}).isOk());
  ASSERT_TRUE(writeNpy(array, floats).isOk());
  auto both = ArrayFile::open(archive), one = ArrayFile::open(array);
  ASSERT_TRUE(both.isOk() && one.isOk());
  EXPECT_THAT((*both)->names(), ElementsAre("x", "y"));
  EXPECT_THAT((*one)->names(), ElementsAre("b c"));
  EXPECT_EQ((*both)->type("y"), ElementType::F32); // carries bf16
  EXPECT_EQ((*both)->read("y")->toDouble(1), 1.5);
  EXPECT_EQ(*(*one)->read("b c"), floats);
  EXPECT_TRUE((*one)->has("b c") && !(*one)->has("x") && !(*both)->has("z"));
}

TEST_F(Arrays, AStreamIsWhatIsWrittenAtOnce) {
  HostTensor floats = numbers(ElementType::F32);
  ASSERT_TRUE(streamNpz(archive, {source("x", floats)}).isOk());
  ASSERT_TRUE(writeNpz(folder.file("b.npz"), {{"x", &floats}}).isOk());
  std::ifstream a(archive), b(folder.file("b.npz"));
  EXPECT_TRUE(std::equal(std::istreambuf_iterator<char>(a), {},
                         std::istreambuf_iterator<char>(b), {}));
}

TEST_F(Arrays, AnArrayThatCannotBeReadLeavesNoFile) {
  HostTensor floats = numbers(ElementType::F32);
  ArraySource bad = source("bad", floats);
  bad.read = []() -> rt::Result<HostTensor> {
    return rt::fail(rt::Code::BadFile, "no such array");
  };
  rt::Status status = streamNpz(archive, {source("x", floats), bad});
  EXPECT_EQ(status.message(), "no such array");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
  EXPECT_FALSE(
      streamNpz(archive, {source("x", floats), source("x", floats)}).isOk());
  EXPECT_FALSE(ArrayFile::open(folder.file("none.npz")).isOk());
}
