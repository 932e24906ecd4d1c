//===- matmul.cpp - product of 16-bit matrices ----------------------------===//
//
// out [M, N] = left [M, K] right [K, N], fp16 or bf16, sums in fp32.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

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
};
} // namespace

/// Bytes of a lane that a matrix with its rows in lanes takes.
static int laneBytes(int rows, int columns, int elementBytes) {
  return div_up(rows, LANE_NUM) * align(columns * elementBytes, eu_bytes());
}

/// Parts as large and as square as memory allows, in whole rounds over the
/// lanes. Chunks of K of 256 bytes, below which a run of DRAM costs as much.
static Tiling chooseTiling(int M, int K, int N) {
  const int memory = 256 * 1024, half = 2;
  Tiling t = {M, N, min(K, 256 / half), 3};
  auto bytes = [&] {
    int chunk = laneBytes(t.rows, t.depth, half) +
                laneBytes(t.depth, t.columns, half),
        strip = laneBytes(LANE_NUM, t.columns, half);
    return laneBytes(t.rows, t.columns, sizeof(float)) + (t.ahead + 1) * chunk +
           2 * strip;
  };
  while (bytes() > memory)
    if (t.columns > t.rows && t.columns > 32)
      t.columns = align(div_up(t.columns, 2), 32);
    else if (t.rows > LANE_NUM)
      t.rows = align(div_up(t.rows, 2), LANE_NUM);
    else if (t.columns > 32)
      t.columns = align(div_up(t.columns, 2), 32);
    else
      break;
  return t;
}

namespace {
/// One part of the result, from (row, column) on.
template <class T>
class Part {
public:
  Part(gtensor<T> &out, gtensor<T> &left, gtensor<T> &right, int K,
       const Tiling &t, int row, int column, int rows, int columns)
      : out(out), left(left), right(right), K(K), t(t), row(row),
        column(column), rows(rows), columns(columns) {}

  int chunks() const { return div_up(K, t.depth); }
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
    tiu::fmm2_nn(sums->sub_view(c, {0, first, 0, 0}),
                 lefts[i].sub_view(a, {0, first, 0, 0}), rights[i], i > 0);
  }
  void start() { sums.emplace(dim4{1, rows, 1, columns}); }
  void store(int first, int count) {
    dim4 c = {1, count, 1, columns};
    tensor<T> result(c);
    tiu::cast(result, sums->sub_view(c, {0, first, 0, 0}));
    dma::store(out.sub_view(c, {0, row + first, 0, column}), result);
  }

private:
  gtensor<T> &out, &left, &right;
  int K;
  const Tiling &t;
  int row, column, rows, columns;
  std::vector<tensor<T>> lefts, rights;
  std::optional<tensor<float>> sums;
};
} // namespace

/// The engines wait for each other only where one needs what the other makes,
/// so the order of the source decides: loads stand `ahead` chunks before their
/// products, across parts, too. The last chunks go row by row of lanes, so that
/// results are stored while others are computed.
template <class T>
static void multiply(T *out, T *left, T *right, int M, int K, int N) {
  Tiling t = chooseTiling(M, K, N);
  gtensor<T> a({1, M, 1, K}, GLOBAL, left), b({1, K, 1, N}, GLOBAL, right),
      c({1, M, 1, N}, GLOBAL, out);
  std::vector<Part<T>> parts;
  for (int row = 0; row < M; row += t.rows)
    for (int column = 0; column < N; column += t.columns)
      parts.emplace_back(c, a, b, K, t, row, column, min(t.rows, M - row),
                         min(t.columns, N - column));
  int chunks = div_up(K, t.depth), total = int(parts.size()) * chunks,
      last = max(0, chunks - t.ahead), loaded = 0;
  auto loadUntil = [&](int end) {
    for (; loaded < min(end, total); ++loaded)
      parts[loaded / chunks].load(loaded % chunks);
  };
  for (int p = 0; p < int(parts.size()); ++p) {
    int rows = min(t.rows, M - p / div_up(N, t.columns) * t.rows);
    parts[p].start();
    for (int i = 0; i < last; ++i) {
      loadUntil(p * chunks + i + 1 + t.ahead);
      parts[p].multiply(i, 0, rows);
    }
    loadUntil(p * chunks + chunks);
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
  multiply(out, left, right, M, K, N);
}
__KERNEL__ void matmul_bf16(bf16 *out, bf16 *left, bf16 *right, int M, int K,
                            int N) {
  multiply(out, left, right, M, K, N);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

// Products are exact. A term's tail is cut off 24 bits below the largest one
// of its 32, which is below 1, and each sum of 32 is rounded: K 2^-24 and
// K/32 roundings of sums below K, all but never near it. `half` is half an ulp
// of the result.
template <class T, class Kernel>
static void test(Kernel kernel, int M, int K, int N, double half) {
  dim4 a = {1, M, 1, K}, b = {1, K, 1, N}, c = {1, M, 1, N};
  T *out = ppl::malloc<T>(&c), *left = ppl::rand<T>(&a, -1.0, 1.0),
    *right = ppl::rand<T>(&b, -1.0, 1.0);
  kernel(out, left, right, M, K, N);
  std::vector<float> wanted(size_t(M) * N);
  std::vector<float> row(N);
  for (int k = 0; k < K; ++k) {
    for (int n = 0; n < N; ++n)
      row[n] = float(right[k * N + n]);
    for (int m = 0; m < M; ++m) {
      float factor = float(left[m * K + k]);
      float *sum = &wanted[size_t(m) * N];
      for (int n = 0; n < N; ++n)
        sum[n] += factor * row[n];
    }
  }
  expect(out, &c, wanted, 1.01 * half, K * 0x1p-20);
}
static constexpr double kFp16 = 0x1p-11, kBf16 = 0x1p-8;

__TEST__ void matmul_f16_512x2048x1024() {
  test<fp16>(matmul_f16, 512, 2048, 1024, kFp16);
}
__TEST__ void matmul_f16_1x4096x4096() {
  test<fp16>(matmul_f16, 1, 4096, 4096, kFp16);
}
__TEST__ void matmul_f16_odd() { test<fp16>(matmul_f16, 97, 333, 71, kFp16); }
__TEST__ void matmul_f16_tiny() { test<fp16>(matmul_f16, 1, 1, 1, kFp16); }
__TEST__ void matmul_bf16_odd() {
  test<bf16>(matmul_bf16, 65, 130, 257, kBf16);
}
