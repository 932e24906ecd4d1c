//===- ProgressLine.h - what is being done, on a terminal -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PROGRESSLINE_H
#define WEFT_TOOLS_WEFT_PROGRESSLINE_H

#include <chrono>
#include <string>

namespace weft::cli {

/// One line on stderr that each step writes anew and that is gone at the end;
/// nothing where stderr is no terminal.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  void say(const std::string &text);
  /// The same of what is said often: ten times a second at most.
  void sayOften(const std::string &text);
  /// Before other text is printed.
  void clear();

private:
  bool isTerminal, isWritten = false;
  std::chrono::steady_clock::time_point last; ///< when something was said
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PROGRESSLINE_H
