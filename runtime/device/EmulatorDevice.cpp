#include "runtime/device/EmulatorDevice.h"
#include "runtime/numeric/Pages.h"

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

uint8_t *EmulatorDevice::writable(uint64_t address, uint64_t bytes) {
  for (const Area &area : areas)
    if (area.region.contains(address, bytes))
      return area.memory + (address - area.region.address);
  return nullptr;
}

Status EmulatorDevice::prepare() {
  std::vector<emulator::CommandGroup> groups = commandGroups(stage);
  // All or none: memory may run out on the way.
  std::vector<std::unique_ptr<emulator::Program>> made;
  for (const SubNetSpec &subNet : stage.subNets) {
    made.emplace_back();
    if (subNet.program)
      continue;
    auto first = groups.begin() + ptrdiff_t(subNet.firstGroup);
    auto prepared =
        machine->prepare({first, first + ptrdiff_t(subNet.groupCount)});
    if (!prepared)
      return prepared.status();
    made.back() = *std::move(prepared);
  }
  programs = std::move(made);
  return Status::ok();
}

/// Runs the groups of one sub-net and adds to the counts.
Status EmulatorDevice::launch(size_t index) {
  const SubNetSpec &subNet = stage.subNets[index];
  std::vector<emulator::Tap> taps;
  for (const emulator::Tap &tap : theTaps)
    if (tap.group >= subNet.firstGroup &&
        tap.group - subNet.firstGroup < subNet.groupCount) {
      taps.push_back(tap);
      taps.back().group -= subNet.firstGroup;
    }
  Result<emulator::RunStats> stats =
      machine->run(*programs[index], taps, theOrder);
  if (!stats)
    return stats.status();
  theStats.tiuCommands += stats->tiuCommands;
  theStats.gdmaCommands += stats->gdmaCommands;
  theStats.dramReadBytes += stats->dramReadBytes;
  theStats.dramWriteBytes += stats->dramWriteBytes;
  return Status::ok();
}

Status EmulatorDevice::run(const std::vector<ByteSpan> &inputs,
                           const std::vector<MutableBytes> &outputs,
                           HostTensors *host) {
  assert(inputs.size() == stage.inputs.size() &&
         outputs.size() == stage.outputs.size());
  assert((host || !stage.usesHost()) && "programs of the host need tensors");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec &input = stage.inputs[i];
    std::memcpy(writable(input.address, input.storedBytes), inputs[i].data,
                input.storedBytes);
  }
  if (inputsRead)
    inputsRead();
  if (programs.empty())
    WEFT_TRY(prepare().withContext(model.path()));
  host::RunContext context;
  context.read = [this](const host::Place &place) {
    return dram(place.address, place.bytes());
  };
  context.write = [this](const host::Place &place) {
    return writable(place.address, place.bytes());
  };
  if (host) {
    host->outputs.resize(stage.outputs.size());
    context.inputs = &host->inputs;
    context.outputs = &host->outputs;
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  stop.begin(timeLimitSeconds);
  StopScope scope(&stop);
  WEFT_TRY(stop.status().withContext(model.path()));
  theStats = {};
  for (size_t i = 0; i < stage.subNets.size(); ++i) {
    const auto &program = stage.subNets[i].program;
    WEFT_TRY((program ? host::runProgram(*program, context) : launch(i))
                 .withContext(model.path()));
  }
  theLaunchSeconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
  dropInputs();
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!stage.outputs[i].fromHost && outputs[i].data)
      std::memcpy(outputs[i].data, storedOutput(i),
                  stage.outputs[i].storedBytes);
  return Status::ok();
}

void EmulatorDevice::dropInputs() {
  // Less is not worth the page faults of the next run.
  constexpr uint64_t kLargeBytes = 16 << 20;
  for (const TensorSpec &input : stage.inputs) {
    bool isShared = false;
    for (const TensorSpec &output : stage.outputs)
      isShared |= !output.fromHost &&
                  output.address < input.address + input.storedBytes &&
                  input.address < output.address + output.storedBytes;
    if (input.storedBytes >= kLargeBytes && !isShared)
      numeric::discard(writable(input.address, input.storedBytes),
                       input.storedBytes);
  }
}

} // namespace weft::rt
