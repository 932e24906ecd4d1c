#include "tools/weft/Crash.h"
#include "tools/files/Leftovers.h"
#include "tools/weft/Program.h"
#ifdef WEFT_WITH_COMPILER
#include "frontend/ppl/Recorder.h"
#include "tools/driver/UserCode.h"
#endif

#include <csignal>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;

#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer says more about a wild pointer than we could.
static constexpr int kSignals[] = {SIGABRT};
#else
static constexpr int kSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
#endif

/// The whole line. Made before anything can break: a signal handler must not
/// allocate.
static std::string *lastLine = nullptr;
/// A handler for a full stack needs one of its own.
static char handlerStack[64 * 1024];

#ifdef WEFT_WITH_COMPILER
static void writeParts(std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    (void)!::write(STDERR_FILENO, part, std::strlen(part));
}

static const char *causeOf(int signal, const siginfo_t *where) {
  switch (signal) {
  case SIGFPE:
    return "an integer was divided by zero; run weft under a debugger";
  case SIGSEGV:
  case SIGBUS:
    if (frontend::Recorder::newestHasMemoryAt(where->si_addr))
      return "it read or wrote an element of device memory, whose values are "
             "known only when the program runs; load it into a tensor "
             "(dma::load), or give the number to the kernel as a parameter";
    return "it touched memory that is not its own (a null or stray pointer, an "
           "index out of range), or called itself without end; run weft under "
           "a debugger";
  case SIGABRT:
    return "it called abort(); run weft under a debugger";
  default:
    return "it ran an instruction that there is not; run weft under a debugger";
  }
}

/// "weft: error: add.cpp:12: test t crashed after this call: ..".
static void reportUserCrash(const char *running, int signal,
                            const siginfo_t *where) {
  weft_ppl_line last = frontend::Recorder::lastLineOfNewest();
  writeParts({"weft: error: "});
  bool isKnown = last.file && last.line > 0;
  if (isKnown) {
    char digits[16] = {};
    size_t at = sizeof digits - 1;
    for (unsigned rest = unsigned(last.line); rest; rest /= 10)
      digits[--at] = char('0' + rest % 10);
    writeParts({last.file, ":", digits + at, ": "});
  } else if (const char *file = driver::UserCode::file(); *file) {
    writeParts({file, ": "});
  }
  writeParts({running, " crashed",
              isKnown ? " after this call: " : " before its first call: ",
              causeOf(signal, where), "\n"});
}
#endif

extern "C" void weftCrashHandler([[maybe_unused]] int signal,
                                 [[maybe_unused]] siginfo_t *where,
                                 [[maybe_unused]] void *context) {
  tools::removeLeftovers();
#ifdef WEFT_WITH_COMPILER
  // What breaks while code of the user's own runs is that code.
  if (const char *running = driver::UserCode::running()) {
    reportUserCrash(running, signal, where);
    ::_exit(int(ExitCode::UserError));
  }
#endif
  // Nothing is left to do when even this cannot be written.
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, lastLine->data(), lastLine->size());
  ::_exit(int(ExitCode::Internal));
}

/// The command line for a shell, on one line.
static std::string commandLine(int argumentCount, char **arguments) {
  std::string text;
  for (int i = 0; i < argumentCount; ++i) {
    if (i > 0)
      text += ' ';
    std::string quoted;
    for (char c : std::string(arguments[i]))
      if (c == '\'')
        quoted += "'\\''";
      else
        quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    bool plain =
        !quoted.empty() &&
        quoted.find_first_of(" '\"\\$`*?[]{}()<>|&;#~!") == std::string::npos;
    text += plain ? quoted : "'" + quoted + "'";
  }
  return text;
}

void cli::handleCrashes(int argumentCount, char **arguments) {
  static std::string line;
  line = "weft: internal error: the program crashed; this is a bug in weft; "
         "please report it with the input files and the command line: " +
         commandLine(argumentCount, arguments) + "\n";
  lastLine = &line;
  stack_t stack = {};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof handlerStack;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = weftCrashHandler;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_SIGINFO;
  for (int signal : kSignals)
    ::sigaction(signal, &action, nullptr);
}
