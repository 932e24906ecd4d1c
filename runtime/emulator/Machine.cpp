#include "runtime/emulator/Machine.h"

#include "runtime/numeric/StaticTables.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace weft::emulator {

static uint8_t bitsOf(unsigned power) {
  uint8_t bits = 0;
  while (power >> bits > 1)
    ++bits;
  return bits;
}

Lanes::Lanes(const Chip &chip)
    : count(chip.lanes), bytes(chip.laneBytes), euBytes(chip.euBytes),
      countBits(bitsOf(chip.lanes)), byteBits(bitsOf(chip.laneBytes)) {}

bool Lanes::canModel(const Chip &chip) {
  auto isPower = [](unsigned number) {
    return number != 0 && (number & (number - 1)) == 0;
  };
  // Lane masks have a bit a lane, and an EU row holds one 32-bit element.
  return isPower(chip.lanes) && chip.lanes <= 64 && isPower(chip.laneBytes) &&
         isPower(chip.euBytes) && chip.euBytes >= 4;
}

std::unique_ptr<Machine> Machine::create(const Chip &chip, unsigned threads) {
  auto machine = std::make_unique<Machine>(threads);
  // calloc gives untouched pages of zeros, so that small nets do not pay for 16
  // MiB.
  auto allocate = [](size_t bytes) {
    return Bytes(static_cast<uint8_t *>(std::calloc(bytes, 1)));
  };
  machine->theChip = &chip;
  machine->theLanes = Lanes(chip);
  machine->localBytes = allocate(chip.localMemoryBytes());
  machine->staticBytes = allocate(chip.staticMemoryBytes);
  machine->l2Bytes = allocate(chip.l2MemoryBytes);
  if (!machine->localBytes || !machine->staticBytes || !machine->l2Bytes)
    return nullptr;
  const numeric::StaticTables &tables = numeric::staticTables();
  std::memcpy(machine->statics(), tables.data(), sizeof(tables));
  return machine;
}

Status Machine::mapGlobal(uint64_t address, uint8_t *host, size_t bytes,
                          bool writable) {
  if (bytes == 0)
    return Status::ok();
  const uint64_t end = theChip->addressEnd;
  if (address < theChip->globalMemoryBase || address >= end ||
      bytes > end - address)
    return failf(Code::OutOfRange,
                 "global memory is 0x%" PRIx64 " to 0x%" PRIx64
                 "; cannot map %zu bytes at 0x%" PRIx64,
                 theChip->globalMemoryBase, end, bytes, address);
  auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](uint64_t a, const Region &r) { return a < r.address; });
  bool hitsNext = after != regions.end() && after->address < address + bytes;
  bool hitsPrevious = after != regions.begin() &&
                      (after - 1)->address + (after - 1)->bytes > address;
  if (hitsNext || hitsPrevious)
    return failf(Code::InvalidArgument,
                 "%zu bytes at global address 0x%" PRIx64
                 " overlap memory that is already mapped",
                 bytes, address);
  regions.insert(after, Region{address, host, bytes, writable});
  return Status::ok();
}

uint8_t *Machine::global(uint64_t address, uint64_t bytes, bool write) const {
  auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](uint64_t a, const Region &r) { return a < r.address; });
  if (after == regions.begin())
    return nullptr;
  const Region &region = *(after - 1);
  uint64_t offset = address - region.address;
  if (offset > region.bytes || bytes > region.bytes - offset ||
      (write && !region.writable))
    return nullptr;
  return region.host + offset;
}

namespace {

/// First byte behind the tensor in the lanes that it reaches farthest in.
uint64_t endOffset(const LocalView &view) {
  uint64_t lastRow =
      (view.lane0 + uint64_t(view.shape.c) - 1) >> view.lanes.countBits;
  return view.offset + (view.shape.n - 1) * view.stride.n +
         lastRow * view.stride.c + (view.shape.h - 1) * view.stride.h +
         (view.shape.w - 1) * view.stride.w + view.bytes;
}

} // namespace

bool isDisjoint(const LocalView &a, const LocalView &b) {
  return endOffset(a) <= b.offset || endOffset(b) <= a.offset;
}

bool hasSeparatePlanes(const LocalView &view) {
  uint64_t span = (view.shape.h - 1) * view.stride.h +
                  (view.shape.w - 1) * view.stride.w + view.bytes;
  uint64_t rows = view.lanes.rows(view.lanes.lane(view.lane0), view.shape.c);
  // Sizes and strides of the two dimensions, the inner one first.
  uint64_t inner[2] = {rows, view.stride.c},
           outer[2] = {view.shape.n, view.stride.n};
  if (inner[1] > outer[1] && outer[0] > 1)
    std::swap(inner, outer);
  for (const uint64_t *dimension : {inner, outer}) {
    if (dimension[0] > 1 && dimension[1] < span)
      return false;
    span += (dimension[0] - 1) * dimension[1];
  }
  return true;
}

bool isSamePlace(const LocalView &a, const LocalView &b) {
  auto same = [](uint32_t size, uint64_t x, uint64_t y) {
    return size == 1 || x == y;
  };
  return a.lane0 == b.lane0 && a.offset == b.offset && a.bytes == b.bytes &&
         same(a.shape.n, a.stride.n, b.stride.n) && a.stride.c == b.stride.c &&
         same(a.shape.h, a.stride.h, b.stride.h) &&
         same(a.shape.w, a.stride.w, b.stride.w) && a.stride.w >= a.bytes &&
         (a.shape.n == 1 || a.stride.n != 0);
}

Strides4 localStrides(const Lanes &lanes, Layout layout, const Shape4 &shape,
                      unsigned elementBytes, uint32_t lane0) {
  if (layout == Layout::Channel)
    return {0, 1, 0, 0};
  uint64_t plane = uint64_t(shape.h) * shape.w;
  if (layout != Layout::Compact)
    plane = lanes.alignedLine(plane, elementBytes);
  uint64_t rows = lanes.rows(lanes.lane(lane0), shape.c);
  return {rows * plane, plane, shape.w, 1};
}

Status viewLocal(const Machine &machine, const char *what, uint64_t address,
                 unsigned elementBytes, const Shape4 &shape,
                 const Strides4 &strides, LocalView &view) {
  if (shape.n == 0 || shape.c == 0 || shape.h == 0 || shape.w == 0)
    return failf(Code::BadCommand, "%s has the empty shape %ux%ux%ux%u", what,
                 shape.n, shape.c, shape.h, shape.w);
  const Lanes &lanes = machine.lanes();
  if (address >= machine.chip().localMemoryBytes())
    return failf(Code::BadCommand,
                 "%s: address 0x%" PRIx64 " is beyond local memory (0x%" PRIx64
                 ")",
                 what, address, machine.chip().localMemoryBytes());
  view.memory = machine.local();
  view.lanes = lanes;
  view.lane0 = lanes.laneAt(address);
  view.offset = lanes.offsetAt(address);
  view.bytes = elementBytes;
  view.shape = shape;
  view.stride = {strides.n * elementBytes, strides.c * elementBytes,
                 strides.h * elementBytes, strides.w * elementBytes};
  // Sizes have at most 32 bits and strides in bytes 36, so no sum below
  // overflows 2^64 unless a size and its stride are both absurd; those are cut
  // off first.
  uint64_t lastRow = (view.lane0 + uint64_t(shape.c) - 1) >> lanes.countBits;
  const uint64_t terms[4][2] = {{shape.n - 1, view.stride.n},
                                {lastRow, view.stride.c},
                                {shape.h - 1, view.stride.h},
                                {shape.w - 1, view.stride.w}};
  uint64_t end = view.offset + uint64_t(elementBytes);
  for (auto &term : terms) {
    if (term[0] != 0 && term[1] > lanes.bytes)
      end = UINT64_MAX;
    else if (end != UINT64_MAX)
      end += term[0] * term[1];
  }
  if (end > lanes.bytes)
    return failf(
        Code::BadCommand,
        "%s (%ux%ux%ux%u at 0x%" PRIx64 ") does not fit the %u bytes of a lane",
        what, shape.n, shape.c, shape.h, shape.w, address, lanes.bytes);
  return Status::ok();
}

Status viewLocal(const Machine &machine, const char *what, uint64_t address,
                 Precision precision, const Shape4 &shape, Layout layout,
                 LocalView &view) {
  unsigned bytes =
      static_cast<unsigned>(precision) <= 5 ? isa::elementBytes(precision) : 0;
  if (bytes == 0)
    return failf(Code::Unsupported,
                 "%s has precision code %u; the emulator executes 0 to 5", what,
                 static_cast<unsigned>(precision));
  const Lanes &lanes = machine.lanes();
  return viewLocal(
      machine, what, address, bytes, shape,
      localStrides(lanes, layout, shape, bytes, lanes.laneAt(address)), view);
}

} // namespace weft::emulator
