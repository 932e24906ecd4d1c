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

/// The lanes of a chip and what one holds. All are powers of two, so that the
/// index arithmetic of the kernels, done for every plane, takes shifts.
struct Lanes {
  uint32_t count = 1;   ///< lanes
  uint32_t bytes = 1;   ///< of one lane
  uint32_t euBytes = 1; ///< of an EU row
  uint8_t countBits = 0, byteBits = 0;

  Lanes() = default;
  explicit Lanes(const Chip &chip);
  /// False for a chip whose numbers are no powers of two.
  static bool canModel(const Chip &chip);

  /// Lane and row of the channel that lies `place` lanes behind lane 0.
  uint32_t lane(uint32_t place) const { return place & (count - 1); }
  uint32_t row(uint32_t place) const { return place >> countBits; }
  /// Rows that `channels` channels from `lane0` on reach into.
  uint32_t rows(uint32_t lane0, uint32_t channels) const {
    return uint32_t((uint64_t(lane0) + channels + count - 1) >> countBits);
  }
  size_t start(uint32_t lane) const { return size_t(lane) << byteBits; }
  /// Lane and offset in it of an address of local memory.
  uint32_t laneAt(uint64_t address) const {
    return uint32_t(address >> byteBits);
  }
  uint32_t offsetAt(uint64_t address) const {
    return uint32_t(address) & (bytes - 1);
  }
  /// Elements from one line to the next where every line of `width` elements
  /// starts on an EU row.
  uint64_t alignedLine(uint64_t width, unsigned elementBytes) const {
    uint64_t row = euBytes / elementBytes;
    return (width + row - 1) / row * row;
  }
};

class Machine {
public:
  /// nullptr when there is no memory.
  static std::unique_ptr<Machine> create(const Chip &chip, unsigned threads);
  explicit Machine(unsigned threads) : theWorkers(threads) {}

  const Chip &chip() const { return *theChip; }
  const Lanes &lanes() const { return theLanes; }
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
  Lanes theLanes;
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

/// A checked tensor in local memory. Channel c lies in lane (lane0 + c) mod
/// lanes, row (lane0 + c) / lanes; strides in bytes.
struct LocalView {
  uint8_t *memory = nullptr;
  Lanes lanes;
  uint32_t lane0 = 0, offset = 0;
  unsigned bytes = 0; ///< of an element
  Shape4 shape;
  Strides4 stride;

  uint8_t *at(uint32_t n, uint32_t c) const {
    uint32_t place = lane0 + c;
    return memory + lanes.start(lanes.lane(place)) + offset + n * stride.n +
           uint64_t(lanes.row(place)) * stride.c;
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
Strides4 localStrides(const Lanes &lanes, Layout layout, const Shape4 &shape,
                      unsigned elementBytes, uint32_t lane0);

/// Makes a view of the tensor at a TIU address (lane after lane). `strides`
/// (elements) are used for Layout::Free only. Fails, naming `what`, for a size
/// of 0 and for a tensor that leaves its lane.
Status viewLocal(const Machine &machine, const char *what, uint64_t address,
                 unsigned elementBytes, const Shape4 &shape,
                 const Strides4 &elementStrides, LocalView &view);
Status viewLocal(const Machine &machine, const char *what, uint64_t address,
                 Precision precision, const Shape4 &shape, Layout layout,
                 LocalView &view);

} // namespace weft::emulator

#endif
