//===- LiveValues.cpp - values while a kernel is recorded -----------------===//

#include "frontend/ppl/LiveValues.h"
#include "frontend/ppl/include/ppl/recorder.h"
#include "runtime/chips/Alignment.h"

#include <algorithm>

using namespace weft;
using namespace weft::frontend;
using catalog::Memory;

/// Of memory that nothing has written.
static constexpr uint8_t kUnwritten = 0xff;

LiveValues::LiveValues(const Chip &chip, const DeviceMemory &memory)
    : memory(memory), chip(chip), roomy(chip), machine(roomy, 0) {
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

/// Whether the kernel has said where it lies.
static bool hasAddress(const catalog::Tensor &tensor,
                       const LiveValues::Root &root) {
  return tensor.memory == Memory::Global ||
         root.start < uint64_t(1) << catalog::kRegionShift;
}

void LiveValues::makeRoom(const catalog::Call &call,
                          const std::vector<Root> &roots) {
  uint64_t local = 0, l2 = 0;
  for (size_t i = 0; i < roots.size(); ++i)
    if (const catalog::Argument &argument = call.arguments[i];
        argument.isTensor() && !hasAddress(argument.tensor, roots[i]))
      (argument.tensor.memory == Memory::Local ? local : l2) +=
          alignUp<uint64_t>(roots[i].bytes, chip.euBytes);
  // Local tensors have addresses all or none: there is nothing to move.
  if (local > roomy.laneBytes) {
    roomy.laneBytes = unsigned(local);
    machine.local.assign(roomy.localMemoryBytes(), kUnwritten);
  }
  if (l2 > machine.l2.size())
    machine.l2.resize(l2, kUnwritten);
}

rt::Status LiveValues::checkSize(const catalog::Tensor &tensor,
                                 const Root &root) {
  bool isLocal = tensor.memory == Memory::Local;
  uint64_t limit = isLocal ? chip.laneBytes : chip.l2MemoryBytes;
  if (hasAddress(tensor, root) || root.bytes <= limit)
    return rt::Status::ok();
  theMemoryCode = isLocal ? WEFT_PPL_NO_LOCAL_MEMORY : WEFT_PPL_NO_L2_MEMORY;
  return rt::fail(rt::Code::OutOfMemory,
                  std::string(isLocal ? "local" : "L2") +
                      " memory is too small: a tensor takes " +
                      std::to_string(root.bytes) + " bytes" +
                      (isLocal ? " of each lane" : "") + ", there are " +
                      std::to_string(limit) + "; make its block smaller");
}

void LiveValues::place(catalog::Tensor &tensor, const Root &root) {
  if (hasAddress(tensor, root))
    return;
  auto known = placed.find(root.start);
  if (known == placed.end()) {
    bool isLocal = tensor.memory == Memory::Local;
    uint64_t &end = isLocal ? localEnd : l2End;
    uint64_t begin = alignUp<uint64_t>(end, chip.euBytes);
    end = begin + root.bytes;
    Place place{tensor.memory, isLocal ? begin : chip.l2MemoryBase + begin,
                root.bytes};
    moveIn(place, kept[root.start]);
    known = placed.emplace(root.start, place).first;
  }
  *tensor.address += known->second.address - root.start;
}

rt::Status LiveValues::run(catalog::Call call, const std::vector<Root> &roots) {
  takeNewMemory();
  for (size_t i = 0; i < roots.size(); ++i)
    if (call.arguments[i].isTensor())
      if (rt::Status status = checkSize(call.arguments[i].tensor, roots[i]);
          !status)
        return status;
  makeRoom(call, roots);
  for (size_t i = 0; i < roots.size(); ++i)
    if (call.arguments[i].isTensor())
      place(call.arguments[i].tensor, roots[i]);
  rt::Status status = catalog::interpret(call, machine);
  moveOut();
  return status;
}

rt::Result<catalog::Dense> LiveValues::read(catalog::Tensor tensor,
                                            const Root &root) {
  takeNewMemory();
  if (rt::Status status = checkSize(tensor, root); !status)
    return status;
  place(tensor, root);
  rt::Result<catalog::Dense> values = catalog::read(tensor, machine);
  moveOut();
  return values;
}

rt::Status LiveValues::relay(const Relaid &relaid) {
  auto known = kept.find(relaid.rootBefore.start);
  if (known == kept.end()) // nothing has touched it yet
    return rt::Status::ok();
  catalog::Tensor root = relaid.after.front();
  if (rt::Status status = checkSize(root, relaid.rootAfter); !status)
    return status;
  std::vector<catalog::Dense> values;
  for (const catalog::Tensor &tensor : relaid.before) {
    rt::Result<catalog::Dense> dense = read(tensor, relaid.rootBefore);
    if (!dense)
      return dense.status();
    values.push_back(std::move(*dense));
  }
  kept.erase(known);
  place(root, relaid.rootAfter);
  rt::Status status = catalog::write(root, values.front(), machine);
  moveOut();
  for (size_t i = 0; i < values.size() && status; ++i) {
    rt::Result<catalog::Dense> now = read(relaid.after[i], relaid.rootAfter);
    if (!now || now->bytes != values[i].bytes)
      status = rt::fail(rt::Code::InvalidArgument,
                        "a tensor without a layout of its own gets another one "
                        "here, in which a view of it holds other values; give "
                        "it a layout to step through this kernel");
  }
  return status;
}
