/// The loops of the matrix products: operands made dense, then rows times
/// columns shared among the threads.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_MATRIXLOOPS_H
#define WEFT_RUNTIME_EMULATOR_TIU_MATRIXLOOPS_H

#include "runtime/emulator/tiu/Tiu.h"

#include <vector>

namespace weft::emulator::tiu {

/// A matrix in local memory, or one number for all elements.
struct MatrixSource {
  const LocalView *view = nullptr; ///< nullptr: `bits`
  uint32_t bits = 0;
  ElementKind kind;
  bool rowsAreChannels = false; ///< MM2; else a row is an image split by width

  /// Elements of a stored row from column 0 on.
  void readRow(uint32_t row, uint32_t count, float *to) const;
  void readRow(uint32_t row, uint32_t count, int64_t *to) const;
};

/// Sizes, and how the operands are stored.
struct MatrixShape {
  uint32_t rows = 0, columns = 0, depth = 0;
  bool leftIsTransposed = false, rightIsTransposed = false;
};

/// Elements of one result row from a column on.
template <class T>
class RowStore {
public:
  virtual ~RowStore() = default;
  virtual void store(uint32_t row, uint32_t column, T *values,
                     uint32_t count) const = 0;
};

/// fp32 by two accumulators, or half blocks (isa section 7).
struct FloatMatrices {
  MatrixShape shape;
  MatrixSource left, right;
  std::vector<float> bias; ///< by column, or empty
  std::vector<float> old;  ///< [row][column], or empty
};
void multiplyFloats(Workers &workers, const FloatMatrices &matrices,
                    const RowStore<float> &results);

/// Bytes less their zero points: leftZeros by row; rightZeros by stored row and
/// column, as fills of one stored row. Sums are modulo 2^32.
struct ByteMatrices {
  MatrixShape shape;
  MatrixSource left, right;
  std::vector<int16_t> leftZeros; ///< by row of the product, or empty
  /// Zero points of elements [depth][column] of the right matrix, or empty.
  std::vector<int16_t> rightZeros;
};
void multiplyBytes(Workers &workers, const ByteMatrices &matrices,
                   const RowStore<int32_t> &results);

/// Integers of any width; sums are modulo 2^64.
struct WideMatrices {
  MatrixShape shape;
  MatrixSource left, right;
};
void multiplyWide(Workers &workers, const WideMatrices &matrices,
                  const RowStore<uint64_t> &results);

} // namespace weft::emulator::tiu

#endif
