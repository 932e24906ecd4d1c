#include "tools/files/TemporaryFile.h"

#include <atomic>
#include <unistd.h>

using namespace weft::tools;

/// Names of the files that are alive, for the signal handler. A program has an
/// output file and a calibration table at most; a file beyond the slots is
/// removed by its destructor alone.
static constexpr int kSlots = 8;
static std::atomic<const char *> slots[kSlots];
static_assert(std::atomic<const char *>::is_always_lock_free,
              "a signal handler reads it");

TemporaryFile::TemporaryFile(std::string path)
    : name(std::move(path)), slot(-1) {
  for (int i = 0; i < kSlots && slot < 0; ++i) {
    const char *none = nullptr;
    if (slots[i].compare_exchange_strong(none, name.c_str()))
      slot = i;
  }
}

TemporaryFile::~TemporaryFile() {
  if (slot >= 0)
    slots[slot].store(nullptr);
  if (!kept)
    ::unlink(name.c_str());
}

void weft::tools::removeTemporaryFiles() {
  for (std::atomic<const char *> &slot : slots)
    if (const char *path = slot.load())
      ::unlink(path);
}
