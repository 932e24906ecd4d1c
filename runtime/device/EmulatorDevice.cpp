#include "runtime/device/EmulatorDevice.h"

#include <chrono>
#include <cstring>
#include <sys/mman.h>

namespace weft::rt {

std::vector<emulator::CommandGroup> commandGroups(const StageSpec &stage) {
  std::vector<emulator::CommandGroup> groups;
  for (const GroupSpec &group : stage.groups)
    groups.push_back(
        {group.tiu.data, group.tiu.size, group.gdma.data, group.gdma.size});
  return groups;
}

Result<std::unique_ptr<EmulatorDevice>>
EmulatorDevice::open(const Bmodel &model, const NetSpec &net, size_t stage,
                     unsigned threads) {
  std::unique_ptr<EmulatorDevice> device(
      new EmulatorDevice(model, net.stages[stage]));
  Result<std::unique_ptr<emulator::Emulator>> machine =
      emulator::Emulator::create(model.chip(), threads);
  if (!machine)
    return machine.status().withContext(model.path());
  device->machine = *std::move(machine);
  WEFT_TRY(device->mapAreas().withContext(model.path()));
  return device;
}

EmulatorDevice::~EmulatorDevice() {
  for (const Area &area : areas)
    ::munmap(area.memory, area.region.bytes);
}

Status EmulatorDevice::mapAreas() {
  if (stage.weights.bytes != 0)
    WEFT_TRY(machine->mapGlobalReadOnly(
        stage.weights.address, stage.weightBytes.data, stage.weights.bytes));
  for (const Region &region : {stage.activations, stage.io}) {
    if (region.bytes == 0)
      continue;
    void *memory = ::mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return failf(Code::OutOfMemory, "no memory for %llu bytes of activations",
                   static_cast<unsigned long long>(region.bytes));
    areas.push_back({region, static_cast<uint8_t *>(memory)});
    WEFT_TRY(
        machine->mapGlobal(region.address, areas.back().memory, region.bytes));
  }
  return Status::ok();
}

const uint8_t *EmulatorDevice::dram(uint64_t address, uint64_t bytes) const {
  for (const Area &area : areas)
    if (area.region.contains(address, bytes))
      return area.memory + (address - area.region.address);
  if (stage.weights.contains(address, bytes))
    return stage.weightBytes.data + (address - stage.weights.address);
  return nullptr;
}

uint8_t *EmulatorDevice::writable(const TensorSpec &tensor) {
  for (const Area &area : areas)
    if (area.region.contains(tensor.address, tensor.storedBytes))
      return area.memory + (tensor.address - area.region.address);
  return nullptr;
}

Status EmulatorDevice::run(const std::vector<ByteSpan> &inputs,
                           const std::vector<MutableBytes> &outputs) {
  assert(inputs.size() == stage.inputs.size() &&
         outputs.size() == stage.outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(writable(stage.inputs[i]), inputs[i].data,
                stage.inputs[i].storedBytes);
  if (!program) {
    auto prepared = machine->prepare(commandGroups(stage));
    if (!prepared)
      return prepared.status().withContext(model.path());
    program = *std::move(prepared);
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  Result<emulator::RunStats> stats = machine->run(*program, theTaps);
  if (!stats)
    return stats.status().withContext(model.path());
  theLaunchSeconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
  theStats = *stats;
  for (size_t i = 0; i < outputs.size(); ++i)
    std::memcpy(outputs[i].data, writable(stage.outputs[i]),
                stage.outputs[i].storedBytes);
  return Status::ok();
}

} // namespace weft::rt
