//===- SharedWork.h - independent parts on several threads ------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_SHAREDWORK_H
#define WEFT_PASSES_QUANTIZE_SHAREDWORK_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <thread>
#include <vector>

namespace weft::quantize {

/// Calls `work` with 0 .. count - 1, each once, on `threads` threads.
inline void shareWork(size_t count, unsigned threads,
                      llvm::function_ref<void(size_t)> work) {
  std::atomic<size_t> next{0};
  auto take = [&] {
    for (size_t i; (i = next++) < count;)
      work(i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(take);
  take();
  for (std::thread &other : others)
    other.join();
}

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_SHAREDWORK_H
