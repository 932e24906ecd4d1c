#include "runtime/status/Stop.h"

#include <algorithm>

namespace weft::rt {

void Stop::begin(double seconds) {
  expired.store(false);
  limit = seconds;
  // A century is far from the clock's own end.
  constexpr double kMostSeconds = 3e9;
  end = Clock::now() +
        std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(seconds, kMostSeconds)));
}

bool Stop::isRequested() const {
  if (cancelled.load(std::memory_order_relaxed) ||
      expired.load(std::memory_order_relaxed))
    return true;
  if (limit <= 0 || Clock::now() < end)
    return false;
  expired.store(true);
  return true;
}

Status Stop::status() const {
  if (cancelled.load())
    return fail(Code::Cancelled, "the run was cancelled");
  return isRequested()
             ? failf(Code::Timeout,
                     "the run did not end within the time limit of %g s; give "
                     "a longer one if that is expected",
                     limit)
             : Status::ok();
}

static thread_local const Stop *current = nullptr;

const Stop *currentStop() { return current; }

bool stopRequested() { return current && current->isRequested(); }

Status stopStatus() { return current ? current->status() : Status::ok(); }

StopScope::StopScope(const Stop *stop) : before(current) { current = stop; }
StopScope::~StopScope() { current = before; }

} // namespace weft::rt
