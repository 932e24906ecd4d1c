//===- matmul.cpp - product of matrices of 16 or 8 bits -------------------===//
//
// out [M, N] = left [M, K] right [K, N]. fp16 and bf16 with sums in fp32; int8
// with sums in int32, which are requantized.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>
#include <optional>
#include <vector>

using namespace ppl;

namespace {
/// A part of the result stays in local memory while K streams by, `depth`
/// columns of left and rows of right at a time. So the work that a load brings
/// is always in proportion to its bytes, and each operand crosses DRAM once for
/// each part of the result across it.
struct Tiling {
  int rows, columns; // of a part of the result
  int depth;         // of K that is loaded at a time
  int ahead;         // loads that may be under way before they are needed
  int tail;          // chunks that are multiplied strip by strip at the end
};
} // namespace

/// Parts as large and as square as memory allows, in whole rounds over the
/// lanes. Chunks of K of 256 bytes, below which a run of DRAM costs as much.
static Tiling chooseTiling(int M, int K, int N, int elementBytes) {
  const int sumBytes = 4;
  Tiling t = {M, N, min(K, 256 / elementBytes), 3, 0};
  auto bytes = [&] {
    int chunk = tile_bytes(t.rows, t.depth, elementBytes) +
                tile_bytes(t.depth, t.columns, elementBytes),
        strip = tile_bytes(LANE_NUM, t.columns, elementBytes);
    return tile_bytes(t.rows, t.columns, sumBytes) + (t.ahead + 1) * chunk +
           2 * strip;
  };
  while (bytes() > lane_bytes())
    if (t.rows > max(t.columns, LANE_NUM))
      t.rows = align(div_up(t.rows, 2), LANE_NUM);
    else
      t.columns = align(div_up(t.columns, 2), 32);
  // As much of the products as is left when the last chunk has come: 54 bytes
  // a cycle, and a column of 4 by 64 bytes of K a cycle and lane.
  int chunks = div_up(K, t.depth);
  double load = (t.rows + t.columns) * double(t.depth * elementBytes) / 54,
         compute = div_up(t.rows, LANE_NUM) * div_up(t.columns, 4) *
                   double(div_up(t.depth * elementBytes, 64));
  t.tail = int(std::ceil(chunks - (chunks - 1) * load / compute));
  t.tail = max(1, min(t.tail, min(t.ahead, chunks)));
  return t;
}

namespace {
/// The arithmetic of floats of 16 bits.
template <class T>
struct Halves {
  using Element = T;
  using Sum = float;
  static void add(const tensor<Sum> &sums, const tensor<T> &left,
                  const tensor<T> &right, bool keep) {
    tiu::fmm2_nn(sums, left, right, keep);
  }
  void finish(const tensor<T> &result, const tensor<Sum> &sums) const {
    tiu::cast(result, sums);
  }
};
/// Of bytes: the result is sum * multiplier * 2^shift, ties to even.
struct Bytes {
  using Element = int8;
  using Sum = int32;
  int multiplier, shift;
  static void add(const tensor<Sum> &sums, const tensor<int8> &left,
                  const tensor<int8> &right, bool keep) {
    tiu::mm2_nn(sums, left, right, keep);
  }
  void finish(const tensor<int8> &result, const tensor<Sum> &sums) const {
    tiu::rq1(result, sums, multiplier, shift, 0, RM_HALF_TO_EVEN);
  }
};

/// One part of the result, from (row, column) on.
template <class Arithmetic>
class Part {
  using T = typename Arithmetic::Element;
  using Sum = typename Arithmetic::Sum;

public:
  Part(const Arithmetic &arithmetic, gtensor<T> &out, gtensor<T> &left,
       gtensor<T> &right, int K, const Tiling &t, dim4 at, dim4 size)
      : arithmetic(arithmetic), out(out), left(left), right(right), K(K), t(t),
        row(at.c), column(at.w), rows(size.c), columns(size.w) {}

  const int &height() const { return rows; }
  /// Loads chunk `i` of both operands.
  void load(int i) {
    int k = i * t.depth, depth = min(t.depth, K - k);
    dim4 a = {1, rows, 1, depth}, b = {1, depth, 1, columns};
    lefts.emplace_back(a);
    rights.emplace_back(b);
    dma::load(lefts[i], left.sub_view(a, {0, row, 0, k}));
    dma::load(rights[i], right.sub_view(b, {0, k, 0, column}));
  }
  /// Adds the product of chunk `i` to `count` rows of the sums.
  void multiply(int i, int first, int count) {
    int depth = min(t.depth, K - i * t.depth);
    dim4 a = {1, count, 1, depth}, c = {1, count, 1, columns};
    if (!sums)
      sums.emplace(dim4{1, rows, 1, columns});
    arithmetic.add(sums->sub_view(c, {0, first, 0, 0}),
                   lefts[i].sub_view(a, {0, first, 0, 0}), rights[i], i > 0);
  }
  void store(int first, int count) {
    dim4 c = {1, count, 1, columns};
    tensor<T> result(c);
    arithmetic.finish(result, sums->sub_view(c, {0, first, 0, 0}));
    dma::store(out.sub_view(c, {0, row + first, 0, column}), result);
  }

private:
  const Arithmetic &arithmetic;
  gtensor<T> &out, &left, &right;
  int K;
  const Tiling &t;
  int row, column, rows, columns;
  std::vector<tensor<T>> lefts, rights;
  std::optional<tensor<Sum>> sums;
};
} // namespace

/// The engines wait for each other only where one needs what the other makes,
/// so the order of the source decides: loads stand `ahead` chunks before their
/// products, across parts, too. The last chunks go row by row of lanes, so that
/// results are stored while others are computed.
template <class Arithmetic, class T>
static void multiply(const Arithmetic &arithmetic, T *out, T *left, T *right,
                     int M, int K, int N) {
  assert(M >= 1 && K >= 1 && N >= 1);
  Tiling t = chooseTiling(M, K, N, sizeof(T));
  gtensor<T> a({1, M, 1, K}, GLOBAL, left), b({1, K, 1, N}, GLOBAL, right),
      c({1, M, 1, N}, GLOBAL, out);
  std::vector<Part<Arithmetic>> parts;
  for (int row = 0; row < M; row += t.rows)
    for (int column = 0; column < N; column += t.columns)
      parts.emplace_back(
          arithmetic, c, a, b, K, t, dim4{0, row, 0, column},
          dim4{1, min(t.rows, M - row), 1, min(t.columns, N - column)});
  int chunks = div_up(K, t.depth), total = int(parts.size()) * chunks,
      last = chunks - t.tail, loaded = 0;
  auto loadUntil = [&](int end) {
    for (; loaded < min(end, total); ++loaded)
      parts[loaded / chunks].load(loaded % chunks);
  };
  for (int p = 0; p < int(parts.size()); ++p) {
    int rows = parts[p].height();
    for (int i = 0; i < last; ++i) {
      loadUntil(p * chunks + i + 1 + t.ahead);
      parts[p].multiply(i, 0, rows);
    }
    loadUntil((p + 1) * chunks);
    for (int first = 0; first < rows; first += LANE_NUM) {
      int count = min(LANE_NUM, rows - first);
      for (int i = last; i < chunks; ++i)
        parts[p].multiply(i, first, count);
      parts[p].store(first, count);
    }
  }
}

__KERNEL__ void matmul_f16(fp16 *out, fp16 *left, fp16 *right, int M, int K,
                           int N) {
  multiply(Halves<fp16>(), out, left, right, M, K, N);
}
__KERNEL__ void matmul_bf16(bf16 *out, bf16 *left, bf16 *right, int M, int K,
                            int N) {
  multiply(Halves<bf16>(), out, left, right, M, K, N);
}
__KERNEL__ void matmul_int8(int8 *out, int8 *left, int8 *right, int M, int K,
                            int N, int multiplier, int shift) {
  multiply(Bytes{multiplier, shift}, out, left, right, M, K, N);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// The exact sums, or those in float: what Sum is.
template <class Sum, class T>
static std::vector<Sum> product(T *left, T *right, int M, int K, int N) {
  std::vector<Sum> sums(size_t(M) * N), row(N);
  for (int k = 0; k < K; ++k) {
    for (int n = 0; n < N; ++n)
      row[n] = Sum(right[k * N + n]);
    for (int m = 0; m < M; ++m) {
      Sum factor = Sum(left[m * K + k]), *sum = &sums[size_t(m) * N];
      for (int n = 0; n < N; ++n)
        sum[n] += factor * row[n];
    }
  }
  return sums;
}

// Two sums in fp32 that each round K times. Terms are at most 1 and of both
// signs, so partial sums stay below 4 sqrt(K), and so do, in units of 2^-24 of
// them, roundings, which go up as often as down; `half` is half an ulp of the
// result. Sums in fp16 would be off by some 2^13 times as much.
template <class T, class Kernel>
static void test(Kernel kernel, int M, int K, int N, double half) {
  dim4 a = {1, M, 1, K}, b = {1, K, 1, N}, c = {1, M, 1, N};
  T *out = ppl::malloc<T>(&c), *left = ppl::rand<T>(&a, -1.0, 1.0),
    *right = ppl::rand<T>(&b, -1.0, 1.0);
  kernel(out, left, right, M, K, N);
  expect(out, &c, product<float>(left, right, M, K, N), 1.01 * half,
         8 * K * 0x1p-24);
}
static constexpr double kFp16 = 0x1p-11, kBf16 = 0x1p-8;

__TEST__ void matmul_f16_512x2048x1024() {
  test<fp16>(matmul_f16, 512, 2048, 1024, kFp16);
}
__TEST__ void matmul_f16_1x4096x4096() {
  test<fp16>(matmul_f16, 1, 4096, 4096, kFp16);
}
__TEST__ void matmul_f16_odd() { test<fp16>(matmul_f16, 97, 333, 71, kFp16); }
__TEST__ void matmul_f16_one() { test<fp16>(matmul_f16, 1, 1, 1, kFp16); }
__TEST__ void matmul_bf16_odd() {
  test<bf16>(matmul_bf16, 65, 130, 257, kBf16);
}
// Several parts of the result.
__TEST__ void matmul_bf16_parts() {
  test<bf16>(matmul_bf16, 1100, 70, 2100, kBf16);
}

static void testBytes(int M, int K, int N) {
  // Random codes sum up to some 74^2 sqrt(K), at most 2^14 K.
  const int multiplier = 1500000000, shift = -31 - 6 - int(std::log2(K) / 2);
  dim4 a = {1, M, 1, K}, b = {1, K, 1, N}, c = {1, M, 1, N};
  int8 *out = ppl::malloc<int8>(&c), *left = ppl::rand<int8>(&a, -128, 127),
       *right = ppl::rand<int8>(&b, -128, 127);
  matmul_int8(out, left, right, M, K, N, multiplier, shift);
  std::vector<int> sums = product<int>(left, right, M, K, N);
  expect(out, &c, [&](int64_t i) {
    double wanted =
        std::nearbyint(std::ldexp(double(sums[i]) * multiplier, shift));
    return std::fmax(-128, std::fmin(127, wanted));
  });
}
__TEST__ void matmul_int8_512x2048x1024() { testBytes(512, 2048, 1024); }
__TEST__ void matmul_int8_odd() { testBytes(67, 515, 99); }
