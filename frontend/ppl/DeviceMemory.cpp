//===- DeviceMemory.cpp - global memory that tests can touch -------------===//

#include "frontend/ppl/DeviceMemory.h"

#include <algorithm>
#include <sys/mman.h>
#include <utility>

using namespace weft::frontend;

static constexpr uint64_t kPage = 4096;

DeviceMemory::DeviceMemory(uint64_t base, uint64_t bytes)
    : base(base), bytes(bytes) {
  // Addresses only: what may be written counts as memory (RLIMIT_DATA) whether
  // it is touched or not.
  void *mapped = mmap(nullptr, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    this->bytes = 0; // take() then says that there is no room
  else
    memory = static_cast<uint8_t *>(mapped);
}

DeviceMemory::~DeviceMemory() {
  if (memory)
    munmap(memory, bytes);
}

const DeviceMemory::Piece *DeviceMemory::take(uint64_t size) {
  if (size > bytes || end > bytes - size)
    return nullptr;
  uint64_t next = std::min(bytes, (end + size + kPage - 1) / kPage * kPage);
  if (mprotect(memory + end, next - end, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  Piece piece = {};
  piece.address = base + end;
  piece.bytes = size;
  end = next;
  pieces.push_back(piece);
  return &pieces.back();
}

void DeviceMemory::allowAccess(bool isAllowed) {
  if (memory && end)
    (void)mprotect(memory, end, isAllowed ? PROT_READ | PROT_WRITE : PROT_NONE);
}

std::optional<uint64_t> DeviceMemory::addressOf(uint64_t pointer) const {
  uint64_t start = reinterpret_cast<uintptr_t>(memory);
  if (!memory || pointer < start || pointer - start > end)
    return std::nullopt;
  return base + (pointer - start);
}

const DeviceMemory::Piece *DeviceMemory::pieceAt(uint64_t address) const {
  auto after = std::upper_bound(pieces.begin(), pieces.end(), address,
                                [](uint64_t wanted, const Piece &piece) {
                                  return wanted < piece.address;
                                });
  if (after == pieces.begin())
    return nullptr;
  const Piece &piece = *std::prev(after);
  return address <= piece.address + piece.bytes ? &piece : nullptr;
}

DeviceMemory::Piece *DeviceMemory::pieceAt(uint64_t address) {
  return const_cast<Piece *>(std::as_const(*this).pieceAt(address));
}
