//===- StreamTail.h - the end of what a program writes ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_STREAMTAIL_H
#define WEFT_TOOLS_WEFT_STREAMTAIL_H

#include <string>
#include <thread>

namespace weft::cli {

/// Reads a pipe on a thread of its own, so that whoever writes never waits, and
/// keeps the last bytes alone, so that what is written without end fills no
/// memory.
class StreamTail {
public:
  static constexpr size_t kMostBytes = size_t(16) << 10;

  /// Takes over `descriptor`, the reading end; none is read from -1.
  explicit StreamTail(int descriptor);
  ~StreamTail();
  StreamTail(const StreamTail &) = delete;
  StreamTail &operator=(const StreamTail &) = delete;

  /// The end of all that was written up to now; nothing is read after it, also
  /// where others still hold the writing end.
  std::string finish();

private:
  void read();

  int descriptor;
  int stop[2] = {-1, -1}; ///< a pipe whose closed end ends the thread
  std::string tail;       ///< of the thread as long as it runs
  std::thread reader;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_STREAMTAIL_H
