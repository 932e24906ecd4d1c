/// The vendor's raw emulator in a child process with a time limit per command.
#ifndef WEFT_TESTS_ORACLE_EMULATOR_VENDOREMULATOR_H
#define WEFT_TESTS_ORACLE_EMULATOR_VENDOREMULATOR_H

#include "tests/oracle/emulator/Executor.h"

#include <sys/types.h>

namespace weft::oracle {

/// Three processes. The nursery loads the library once, moves the emulator's
/// memories into memory shared with us, and forks a worker whenever there is
/// none; a worker executes commands until one kills it. So a refused command
/// costs a fork, not a start of the library, and no memory is ever copied.
class VendorEmulator : public Executor {
public:
  /// `error` says why there is none (missing library).
  explicit VendorEmulator(std::string &error);
  ~VendorEmulator() override;
  VendorEmulator(const VendorEmulator &) = delete;

  uint8_t *memory(Area area) override;
  void begin(isa::Engine engine, const uint8_t *command, size_t bytes) override;
  Ending finish(std::string &why) override;
  void restart() override;
  bool isFresh() const override { return commandsOfWorker == 0; }

private:
  struct Shared;
  struct Notice;
  bool startNursery(const std::string &path);
  [[noreturn]] void runNursery(const std::string &path);
  [[noreturn]] void runWorker();
  bool startWorker();
  bool readNotice(Notice &notice, int timeLimitMs);
  Ending endingOfWorker(std::string &why);

  Shared *shared = nullptr;
  int file = -1;
  // Pipes: index 0 is read, 1 is written.
  int toNursery[2] = {-1, -1}, fromNursery[2] = {-1, -1};
  int toWorker[2] = {-1, -1}, fromWorker[2] = {-1, -1};
  pid_t nursery = -1, worker = -1;
  unsigned commandsOfWorker = 0;
  bool sent = false;
};

} // namespace weft::oracle

#endif
