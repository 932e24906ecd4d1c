#include "tools/weft/Spawn.h"
#include "tools/weft/MemoryLimit.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace weft;

/// In the child: waits until it is entered. False if its parent ended before.
static bool awaitGate(const int (&gate)[2]) {
  // One that is forked meanwhile has our end of the gate until it runs.
  constexpr int kMostMilliseconds = 10000;
  ::close(gate[1]);
  struct pollfd poll = {gate[0], POLLIN, 0};
  char open;
  return ::poll(&poll, 1, kMostMilliseconds) == 1 &&
         ::read(gate[0], &open, 1) == 1;
}

pid_t cli::spawn(const std::vector<std::string> &command,
                 const Streams &streams,
                 std::optional<tools::Leftover> *entry) {
  int gate[2];
  if (::pipe2(gate, O_CLOEXEC) != 0)
    return -1;
  // Behind fork() no memory may be taken: another thread may hold its lock.
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = ::fork();
  if (child != 0) {
    int reason = errno;
    if (child > 0) {
      ::setpgid(child, child); // whoever comes first
      if (entry)
        entry->emplace(child);
      [[maybe_unused]] ssize_t opened = ::write(gate[1], "", 1);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    errno = reason;
    return child;
  }
  ::setpgid(0, 0);
  if (!awaitGate(gate))
    ::_exit(kNoProgram);
  for (auto [from, to] : {std::pair(streams.input, STDIN_FILENO),
                          std::pair(streams.output, STDOUT_FILENO),
                          std::pair(streams.errors, STDERR_FILENO)})
    if (from >= 0)
      ::dup2(from, to);
  // What limits this program (--memory-limit) is not meant for others.
  restoreMemoryLimit();
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
