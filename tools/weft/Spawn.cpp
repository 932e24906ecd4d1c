#include "tools/weft/Spawn.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace weft;

pid_t cli::spawn(const std::vector<std::string> &command,
                 const Streams &streams) {
  // Behind fork() no memory may be taken: another thread may hold its lock.
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = ::fork();
  if (child != 0) {
    if (child > 0)
      ::setpgid(child, child); // whoever comes first
    return child;
  }
  ::setpgid(0, 0);
  for (auto [from, to] : {std::pair(streams.input, STDIN_FILENO),
                          std::pair(streams.output, STDOUT_FILENO),
                          std::pair(streams.errors, STDERR_FILENO)})
    if (from >= 0)
      ::dup2(from, to);
  // What limits this program (--memory-limit) is not meant for others.
  struct rlimit memory;
  if (::getrlimit(RLIMIT_DATA, &memory) == 0) {
    memory.rlim_cur = memory.rlim_max;
    ::setrlimit(RLIMIT_DATA, &memory);
  }
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNoProgram);
}

int cli::awaitEnd(pid_t child, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  bool isLimited = seconds >= 0;
  int state = 0;
  while (true) {
    pid_t ended = ::waitpid(child, &state, isLimited ? WNOHANG : 0);
    if (ended == child || (ended < 0 && errno != EINTR))
      return state;
    std::chrono::duration<double> waited = Clock::now() - begin;
    if (isLimited && waited.count() > seconds) {
      ::kill(-child, SIGKILL);
      isLimited = false;
    }
    if (isLimited)
      ::usleep(2000);
  }
}
