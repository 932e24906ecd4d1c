#include "tools/weft/ProgressLine.h"

#include <cstdio>
#include <unistd.h>

using namespace weft::cli;

ProgressLine::ProgressLine() : isTerminal(::isatty(STDERR_FILENO)) {}

/// Back to the begin of the line, and all behind it erased (ECMA-48 EL).
static constexpr const char *kBegin = "\r\033[K";

void ProgressLine::say(const std::string &text) {
  if (!isTerminal)
    return;
  isWritten = true;
  last = std::chrono::steady_clock::now();
  std::fprintf(stderr, "%s%s", kBegin, text.c_str());
}

void ProgressLine::sayOften(const std::string &text) {
  if (isTerminal &&
      std::chrono::steady_clock::now() - last >= std::chrono::milliseconds(100))
    say(text);
}

void ProgressLine::clear() {
  if (isWritten)
    std::fputs(kBegin, stderr);
  isWritten = false;
}
