#include "tools/weft/Crash.h"
#include "tools/files/TemporaryFile.h"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace weft;

static const char *const kLine =
    "^weft: internal error: .*please report it .*: weft convert "
    "'it'\\\\''s.onnx'\n$";

/// Breaks as the program would, with a temporary file at `path`.
static void breakBy(int signal, const std::string &path) {
  const char *arguments[] = {"weft", "convert", "it's.onnx"};
  cli::handleCrashes(3, const_cast<char **>(arguments));
  tools::TemporaryFile file(path);
  std::raise(signal);
}

TEST(CrashDeathTest, OneLineExitCode70AndNoFileLeft) {
#if defined(__SANITIZE_ADDRESS__)
  const int signals[] = {SIGABRT};
#else
  const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#endif
  for (int signal : signals) {
    std::string path = testing::TempDir() + "weft-test.XXXXXX";
    ::close(::mkstemp(path.data()));
    EXPECT_EXIT(breakBy(signal, path), testing::ExitedWithCode(70), kLine);
    EXPECT_NE(::access(path.c_str(), F_OK), 0) << "signal " << signal;
  }
}
