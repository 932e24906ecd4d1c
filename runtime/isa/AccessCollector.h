//===- AccessCollector.h - how accesses are put together ------*- C++ -*-===//
//
// Inside runtime/isa: what the TIU and the GDMA part of Accesses share.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ISA_ACCESSCOLLECTOR_H
#define WEFT_RUNTIME_ISA_ACCESSCOLLECTOR_H

#include "runtime/isa/Accesses.h"

#include <algorithm>

namespace weft::isa::accesses {

struct Shape {
  uint64_t n = 1, c = 1, h = 1, w = 1;
  uint64_t count() const { return n * c * h * w; }
};
/// In elements.
struct Strides {
  uint64_t n = 0, c = 0, h = 0, w = 0;
};

/// Bits of an element. The code 7 means nothing; it counts as a byte.
inline unsigned bitsOf(Precision precision) {
  if (precision == Precision::Int4)
    return 4;
  unsigned bytes = elementBytes(precision);
  return bytes == 0 ? 8 : bytes * 8;
}

/// a * b, at most 2^48: far beyond every memory, and sums of a few stay exact.
inline uint64_t cappedProduct(uint64_t a, uint64_t b) {
  constexpr uint64_t kCap = uint64_t(1) << 48;
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) || product > kCap ? kCap
                                                                  : product;
}

inline uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

inline uint64_t less1(uint64_t count) { return count == 0 ? 0 : count - 1; }

/// The accesses of one command, added operand by operand.
class Collector {
public:
  std::vector<Access> take() { return std::move(accesses); }

protected:
  Collector(const Decoded &command, const Chip &chip)
      : command(command), chip(chip) {}

  const Decoded &command;
  const Chip &chip;
  std::vector<Access> accesses;

  uint64_t get(Field field) const { return command.get(field); }
  Precision precision(Field field) const { return Precision(get(field)); }

  Shape resultShape() const {
    return {get(Field::res0_n), get(Field::res0_c), get(Field::res0_h),
            get(Field::res0_w)};
  }

  //===-- local memory ----------------------------------------------------===//

  /// Strides of a tensor that starts in `lane`.
  Strides layoutStrides(Layout layout, const Shape &shape, unsigned bits,
                        uint32_t lane) const {
    if (layout == Layout::Channel)
      return {0, 1, 0, 0};
    uint64_t plane = cappedProduct(shape.h, shape.w);
    if (layout != Layout::Compact)
      plane = roundUp(plane, chip.euBytes * 8 / bits);
    return {cappedProduct(rowsFrom(lane, shape.c), plane), plane, shape.w, 1};
  }
  /// Image rows start on an EU row.
  Strides lineStrides(const Shape &shape, unsigned bits, uint32_t lane) const {
    uint64_t line = roundUp(shape.w, chip.euBytes * 8 / bits);
    uint64_t plane = cappedProduct(shape.h, line);
    return {cappedProduct(rowsFrom(lane, shape.c), plane), plane, line, 1};
  }
  uint64_t rowsFrom(uint32_t lane, uint64_t channels) const {
    return (lane + channels + chip.lanes - 1) / chip.lanes;
  }
  uint32_t laneOf(uint64_t tiuAddress) const {
    return uint32_t(tiuAddress / chip.laneBytes % chip.lanes);
  }

  void addLocal(std::string_view operand, bool isWrite, uint64_t offset,
                uint32_t lane, unsigned bits, const Shape &shape,
                const Strides &strides, uint64_t movedBytes = 0) {
    if (shape.n == 0 || shape.c == 0 || shape.h == 0 || shape.w == 0)
      return;
    uint64_t last = cappedProduct(shape.n - 1, strides.n) +
                    cappedProduct(rowsFrom(lane, shape.c) - 1, strides.c) +
                    cappedProduct(shape.h - 1, strides.h) +
                    cappedProduct(shape.w - 1, strides.w);
    uint64_t bytes = ((last + 1) * bits + 7) / 8;
    Access access;
    access.operand = operand;
    access.isWrite = isWrite;
    access.begin = std::min<uint64_t>(offset, chip.laneBytes);
    access.end = std::min<uint64_t>(offset + bytes, chip.laneBytes);
    access.firstLane = lane;
    access.lanes = uint32_t(std::min<uint64_t>(shape.c, chip.lanes));
    access.place = {offset,
                    false,
                    bits,
                    {shape.n, shape.c, shape.h, shape.w},
                    {strides.n, strides.c, strides.h, strides.w}};
    access.leavesMemory = offset + bytes > chip.laneBytes;
    access.movedBytes = movedBytes;
    accesses.push_back(access);
  }

  /// A TIU operand at the address field `address`.
  void add(std::string_view operand, bool isWrite, Field address,
           Precision precision, const Shape &shape, const Strides &strides) {
    addLocal(operand, isWrite, get(address) % chip.laneBytes,
             laneOf(get(address)), bitsOf(precision), shape, strides);
  }
  void add(std::string_view operand, bool isWrite, Field address,
           Precision precision, const Shape &shape,
           Layout layout = Layout::Aligned) {
    add(operand, isWrite, address, precision, shape,
        layoutStrides(layout, shape, bitsOf(precision), laneOf(get(address))));
  }
  void addLines(std::string_view operand, bool isWrite, Field address,
                Precision precision, const Shape &shape) {
    add(operand, isWrite, address, precision, shape,
        lineStrides(shape, bitsOf(precision), laneOf(get(address))));
  }
  void addResult(const Shape &shape) {
    add("res0", true, Field::res0_addr, precision(Field::res0_prec), shape);
  }
  /// The result of a command that may add to what is there, as numbers of
  /// `oldKind` at the same address.
  void addResult(const Shape &shape, Precision oldKind) {
    if (get(Field::res_add))
      add("res0", false, Field::res0_addr, oldKind, shape);
    addResult(shape);
  }
  /// Sums of halves grow on fp32 numbers, whatever the result is.
  Precision oldSum(Precision input) const {
    return isFloat(input) ? Precision::Fp32 : precision(Field::res0_prec);
  }

  /// Bytes in a row, in any memory; in local memory linear over the lanes.
  void addFlat(std::string_view operand, bool isWrite, uint64_t address,
               uint64_t bytes, uint64_t movedBytes) {
    if (bytes == 0)
      return;
    Access access;
    access.operand = operand;
    access.memory = memoryOf(address, chip);
    access.isWrite = isWrite;
    access.movedBytes = movedBytes;
    if (access.memory != Memory::Local) {
      access.begin = address;
      access.end = address + bytes;
      access.leavesMemory = memoryOf(access.end - 1, chip) != access.memory ||
                            access.end > chip.addressEnd;
    } else { // linear over the lanes
      uint64_t at = address - chip.localMemoryBase;
      uint64_t offset = at % chip.laneBytes;
      bool inOneLane = bytes <= chip.laneBytes - offset;
      access.begin = inOneLane ? offset : 0;
      access.end = inOneLane ? offset + bytes : chip.laneBytes;
      access.firstLane = uint32_t(at / chip.laneBytes);
      access.lanes = uint32_t(std::min<uint64_t>(
          (offset + bytes + chip.laneBytes - 1) / chip.laneBytes, chip.lanes));
      access.place = {offset, true, 8, {1, 1, 1, bytes}, {0, 0, 0, 1}};
      access.leavesMemory = bytes > chip.localMemoryBytes() - at;
    }
    accesses.push_back(access);
  }

  Strides freeStrides(Field n, Field c, Field h, Field w) const {
    return {get(n), get(c), get(h), get(w)};
  }
};

/// What a GDMA command touches.
std::vector<Access> gdmaAccesses(const Decoded &command, const Chip &chip);

} // namespace weft::isa::accesses

#endif // WEFT_RUNTIME_ISA_ACCESSCOLLECTOR_H
