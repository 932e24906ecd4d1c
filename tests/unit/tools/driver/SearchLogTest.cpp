//===- SearchLogTest.cpp - measured programs in a file --------------------===//

#include "tools/driver/SearchLog.h"
#include "tests/unit/tools/TemporaryFolder.h"

#include "gtest/gtest.h"

#include <fstream>
#include <limits>
#include <sstream>

using namespace weft;
using namespace weft::driver;
using weft::test::TemporaryFolder;

namespace {
class SearchLogTest : public testing::Test {
protected:
  TemporaryFolder folder{"search-log"};
  std::string path = folder.file("search.jsonl");

  static MixedProgram program() {
    MixedProgram program;
    program.isFloat = {true, false, true};
    program.cycles = 12345;
    program.floatShare = 1.0 / 3;
    program.accuracy.outputs = {
        {"y", 0.1 + 0.2, -1e-17, 5e-324},
        {"z \xff", 1, 0, std::numeric_limits<double>::infinity(), 0.7},
        {"part", 1, 1, 0, std::nullopt, "z \xff"}};
    return program;
  }
  static SearchLog::Search search(const std::string &key) {
    return {key, 3, {"y", "z \xff", "part"}};
  }
  std::string text() const {
    std::ifstream file(path);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void write(const std::string &text) const { std::ofstream(path) << text; }
  std::string messageOf(const std::string &key) const {
    auto log = SearchLog::open(path, search(key));
    return log ? "" : log.status().message();
  }
};
} // namespace

TEST_F(SearchLogTest, GivesBackWhatWasMeasuredToTheBit) {
  {
    auto log = SearchLog::open(path, search("key"));
    ASSERT_TRUE(bool(log)) << log.status().message();
    EXPECT_FALSE((*log)->find(program().isFloat, false));
    EXPECT_TRUE(bool((*log)->add(program())));
  }
  auto log = SearchLog::open(path, search("key"));
  ASSERT_TRUE(bool(log)) << log.status().message();
  auto found = (*log)->find(program().isFloat, false);
  ASSERT_TRUE(found);
  MixedProgram wanted = program();
  EXPECT_EQ(found->isFloat, wanted.isFloat);
  EXPECT_EQ(found->cycles, wanted.cycles);
  EXPECT_EQ(found->floatShare, wanted.floatShare);
  ASSERT_EQ(found->accuracy.outputs.size(), 3u);
  EXPECT_FALSE(found->accuracy.outputs[2].partOf.empty());
  for (size_t i = 0; i < 3; ++i) {
    const OutputAccuracy &a = found->accuracy.outputs[i],
                         &b = wanted.accuracy.outputs[i];
    EXPECT_EQ(a.cosine, b.cosine);
    EXPECT_EQ(a.worstCosine, b.worstCosine);
    EXPECT_EQ(a.errorRatio, b.errorRatio);
    EXPECT_EQ(a.logitErrorRatio, b.logitErrorRatio);
  }
  EXPECT_FALSE((*log)->find(wanted.isFloat, true)) << "it has no score";
  wanted.score = 0.25;
  EXPECT_TRUE(bool((*log)->add(wanted)));
  EXPECT_EQ((*SearchLog::open(path, search("key")))
                ->find(wanted.isFloat, true)
                ->score,
            0.25);
}

// A whole program is another than the mix with the same floats.
TEST_F(SearchLogTest, KeepsWholeProgramsApart) {
  MixedProgram half = program();
  half.kind = ProgramKind::Half;
  half.cycles = 7;
  {
    auto log = SearchLog::open(path, search("key"));
    ASSERT_TRUE(bool(log)) << log.status().message();
    EXPECT_TRUE(bool((*log)->add(program())) && bool((*log)->add(half)));
  }
  auto log = SearchLog::open(path, search("key"));
  ASSERT_TRUE(bool(log)) << log.status().message();
  auto found = (*log)->find(half.isFloat, false, ProgramKind::Half);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isMadeAs(half));
  EXPECT_EQ(found->cycles, 7);
  EXPECT_EQ((*log)->find(half.isFloat, false)->cycles, 12345);
  EXPECT_FALSE((*log)->find(half.isFloat, false, ProgramKind::Int8));
}

TEST_F(SearchLogTest, EveryCutOffLineIsForgotten) {
  ASSERT_TRUE(bool((*SearchLog::open(path, search("key")))->add(program())));
  std::string whole = text();
  size_t second = whole.find('\n') + 1;
  for (size_t size = second; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    auto log = SearchLog::open(path, search("key"));
    ASSERT_TRUE(bool(log)) << log.status().message();
    EXPECT_FALSE((*log)->find(program().isFloat, false));
    EXPECT_EQ(text(), whole.substr(0, second));
    // What is added later begins a line.
    if (size % 16 == 0) {
      ASSERT_TRUE(bool((*log)->add(program())));
      EXPECT_EQ(text(), whole);
    }
  }
}

TEST_F(SearchLogTest, OtherFilesAreRefusedAndKept) {
  for (const char *other :
       {"precious", "precious\n", "{}\n", "{\"log\": 1}\n", "[]\n"}) {
    write(other);
    EXPECT_EQ(messageOf("key"),
              path + " is no log of a search; give another file");
    EXPECT_EQ(text(), other);
  }
  write("");
  EXPECT_EQ(messageOf("key"), "");
  EXPECT_EQ(messageOf("other"),
            path + " is of another search: the model, its samples, the options "
                   "or the compiler differ; remove it or give another file");
  std::string head = text();
  for (const char *line :
       {"{}", "7", "{\"floats\":1,\"outputs\":[]}",
        "{\"floats\":\"1\",\"outputs\":[{}],\"cycles\":1,\"float_share\":0}",
        "{\"floats\":\"1\",\"outputs\":[],\"cycles\":\"1\"}"}) {
    write(head + line + "\n");
    EXPECT_EQ(messageOf("key"),
              path + ": '" + std::string(line).substr(0, 40) +
                  "' is no measured program of this search; remove the file");
  }
  // Whole programs, but with another number of products, without an output,
  // with another name, with a cosine that would meet any goal.
  MixedProgram few = program(), other = program(), renamed = program(),
               infinite = program();
  few.isFloat.pop_back();
  other.accuracy.outputs.pop_back();
  renamed.accuracy.outputs[0].name = "x";
  infinite.accuracy.outputs[0].cosine = std::numeric_limits<double>::infinity();
  for (const MixedProgram &wrong : {few, other, renamed, infinite}) {
    write(head);
    ASSERT_TRUE(bool((*SearchLog::open(path, search("key")))->add(wrong)));
    EXPECT_NE(messageOf("key").find("is no measured program of this search"),
              std::string::npos);
  }
}
