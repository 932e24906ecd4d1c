#include "runtime/numeric/Pages.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace weft::numeric {

static void advise(const void *bytes, size_t size, int advice) {
  size_t page = size_t(::sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(bytes);
  uintptr_t first = (begin + page - 1) / page * page;
  uintptr_t last = (begin + size) / page * page;
  if (first < last)
    ::madvise(reinterpret_cast<void *>(first), last - first, advice);
}

void pageOut([[maybe_unused]] const void *bytes, [[maybe_unused]] size_t size) {
#ifdef MADV_PAGEOUT
  // MADV_DONTNEED would lose the bytes of memory that is not a file's.
  advise(bytes, size, MADV_PAGEOUT);
#endif
}

void discard(void *bytes, size_t size) { advise(bytes, size, MADV_DONTNEED); }

} // namespace weft::numeric
