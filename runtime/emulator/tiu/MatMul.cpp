/// sMM (matrix layout) and sMM2 (a row in a lane).
#include "runtime/emulator/DotKernels.h"
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Window.h"
#include "runtime/numeric/Rounding.h"

#include <algorithm>

namespace weft::emulator::tiu {
namespace {

using numeric::Rounding;

/// Element (row, column) of a matrix whose row is split over channels of
/// `width` columns.
uint8_t *matrixAt(const LocalView &view, uint32_t row, uint32_t column) {
  uint32_t width = view.shape.w;
  return view.at(row, column / width, 0, column % width);
}

Status checkWork(uint64_t rows, uint64_t columns, uint64_t depth) {
  constexpr uint64_t largest = uint64_t(1)
                               << 24; // elements that local memory can hold
  if (rows * columns > largest || rows * depth > largest ||
      depth * columns > largest)
    return failf(Code::BadCommand, "a matrix is larger than local memory");
  return Status::ok();
}

/// The NaN of one output: `left` are its terms of the left matrix, `right`
/// those of the right one, kVector apart.
float orderedNaN(Precision precision, const float *left, const float *right,
                 uint32_t depth, const HalfBlocks &blocks, bool adds,
                 float bias, float old) {
  if (precision == Precision::Fp32) {
    TwoSums sums;
    if (adds)
      sums = {bias, old};
    else
      sums = {0.0f, bias};
    sums.add(left, 1, right, kVector, depth);
    return adds ? addOrdered(sums.odd, sums.even)
                : addOrdered(sums.even, sums.odd);
  }
  // MM2 adds the sum so far to a block, not the block to the sum.
  float sum = adds ? old : 0.0f;
  for (size_t b = 0; b < blocks.blocks; ++b) {
    size_t k = b * kHalfBlock;
    unsigned used = std::min<uint32_t>(kHalfBlock, depth - uint32_t(k));
    sum = addOrdered(halfBlockSum(left + k, right + k * kVector, kVector, used),
                     sum);
  }
  return sum;
}

/// out[i][j] = start[i][j] + sum over k of a(i, k) * b(k, j), for fp32 by two
/// accumulators.
template <class A, class B, class Bias, class Old, class Store>
void floatProduct(Precision precision, uint32_t rows, uint32_t columns,
                  uint32_t depth, bool adds, A a, B b, Bias bias, Old old,
                  Store store) {
  size_t padded = (size_t(depth) + kHalfBlock - 1) / kHalfBlock * kHalfBlock;
  HalfBlocks blocks{padded / kHalfBlock, 1, (depth - 1) % kHalfBlock + 1};
  std::vector<float> row(padded), vectors(padded * kVector);
  float first[kVector], second[kVector];
  for (uint32_t begin = 0; begin < columns; begin += kVector) {
    unsigned count = std::min<uint32_t>(kVector, columns - begin);
    for (uint32_t k = 0; k < depth; ++k)
      for (unsigned j = 0; j < count; ++j)
        vectors[size_t(k) * kVector + j] = b(k, begin + j);
    for (uint32_t i = 0; i < rows; ++i) {
      for (uint32_t k = 0; k < depth; ++k)
        row[k] = a(i, k);
      std::fill(first, first + kVector, 0.0f);
      for (unsigned j = 0; j < count; ++j)
        first[j] = bias(begin + j);
      std::fill(second, second + kVector, 0.0f);
      for (unsigned j = 0; j < count && adds; ++j)
        second[j] = old(i, begin + j);
      if (precision == Precision::Fp32) {
        if (adds)
          dotFloat(row.data(), vectors.data(), depth, first, second);
        else
          dotFloat(row.data(), vectors.data(), depth, second, first);
      }
      if (precision == Precision::Fp32 || adds)
        for (unsigned j = 0; j < kVector; ++j)
          first[j] = first[j] + second[j];
      if (precision == Precision::Fp16)
        dotFp16(row.data(), vectors.data(), blocks, first);
      else if (precision == Precision::Bf16)
        dotBf16(row.data(), vectors.data(), blocks, first);
      for (unsigned j = 0; j < count; ++j) {
        if (isNaN(first[j]))
          first[j] = orderedNaN(precision, row.data(), vectors.data() + j,
                                depth, blocks, adds, bias(begin + j),
                                adds ? old(i, begin + j) : 0.0f);
        store(i, begin + j, first[j]);
      }
    }
  }
}

int64_t integerAt(const uint8_t *at, ElementKind kind) {
  int64_t value;
  loadIntegers(at, 0, kind, &value, 1);
  return value;
}
float floatAt(const uint8_t *at, Precision precision) {
  float value;
  loadFloats(at, 0, precision, &value, 1);
  return value;
}

struct MmCommand {
  ElementKind left, right, result;
  LocalView leftView, rightView, resultView, biasView;
  uint32_t rows = 0, depth = 0, columns = 0;
  bool transposed = false, adds = false, leftIsConstant = false,
       biasIsConstant = false, thirdIsSigned = false;
  uint32_t leftBits = 0, biasBits = 0, shiftBits = 0;
  Rounding rounding = Rounding::HalfToEven;
  unsigned func = 1;
};

Status readMm(const Machine &machine, const Decoded &c, MmCommand &mm) {
  mm.func = c.func;
  mm.left = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  mm.right = {mm.left.precision, c.get(Field::opd1_sign) != 0};
  mm.result = {precisionOf(c, Field::res0_prec), true};
  Precision in = mm.left.precision, out = mm.result.precision;
  bool integers =
      isKnown(in) && isKnown(out) && !mm.left.isFloat() && !mm.result.isFloat();
  bool fits = mm.func == isa::mm::Normal
                  ? (in == Precision::Fp32 && out == Precision::Fp32) ||
                        (integers && out == Precision::Int32)
                  : integers && in == Precision::Int8;
  if (!fits)
    return unsupported(c, "these element types");
  mm.thirdIsSigned = c.get(Field::opd2_sign) != 0;
  mm.result.isSigned = mm.left.isSigned || mm.right.isSigned;
  if (mm.func != isa::mm::Normal)
    mm.result.isSigned |= mm.thirdIsSigned;
  mm.transposed = c.get(Field::left_tran);
  mm.adds = c.get(Field::res_add);
  // The vendor's emulator adds the first part of the old result only.
  if (mm.adds && integers && mm.func == isa::mm::Normal)
    return unsupported(c, "integers that are added to the result");
  mm.leftIsConstant = c.get(Field::opd0_const);
  mm.biasIsConstant = c.get(Field::opd2_const);
  mm.leftBits = get32(c, Field::opd0_addr);
  mm.biasBits = get32(c, Field::opd2_addr);
  mm.shiftBits = get32(c, Field::opd3_addr);
  mm.rounding =
      static_cast<Rounding>(std::min<uint64_t>(c.get(Field::opd2_n_str), 6));
  uint32_t n = get32(c, Field::opd0_n), channels = get32(c, Field::opd0_c);
  uint32_t width = get32(c, Field::opd0_w), last = get32(c, Field::opd1_w);
  if (n == 0 || channels == 0 || last == 0 || last > width)
    return failf(Code::BadCommand,
                 "left matrix with %u rows, %u channels of %u columns and %u "
                 "in the last one",
                 n, channels, width, last);
  uint64_t leftColumns = uint64_t(channels - 1) * width + last;
  if (leftColumns > (1u << 24))
    return failf(Code::BadCommand, "a matrix is larger than local memory");
  mm.rows = mm.transposed ? uint32_t(leftColumns) : n;
  mm.depth = mm.transposed ? n : uint32_t(leftColumns);
  uint32_t outChannels = get32(c, Field::res0_c),
           outWidth = get32(c, Field::res0_w);
  mm.columns = outChannels * outWidth;
  if (uint64_t(outChannels) * outWidth > (1u << 24))
    return failf(Code::BadCommand, "a matrix is larger than local memory");
  WEFT_TRY(checkWork(mm.rows, mm.columns, mm.depth));
  if (!mm.leftIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 0", mm.leftBits, in,
                       {n, channels, 1, width}, Layout::Aligned, mm.leftView));
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr), in,
                     {mm.depth, outChannels, 1, outWidth}, Layout::Aligned,
                     mm.rightView));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), out,
                     {mm.rows, outChannels, 1, outWidth}, Layout::Aligned,
                     mm.resultView));
  // Other products of integers have no shift.
  bool usesThird = in == Precision::Fp32 || in == Precision::Int32 ||
                   mm.func != isa::mm::Normal;
  Precision third = in == Precision::Fp32    ? Precision::Fp32
                    : in == Precision::Int32 ? Precision::Int8
                                             : Precision::Int16;
  if (!mm.biasIsConstant && usesThird)
    WEFT_TRY(viewLocal(machine, "operand 2", mm.biasBits, third,
                       {1, outChannels, 1, outWidth}, Layout::Aligned,
                       mm.biasView));
  return Status::ok();
}

const uint8_t *leftAt(const MmCommand &mm, uint32_t i, uint32_t k) {
  if (mm.leftIsConstant)
    return reinterpret_cast<const uint8_t *>(&mm.leftBits);
  return mm.transposed ? matrixAt(mm.leftView, k, i)
                       : matrixAt(mm.leftView, i, k);
}

/// value * 2^-shift for a number without a sign; shift 1..63.
uint64_t shiftRightUnsigned(uint64_t value, unsigned shift, Rounding mode) {
  if (shift == 1) {
    int64_t low = int64_t(value & 3); // the bit that is kept, and the lost one
    int64_t rounded = numeric::shiftRightRounded(low, 1, mode);
    return (value >> 1) + uint64_t(rounded - (low >> 1));
  }
  // Halved it has a sign bit to spare; the lost bit stays as a sticky one.
  return uint64_t(numeric::shiftRightRounded(int64_t(value >> 1 | (value & 1)),
                                             shift - 1, mode));
}

/// Sums of products of 32-bit numbers wrap in 64 bits, signed or unsigned. A
/// shift to the left counts modulo 64 and drops what leaves 64 bits, one to the
/// right goes to 63.
int64_t finishShifted(const MmCommand &mm, uint64_t sum, uint32_t column) {
  uint8_t bits = mm.biasIsConstant ? uint8_t(mm.biasBits)
                                   : *matrixAt(mm.biasView, 0, column);
  int shift = mm.thirdIsSigned ? int8_t(bits) : bits;
  unsigned right = std::min(unsigned(-shift), 63u);
  if (mm.result.isSigned) {
    int64_t value = shift >= 0 ? int64_t(sum << (shift & 63))
                               : numeric::shiftRightRounded(int64_t(sum), right,
                                                            mm.rounding);
    return numeric::saturate(value, 32, true);
  }
  sum = shift >= 0 ? sum << (shift & 63)
                   : shiftRightUnsigned(sum, right, mm.rounding);
  return int64_t(std::min<uint64_t>(sum, UINT32_MAX));
}

/// Old results are 16-bit numbers whatever the result is. Scaled beyond 32 bits
/// they become the smallest int32.
int64_t scaledAddend(const MmCommand &mm, int64_t old) {
  int64_t scaled = old * (int64_t(1) << (mm.shiftBits & 0x1f));
  return scaled == int32_t(scaled) ? scaled : INT32_MIN;
}

int64_t finishInteger(const MmCommand &mm, uint64_t sum, int64_t addend,
                      uint32_t column) {
  if (mm.func == isa::mm::Normal)
    return mm.left.precision == Precision::Int32
               ? finishShifted(mm, sum, column)
               : int64_t(sum); // stored modulo 2^32
  unsigned right = (mm.shiftBits >> 8) & 0x1f;
  uint16_t bits = mm.biasIsConstant
                      ? uint16_t(mm.biasBits)
                      : loadAs<uint16_t>(matrixAt(mm.biasView, 0, column));
  int64_t bias = mm.thirdIsSigned ? int64_t(int16_t(bits)) : bits;
  int32_t total = int32_t(uint32_t(sum + uint64_t(bias) + uint64_t(addend)));
  int64_t value = numeric::shiftRightRounded(total, right, Rounding::HalfUp);
  bool clips = mm.func == isa::mm::RequantisedRelu;
  // A 32-bit result holds a 16-bit number.
  return numeric::saturate(clips ? std::max<int64_t>(value, 0) : value,
                           std::min(mm.result.bits(), 16u),
                           mm.result.isSigned && !clips);
}

/// Old results of the requantised functions, scaled: [row][column].
Status readAddends(const Machine &machine, uint64_t address,
                   const MmCommand &mm, std::vector<int64_t> &addends) {
  addends.clear();
  if (!mm.adds || mm.func == isa::mm::Normal)
    return Status::ok();
  LocalView view;
  WEFT_TRY(viewLocal(machine, "the result to add to", address, Precision::Int16,
                     mm.resultView.shape, Layout::Aligned, view));
  ElementKind kind = {Precision::Int16, mm.result.isSigned};
  for (uint32_t i = 0; i < mm.rows; ++i)
    for (uint32_t j = 0; j < mm.columns; ++j)
      addends.push_back(
          scaledAddend(mm, integerAt(matrixAt(view, i, j), kind)));
  return Status::ok();
}

} // namespace

Status matMul(Machine &machine, const Decoded &c) {
  MmCommand mm;
  WEFT_TRY(readMm(machine, c, mm));
  if (mm.left.isFloat()) {
    floatProduct(
        Precision::Fp32, mm.rows, mm.columns, mm.depth, mm.adds,
        [&](uint32_t i, uint32_t k) { return loadAs<float>(leftAt(mm, i, k)); },
        [&](uint32_t k, uint32_t j) {
          return loadAs<float>(matrixAt(mm.rightView, k, j));
        },
        [&](uint32_t j) {
          return mm.biasIsConstant ? numeric::floatFromBits(mm.biasBits)
                                   : loadAs<float>(matrixAt(mm.biasView, 0, j));
        },
        [&](uint32_t i, uint32_t j) {
          return loadAs<float>(matrixAt(mm.resultView, i, j));
        },
        [&](uint32_t i, uint32_t j, float x) {
          storeAs(matrixAt(mm.resultView, i, j), x);
        });
    return Status::ok();
  }
  std::vector<int64_t> row(mm.depth), addends;
  WEFT_TRY(readAddends(machine, c.get(Field::res0_addr), mm, addends));
  for (uint32_t i = 0; i < mm.rows; ++i) {
    for (uint32_t k = 0; k < mm.depth; ++k)
      row[k] = integerAt(leftAt(mm, i, k), mm.left);
    for (uint32_t j = 0; j < mm.columns; ++j) {
      uint64_t sum = 0;
      for (uint32_t k = 0; k < mm.depth; ++k)
        sum += uint64_t(row[k]) *
               uint64_t(integerAt(matrixAt(mm.rightView, k, j), mm.right));
      size_t at = size_t(i) * mm.columns + j;
      int64_t value =
          finishInteger(mm, sum, addends.empty() ? 0 : addends[at], j);
      uint8_t *to = matrixAt(mm.resultView, i, j);
      storeIntegers(to, 0, mm.result.precision, &value, 1);
    }
  }
  return Status::ok();
}

namespace {

struct Mm2Command {
  ElementKind kind, right, result;
  LocalView leftView, rightView, resultView, zeroView;
  uint32_t rows = 0, depth = 0, columns = 0;
  bool leftIsConstant = false, rightIsConstant = false, zeroIsConstant = true,
       adds = false;
  uint32_t leftBits = 0, rightBits = 0, zeroBits = 0;
  unsigned func = isa::mm::NN;

  const uint8_t *left(uint32_t i, uint32_t k) const {
    if (leftIsConstant)
      return reinterpret_cast<const uint8_t *>(&leftBits);
    return func == isa::mm::TT ? leftView.at(0, k, 0, i)
                               : leftView.at(0, i, 0, k);
  }
  const uint8_t *rightAt(uint32_t k, uint32_t j) const {
    if (rightIsConstant)
      return reinterpret_cast<const uint8_t *>(&rightBits);
    return func == isa::mm::NN ? rightView.at(0, k, 0, j)
                               : rightView.at(0, j, 0, k);
  }
};

/// nn: left (rows x depth), right (depth x columns). nt: right stored
/// transposed. tt: the result is (right stored rows' x depth) times left (depth
/// x columns'), so its rows count opd1's rows.
Status readMm2(const Machine &machine, const Decoded &c, Mm2Command &mm) {
  mm.func = c.func;
  mm.kind = {precisionOf(c, Field::opd0_prec), c.get(Field::opd0_sign) != 0};
  mm.right = {mm.kind.precision, c.get(Field::opd1_sign) != 0};
  mm.result = {precisionOf(c, Field::res0_prec),
               true}; // signed whatever the operands are
  Precision in = mm.kind.precision, out = mm.result.precision;
  bool isHalf = in == Precision::Fp16 || in == Precision::Bf16;
  if (!(isHalf && (out == Precision::Fp32 || out == in)) &&
      !(in == Precision::Int8 && out == Precision::Int32))
    return unsupported(c, "these element types");
  mm.leftIsConstant = c.get(Field::opd0_const);
  mm.rightIsConstant = c.get(Field::opd1_const);
  mm.zeroIsConstant = c.get(Field::opd2_const);
  mm.adds = c.get(Field::res_add);
  mm.leftBits = get32(c, Field::opd0_addr);
  mm.rightBits = get32(c, Field::opd1_addr);
  mm.zeroBits = get32(c, Field::opd2_addr);
  uint32_t rows = get32(c, Field::res0_c), columns = get32(c, Field::res0_w);
  uint32_t c1 = get32(c, Field::opd1_c), w1 = get32(c, Field::opd1_w);
  mm.rows = rows;
  mm.columns = columns;
  mm.depth = c.func == isa::mm::NN ? c1 : w1;
  Shape4 left, right;
  if (c.func == isa::mm::NN) {
    left = {1, rows, 1, c1};
    right = {1, c1, 1, w1};
  } else if (c.func == isa::mm::NT) {
    left = {1, rows, 1, w1};
    right = {1, c1, 1, w1};
  } else {
    left = {1, w1, 1, columns};
    right = {1, rows, 1, w1};
  }
  if (mm.depth == 0)
    return failf(Code::BadCommand, "a matrix product without terms");
  uint32_t given = c.func == isa::mm::NN   ? w1
                   : c.func == isa::mm::NT ? c1
                                           : columns;
  if (given < columns)
    return failf(Code::BadCommand,
                 "a result of %u columns, and operand 1 has %u", columns,
                 given);
  WEFT_TRY(checkWork(mm.rows, mm.columns, mm.depth));
  if (!mm.leftIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 0", mm.leftBits, in, left,
                       Layout::Aligned, mm.leftView));
  if (!mm.rightIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 1", mm.rightBits, in, right,
                       Layout::Aligned, mm.rightView));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), out,
                     {1, rows, 1, mm.columns}, Layout::Aligned, mm.resultView));
  if (in == Precision::Int8 && !mm.zeroIsConstant && c.func == isa::mm::TT)
    return viewLocal(machine, "operand 2", mm.zeroBits, in, {1, rows, 1, 1},
                     Layout::Compact, mm.zeroView);
  if (in == Precision::Int8 && !mm.zeroIsConstant)
    WEFT_TRY(viewLocal(machine, "operand 2", mm.zeroBits, 1,
                       {1, kLanes, 1, mm.columns}, Strides4{0, 0, 0, 1},
                       mm.zeroView));
  return Status::ok();
}

/// What is added to 16-bit results: fp32 numbers of a matrix at their address,
/// read before it is overwritten.
Status readWideAddends(const Machine &machine, uint64_t address,
                       const Mm2Command &mm, std::vector<float> &addends) {
  LocalView view;
  WEFT_TRY(viewLocal(machine, "the result to add to", address, Precision::Fp32,
                     mm.resultView.shape, Layout::Aligned, view));
  addends.resize(size_t(mm.rows) * mm.columns);
  for (uint32_t i = 0; i < mm.rows; ++i)
    std::memcpy(addends.data() + size_t(i) * mm.columns, view.at(0, i),
                mm.columns * sizeof(float));
  return Status::ok();
}

} // namespace

Status matMul2(Machine &machine, const Decoded &c) {
  Mm2Command mm;
  WEFT_TRY(readMm2(machine, c, mm));
  // tt computes opd1 (rows x depth) times opd0 (depth x columns).
  bool swapped = mm.func == isa::mm::TT;
  auto first = [&](uint32_t i, uint32_t k) {
    return swapped ? mm.rightAt(k, i) : mm.left(i, k);
  };
  auto second = [&](uint32_t k, uint32_t j) {
    return swapped ? mm.left(j, k) : mm.rightAt(k, j);
  };
  Precision in = mm.kind.precision, out = mm.result.precision;
  auto at = [&](uint32_t i, uint32_t j) {
    return mm.resultView.at(0, i, 0, j);
  };
  if (mm.kind.isFloat()) {
    std::vector<float> wide;
    if (mm.adds && out != Precision::Fp32)
      WEFT_TRY(readWideAddends(machine, c.get(Field::res0_addr), mm, wide));
    auto old = [&](uint32_t i, uint32_t j) {
      return wide.empty() ? floatAt(at(i, j), out)
                          : wide[size_t(i) * mm.columns + j];
    };
    floatProduct(
        in, mm.rows, mm.columns, mm.depth, mm.adds,
        [&](uint32_t i, uint32_t k) { return floatAt(first(i, k), in); },
        [&](uint32_t k, uint32_t j) { return floatAt(second(k, j), in); },
        [](uint32_t) { return 0.0f; }, old,
        [&](uint32_t i, uint32_t j, float x) {
          storeSums(at(i, j), 0, out, &x, 1);
        });
    return Status::ok();
  }
  ElementKind firstKind = swapped ? mm.right : mm.kind,
              secondKind = swapped ? mm.kind : mm.right;
  // The zero points are read in the lane of the opd1 row that they belong to,
  // so the vendor keeps a copy of the row in every lane; tt has one number per
  // row of opd1.
  auto zeroPoint = [&](uint32_t i, uint32_t k, uint32_t j) {
    if (mm.zeroIsConstant)
      return integerAt(reinterpret_cast<const uint8_t *>(&mm.zeroBits),
                       mm.right);
    if (swapped)
      return integerAt(mm.zeroView.at(0, i), mm.right);
    uint32_t lane = mm.func == isa::mm::NN ? k : j;
    return integerAt(mm.zeroView.at(0, lane % kLanes, 0, j), mm.right);
  };
  for (uint32_t i = 0; i < mm.rows; ++i)
    for (uint32_t j = 0; j < mm.columns; ++j) {
      int64_t sum = mm.adds ? integerAt(at(i, j), mm.result) : 0;
      for (uint32_t k = 0; k < mm.depth; ++k) {
        int64_t x = integerAt(first(i, k), firstKind),
                y = integerAt(second(k, j), secondKind);
        int64_t zero = zeroPoint(i, k, j);
        sum += swapped ? (x - zero) * y : x * (y - zero);
      }
      storeIntegers(at(i, j), 0, out, &sum, 1); // wraps
    }
  return Status::ok();
}

} // namespace weft::emulator::tiu
