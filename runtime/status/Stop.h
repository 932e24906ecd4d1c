//===- Stop.h - work that another thread or a clock can end -----*- C++ -*-===//
//
// Whoever owns a run keeps a Stop and holds a StopScope while it works. Loops
// far below ask stopRequested() now and then and leave early; their results are
// then thrown away. The owner turns the Stop into a Status when it is back.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_STATUS_STOP_H
#define WEFT_RUNTIME_STATUS_STOP_H

#include "runtime/status/Status.h"

#include <atomic>
#include <chrono>

namespace weft::rt {

class Stop {
public:
  /// Ends the work in progress and refuses all that is begun, until it is
  /// called with false. Any thread may call it.
  void setCancelled(bool value) { cancelled.store(value); }

  /// The clock starts: work may take `seconds` from now on; 0: any time. To be
  /// called by the thread that works, before the others know of it.
  void begin(double seconds);

  /// True if the work should end; stays true until the next begin() or, of a
  /// cancelled one, until it is no longer.
  bool isRequested() const;

  /// Ok, or Code::Timeout or Code::Cancelled.
  Status status() const;

private:
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> cancelled{false};
  mutable std::atomic<bool> expired{false};
  double limit = 0; ///< in seconds; 0: none
  Clock::time_point end;
};

/// The Stop that the calling thread works under; nullptr: none.
const Stop *currentStop();

/// True if what the calling thread does should end. Takes tens of nanoseconds
/// under a limit, so ask once for microseconds of work.
bool stopRequested();

/// Ok, or why the calling thread should end its work.
Status stopStatus();

/// The calling thread works under `stop` (may be nullptr) while this lives.
class StopScope {
public:
  explicit StopScope(const Stop *stop);
  ~StopScope();
  StopScope(const StopScope &) = delete;
  StopScope &operator=(const StopScope &) = delete;

private:
  const Stop *before;
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_STATUS_STOP_H
