//===- TiuMatMul.cpp - meaning of the matrix products ---------------------===//

#include "runtime/ppl/Sums.h"
#include "runtime/ppl/Window.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;
using numeric::Rounding;

namespace {
/// A matrix in a tensor, or one number for all elements.
class Matrix {
public:
  /// Folded, rows in n; `isTransposed` swaps what `at` takes.
  Matrix(const Call &call, const Values &values, std::string_view slot,
         bool isTransposed = false)
      : isTransposed(isTransposed) {
    if (call.tensor(slot)) {
      tensor = &values.at(slot);
      const Dims &shape = tensor->shape;
      columns = shape[0] == 1 && shape[2] == 1 ? shape[3] : 0;
    } else {
      number = call.real(slot);
    }
  }
  /// Elements of a stored row.
  int64_t columns = 0;

  int64_t place(int64_t row, int64_t column) const {
    return isTransposed ? column * columns + row : row * columns + column;
  }
  double at(int64_t row, int64_t column) const {
    return tensor ? tensor->value(place(row, column)) : number;
  }
  int64_t integer(int64_t row, int64_t column) const {
    return tensor ? tensor->integer(place(row, column)) : int64_t(number);
  }
  const Dense *tensor = nullptr;

private:
  bool isTransposed;
  double number = 0;
};
} // namespace

/// `count` rows of `depth` numbers, `padded` apart with zeros between. `at`
/// gives element k of a row.
template <class T, class At>
static std::vector<T> rowsOf(int64_t count, int64_t depth, int64_t padded,
                             At at) {
  std::vector<T> rows(size_t(count * padded), T(0));
  for (int64_t row = 0; row < count; ++row)
    for (int64_t k = 0; k < depth; ++k)
      rows[size_t(row * padded + k)] = T(at(row, k));
  return rows;
}

//===----------------------------------------------------------------------===//
// Folded matrices: row r, column q is element r * columns + q of the tensor
//===----------------------------------------------------------------------===//

static Matrix folded(const Call &call, const Values &values,
                     std::string_view slot, bool isTransposed = false) {
  Matrix matrix(call, values, slot, isTransposed);
  if (matrix.tensor)
    matrix.columns = matrix.tensor->shape[1] * matrix.tensor->shape[3];
  return matrix;
}

static rt::Status fmm(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  Matrix left = folded(call, values, "left", call.integer("ltrans")),
         right = folded(call, values, "right");
  const Dense *bias = call.tensor("bias") ? &values.at("bias") : nullptr;
  bool adds = call.integer("result_add");
  int64_t depth = right.tensor->shape[0], columns = right.columns;
  std::vector<float> a =
      rowsOf<float>(dst.shape[0], depth, depth,
                    [&](int64_t m, int64_t k) { return left.at(m, k); });
  std::vector<float> b =
      rowsOf<float>(columns, depth, depth,
                    [&](int64_t n, int64_t k) { return right.at(k, n); });
  for (int64_t m = 0; m < dst.shape[0]; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      float seed = bias ? float(bias->value(n)) : 0.0f;
      int64_t index = m * columns + n;
      float sum = alternatingSum(a.data() + m * depth, b.data() + n * depth,
                                 depth, adds ? seed : 0.0f,
                                 adds ? float(dst.value(index)) : seed);
      storeSum(dst, index, sum);
    }
  return {};
}

/// The exact product of 32-bit numbers modulo 2^64, shifted and saturated.
static int64_t wideResult(DataType type, uint64_t sum, unsigned shift,
                          Rounding mode) {
  if (isSigned(type))
    return saturatedTo(type,
                       numeric::shiftRightRounded(int64_t(sum), shift, mode));
  if (shift == 0)
    return int64_t(std::min<uint64_t>(sum, UINT32_MAX));
  // Halved it has a sign bit to spare; the lost bit is kept as a sticky one.
  uint64_t result;
  if (shift == 1)
    result = (sum >> 1) +
             uint64_t(numeric::shiftRightRounded(int64_t(sum & 3), 1, mode) -
                      int64_t(sum >> 1 & 1));
  else
    result = uint64_t(numeric::shiftRightRounded(int64_t(sum >> 1 | (sum & 1)),
                                                 shift - 1, mode));
  return int64_t(std::min<uint64_t>(result, UINT32_MAX));
}

static rt::Status mm(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense old = accumulatorOf(values, "dst");
  Matrix left = folded(call, values, "left", call.integer("ltrans")),
         right = folded(call, values, "right");
  const Dense *bias = call.tensor("bias") ? &values.at("bias") : nullptr;
  bool adds = call.integer("result_add"), clips = call.integer("do_relu");
  unsigned lshift = unsigned(call.integer("lshift")),
           rshift = unsigned(call.integer("rshift"));
  Rounding mode = Rounding(call.integer("round"));
  int64_t depth = right.tensor->shape[0], columns = right.columns;
  bool isWide = bitsOf(dst.type) == 32;
  std::vector<int64_t> a =
      rowsOf<int64_t>(dst.shape[0], depth, depth,
                      [&](int64_t m, int64_t k) { return left.integer(m, k); });
  std::vector<int64_t> b =
      rowsOf<int64_t>(columns, depth, depth, [&](int64_t n, int64_t k) {
        return right.integer(k, n);
      });
  for (int64_t m = 0; m < dst.shape[0]; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      uint64_t sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += uint64_t(a[size_t(m * depth + k)]) *
               uint64_t(b[size_t(n * depth + k)]);
      int64_t index = m * columns + n, value;
      if (isWide && bitsOf(right.tensor->type) == 32) {
        value = wideResult(dst.type, sum, rshift, mode);
      } else if (isWide) {
        value = int64_t(sum);
      } else {
        int64_t addend =
            adds ? saturatedTo(DataType::Int32,
                               old.integer(index) * (int64_t(1) << lshift))
                 : 0;
        value = wrapped(int64_t(sum) + (bias ? bias->integer(n) : 0) + addend,
                        true);
        if (clips)
          value = std::max<int64_t>(value, 0);
        value = saturatedTo(dst.type, numeric::shiftRightRounded(
                                          value, rshift, Rounding::HalfUp));
      }
      dst.setBits(index, uint64_t(value));
    }
  return {};
}

//===----------------------------------------------------------------------===//
// A row in a lane
//===----------------------------------------------------------------------===//

namespace {
/// The form of mm2 and fmm2 by the end of its name.
struct Product {
  bool swaps = false; ///< tt
  Matrix left, right;
  int64_t rows, columns, depth;

  Product(const Call &call, const Values &values, const Dense &dst)
      : swaps(endsIn(call, "tt")), left(call, values, "left", swaps),
        right(call, values, "right", !endsIn(call, "nn")),
        rows(dst.shape[swaps ? 3 : 1]), columns(dst.shape[swaps ? 1 : 3]) {
    if (left.tensor)
      depth = left.tensor->shape[swaps ? 1 : 3];
    else
      depth = right.tensor->shape[endsIn(call, "nn") ? 1 : 3];
  }
  /// Of (m, n) in the result.
  int64_t place(int64_t m, int64_t n) const {
    return swaps ? n * rows + m : m * columns + n;
  }
  static bool endsIn(const Call &call, std::string_view suffix) {
    std::string_view name = call.operation->name;
    return name.substr(name.size() - 2) == suffix;
  }
};

/// A tensor with a value for every column, repeated in every lane unless the
/// result is transposed.
class ColumnValues {
public:
  ColumnValues(const Call &call, const Values &values, std::string_view slot,
               const Product &product, double without)
      : product(product), number(call.real(slot)) {
    if (call.tensor(slot))
      tensor = &values.at(slot);
    else if (call[slot].kind == Argument::Kind::None)
      number = without;
  }
  double at(int64_t n) const { return tensor ? tensor->value(n) : number; }
  /// Of column n in a lane.
  double at(int64_t n, int64_t lane) const {
    if (!tensor)
      return number;
    int64_t lanes = product.swaps ? 1 : tensor->shape[1];
    return tensor->value(lane % lanes * product.columns + n);
  }
  const Dense *tensor = nullptr;

private:
  const Product &product;
  double number;
};
} // namespace

/// Infinities and NaN as `saturate` wants them.
static float finite(float value, DataType type) {
  if (value != value)
    return 0;
  Dense largest(type, {1, 1, 1, 1});
  largest.setBits(0, type == DataType::Fp16 ? 0x7bff : 0x7f7f);
  float limit = float(largest.value(0));
  return std::clamp(value, -limit, limit);
}

static rt::Status fmm2(const Call &call, Values &values) {
  Dense &dst = values.at("dst");
  const Dense old = accumulatorOf(values, "dst");
  Product product(call, values, dst);
  ColumnValues bias(call, values, "bias", product, 0),
      scale(call, values, "requant", product, 1);
  bool adds = call.integer("result_add"), clips = call.integer("do_relu"),
       isFinite = call.integer("saturate");
  DataType type =
      (product.left.tensor ? product.left : product.right).tensor->type;
  int64_t pack = channelPack(type, *call.chip),
          padded = (product.depth + pack - 1) / pack * pack;
  std::vector<float> a = rowsOf<float>(
      product.rows, product.depth, padded, [&](int64_t m, int64_t k) {
        return roundedTo(type, float(product.left.at(m, k)));
      });
  std::vector<float> b = rowsOf<float>(
      product.columns, product.depth, padded, [&](int64_t n, int64_t k) {
        return roundedTo(type, float(product.right.at(k, n)));
      });
  for (int64_t m = 0; m < product.rows; ++m)
    for (int64_t n = 0; n < product.columns; ++n) {
      int64_t index = product.place(m, n);
      float sum = adds ? float(old.value(index)) : 0.0f;
      if (bias.at(n) != 0)
        sum = addFlushed(sum, float(bias.at(n)));
      for (int64_t k = 0; k < padded; k += pack)
        sum = addFlushed(sum, blockSum(a.data() + m * padded + k,
                                       b.data() + n * padded + k, pack));
      if (clips && sum < 0)
        sum = 0;
      double factor = scale.at(n);
      if (scale.tensor || (factor != 0 && factor != 1))
        sum = multiplyFlushed(sum, float(factor));
      bool isHalf = dst.type == DataType::Fp16 || dst.type == DataType::Bf16;
      storeSum(dst, index,
               isFinite && isHalf ? finite(roundedTo(dst.type, sum), dst.type)
                                  : sum);
    }
  return {};
}

static rt::Status mm2(const Call &call, Values &values) {
  Dense &dst = values.at("rst");
  const Dense old = dst;
  Product product(call, values, dst);
  bool isNn = Product::endsIn(call, "nn");
  ColumnValues bias(call, values, "bias", product, 0),
      zeros(call, values, "r_zp", product, 0);
  const Dense *words = call.tensor("requant") ? &values.at("requant") : nullptr;
  bool adds = call.integer("result_add"), clips = call.integer("do_relu");
  Requantisation step(call, "shift", "offset", "round_mode");
  bool requantises =
      words || step.multiplier != 1 || step.shift != 0 || step.offset != 0;
  int64_t depth = product.depth;
  std::vector<int64_t> a =
      rowsOf<int64_t>(product.rows, depth, depth, [&](int64_t m, int64_t k) {
        return product.left.integer(m, k);
      });
  // The zero point is read in the lane where the row of right lies.
  std::vector<int64_t> b =
      rowsOf<int64_t>(product.columns, depth, depth, [&](int64_t n, int64_t k) {
        return product.right.integer(k, n) - int64_t(zeros.at(n, isNn ? k : n));
      });
  for (int64_t m = 0; m < product.rows; ++m)
    for (int64_t n = 0; n < product.columns; ++n) {
      int64_t index = product.place(m, n);
      int64_t sum = int64_t(bias.at(n)) + (adds ? old.integer(index) : 0);
      for (int64_t k = 0; k < depth; ++k)
        sum += a[size_t(m * depth + k)] * b[size_t(n * depth + k)];
      sum = wrapped(sum, true);
      if (clips)
        sum = std::max<int64_t>(sum, 0);
      if (words)
        step.unpack(uint32_t(words->bits(2 * n)),
                    uint32_t(words->bits(2 * n + 1)));
      if (requantises)
        sum = step.apply(sum, dst.type);
      else if (bitsOf(dst.type) < 32)
        sum = saturatedTo(dst.type, sum, step.isSymmetric);
      dst.setBits(index, uint64_t(sum));
    }
  return {};
}

std::vector<EvaluatorRow> catalog::tiuMatMulEvaluators() {
  return {{"tiu.mm", mm},        {"tiu.fmm", fmm},     {"tiu.mm2_nn", mm2},
          {"tiu.mm2_nt", mm2},   {"tiu.mm2_tt", mm2},  {"tiu.fmm2_nn", fmm2},
          {"tiu.fmm2_nt", fmm2}, {"tiu.fmm2_tt", fmm2}};
}
