#include "tests/oracle/emulator/Executor.h"

#include "runtime/chips/Chips.h"
#include "runtime/emulator/Emulator.h"

namespace weft::oracle {

std::unique_ptr<OurEmulator> OurEmulator::create(std::string &error) {
  auto created = emulator::Emulator::create(*chips::find("BM1684X"));
  if (!created) {
    error = created.status().message();
    return nullptr;
  }
  std::unique_ptr<OurEmulator> ours(new OurEmulator);
  ours->emulator = *std::move(created);
  auto mapped = ours->emulator->mapGlobal(kGlobalBase, ours->globalBytes.data(),
                                          ours->globalBytes.size());
  if (!mapped) {
    error = mapped.message();
    return nullptr;
  }
  return ours;
}

OurEmulator::~OurEmulator() = default;

uint8_t *OurEmulator::memory(Area area) {
  switch (area) {
  case Area::Local:
    return emulator->localMemory();
  case Area::Static:
    return emulator->staticMemory();
  case Area::L2:
    return emulator->l2Memory();
  default:
    return globalBytes.data();
  }
}

void OurEmulator::begin(isa::Engine engine, const uint8_t *command,
                        size_t bytes) {
  auto status = emulator->execute(engine, command, bytes);
  refusal = status ? "" : status.message();
}

Ending OurEmulator::finish(std::string &why) {
  why = refusal;
  return refusal.empty() ? Ending::Done : Ending::Refused;
}

} // namespace weft::oracle
