//===- BmrtDevice.h - the vendor's runtime as a device ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_BMRTDEVICE_H
#define WEFT_RUNTIME_DEVICE_BMRTDEVICE_H

#include "runtime/device/Device.h"

#include <sys/types.h>

namespace weft::rt {

struct BmrtOptions {
  /// Path of libbmrt.so. libbmlib.so.0 is looked for beside it, then by the
  /// system's search.
  std::string library;
  /// For loading, and for each run.
  double timeLimitSeconds = 300;
};

/// Runs a stage on libbmrt: on a board, or on the vendor's emulator, whichever
/// the library's installation drives.
///
/// libbmrt prints, aborts on a broken command and may wait for ever, so it
/// lives in a forked child: inputs and outputs travel through shared memory,
/// what it prints goes to a temporary file, a time limit ends it. Every way of
/// failing becomes one Status: DeviceNotFound, DeviceRefused, DeviceAborted
/// (with signal or exit status and the last line printed) or Timeout. After a
/// failure the device stays failed.
class BmrtDevice final : public Device {
public:
  static Result<std::unique_ptr<BmrtDevice>> open(const BmrtOptions &options,
                                                  const Bmodel &model,
                                                  const NetSpec &net,
                                                  size_t stage);
  ~BmrtDevice() override;

  Status run(const std::vector<ByteSpan> &inputs,
             const std::vector<MutableBytes> &outputs,
             HostTensors *host = nullptr) override;
  const uint8_t *storedOutput(size_t index) const override;

private:
  BmrtDevice(const BmrtOptions &options, const Bmodel &model,
             const StageSpec &stage)
      : options(options), model(model), stage(stage) {}
  Status start(const NetSpec &net);
  /// Waits for the child's answer and turns it, its death or its silence into a
  /// Status.
  Status awaitReply(const char *what);
  Status describeDeath(const std::string &when);
  /// The last line that the child printed, as " (last output: '...')"; or
  /// empty.
  std::string lastOutput() const;
  void end(bool politely);

  BmrtOptions options;
  Bmodel model;
  const StageSpec &stage;
  pid_t child = -1;
  int channel = -1; ///< socket to the child
  int printed = -1; ///< file with what the child prints
  uint8_t *shared = nullptr;
  size_t sharedBytes = 0;
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_BMRTDEVICE_H
