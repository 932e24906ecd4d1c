//===- Requantize.h - shifts of 64-bit products -----------------*- C++ -*-===//
//
// round(v * m * 2^-s), half up, of 32-bit integers v and m, by functions that
// have no shift. docs/zhouyi/lowering.md proves the sequence.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_ZHOUYI_REQUANTIZE_H
#define WEFT_PASSES_ZHOUYI_REQUANTIZE_H

#include "passes/zhouyi/Emitter.h"

namespace weft::zhouyi {

/// One 32-bit number for each channel of an op: a vector if all are equal, else
/// a weight that is read.
class ChannelRow {
public:
  ChannelRow() = default;
  /// `numbers` are the bits of `element`; the buffer has room for a vector that
  /// begins at the last one.
  ChannelRow(Emitter &emitter, mlir::Type element,
             llvm::ArrayRef<uint32_t> numbers, llvm::StringRef name);
  static ChannelRow ofFloats(Emitter &emitter, llvm::ArrayRef<float> numbers,
                             llvm::StringRef name);

  explicit operator bool() const { return uniform || buffer; }
  /// The numbers of the channels from `at` + `add` on, one a lane, or that of
  /// channel `at` + `add` in all lanes.
  mlir::Value read(Code &code, llvm::ArrayRef<Stride> at, int64_t add,
                   bool lanesAreChannels) const;

private:
  mlir::Value uniform, buffer;
};

/// The multiplication and shift of all channels of an op.
class Requantizer {
public:
  /// The numbers of a channel, as `requantize` takes them.
  struct Parameters {
    mlir::Value low, high, power;        ///< null: the value stays as it is
    mlir::Value multiplier;              ///< si32
    mlir::Value offset, divisor, center; ///< ui32
  };

  /// `multipliers`[c] and `shifts`[c] (0 to 63). The result is exact if it is
  /// clamped to 16 bits or fewer afterwards; with `isExact` it is as it is, for
  /// |v| up to `bound`, if `Requantizer::isExact` says that this can be.
  Requantizer(Emitter &emitter, llvm::ArrayRef<int32_t> multipliers,
              llvm::ArrayRef<int32_t> shifts, int64_t bound, bool isExact);

  static bool isExact(int32_t multiplier, int32_t shift, int64_t bound);
  Parameters read(Code &code, llvm::ArrayRef<Stride> at, int64_t add,
                  bool lanesAreChannels) const;
  /// `value` is si32 of 8 lanes, and so is the result.
  static mlir::Value requantize(Code &code, mlir::Value value,
                                const Parameters &parameters);

private:
  bool moves = false;
  ChannelRow low, high, power, multiplier, offset, divisor, center;
};

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_REQUANTIZE_H
