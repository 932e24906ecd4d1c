//===- EmulatorDevice.h - the command emulator as a device ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_EMULATORDEVICE_H
#define WEFT_RUNTIME_DEVICE_EMULATORDEVICE_H

#include "runtime/device/Device.h"
#include "runtime/emulator/Emulator.h"

namespace weft::rt {

/// Runs the command buffers on runtime/emulator. Weights are used where they
/// lie in the file; activations are zero pages that cost memory only where
/// touched.
///
/// `threads` share the work (0: one a processor); results do not depend on it.
/// A time limit and setCancelled() end commands and calls of the host's kernels
/// where they are; a further run is then fine.
///
/// All address modes run alike: the addresses in the commands of an io_reloc
/// file are valid as they stand (its patches are for runtimes that put inputs
/// and outputs elsewhere).
class EmulatorDevice final : public Device {
public:
  static Result<std::unique_ptr<EmulatorDevice>> open(const Bmodel &model,
                                                      const NetSpec &net,
                                                      size_t stage,
                                                      unsigned threads = 0);
  ~EmulatorDevice() override;

  Status run(const std::vector<ByteSpan> &inputs,
             const std::vector<MutableBytes> &outputs,
             HostTensors *host = nullptr) override;
  const uint8_t *storedOutput(size_t index) const override {
    const TensorSpec &output = stage.outputs[index];
    return dram(output.address, output.storedBytes);
  }

  /// Calls `taps` during every following run.
  void setTaps(std::vector<emulator::Tap> taps) { theTaps = std::move(taps); }
  /// Which engine goes first, in every following run.
  void setOrder(emulator::Order order) { theOrder = order; }
  /// Counts of the last successful run.
  const emulator::RunStats &stats() const { return theStats; }
  /// Host memory behind `bytes` bytes at a DRAM address of the stage; nullptr
  /// if they do not lie in one area.
  const uint8_t *dram(uint64_t address, uint64_t bytes) const;

private:
  /// Zero-filled pages behind one region.
  struct Area {
    Region region;
    uint8_t *memory = nullptr;
  };
  EmulatorDevice(const Bmodel &model, const StageSpec &stage)
      : model(model), stage(stage) {}
  Status mapAreas();
  Status prepare();
  Status launch(size_t subNet);
  uint8_t *writable(uint64_t address, uint64_t bytes);
  /// Gives the pages of large inputs back that no output shares.
  void dropInputs();

  Bmodel model; ///< keeps `stage` and the file's bytes alive
  const StageSpec &stage;
  std::unique_ptr<emulator::Emulator> machine;
  std::vector<Area> areas;
  /// One a sub-net, null for one of the host; made by the first run.
  std::vector<std::unique_ptr<emulator::Program>> programs;
  std::vector<emulator::Tap> theTaps;
  emulator::Order theOrder;
  emulator::RunStats theStats;
};

/// The groups of a stage as the emulator takes them; the bytes stay the file's.
std::vector<emulator::CommandGroup> commandGroups(const StageSpec &stage);

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_EMULATORDEVICE_H
