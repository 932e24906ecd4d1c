#include "tools/weft/CheckRun.h"
#include "tools/files/Leftovers.h"
#include "tools/weft/Spawn.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;

static std::string quoteForShell(const std::string &text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string cli::checkCommand(const std::string &command,
                              const std::string &file) {
  std::string text, name = quoteForShell(file);
  size_t at = 0;
  for (size_t hole; (hole = command.find("{}", at)) != std::string::npos;
       at = hole + 2)
    text += command.substr(at, hole - at) + name;
  if (at == 0)
    return command + " " + name;
  return text + command.substr(at);
}

Result<CheckOutcome> cli::runCheck(const std::string &command,
                                   double timeLimitSeconds,
                                   ErrorStream errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return rt::failf(Code::IoError, "cannot make a pipe: %s",
                     std::strerror(errno));
  int empty = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  std::optional<tools::Leftover> group; // ends with this program
  pid_t child = spawn(
      {"/bin/sh", "-c", command},
      {empty, ends[1], errors == ErrorStream::Joined ? ends[1] : -1}, &group);
  int error = errno;
  ::close(ends[1]);
  if (empty >= 0)
    ::close(empty);
  if (child < 0) {
    ::close(ends[0]);
    return rt::failf(Code::IoError, "cannot start /bin/sh: %s",
                     std::strerror(error));
  }
  using Clock = std::chrono::steady_clock;
  auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(timeLimitSeconds));
  CheckOutcome outcome;
  char buffer[4096];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd poller = {ends[0], POLLIN, 0};
    int ready = left.count() > 0 ? ::poll(&poller, 1, int(left.count())) : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0) {
      outcome.timedOut = true;
      ::kill(-child, SIGKILL);
      break;
    }
    ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    if (got <= 0)
      break;
    outcome.output.append(buffer, size_t(got));
  }
  ::close(ends[0]);
  int state = awaitEnd(child);
  outcome.exitCode =
      WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  return outcome;
}

/// The last line that is not empty, without the spaces around it.
static std::string lastLineOf(const std::string &text) {
  constexpr const char *kSpaces = " \t\n\v\f\r";
  size_t last = text.find_last_not_of(kSpaces);
  if (last == text.npos)
    return "";
  size_t begin = text.rfind('\n', last);
  begin = text.find_first_not_of(kSpaces, begin == text.npos ? 0 : begin);
  return text.substr(begin, last + 1 - begin);
}

Result<double> cli::scoreOf(const std::string &command, const std::string &file,
                            double timeLimitSeconds) {
  Result<CheckOutcome> outcome = runCheck(
      checkCommand(command, file), timeLimitSeconds, ErrorStream::Inherited);
  if (!outcome)
    return outcome.status();
  const std::string name = "the score command '" + command + "' ";
  if (outcome->timedOut)
    return rt::failf(Code::InvalidArgument,
                     "%sran longer than %g s; make it faster or give a longer "
                     "--score-timeout",
                     name.c_str(), timeLimitSeconds);
  if (outcome->exitCode != 0)
    return rt::fail(Code::InvalidArgument,
                    name + "ended with exit code " +
                        std::to_string(outcome->exitCode) +
                        "; it must end with 0 and print a number");
  const std::string last = lastLineOf(outcome->output);
  char *end = nullptr;
  double score = std::strtod(last.c_str(), &end);
  if (last.empty() || *end || !std::isfinite(score))
    return rt::fail(
        Code::InvalidArgument,
        name +
            (last.empty() ? std::string("printed nothing")
                          : "printed '" + last.substr(0, 40) + "' at its end") +
            "; it must print a number, higher is better");
  return score;
}
