//===- MatrixTranspose.h - transposition of large matrices ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_NUMERIC_MATRIXTRANSPOSE_H
#define WEFT_RUNTIME_NUMERIC_MATRIXTRANSPOSE_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weft::numeric {

/// target[j][i] = source[i][j] for a row-major matrix of `rows` x `columns`
/// elements of `Unit` bytes. Goes square by square: both sides of a square stay
/// in the cache, which a walk along columns of a large matrix would miss at
/// every element.
template <int64_t Unit>
void transposeMatrix(const void *source, void *target, int64_t rows,
                     int64_t columns) {
  constexpr int64_t kSquare = 32;
  auto *from = static_cast<const char *>(source);
  auto *to = static_cast<char *>(target);
  for (int64_t i0 = 0; i0 < rows; i0 += kSquare)
    for (int64_t j0 = 0; j0 < columns; j0 += kSquare)
      for (int64_t i = i0; i < std::min(i0 + kSquare, rows); ++i)
        for (int64_t j = j0; j < std::min(j0 + kSquare, columns); ++j)
          std::memcpy(to + (j * rows + i) * Unit,
                      from + (i * columns + j) * Unit, Unit);
}

/// The same for elements of `unit` bytes: 1, 2, 4 or 8; false for other sizes,
/// and nothing is written.
inline bool transposeMatrix(const void *source, void *target, int64_t rows,
                            int64_t columns, int64_t unit) {
  switch (unit) {
  case 1:
    return transposeMatrix<1>(source, target, rows, columns), true;
  case 2:
    return transposeMatrix<2>(source, target, rows, columns), true;
  case 4:
    return transposeMatrix<4>(source, target, rows, columns), true;
  case 8:
    return transposeMatrix<8>(source, target, rows, columns), true;
  default:
    return false;
  }
}

} // namespace weft::numeric

#endif // WEFT_RUNTIME_NUMERIC_MATRIXTRANSPOSE_H
