//===- coded_matmul.cpp - weights of 4 or 8 bits, f16 activations ---------===//
//
// out [M, N] = x [M, K] W^T, W [N, K] of codes: W = (code - zero) * scale, with
// a zero point and a scale for each `group` numbers of a row (W4A16, W8A16).
//
// Of two codes of 4 bits in a byte the lower bits are of the first half of a
// group, so that a command unpacks neighbours. Scales and zero points lie as
// lanes hold them, [LANE_NUM][rounds of N][groups of K]: as [N][groups] each
// row would be a run of a few bytes, which DRAM charges as 256.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
struct Sizes {
  int M, K, N, group, bits;
  int groups() const { return K / group; }
  int rounds() const { return div_up(N, LANE_NUM); }
  /// Bytes of a row of codes.
  int rowBytes() const { return K * bits / 8; }
};

/// The constants of all columns, for as long as the kernel runs.
struct Constants {
  tensor<fp16> scales;
  tensor<uint8> zeros;
  Constants(const Sizes &s)
      : scales(dim4{1, LANE_NUM, s.rounds(), s.groups()}, TPU_COMPACT),
        zeros(dim4{1, LANE_NUM, s.rounds(), s.groups()}, TPU_COMPACT) {}
};
} // namespace

/// Those of `rounds` rounds, one for each group.
template <class T>
static tensor<T> ofRounds(const Sizes &s, tensor<T> &all, int first,
                          int rounds) {
  dim4 part = {1, LANE_NUM, rounds, s.groups()},
       shape = {rounds, LANE_NUM, s.groups(), 1},
       stride = {s.groups(), s.rounds() * s.groups(), 1, 1};
  return all.sub_view(part, {0, 0, first, 0}).view(shape, stride);
}

/// Rows of the filter from their codes: n is the round over the lanes.
static void decode(const Sizes &s, const tensor<fp16> &filter,
                   tensor<uint8> &codes, Constants &constants, int first,
                   int rounds) {
  int parts = 8 / s.bits, size = s.group / parts;
  dim4 shape = {rounds, LANE_NUM, s.groups(), size};
  auto scale = ofRounds(s, constants.scales, first, rounds);
  auto zero = ofRounds(s, constants.zeros, first, rounds);
  for (int part = 0; part < parts; ++part) {
    tensor<fp16> number(shape, TPU_COMPACT);
    if (parts == 1) {
      tensor<int16> step(shape, TPU_COMPACT);
      tiu::sub(step, codes, zero, 0, RM_HALF_UP, false);
      tiu::cast(number, step);
    } else {
      tensor<uint8> code(shape, TPU_COMPACT);
      tensor<int8> step(shape, TPU_COMPACT);
      if (part == 0)
        tiu::bitwise_and(code, codes, 15);
      else
        tiu::logical_shift(code, codes, -4, RM_DOWN);
      tiu::sub(step, code, zero, 0, RM_HALF_UP, false);
      tiu::cast(number, step);
    }
    tiu::fmul(filter.sub_view(shape, {0, 0, 0, part * size}), number, scale);
  }
}

namespace {
struct Tiling {
  int rows;   // of x that stay in local memory
  int rounds; // of columns that are decoded at a time
};
} // namespace

/// As many rows of x as fit beside one round of columns, so that codes are
/// decoded once for all of them; then rounds until some 8 steps remain, in
/// which loads, decoding and products overlap.
static Tiling chooseTiling(const Sizes &s) {
  const int memory = lane_bytes();
  auto bytes = [&](int rows, int rounds) {
    // Two of the codes, the filter, what lies between them, results.
    int filter = s.K * 2 * rounds, codes = s.rowBytes() * rounds,
        results = tile_bytes(rows, rounds * LANE_NUM, 2),
        constants = align(s.rounds() * s.groups() * 2, eu_bytes());
    return tile_bytes(rows, s.K, 2) + 2 * filter + 5 * codes + 2 * results +
           3 * constants;
  };
  Tiling t = {s.M, 1};
  while (bytes(t.rows, 1) > memory && t.rows > LANE_NUM)
    t.rows = align(div_up(t.rows, 2), LANE_NUM);
  while (t.rounds * 8 < s.rounds() && bytes(t.rows, t.rounds + 1) <= memory)
    ++t.rounds;
  return t;
}

static void multiply(fp16 *out, fp16 *x, uint8 *codes, fp16 *scales,
                     uint8 *zeros, const Sizes &s) {
  // The unit takes 32 numbers at a time, and a group begins with a new one.
  assert(s.group >= 32 && s.group % 32 == 0 && s.K % s.group == 0);
  assert(s.M >= 1 && s.K >= 1 && s.N >= 1);
  Tiling t = chooseTiling(s);
  dim4 xs = {1, s.M, 1, s.K}, os = {1, s.M, 1, s.N},
       ws = {1, s.N, 1, s.rowBytes()},
       cs = {1, LANE_NUM, s.rounds(), s.groups()};
  gtensor<fp16> gx(xs, GLOBAL, x), go(os, GLOBAL, out);
  gtensor<uint8> gw(ws, GLOBAL, codes);
  Constants constants(s);
  dma::load_compact(constants.scales, gtensor<fp16>(cs, GLOBAL, scales));
  dma::load_compact(constants.zeros, gtensor<uint8>(cs, GLOBAL, zeros));
  for (int row = 0; row < s.M; row += t.rows) {
    int rows = min(t.rows, s.M - row);
    dim4 some = {1, rows, 1, s.K};
    tensor<fp16> left(some);
    dma::load(left, gx.sub_view(some, {0, row, 0, 0}));
    for (int first = 0; first < s.rounds(); first += t.rounds) {
      enable_pipeline();
      int rounds = min(t.rounds, s.rounds() - first), column = first * LANE_NUM,
          count = min(rounds * LANE_NUM, s.N - column);
      dim4 part = {1, count, 1, s.rowBytes()}, result = {1, rows, 1, count};
      tensor<uint8> code({1, rounds * LANE_NUM, 1, s.rowBytes()}, TPU_COMPACT);
      tensor<fp16> filter({1, rounds * LANE_NUM, 1, s.K});
      tensor<fp16> product(result);
      dma::load_compact(code.sub_view(part, {0, 0, 0, 0}),
                        gw.sub_view(part, {0, column, 0, 0}));
      dim4 coded = {rounds, LANE_NUM, s.groups(), s.group * s.bits / 8};
      auto grouped = code.view(coded);
      // A round of an aligned row of K is s.K numbers behind the one before it.
      decode(s,
             filter.view({rounds, LANE_NUM, s.groups(), s.group},
                         {s.K, s.K, s.group, 1}),
             grouped, constants, first, rounds);
      tiu::fmm2_nt(product, left,
                   filter.sub_view({1, count, 1, s.K}, {0, 0, 0, 0}));
      dma::store(go.sub_view(result, {0, row, 0, column}), product);
    }
  }
}

__KERNEL__ void w4a16(fp16 *out, fp16 *x, uint8 *codes, fp16 *scales,
                      uint8 *zeros, int M, int K, int N, int group) {
  multiply(out, x, codes, scales, zeros, {M, K, N, group, 4});
}
__KERNEL__ void w8a16(fp16 *out, fp16 *x, uint8 *codes, fp16 *scales,
                      uint8 *zeros, int M, int K, int N, int group) {
  multiply(out, x, codes, scales, zeros, {M, K, N, group, 8});
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// Where the constants of a column and a group lie.
static int placeOf(const Sizes &s, int column, int group) {
  return (column % LANE_NUM * s.rounds() + column / LANE_NUM) * s.groups() +
         group;
}
static int codeOf(const Sizes &s, const uint8 *codes, int column, int k) {
  if (s.bits == 8)
    return codes[column * s.K + k];
  int half = s.group / 2, inside = k % s.group;
  int byte = codes[column * s.rowBytes() + k / s.group * half + inside % half];
  return inside < half ? byte & 15 : byte >> 4;
}

static void test(int M, int K, int N, int group, int bits) {
  Sizes s = {M, K, N, group, bits};
  dim4 xs = {1, M, 1, K}, os = {1, M, 1, N}, ws = {1, N, 1, s.rowBytes()},
       cs = {1, LANE_NUM, s.rounds(), s.groups()};
  fp16 *out = ppl::malloc<fp16>(&os), *x = ppl::rand<fp16>(&xs, -1.0, 1.0),
       *scales = ppl::rand<fp16>(&cs, 0.001, 0.01);
  uint8 *codes = ppl::rand<uint8>(&ws, 0, 255),
        *zeros = ppl::rand<uint8>(&cs, 0, (1 << bits) - 1);
  (bits == 4 ? w4a16 : w8a16)(out, x, codes, scales, zeros, M, K, N, group);
  std::vector<double> weights(K), wanted(size_t(M) * N);
  double largest = 0;
  for (int n = 0; n < N; ++n) {
    for (int k = 0; k < K; ++k) {
      int place = placeOf(s, n, k / group);
      // The number is rounded to fp16, as the chip holds it.
      weights[k] = float(fp16(float(codeOf(s, codes, n, k) - zeros[place]) *
                              float(scales[place])));
      largest = std::fmax(largest, std::fabs(weights[k]));
    }
    for (int m = 0; m < M; ++m) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += float(x[m * K + k]) * weights[k];
      wanted[size_t(m) * N + n] = sum;
    }
  }
  // Tails of K products are cut off, and K / 32 sums rounded, each by 2^-24 of
  // a partial sum, below 4 sqrt(K) of the largest product, to both sides: in
  // all below 2 sqrt(K) times that. Then the result is rounded to fp16.
  expect(out, &os, wanted, 1.01 * 0x1p-11, 8 * K * largest * 0x1p-24);
}
__TEST__ void w4a16_16x2048x1024() { test(16, 2048, 1024, 128, 4); }
__TEST__ void w8a16_16x2048x1024() { test(16, 2048, 1024, 128, 8); }
__TEST__ void w4a16_one_row() { test(1, 256, 200, 32, 4); }
__TEST__ void w4a16_odd() { test(67, 192, 77, 64, 4); }
__TEST__ void w8a16_odd() { test(3, 96, 131, 32, 8); }
