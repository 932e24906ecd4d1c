#include "runtime/status/Status.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>

using namespace weft::rt;

namespace {

Status twice(Status inner, int &reached) {
  WEFT_TRY(inner);
  ++reached;
  return Status::ok();
}

TEST(Status, SuccessHasNoMessage) {
  Status status;
  EXPECT_TRUE(status.isOk());
  EXPECT_EQ(status.code(), Code::Ok);
  EXPECT_EQ(status.message(), "");
  EXPECT_TRUE(status.withContext("file").isOk());
}

TEST(Status, FailureKeepsCodeAndGetsContext) {
  Status status = failf(Code::BadFile, "size is %d, must be %d", 3, 4);
  EXPECT_FALSE(status.isOk());
  EXPECT_EQ(status.message(), "size is 3, must be 4");
  Status outer = status.withContext("a.bmodel");
  EXPECT_EQ(outer.code(), Code::BadFile);
  EXPECT_EQ(outer.message(), "a.bmodel: size is 3, must be 4");
}

TEST(Status, LongTextsAreNotCut) {
  std::string text(5000, 'x');
  EXPECT_EQ(failf(Code::Internal, "%s", text.c_str()).message(), text);
}

TEST(Status, TryReturnsTheFirstFailure) {
  int reached = 0;
  EXPECT_TRUE(twice(Status::ok(), reached).isOk());
  EXPECT_EQ(reached, 1);
  EXPECT_EQ(twice(fail(Code::Timeout, "late"), reached).message(), "late");
  EXPECT_EQ(reached, 1);
}

TEST(Status, CodesAndTextsAreDistinct) {
  std::set<int> values;
  std::set<std::string> texts;
#define WEFT_STATUS_CODE(name, value, cname, text)                             \
  EXPECT_TRUE(values.insert(value).second) << #name;                           \
  EXPECT_TRUE(texts.insert(codeText(Code::name)).second) << #name;
#include "runtime/status/Codes.def"
}

TEST(Result, HoldsMoveOnlyValuesAndFailures) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(7);
  ASSERT_TRUE(value.isOk());
  EXPECT_TRUE(value.status().isOk());
  std::unique_ptr<int> moved = *std::move(value);
  EXPECT_EQ(*moved, 7);
  Result<int> failure = fail(Code::NotFound, "no such net");
  ASSERT_FALSE(failure.isOk());
  EXPECT_EQ(failure.status().code(), Code::NotFound);
}

} // namespace
