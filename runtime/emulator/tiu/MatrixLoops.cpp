#include "runtime/emulator/tiu/MatrixLoops.h"

#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/HalfBlock.h"
#include "runtime/emulator/kernels/Pairs.h"
#include "runtime/emulator/kernels/Products.h"

#include <algorithm>

namespace weft::emulator::tiu {
namespace {

/// Rows and columns of one task.
constexpr unsigned kRows = 4;
constexpr size_t kChunk = 512;
/// Stored rows that are turned together.
constexpr unsigned kTurned = 16;

/// Calls piece(address, column, count) for the parts of a stored row that lie
/// together.
template <class Piece>
void eachPiece(const MatrixSource &source, uint32_t row, uint32_t count,
               Piece piece) {
  if (!source.view)
    return piece(reinterpret_cast<const uint8_t *>(&source.bits), 0, count);
  if (source.rowsAreChannels)
    return piece(source.view->at(0, row), 0, count);
  uint32_t width = source.view->shape.w;
  for (uint32_t column = 0; column < count; column += width)
    piece(source.view->at(row, column / width), column,
          std::min(width, count - column));
}

/// dense[row * stride + column] of the matrix, whose stored rows are its
/// columns if it is transposed. T: float or int64_t.
template <class T>
struct Dense {
  std::vector<T> values;
  size_t stride;

  Dense(Workers &workers, const MatrixSource &source, bool isTransposed,
        uint32_t rows, uint32_t columns, size_t stride)
      : values(rows * stride + kLaneBlock), stride(stride) {
    double cost = double(rows) * columns;
    if (!isTransposed) {
      workers.forEach(rows, cost, [&](size_t row, unsigned) {
        source.readRow(uint32_t(row), columns, values.data() + row * stride);
      });
      return;
    }
    size_t blocks = (columns + kTurned - 1) / kTurned;
    workers.reserveScratch(kTurned * size_t(rows) * sizeof(T));
    workers.forEach(blocks, cost * 2, [&](size_t block, unsigned worker) {
      uint32_t first = uint32_t(block) * kTurned,
               count = std::min(kTurned, columns - first);
      T *room = reinterpret_cast<T *>(workers.scratch(worker));
      for (uint32_t j = 0; j < count; ++j)
        source.readRow(first + j, rows, room + size_t(j) * rows);
      for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t j = 0; j < count; ++j)
          values[row * stride + first + j] = room[size_t(j) * rows + row];
    });
  }
};

/// Tasks of kRows rows and a chunk of columns: body(first row, row count, first
/// column, end column, worker).
template <class Body>
void eachTile(Workers &workers, const MatrixShape &shape, Body body) {
  size_t rowGroups = (shape.rows + kRows - 1) / kRows, chunk = kChunk;
  while (chunk > 2 * kLaneBlock &&
         rowGroups * ((shape.columns + chunk - 1) / chunk) <
             2 * workers.count())
    chunk /= 2;
  size_t chunks = (shape.columns + chunk - 1) / chunk;
  double cost = double(shape.rows) * shape.columns * shape.depth / 8;
  workers.forEach(rowGroups * chunks, cost, [&](size_t item, unsigned worker) {
    uint32_t row = uint32_t(item / chunks) * kRows;
    size_t begin = item % chunks * chunk;
    body(row, std::min(kRows, shape.rows - row), begin,
         std::min<size_t>(begin + chunk, shape.columns), worker);
  });
}

/// Blocks of kHalfBlock terms; `step` between the vectors of terms.
std::vector<Segment> blocksOf(uint32_t depth, uint32_t together, size_t step) {
  std::vector<Segment> segments;
  for (uint32_t k = 0; k < depth; k += together)
    segments.push_back({k, uint32_t(k * step), std::min(together, depth - k)});
  return segments;
}

} // namespace

void MatrixSource::readRow(uint32_t row, uint32_t count, float *to) const {
  eachPiece(*this, row, count,
            [&](const uint8_t *from, uint32_t column, uint32_t part) {
              loadFloats(from, view ? view->bytes : 0, kind.precision,
                         to + column, part);
            });
}

void MatrixSource::readRow(uint32_t row, uint32_t count, int64_t *to) const {
  eachPiece(*this, row, count,
            [&](const uint8_t *from, uint32_t column, uint32_t part) {
              loadIntegers(from, view ? view->bytes : 0, kind, to + column,
                           part);
            });
}

void multiplyFloats(Workers &workers, const FloatMatrices &m,
                    const RowStore<float> &results) {
  const MatrixShape &shape = m.shape;
  size_t step = roundUpLanes(shape.columns);
  Dense<float> left(workers, m.left, shape.leftIsTransposed, shape.rows,
                    shape.depth, shape.depth);
  Dense<float> right(workers, m.right, shape.rightIsTransposed, shape.depth,
                     shape.columns, step);
  bool isFp32 = m.left.kind.precision == Precision::Fp32;
  std::vector<uint32_t> offsets(isFp32 ? shape.depth : 0);
  for (size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = uint32_t(k * step);
  std::vector<Segment> segments =
      isFp32 ? std::vector<Segment>() : blocksOf(shape.depth, kHalfBlock, step);
  workers.reserveScratch(2 * kRows * kChunk * sizeof(float));
  eachTile(workers, shape,
           [&](uint32_t row, uint32_t rowCount, size_t begin, size_t end,
               unsigned worker) {
             float *room = reinterpret_cast<float *>(workers.scratch(worker));
             size_t lanes = roundUpLanes(end - begin);
             const float *rows[kRows];
             float *sums[kRows], *old[kRows];
             for (uint32_t r = 0; r < rowCount; ++r) {
               rows[r] = left.values.data() + (row + r) * left.stride;
               sums[r] = room + r * kChunk;
               old[r] = room + (kRows + r) * kChunk;
               std::fill_n(sums[r], lanes, 0.0f);
               std::fill_n(old[r], lanes, 0.0f);
               // Halves have no bias; what they add is the start of their only
               // sum.
               if (!m.bias.empty())
                 std::copy(m.bias.data() + begin, m.bias.data() + end, sums[r]);
               if (!m.old.empty()) {
                 const float *from =
                     m.old.data() + size_t(row + r) * shape.columns;
                 std::copy(from + begin, from + end, isFp32 ? old[r] : sums[r]);
               }
             }
             if (isFp32) {
               FloatProducts task;
               task.rowsAreWeights = false;
               task.oddIsFirst = !m.old.empty();
               task.rows = rows;
               task.rowCount = rowCount;
               task.vectors = right.values.data() + begin;
               task.offsets = offsets.data();
               task.terms = shape.depth;
               task.sums = sums;
               task.old = m.old.empty() ? nullptr : old;
               task.lanes = lanes;
               floatProducts(task);
             } else {
               HalfProducts task;
               task.blockIsFirst = true;
               task.rows = rows;
               task.rowCount = rowCount;
               task.vectors = right.values.data() + begin;
               task.step = step;
               task.segments = segments.data();
               task.segmentCount = segments.size();
               task.sums = sums;
               task.lanes = lanes;
               halfProducts(task);
             }
             for (uint32_t r = 0; r < rowCount; ++r)
               results.store(row + r, uint32_t(begin), sums[r],
                             uint32_t(end - begin));
           });
}

void multiplyBytes(Workers &workers, const ByteMatrices &m,
                   const RowStore<int32_t> &results) {
  const MatrixShape &shape = m.shape;
  uint32_t pairs = (shape.depth + 1) / 2;
  size_t step = roundUpLanes(shape.columns);
  std::vector<int32_t> left(size_t(shape.rows) * pairs),
      right(pairs * step + kLaneBlock);
  {
    Dense<int64_t> a(workers, m.left, shape.leftIsTransposed, shape.rows,
                     shape.depth, shape.depth);
    for (uint32_t i = 0; i < shape.rows; ++i) {
      int64_t zero = m.leftZeros.empty() ? 0 : m.leftZeros[i];
      const int64_t *from = a.values.data() + i * a.stride;
      for (uint32_t p = 0; p < pairs; ++p)
        left[size_t(i) * pairs + p] = pairOf(
            int32_t(from[2 * p] - zero),
            2 * p + 1 < shape.depth ? int32_t(from[2 * p + 1] - zero) : 0);
    }
    Dense<int64_t> b(workers, m.right, shape.rightIsTransposed, shape.depth,
                     shape.columns, shape.columns);
    if (!m.rightZeros.empty())
      for (size_t i = 0; i < m.rightZeros.size(); ++i)
        b.values[i] -= m.rightZeros[i];
    for (uint32_t p = 0; p < pairs; ++p) {
      const int64_t *even = b.values.data() + size_t(2 * p) * shape.columns,
                    *odd = even + shape.columns;
      int32_t *to = right.data() + p * step;
      bool hasOdd = 2 * p + 1 < shape.depth;
      for (uint32_t j = 0; j < shape.columns; ++j)
        to[j] = pairOf(int32_t(even[j]), hasOdd ? int32_t(odd[j]) : 0);
    }
  }
  Segment all = {0, 0, pairs};
  workers.reserveScratch(kRows * kChunk * sizeof(int32_t));
  eachTile(workers, shape,
           [&](uint32_t row, uint32_t rowCount, size_t begin, size_t end,
               unsigned worker) {
             const int32_t *rows[kRows];
             int32_t *sums[kRows],
                 *room = reinterpret_cast<int32_t *>(workers.scratch(worker));
             PairProducts task;
             task.rows = rows;
             task.rowCount = rowCount;
             task.vectors = right.data() + begin;
             task.step = step;
             task.segments = &all;
             task.segmentCount = 1;
             task.sums = sums;
             task.lanes = roundUpLanes(end - begin);
             for (uint32_t r = 0; r < rowCount; ++r) {
               rows[r] = left.data() + size_t(row + r) * pairs;
               sums[r] = room + r * kChunk;
               std::fill_n(sums[r], task.lanes, 0);
             }
             pairProducts(task);
             for (uint32_t r = 0; r < rowCount; ++r)
               results.store(row + r, uint32_t(begin), sums[r],
                             uint32_t(end - begin));
           });
}

void multiplyWide(Workers &workers, const WideMatrices &m,
                  const RowStore<uint64_t> &results) {
  const MatrixShape &shape = m.shape;
  Dense<int64_t> left(workers, m.left, shape.leftIsTransposed, shape.rows,
                      shape.depth, shape.depth);
  Dense<int64_t> right(workers, m.right, shape.rightIsTransposed, shape.depth,
                       shape.columns, shape.columns);
  workers.reserveScratch(kChunk * sizeof(uint64_t));
  eachTile(workers, shape,
           [&](uint32_t row, uint32_t rowCount, size_t begin, size_t end,
               unsigned worker) {
             uint64_t *sums =
                 reinterpret_cast<uint64_t *>(workers.scratch(worker));
             for (uint32_t r = row; r < row + rowCount; ++r) {
               std::fill_n(sums, end - begin, 0);
               for (uint32_t k = 0; k < shape.depth; ++k) {
                 uint64_t factor = uint64_t(left.values[r * left.stride + k]);
                 const int64_t *from =
                     right.values.data() + k * right.stride + begin;
                 for (size_t j = 0; j < end - begin; ++j)
                   sums[j] += factor * uint64_t(from[j]);
               }
               results.store(r, uint32_t(begin), sums, uint32_t(end - begin));
             }
           });
}

} // namespace weft::emulator::tiu
