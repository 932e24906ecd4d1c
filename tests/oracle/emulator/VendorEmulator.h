/// The vendor's raw emulator in a child process with a time limit.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_VENDOREMULATOR_H
#define WEFT_TESTS_ORACLE_EMULATOR_VENDOREMULATOR_H

#include "runtime/isa/Codes.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::oracle {

constexpr size_t kLocalBytes = 16 << 20;
constexpr size_t kGlobalBytes = 1 << 20;
/// Results of single commands lie in this part of a lane.
constexpr size_t kLaneStride = 0x40000, kResultBegin = 0x10000,
                 kResultEnd = 0x20000;

/// Where two memories first differ; `address` counts local memory, then global
/// memory.
struct Difference {
  bool found = false;
  size_t address = 0;
  size_t count = 0; ///< differing bytes
};

class VendorEmulator {
public:
  /// Starts the child. `error` says why there is none (missing library).
  explicit VendorEmulator(std::string &error);
  ~VendorEmulator();

  /// Local then global memory, shared with the child.
  uint8_t *shared() const { return memory; }
  /// Copies shared() into the vendor's memories.
  bool load();
  /// Executes a command; false if the vendor refused it (the child dies and is
  /// restarted, its memories are then those of shared()).
  bool execute(isa::Engine engine, const uint8_t *command, size_t bytes);
  /// Compares the vendor's memories with shared(), and copies the vendor's into
  /// shared() when they differ. `everything`: all of local memory, else the
  /// result part of each lane.
  Difference compare(bool everything);

private:
  struct Mailbox;
  bool start(std::string &error);
  void stop();
  bool call(char request);

  uint8_t *memory = nullptr;
  Mailbox *mailbox = nullptr;
  int toChild = -1, fromChild = -1, child = -1;
};

} // namespace weft::oracle

#endif
