//===- embedding.cpp - rows of a table by index ---------------------------===//
//
// out [count, width] = table [rows, width] at indices [count]; an index that
// the table does not have gives zeros.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

using namespace ppl;

/// Rows pass through local memory. One command could gather within DRAM, and
/// the cycle model would call it cheaper than DRAM can be (docs/cycles.md).
template <class T>
static void lookUp(T *out, T *table, uint32 *indices, int rows, int width,
                   int count) {
  assert(rows >= 1 && width >= 1 && count >= 1);
  gtensor<T> from({1, 1, rows, width}, GLOBAL, table),
      to({1, 1, count, width}, GLOBAL, out);
  gtensor<uint32> places({1, 1, count, 1}, GLOBAL, indices);
  // A command takes at most 65535 on an axis; rows that are longer come in
  // pieces.
  int block = min(count, 65535), piece = min(width, 65535), code;
  auto blocks = [&] {
    for (int i = 0; i < count; i += block)
      for (int w = 0; w < width; w += piece) {
        dim4 part = {1, 1, min(block, count - i), min(piece, width - w)};
        auto picked = make_tensor<T>({1, 1, block, piece}, part);
        dma::gather_h(picked, from.sub_view({1, 1, rows, part.w}, {0, 0, 0, w}),
                      places.sub_view({1, 1, part.h, 1}, {0, 0, i, 0}), 0.0f);
        dma::store(to.sub_view(part, {0, 0, i, w}), picked);
      }
  };
  while ((code = attempt(blocks)) && (block > 1 || piece > 1))
    if (block > 1)
      block = div_up(block, 2);
    else
      piece = div_up(piece, 2);
  assert(code == 0);
}

__KERNEL__ void embedding_fp16(fp16 *out, fp16 *table, uint32 *indices,
                               int rows, int width, int count) {
  lookUp(out, table, indices, rows, width, count);
}
__KERNEL__ void embedding_fp32(float *out, float *table, uint32 *indices,
                               int rows, int width, int count) {
  lookUp(out, table, indices, rows, width, count);
}

template <class T, class Kernel>
static void check(Kernel kernel, int rows, int width, int count) {
  dim4 shape = {1, 1, rows, width}, result = {1, 1, count, width},
       list = {1, 1, 1, count};
  T *out = ppl::malloc<T>(&result), *table = ppl::rand<T>(&shape, -1.0, 1.0);
  uint32 *indices = ppl::malloc<uint32>(&list);
  for (int i = 0; i < count; ++i) // one in rows + 1 is not in the table
    indices[i] = uint32((i * 7919LL + 3) % (rows + 1));
  kernel(out, table, indices, rows, width, count);
  expect(out, &result, [&](int, int, int r, int w) {
    return indices[r] < uint32(rows) ? float(table[indices[r] * width + w])
                                     : 0.0f;
  });
}

__TEST__ void embedding_512x2048() {
  check<fp16>(embedding_fp16, 4000, 2048, 512);
}
__TEST__ void embedding_odd() { check<float>(embedding_fp32, 31, 77, 129); }
__TEST__ void embedding_one() { check<fp16>(embedding_fp16, 1000, 1, 1); }
__TEST__ void embedding_wide() { check<float>(embedding_fp32, 9, 30001, 5); }
__TEST__ void embedding_widest() { check<fp16>(embedding_fp16, 3, 140003, 2); }
__TEST__ void embedding_many_rows() {
  check<fp16>(embedding_fp16, 100003, 5, 70001);
}
