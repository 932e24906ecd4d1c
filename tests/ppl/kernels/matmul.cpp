//===- matmul.cpp - matrix products, tiled and accumulated ----------------===//

#include "tiles.h"

using namespace ppl;

// PPL 4.6.5: out [M, N] = a [M, K] b [K, N]. Accumulated over K in fp32.
template <class T>
static void multiply(T *out, T *a, T *b, int M, int K, int N, int tileM,
                     int tileK, bool pipelined) {
  dim4 shapeA = {1, M, 1, K}, shapeB = {1, K, 1, N}, shapeC = {1, M, 1, N};
  gtensor<T> ga(shapeA, GLOBAL, a), gb(shapeB, GLOBAL, b),
      gc(shapeC, GLOBAL, out);
  dim4 blockA = {1, tileM, 1, tileK}, blockB = {1, tileK, 1, N},
       blockC = {1, tileM, 1, N};
  for (int m = 0; m < M; m += tileM) {
    int rows = min(tileM, M - m);
    dim4 partC = {1, rows, 1, N};
    auto sum = make_tensor<float>(blockC, partC);
    tiu::zero(sum);
    forTiles(pipelined, K, tileK, [&](int k, int depth) {
      dim4 partA = {1, rows, 1, depth}, partB = {1, depth, 1, N};
      auto left = make_tensor<T>(blockA, partA);
      auto right = make_tensor<T>(blockB, partB);
      dma::load(left, ga.sub_view(partA, {0, m, 0, k}));
      dma::load(right, gb.sub_view(partB, {0, k, 0, 0}));
      tiu::fmm2_nn(sum, left, right, true);
    });
    auto result = make_tensor<T>(blockC, partC);
    tiu::cast(result, sum);
    dma::store(gc.sub_view(partC, {0, m, 0, 0}), result);
  }
}
__KERNEL__ void matmul_fp16(fp16 *out, fp16 *a, fp16 *b, int M, int K, int N,
                            const int tileM, const int tileK, bool pipelined) {
  multiply(out, a, b, M, K, N, tileM, tileK, pipelined);
}
__KERNEL__ void matmul_bf16(bf16 *out, bf16 *a, bf16 *b, int M, int K, int N,
                            const int tileM, const int tileK, bool pipelined) {
  multiply(out, a, b, M, K, N, tileM, tileK, pipelined);
}

template <class T>
static void expectProduct(T *out, T *a, T *b, int M, int K, int N, double rtol,
                          double atol) {
  dim4 shape = {1, M, 1, N};
  expect(
      out, &shape,
      [&](int, int m, int, int n) {
        double sum = 0;
        for (int k = 0; k < K; ++k)
          sum += double(float(a[m * K + k])) * float(b[k * N + n]);
        return sum;
      },
      rtol, atol);
}

template <class T, class Kernel>
static void testMatMul(Kernel kernel, int M, int K, int N, int tileM, int tileK,
                       bool pipelined, double rtol, double atol) {
  dim4 shapeA = {1, M, 1, K}, shapeB = {1, K, 1, N}, shapeC = {1, M, 1, N};
  T *out = ppl::malloc<T>(&shapeC), *a = ppl::rand<T>(&shapeA, -1.0, 1.0),
    *b = ppl::rand<T>(&shapeB, -1.0, 1.0);
  kernel(out, a, b, M, K, N, tileM, tileK, pipelined);
  expectProduct(out, a, b, M, K, N, rtol, atol);
}
// Products are exact, 32 of them are summed with 24 bits below the largest, at
// most 1: 2^-24 each for the K cut-off tails, then one rounding.
__TEST__ void matmul_of_tiles() {
  testMatMul<fp16>(matmul_fp16, 100, 300, 80, 64, 128, false, 1.01 * kFp16,
                   300 * 0x1p-24);
}
__TEST__ void matmul_of_tiles_pipelined() {
  testMatMul<fp16>(matmul_fp16, 100, 300, 80, 64, 64, true, 1.01 * kFp16,
                   300 * 0x1p-24);
}
__TEST__ void matmul_bf16_odd_sizes() {
  testMatMul<bf16>(matmul_bf16, 33, 97, 65, 32, 48, true, 1.01 * kBf16,
                   97 * 0x1p-24);
}

// The forms with transposed operands.
__KERNEL__ void matmul_nt(float *out, fp16 *a, fp16 *bT, int M, int K, int N) {
  dim4 sa = {1, M, 1, K}, sb = {1, N, 1, K}, sc = {1, M, 1, N};
  tensor<fp16> left(sa), right(sb);
  tensor<float> product(sc);
  dma::load(left, gtensor<fp16>(sa, GLOBAL, a));
  dma::load(right, gtensor<fp16>(sb, GLOBAL, bT));
  tiu::fmm2_nt(product, left, right);
  dma::store(gtensor<float>(sc, GLOBAL, out), product);
}
__KERNEL__ void matmul_tt(float *outT, fp16 *aT, fp16 *bT, int M, int K,
                          int N) {
  dim4 sa = {1, K, 1, M}, sb = {1, N, 1, K}, sc = {1, N, 1, M};
  tensor<fp16> left(sa), right(sb);
  tensor<float> product(sc);
  dma::load(left, gtensor<fp16>(sa, GLOBAL, aT));
  dma::load(right, gtensor<fp16>(sb, GLOBAL, bT));
  tiu::fmm2_tt(product, left, right);
  dma::store(gtensor<float>(sc, GLOBAL, outT), product);
}
static void testTransposed(bool both) {
  const int M = 50, K = 96, N = 70;
  dim4 sa = both ? dim4{1, K, 1, M} : dim4{1, M, 1, K}, sb = {1, N, 1, K},
       sc = both ? dim4{1, N, 1, M} : dim4{1, M, 1, N};
  float *out = ppl::malloc<float>(&sc);
  fp16 *a = ppl::rand<fp16>(&sa, -1.0, 1.0),
       *b = ppl::rand<fp16>(&sb, -1.0, 1.0);
  (both ? matmul_tt : matmul_nt)(out, a, b, M, K, N);
  // The cut-off tails of the K products, and fp32's rounding of the sum.
  expect(
      out, &sc,
      [&](int, int row, int, int column) {
        int m = both ? column : row, n = both ? row : column;
        double sum = 0;
        for (int k = 0; k < K; ++k)
          sum += double(float(both ? a[k * M + m] : a[m * K + k])) *
                 float(b[n * K + k]);
        return sum;
      },
      4 * kFp32, K * 0x1p-24);
}
__TEST__ void matmul_right_transposed() { testTransposed(false); }
__TEST__ void matmul_both_transposed() { testTransposed(true); }

// Bytes, with a zero point of the right matrix; exact.
__KERNEL__ void matmul_int8(int32 *out, int8 *a, uint8 *b, int zeroPoint, int M,
                            int K, int N) {
  dim4 sa = {1, M, 1, K}, sb = {1, K, 1, N}, sc = {1, M, 1, N};
  tensor<int8> left(sa);
  tensor<uint8> right(sb);
  tensor<int32> product(sc);
  dma::load(left, gtensor<int8>(sa, GLOBAL, a));
  dma::load(right, gtensor<uint8>(sb, GLOBAL, b));
  tiu::mm2_nn(product, left, right, None, false, DT_INT32, false, zeroPoint);
  dma::store(gtensor<int32>(sc, GLOBAL, out), product);
}
__TEST__ void matmul_int8_with_zero_point() {
  const int M = 40, K = 130, N = 36, zero = 7;
  dim4 sa = {1, M, 1, K}, sb = {1, K, 1, N}, sc = {1, M, 1, N};
  int32 *out = ppl::malloc<int32>(&sc);
  int8 *a = ppl::rand<int8>(&sa, -128, 127);
  uint8 *b = ppl::rand<uint8>(&sb, 0, 120);
  matmul_int8(out, a, b, zero, M, K, N);
  expect(out, &sc, [&](int, int m, int, int n) {
    int sum = 0;
    for (int k = 0; k < K; ++k)
      sum += a[m * K + k] * (b[k * N + n] - zero);
    return sum;
  });
}

// fp32, in the layout that folds a row over channels: [rows, columns / w, 1,
// w].
__KERNEL__ void matmul_fp32(float *out, float *a, float *b, int M, int K, int N,
                            const int w) {
  dim4 sa = {M, div_up(K, w), 1, w}, sb = {K, div_up(N, w), 1, w},
       sc = {M, div_up(N, w), 1, w};
  tensor<float> left(sa), right(sb), product(sc);
  dma::load(left, gtensor<float>(sa, GLOBAL, a));
  dma::load(right, gtensor<float>(sb, GLOBAL, b));
  tiu::fmm(product, left, right, false, false, false);
  dma::store(gtensor<float>(sc, GLOBAL, out), product);
}
__TEST__ void matmul_fp32_folded() {
  const int M = 24, K = 64, N = 48;
  dim4 sa = {M, K / 16, 1, 16}, sb = {K, N / 16, 1, 16},
       sc = {M, N / 16, 1, 16};
  float *out = ppl::malloc<float>(&sc), *a = ppl::rand<float>(&sa, -1.0, 1.0),
        *b = ppl::rand<float>(&sb, -1.0, 1.0);
  matmul_fp32(out, a, b, M, K, N, 16);
  // 64 products and sums below 64, each rounded.
  expect(
      out, &sc,
      [&](int m, int c, int, int w) {
        double sum = 0;
        for (int k = 0; k < K; ++k)
          sum += double(a[m * K + k]) * b[k * N + c * 16 + w];
        return sum;
      },
      0, 64 * 8 * kFp32);
}

// PPL 3.6: a block as large as fits. The kernel is called with smaller and
// smaller blocks until local memory holds it.
__TEST__ void matmul_shrinks_until_it_fits() {
  const int M = 16, K = 4096, N = 2048;
  dim4 sa = {1, M, 1, K}, sb = {1, K, 1, N}, sc = {1, M, 1, N};
  fp16 *out = ppl::malloc<fp16>(&sc), *a = ppl::rand<fp16>(&sa, -0.25, 0.25),
       *b = ppl::rand<fp16>(&sb, -0.25, 0.25);
  int depth = K, code = 0, tries = 0;
  for (;; depth /= 2, ++tries) {
    code = attempt([&] { matmul_fp16(out, a, b, M, K, N, M, depth, true); });
    if (code == 0 || depth == 1)
      break;
  }
  // The first block is far too large, one of them fits.
  assert(code == 0);
  assert(tries > 0);
  // Products are at most 1/16.
  expectProduct(out, a, b, M, K, N, 1.01 * kFp16, K * 0x1p-28);
}
