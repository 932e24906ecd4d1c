/// Threads that share the work of one command.
#ifndef WEFT_RUNTIME_EMULATOR_WORKERS_H
#define WEFT_RUNTIME_EMULATOR_WORKERS_H

#include "runtime/status/Stop.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::emulator {

/// Processors that this process may use.
unsigned usableProcessors();

/// The calling thread and `count() - 1` others, which start at the first use
/// and sleep when there is nothing to do. Work is split by outputs, so no
/// result depends on the number of threads. Used by one thread at a time.
class Workers {
public:
  /// 0: one for each processor that this process may use.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  unsigned count() const { return threads; }

  /// Calls body(item, worker) once for every item below `items`, `worker` being
  /// below count(), and returns when all are done. `body` must not allocate:
  /// nobody would catch what the allocator throws in another thread. Threads
  /// run it with FlushSubnormals, and under the Stop of the calling thread: if
  /// that asks for an end, items are left out.
  template <class Body>
  void forEach(size_t items, const Body &body) {
    run(
        items,
        [](const void *context, size_t item, unsigned worker) {
          (*static_cast<const Body *>(context))(item, worker);
        },
        &body);
  }
  /// The same for work of about `cost` simple operations in all: what is too
  /// small to share stays on the calling thread.
  template <class Body>
  void forEach(size_t items, double cost, const Body &body) {
    if (cost >= kWorthSharing)
      return forEach(items, body);
    for (size_t item = 0; item < items && !rt::stopRequested(); ++item)
      body(item, 0u);
  }

  /// While it lives, everything stays on the calling thread.
  class Serial {
  public:
    Serial(Workers &workers, bool isSerial)
        : workers(workers), before(workers.isSerial) {
      workers.isSerial = before || isSerial;
    }
    ~Serial() { workers.isSerial = before; }
    Serial(const Serial &) = delete;
    Serial &operator=(const Serial &) = delete;

  private:
    Workers &workers;
    bool before;
  };

  /// `bytes` bytes for each worker, aligned to 64, until the next call.
  void reserveScratch(size_t bytes);
  uint8_t *scratch(unsigned worker) const { return scratches[worker]; }

private:
  using Function = void (*)(const void *, size_t, unsigned);
  static constexpr double kWorthSharing = 60000; // tens of microseconds
  void run(size_t items, Function function, const void *context);
  struct Pool;
  /// A forked child has the pool but not its threads; nothing can be joined, so
  /// the memory is given up.
  void dropForkedPool();
  unsigned threads;
  bool isSerial = false;
  std::unique_ptr<Pool> pool;
  std::vector<uint8_t> scratchBytes;
  std::vector<uint8_t *> scratches;
};

} // namespace weft::emulator

#endif
