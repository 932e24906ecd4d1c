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

/// Children that do not listen: the clean-up takes its second. A second thread
/// takes signals while the first cleans up.
[[noreturn]] static void makeStubbornAndWait(int pipe) {
  removeLeftoversOnSignals();
  auto file = TemporaryFile::make("weft-test", ".x");
  std::vector<std::unique_ptr<Leftover>> groups;
  for (int i = 0; i < 3; ++i) {
    pid_t child = ::fork();
    if (child == 0) {
      ::setpgid(0, 0);
      for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
        std::signal(signal, SIG_IGN);
      tell(pipe, "ready");
      for (;;)
        ::pause();
    }
    ::setpgid(child, child);
    groups.push_back(std::make_unique<Leftover>(child));
  }
  std::thread second([] {
    for (;;)
      ::pause();
  });
  tell(pipe, (*file)->path());
  for (;;)
    ::pause();
}

TEST(Leftovers, ASecondSignalWaitsForTheCleanUpOfTheFirst) {
  for (int later : {SIGTERM, SIGINT}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    pid_t process = ::fork();
    if (process == 0)
      makeStubbornAndWait(ends[1]);
    ::close(ends[1]);
    std::string text;
    char buffer[512];
    for (ssize_t got; std::count(text.begin(), text.end(), '\n') < 4 &&
                      (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, size_t(got));
    std::string file = text.substr(text.find('/'));
    file = file.substr(0, file.find('\n'));
    ASSERT_TRUE(std::filesystem::exists(file));
    using Clock = std::chrono::steady_clock;
    auto begin = Clock::now();
    ::kill(process, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(process, later);
    int state = 0;
    ASSERT_EQ(::waitpid(process, &state, 0), process);
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM) << state;
    EXPECT_FALSE(std::filesystem::exists(file));
    // One second for all groups together, on a loaded machine.
    EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(900));
    EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(2800));
    // The pipe ends with the last of the children.
    EXPECT_EQ(::read(ends[0], buffer, sizeof buffer), 0);
    ::close(ends[0]);
  }
}

TEST(Leftovers, ReadsNoSlotThatChangesUnderTheHandler) {
  for (int round = 0; round < 20; ++round) {
    pid_t process = ::fork();
    if (process == 0) {
      removeLeftoversOnSignals();
      std::thread second([] {
        for (int i = 0;; ++i)
          Leftover(Leftover::Kind::File,
                   "/nowhere/" + std::string(size_t(i % 2000), 'a'));
      });
      for (int i = 0;; ++i)
        Leftover(Leftover::Kind::Folder,
                 "/nowhere/" + std::string(size_t(i % 5000), 'b'));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(process, SIGTERM);
    int state = 0;
    ASSERT_EQ(::waitpid(process, &state, 0), process);
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM) << state;
  }
}
