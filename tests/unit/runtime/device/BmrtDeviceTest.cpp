#include "runtime/device/BmrtDevice.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace weft::rt;
using testing::HasSubstr;

namespace {

/// Sets FAKE_BMRT while it lives.
class FakeMode {
public:
  explicit FakeMode(const char *mode) { ::setenv("FAKE_BMRT", mode, 1); }
  ~FakeMode() { ::unsetenv("FAKE_BMRT"); }
};

class Bmrt : public testing::Test {
protected:
  Bmrt() : model(Bmodel::load(packModel(makeSmallModel()), "small")) {}

  Result<std::unique_ptr<BmrtDevice>> open(double seconds = 30) {
    return BmrtDevice::open({FAKE_BMRT_FOLDER "/libbmrt.so", seconds}, *model,
                            model->nets()[0], 0);
  }
  /// Opens and runs once; the first failure.
  Status runOnce(double seconds = 30) {
    Result<std::unique_ptr<BmrtDevice>> device = open(seconds);
    if (!device)
      return device.status();
    return (*device)->run({{input, 64}}, {{output, 64}});
  }

  Result<Bmodel> model;
  uint8_t input[64] = {1, 2, 3};
  uint8_t output[64] = {};
};

TEST_F(Bmrt, RunsSeveralTimesAndPrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  {
    Result<std::unique_ptr<BmrtDevice>> device = open();
    ASSERT_TRUE(device.isOk()) << device.status().message();
    for (uint8_t i = 0; i < 3; ++i) {
      input[0] = i;
      ASSERT_TRUE((*device)->run({{input, 64}}, {{output, 64}}).isOk());
      EXPECT_EQ(0, std::memcmp(input, output, 64));
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Bmrt, OutlivesTheThreadThatOpenedIt) {
  Result<std::unique_ptr<BmrtDevice>> device =
      fail(Code::Internal, "not opened");
  std::thread([&] { device = open(); }).join();
  ASSERT_TRUE(device.isOk()) << device.status().message();
  // Long enough for a signal that the end of the thread would send.
  ::usleep(50000);
  Status status = (*device)->run({{input, 64}}, {{output, 64}});
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(Bmrt, ChildrenEndWithTheirParent) {
  // Orphans become ours, so that they can be waited for.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  pid_t parent = ::fork();
  if (parent == 0) {
    Result<std::unique_ptr<BmrtDevice>> first = open(), second = open();
    ::_exit(first.isOk() && second.isOk() ? 0 : 1); // no destructor runs
  }
  int state = -1;
  ASSERT_EQ(::waitpid(parent, &state, 0), parent);
  EXPECT_EQ(state, 0);
  unsigned ended = 0;
  for (unsigned tries = 0; ended < 2 && tries < 1000; ++tries) {
    if (::waitpid(-1, nullptr, WNOHANG) > 0)
      ++ended;
    else
      ::usleep(10000);
  }
  EXPECT_EQ(ended, 2u);
}

TEST_F(Bmrt, DeathBetweenRunsIsOneClearLine) {
  FakeMode mode("die after load");
  Result<std::unique_ptr<BmrtDevice>> device = open();
  ASSERT_TRUE(device.isOk()) << device.status().message();
  ::usleep(200000);
  Status status = (*device)->run({{input, 64}}, {{output, 64}});
  EXPECT_EQ(status.code(), Code::DeviceAborted);
  EXPECT_THAT(status.message(), HasSubstr("libbmrt was ended by signal 14 "));
  EXPECT_THAT(status.message(), HasSubstr("before it ran the model"));
}

struct Failure {
  const char *mode;
  Code code;
  const char *message;
};

TEST_F(Bmrt, EveryFailureIsOneClearLine) {
  const Failure failures[] = {
      {"no device", Code::DeviceRefused, "libbmlib finds no device 0"},
      {"refuse", Code::DeviceRefused,
       "libbmrt refuses the model (its last output: 'bmodel is broken')"},
      {"launch fails", Code::DeviceRefused, "libbmrt could not run the model"},
      {"other shape", Code::DeviceRefused,
       "libbmrt gave another shape or type for output 0"},
      {"abort", Code::DeviceAborted,
       "libbmrt was ended by signal 6 (Aborted) while running the model (its "
       "last output: 'assertion failed: no such command')"},
      {"exit", Code::DeviceAborted,
       "libbmrt exited with status 233 while running the model"},
  };
  for (const Failure &failure : failures) {
    FakeMode mode(failure.mode);
    Status status = runOnce();
    EXPECT_EQ(status.code(), failure.code) << failure.mode;
    EXPECT_THAT(status.message(), HasSubstr(failure.message));
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
  }
}

TEST_F(Bmrt, HangsAreEnded) {
  for (const char *where : {"hang", "hang at load"}) {
    FakeMode mode(where);
    Status status = runOnce(/*seconds=*/0.2);
    EXPECT_EQ(status.code(), Code::Timeout) << where;
    EXPECT_THAT(status.message(), HasSubstr("within 0.2 s and was ended"));
  }
}

TEST_F(Bmrt, AFailedDeviceStaysFailed) {
  FakeMode mode("abort");
  Result<std::unique_ptr<BmrtDevice>> device = open();
  ASSERT_TRUE(device.isOk());
  EXPECT_FALSE((*device)->run({{input, 64}}, {{output, 64}}).isOk());
  EXPECT_THAT((*device)->run({{input, 64}}, {{output, 64}}).message(),
              HasSubstr("libbmrt has failed before"));
}

TEST_F(Bmrt, MissingAndWrongLibrariesAreNamed) {
  auto openWith = [&](const char *path) {
    return BmrtDevice::open({path, 30}, *model, model->nets()[0], 0).status();
  };
  EXPECT_THAT(openWith("").message(), HasSubstr("--bmrt-lib"));
  EXPECT_THAT(openWith("/no/libbmrt.so").message(),
              HasSubstr("cannot read /no/libbmrt.so: No such file"));
  Status wrong = openWith(__FILE__);
  EXPECT_EQ(wrong.code(), Code::DeviceNotFound);
  EXPECT_THAT(wrong.message(), HasSubstr("BmrtDeviceTest.cpp"));
}

} // namespace
