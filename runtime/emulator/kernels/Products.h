/// The sums of products of the convolution and matrix units, a block of outputs
/// at a time.
///
/// Outputs form rows of lanes. An output's terms are the scalars of its row
/// (weights of an output channel, or a row of a matrix) times the vectors at
/// its lane (input pixels, or matrix columns). Multiplication commutes, so
/// scalars and vectors may change roles. `vectors + offset` holds one term of
/// every lane; lanes are computed in whole blocks of kLaneBlock, so vectors
/// must be readable, and sums writable, up to the next multiple.
///
/// ProductsTest has a scalar definition of each; results are the same on
/// every SimdTarget. Callers hold a FlushSubnormals.
#ifndef WEFT_RUNTIME_EMULATOR_KERNELS_PRODUCTS_H
#define WEFT_RUNTIME_EMULATOR_KERNELS_PRODUCTS_H

#include <cstddef>
#include <cstdint>

namespace weft::emulator {

constexpr unsigned kLaneBlock = 32;

constexpr size_t roundUpLanes(size_t lanes) {
  return (lanes + kLaneBlock - 1) / kLaneBlock * kLaneBlock;
}

/// fp32: products rounded, added alternately to two accumulators that are added
/// at the end. sums[r] starts as one accumulator and becomes the result; the
/// other starts at old[r], or at evenStart if `old` is nullptr. Term 0 goes to
/// sums[r] if there is an old value, else to the other: that one is `even`, the
/// other `odd`. Only a NaN depends on the order of an operation's operands:
/// inputs come before weights, and at the end the odd sum first if
/// `oddIsFirst`.
struct FloatProducts {
  bool rowsAreWeights = true;
  bool oddIsFirst = false;
  const float *const *rows = nullptr; ///< terms scalars each
  unsigned rowCount = 0;
  const float *vectors = nullptr;
  const uint32_t *offsets = nullptr; ///< of each term
  size_t terms = 0;
  float *const *sums = nullptr;
  const float *const *old = nullptr;
  float evenStart = 0;
  size_t lanes = 0;
};
void floatProducts(const FloatProducts &task);

/// `count` terms: scalars from `scalar` on, vectors `vector`, `vector + step`..
struct Segment {
  uint32_t scalar = 0, vector = 0, count = 0;
};

/// fp16 and bf16, widened to fp32. Each segment (at most 32 terms) is one block
/// of isa section 7: fp32 products, aligned to the largest exponent, cut toward
/// zero below 24 fraction bits, summed exactly, rounded once and added to the
/// sum. Of two NaNs the sum's is kept, or the block's if `blockIsFirst`.
struct HalfProducts {
  bool blockIsFirst = false;
  const float *const *rows = nullptr;
  unsigned rowCount = 0;
  const float *vectors = nullptr;
  size_t step = 0;
  const Segment *segments = nullptr;
  size_t segmentCount = 0;
  float *const *sums = nullptr; ///< start and result
  size_t lanes = 0;
};
void halfProducts(const HalfProducts &task);

/// Pairs of int16 in 32 bits, low half first. The caller sees to it that no sum
/// leaves 32 bits.
struct PairProducts {
  const int32_t *const *rows = nullptr;
  unsigned rowCount = 0;
  const int32_t *vectors = nullptr;
  size_t step = 0;
  const Segment *segments = nullptr; ///< count in pairs
  size_t segmentCount = 0;
  int32_t *const *sums = nullptr; ///< start and result
  size_t lanes = 0;
};
void pairProducts(const PairProducts &task);

} // namespace weft::emulator

#endif
