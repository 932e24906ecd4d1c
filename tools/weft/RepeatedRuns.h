//===- RepeatedRuns.h - the same run again and again ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_REPEATEDRUNS_H
#define WEFT_TOOLS_WEFT_REPEATEDRUNS_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <functional>
#include <string>
#include <vector>

namespace weft::cli {

/// How long runs took that were counted.
struct RunTimes {
  std::vector<double> seconds; ///< of each run of each session
  double elapsed = 0;          ///< seconds from the first begin to the last end
  /// Which run gave other outputs than the first, and where; empty: none.
  std::string difference;

  double median() const;
  double least() const;
  double most() const;
  double perSecond() const { return double(seconds.size()) / elapsed; }
};

/// Runs one session once, on inputs that it knows.
using RunOnce = std::function<rt::Result<std::vector<numeric::HostTensor>>()>;

/// Runs each of `sessions` `runs` times, all sessions at once, each on a thread
/// of its own. Where there are several, each runs once before, which counts for
/// nothing: the first run of a session makes its commands ready. Every run must
/// give `expected`, byte by byte; the first that does not ends all of them, as
/// a run that fails does. Names of outputs are for the message.
rt::Result<RunTimes>
repeatRuns(const std::vector<RunOnce> &sessions, size_t runs,
           const std::vector<std::string> &outputNames,
           const std::vector<numeric::HostTensor> &expected);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_REPEATEDRUNS_H
