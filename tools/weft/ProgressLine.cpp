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
  std::fprintf(stderr, "%s%s", kBegin, text.c_str());
}

void ProgressLine::clear() {
  if (isWritten)
    std::fputs(kBegin, stderr);
  isWritten = false;
}
