//===- LiveValues.cpp - values while a kernel is recorded -----------------===//

#include "frontend/ppl/LiveValues.h"

#include <algorithm>

using namespace weft;
using namespace weft::frontend;
using catalog::Memory;

/// Of memory that nothing has written.
static constexpr uint8_t kUnwritten = 0xff;

LiveValues::LiveValues(const Chip &chip, const DeviceMemory &memory)
    : memory(memory), machine(chip, 0) {
  std::fill(machine.local.begin(), machine.local.end(), kUnwritten);
  std::fill(machine.l2.begin(), machine.l2.end(), kUnwritten);
}

/// Pieces of global memory that have come since, with what the test put there.
void LiveValues::takeNewMemory() {
  uint64_t known = machine.global.size();
  if (memory.used() == known)
    return;
  const uint8_t *start = memory.at(memory.base);
  machine.global.insert(machine.global.end(), start + known,
                        start + memory.used());
  for (auto piece = memory.pieces.rbegin();
       piece != memory.pieces.rend() && piece->address - memory.base >= known;
       ++piece)
    if (!piece->isTest)
      std::fill_n(machine.global.begin() + (piece->address - memory.base),
                  piece->bytes, kUnwritten);
}

/// Calls `visit(first byte in the machine, bytes)`, of local memory for each
/// lane.
template <class Visit>
static void eachPart(catalog::Machine &machine, Memory memory, uint64_t address,
                     uint64_t bytes, Visit visit) {
  unsigned lanes = memory == Memory::Local ? machine.chip.lanes : 1;
  for (unsigned lane = 0; lane < lanes; ++lane)
    visit(machine.at(memory, address, bytes, lane));
}

void LiveValues::moveIn(const Place &place, std::vector<uint8_t> &bytes) {
  uint64_t lanes = place.memory == Memory::Local ? machine.chip.lanes : 1;
  bytes.resize(lanes * place.bytes, kUnwritten);
  auto from = bytes.begin();
  eachPart(machine, place.memory, place.address, place.bytes, [&](uint8_t *to) {
    std::copy_n(from, place.bytes, to);
    from += place.bytes;
  });
}

void LiveValues::moveOut() {
  for (const auto &[start, place] : placed) {
    uint64_t bytes = place.bytes;
    auto to = kept[start].begin();
    eachPart(machine, place.memory, place.address, bytes,
             [&](uint8_t *from) { to = std::copy_n(from, bytes, to); });
  }
  placed.clear();
  localEnd = l2End = 0;
}

rt::Status LiveValues::place(catalog::Tensor &tensor, const Root &root) {
  bool hasAddress = root.start < uint64_t(1) << catalog::kRegionShift;
  if (hasAddress || tensor.memory == Memory::Global)
    return rt::Status::ok();
  auto known = placed.find(root.start);
  if (known == placed.end()) {
    bool isLocal = tensor.memory == Memory::Local;
    const Chip &chip = machine.chip;
    uint64_t &end = isLocal ? localEnd : l2End;
    uint64_t limit = isLocal ? chip.laneBytes : chip.l2MemoryBytes;
    uint64_t begin = (end + chip.euBytes - 1) / chip.euBytes * chip.euBytes;
    if (root.bytes > limit || begin > limit - root.bytes)
      return rt::fail(rt::Code::InvalidArgument,
                      "its tensors do not fit memory together");
    end = begin + root.bytes;
    Place place{tensor.memory, isLocal ? begin : chip.l2MemoryBase + begin,
                root.bytes};
    moveIn(place, kept[root.start]);
    known = placed.emplace(root.start, place).first;
  }
  *tensor.address += known->second.address - root.start;
  return rt::Status::ok();
}

rt::Status LiveValues::run(catalog::Call call, const std::vector<Root> &roots) {
  takeNewMemory();
  rt::Status status;
  for (size_t i = 0; i < call.arguments.size() && status; ++i)
    if (call.arguments[i].kind == catalog::Argument::Kind::Tensor)
      status = place(call.arguments[i].tensor, roots[i]);
  if (status)
    status = catalog::interpret(call, machine);
  moveOut();
  return status;
}

rt::Result<catalog::Dense> LiveValues::read(catalog::Tensor tensor,
                                            const Root &root) {
  takeNewMemory();
  rt::Status status = place(tensor, root);
  rt::Result<catalog::Dense> values = status
                                          ? catalog::read(tensor, machine)
                                          : rt::Result<catalog::Dense>(status);
  moveOut();
  return values;
}
