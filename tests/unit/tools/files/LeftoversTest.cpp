#include "tools/files/Leftovers.h"
#include "tools/files/TemporaryFile.h"
#include "tools/files/TemporaryFolder.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace weft;
using namespace weft::tools;

namespace {

/// The names of what the child has made, on lines.
void tell(int pipe, const std::string &text) {
  std::string line = text + "\n";
  (void)!::write(pipe, line.data(), line.size());
}

/// What the program does: makes things, and waits in their midst.
[[noreturn]] void makeAndWait(int pipe, bool isIgnored) {
  if (isIgnored)
    std::signal(SIGHUP, SIG_IGN);
  removeLeftoversOnSignals();
  auto file = TemporaryFile::make("weft-test", ".x");
  auto folder = TemporaryFolder::make("weft-test");
  std::filesystem::create_directories((*folder)->path() + "/a/b");
  std::ofstream((*folder)->path() + "/a/b/c") << "text";
  std::ofstream((*folder)->path() + "/d") << "text";
  pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    for (;;)
      ::pause();
  }
  ::setpgid(child, child);
  Leftover group(child);
  tell(pipe, (*file)->path());
  tell(pipe, (*folder)->path());
  tell(pipe, std::to_string(child));
  ::close(pipe);
  for (;;)
    ::pause();
}

struct Child {
  pid_t process = -1;
  std::string file, folder;
  pid_t child = -1;
};

Child startChild(bool isIgnored = false) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  Child child;
  child.process = ::fork();
  if (child.process == 0) {
    ::close(ends[0]);
    makeAndWait(ends[1], isIgnored);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t got; std::count(text.begin(), text.end(), '\n') < 3 &&
                    (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(got));
  ::close(ends[0]);
  std::istringstream lines(text);
  lines >> child.file >> child.folder >> child.child;
  return child;
}

} // namespace

TEST(Leftovers, EverySignalThatEndsTheProgramRemovesThem) {
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    Child child = startChild();
    ASSERT_TRUE(std::filesystem::exists(child.file));
    ASSERT_TRUE(std::filesystem::exists(child.folder + "/a/b/c"));
    ::kill(child.process, signal);
    int state = 0;
    ASSERT_EQ(::waitpid(child.process, &state, 0), child.process);
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == signal) << state;
    EXPECT_FALSE(std::filesystem::exists(child.file));
    EXPECT_FALSE(std::filesystem::exists(child.folder));
    EXPECT_NE(::kill(child.child, 0), 0); // it was reaped
  }
}

TEST(Leftovers, ASignalThatIsIgnoredStaysSo) {
  Child child = startChild(/*isIgnored=*/true);
  ::kill(child.process, SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(std::filesystem::exists(child.file));
  ::kill(child.process, SIGTERM);
  ::waitpid(child.process, nullptr, 0);
  EXPECT_FALSE(std::filesystem::exists(child.file));
}

TEST(Leftovers, AForkedChildRemovesNothing) {
  auto file = TemporaryFile::make("weft-test", ".x");
  ASSERT_TRUE(file.isOk());
  pid_t child = ::fork();
  if (child == 0) {
    removeLeftovers();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists((*file)->path()));
}
