#include "runtime/emulator/Workers.h"

#include "runtime/emulator/FloatMode.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace weft::emulator {

unsigned usableProcessors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return unsigned(CPU_COUNT(&set));
#endif
  return std::thread::hardware_concurrency();
}

namespace {

/// Looks before a thread goes to sleep: commands follow each other within a few
/// microseconds, waking takes tens.
constexpr unsigned kSpins = 4000;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class Condition>
bool spinUntil(Condition condition) {
  for (unsigned i = 0; i < kSpins; ++i) {
    if (condition())
      return true;
    pause();
  }
  return condition();
}

} // namespace

struct Workers::Pool {
  struct Job {
    Function function = nullptr;
    const void *context = nullptr;
    size_t items = 0;
    const rt::Stop *stop = nullptr; ///< of the thread that gave it
  };

  const pid_t process = getpid();
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable wake, done;
  Job job;
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> generation{0}; // of the job
  std::atomic<unsigned> busy{0};       // threads that have not finished it
  bool stops = false;

  explicit Pool(unsigned others) {
    for (unsigned i = 0; i < others; ++i) {
      try {
        threads.emplace_back([this, i] { serve(i + 1); });
      } catch (const std::system_error &) {
        break; // no more threads to be had: the others do the work
      }
    }
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stops = true;
      ++generation;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  void work(const Job &job, unsigned worker) {
    rt::StopScope scope(job.stop);
    for (size_t item; (item = next.fetch_add(1)) < job.items;) {
      if (rt::stopRequested())
        return;
      job.function(job.context, item, worker);
    }
  }

  void serve(unsigned worker) {
    FlushSubnormals flush;
    uint64_t seen = 0;
    for (;;) {
      if (!spinUntil([&] { return generation.load() != seen; })) {
        std::unique_lock<std::mutex> lock(mutex);
        wake.wait(lock, [&] { return generation.load() != seen; });
      }
      Job mine;
      {
        std::lock_guard<std::mutex> lock(mutex);
        seen = generation.load();
        if (stops)
          return;
        mine = job;
      }
      work(mine, worker);
      if (busy.fetch_sub(1) == 1) {
        std::lock_guard<std::mutex> lock(mutex);
        done.notify_one();
      }
    }
  }

  void run(const Job &given) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      job = given;
      next = 0;
      busy = unsigned(threads.size());
      ++generation;
    }
    wake.notify_all();
    work(given, 0);
    if (!spinUntil([&] { return busy.load() == 0; })) {
      std::unique_lock<std::mutex> lock(mutex);
      done.wait(lock, [&] { return busy.load() == 0; });
    }
  }
};

Workers::Workers(unsigned threads)
    : threads(std::max(1u, threads ? threads : usableProcessors())) {}
Workers::~Workers() { dropForkedPool(); }

void Workers::dropForkedPool() {
  if (pool && pool->process != getpid())
    static_cast<void>(pool.release());
}

void Workers::run(size_t items, Function function, const void *context) {
  FlushSubnormals flush;
  if (items < 2 || threads == 1 || isSerial) {
    for (size_t item = 0; item < items && !rt::stopRequested(); ++item)
      function(context, item, 0);
    return;
  }
  dropForkedPool();
  if (!pool)
    pool = std::make_unique<Pool>(threads - 1);
  pool->run({function, context, items, rt::currentStop()});
}

void Workers::reserveScratch(size_t bytes) {
  constexpr size_t align = 64;
  bytes = (bytes + align - 1) / align * align;
  if (scratchBytes.size() < bytes * threads + align)
    scratchBytes.resize(bytes * threads + align);
  size_t begin = reinterpret_cast<size_t>(scratchBytes.data()) % align;
  scratches.resize(threads);
  for (unsigned i = 0; i < threads; ++i)
    scratches[i] =
        scratchBytes.data() + (begin ? align - begin : 0) + i * bytes;
}

} // namespace weft::emulator
