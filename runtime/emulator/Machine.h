/// The memories of one emulated chip, and bounds-checked views of tensors in
/// local memory.
#ifndef WEFT_RUNTIME_EMULATOR_MACHINE_H
#define WEFT_RUNTIME_EMULATOR_MACHINE_H

#include "runtime/chips/Chip.h"
#include "runtime/emulator/Workers.h"
#include "runtime/isa/Codes.h"
#include "runtime/status/Status.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace weft::emulator {

using isa::Layout;
using isa::Precision;
using rt::Code;
using rt::failf;
using rt::Status;

/// Numbers that index arithmetic in the kernels needs at compile time; create()
/// refuses a chip that differs.
constexpr unsigned kLanes = 64;
constexpr unsigned kLaneBytes = 256 * 1024;
constexpr unsigned kEuBytes = 64;

class Machine {
public:
  /// nullptr when there is no memory.
  static std::unique_ptr<Machine> create(const Chip &chip, unsigned threads);
  explicit Machine(unsigned threads) : theWorkers(threads) {}

  const Chip &chip() const { return *theChip; }
  uint8_t *local() const { return localBytes.get(); }
  uint8_t *statics() const { return staticBytes.get(); }
  uint8_t *l2() const { return l2Bytes.get(); }
  /// The threads that share the work of a command.
  Workers &workers() { return theWorkers; }

  Status mapGlobal(uint64_t address, uint8_t *host, size_t bytes,
                   bool writable);
  void unmapGlobal() { regions.clear(); }

  /// Host memory of a range of global memory; nullptr if it is not mapped as a
  /// whole, or read-only and `write`.
  uint8_t *global(uint64_t address, uint64_t bytes, bool write) const;

private:
  struct Free {
    void operator()(uint8_t *memory) const { std::free(memory); }
  };
  using Bytes = std::unique_ptr<uint8_t, Free>;
  struct Region {
    uint64_t address;
    uint8_t *host;
    uint64_t bytes;
    bool writable;
  };

  const Chip *theChip = nullptr;
  Workers theWorkers;
  Bytes localBytes, staticBytes, l2Bytes;
  std::vector<Region> regions; // sorted by address
};

struct Shape4 {
  uint32_t n = 1, c = 1, h = 1, w = 1;
};
struct Strides4 {
  uint64_t n = 0, c = 0, h = 0, w = 0;
};

/// A checked tensor in local memory. Channel c lies in lane (lane0 + c) mod 64,
/// row (lane0 + c) / 64; strides in bytes.
struct LocalView {
  uint8_t *memory = nullptr;
  uint32_t lane0 = 0, offset = 0;
  unsigned bytes = 0; ///< of an element
  Shape4 shape;
  Strides4 stride;

  uint8_t *at(uint32_t n, uint32_t c) const {
    uint32_t place = lane0 + c;
    return memory + size_t(place % kLanes) * kLaneBytes + offset +
           n * stride.n + uint64_t(place / kLanes) * stride.c;
  }
  uint8_t *at(uint32_t n, uint32_t c, uint32_t h, uint32_t w = 0) const {
    return at(n, c) + h * stride.h + w * stride.w;
  }
  /// True if the h*w plane of a channel can be walked with the w stride alone.
  bool planeIsOneRow() const {
    return shape.h == 1 || stride.h == shape.w * stride.w;
  }
};

/// True if two tensors share no byte of any lane. Judged by the span of their
/// offsets, so that tensors that interleave count as sharing.
bool isDisjoint(const LocalView &a, const LocalView &b);
/// True if no two planes (n, c) of a tensor share a byte.
bool hasSeparatePlanes(const LocalView &view);
/// True if element (n, c, h, w) of both is the same bytes.
bool isSamePlace(const LocalView &a, const LocalView &b);

/// Strides in elements of a tensor at `lane0` in layouts Aligned, Compact and
/// Channel.
Strides4 localStrides(Layout layout, const Shape4 &shape, unsigned elementBytes,
                      uint32_t lane0);

/// Makes a view of the tensor at a TIU address (bits 17..0 offset, 23..18
/// lane). `strides` (elements) are used for Layout::Free only. Fails, naming
/// `what`, for a size of 0 and for a tensor that leaves its lane.
Status viewLocal(const Machine &machine, const char *what, uint64_t address,
                 unsigned elementBytes, const Shape4 &shape,
                 const Strides4 &elementStrides, LocalView &view);
Status viewLocal(const Machine &machine, const char *what, uint64_t address,
                 Precision precision, const Shape4 &shape, Layout layout,
                 LocalView &view);

} // namespace weft::emulator

#endif
