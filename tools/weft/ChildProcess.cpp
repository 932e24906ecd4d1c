#include "tools/weft/ChildProcess.h"
#include "tools/weft/Spawn.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

/// Of an answer, so that what writes without end does not fill the memory. The
/// names of a hundred thousand values are not a tenth of it.
static constexpr size_t kMostAnswerBytes = size_t(64) << 20;
/// Between the end of its stdin and its own, in which it cleans up.
static constexpr double kMostSecondsToEnd = 10;

static void closeAll(std::initializer_list<int> descriptors) {
  for (int descriptor : descriptors)
    if (descriptor >= 0)
      ::close(descriptor);
}

Result<std::unique_ptr<ChildProcess>>
ChildProcess::start(const std::vector<std::string> &command) {
  std::unique_ptr<ChildProcess> process(new ChildProcess);
  // A socket, because writing to a pipe that nobody reads is a signal.
  int sockets[2] = {-1, -1}, pipes[2] = {-1, -1}, errors[2] = {-1, -1};
  bool isMade =
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 &&
      ::pipe2(pipes, O_CLOEXEC) == 0 && ::pipe2(errors, O_CLOEXEC) == 0;
  process->requests = sockets[0];
  process->answers = pipes[0];
  if (isMade)
    process->child = spawn(command, {sockets[1], pipes[1], errors[1]});
  int error = errno;
  closeAll({sockets[1], pipes[1], errors[1]});
  process->errors = std::make_unique<StreamTail>(errors[0]);
  if (process->child < 0)
    return rt::fail(Code::IoError, "cannot start " + command.front() + ": " +
                                       std::strerror(error));
  return process;
}

ChildProcess::~ChildProcess() { end(); }

Result<std::string> ChildProcess::ask(const std::string &line) {
  const rt::Status gone(Code::NotFound, "the program has ended");
  std::string request = line + "\n";
  for (size_t sent = 0; sent < request.size();) {
    ssize_t count = ::send(requests, request.data() + sent,
                           request.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR)
      break; // what it said before it ended is there to be read
    sent += size_t(std::max<ssize_t>(count, 0));
  }
  char buffer[4096];
  size_t newline;
  while ((newline = unread.find('\n')) == std::string::npos) {
    ssize_t count = ::read(answers, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return gone;
    unread.append(buffer, size_t(count));
    if (unread.size() > kMostAnswerBytes)
      return rt::failf(Code::OutOfRange, "its answer is longer than %zu MiB",
                       kMostAnswerBytes >> 20);
  }
  std::string answer = unread.substr(0, newline);
  unread.erase(0, newline + 1);
  return answer;
}

ChildProcess::End ChildProcess::end() {
  End end;
  // Also the answers: who writes what nobody reads would wait for ever.
  closeAll({requests, answers});
  requests = answers = -1;
  if (child < 0)
    return end;
  int state = awaitEnd(child, kMostSecondsToEnd);
  child = -1;
  if (WIFSIGNALED(state))
    end.signal = WTERMSIG(state);
  else
    end.exitCode = WEXITSTATUS(state);
  end.lastWords = errors->finish();
  end.isMissing = end.exitCode == kNoProgram && end.lastWords.empty();
  return end;
}
