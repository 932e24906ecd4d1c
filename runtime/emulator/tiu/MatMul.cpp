/// sMM (matrix layout) and sMM2 (a row in a lane).
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/MatrixLoops.h"
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

int64_t integerAt(const uint8_t *at, ElementKind kind) {
  int64_t value;
  loadIntegers(at, 0, kind, &value, 1);
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

/// Old results are 16-bit numbers whatever the result is. Scaled, they saturate
/// to 32 bits.
int64_t scaledAddend(const MmCommand &mm, int64_t old) {
  return numeric::saturate(old * (int64_t(1) << (mm.shiftBits & 0x1f)), 32,
                           true);
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
  int64_t value = numeric::shiftHalfUp(total, right);
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

/// Calls piece(address, column, part) for the parts of a result row that lie
/// together, from `column` on.
template <class Piece>
void eachResultPiece(const LocalView &view, uint32_t row, uint32_t column,
                     uint32_t count, Piece piece) {
  uint32_t width = view.shape.w;
  for (uint32_t done = 0; done < count;) {
    uint32_t at = column + done;
    uint32_t part = std::min(width - at % width, count - done);
    piece(matrixAt(view, row, at), done, part);
    done += part;
  }
}

struct MmFloatStore : RowStore<float> {
  const MmCommand &mm;
  explicit MmFloatStore(const MmCommand &mm) : mm(mm) {}
  void store(uint32_t row, uint32_t column, float *values,
             uint32_t count) const override {
    eachResultPiece(mm.resultView, row, column, count,
                    [&](uint8_t *to, uint32_t at, uint32_t part) {
                      std::memcpy(to, values + at, part * sizeof(float));
                    });
  }
};

/// Sums of bytes come modulo 2^32, which is all that their functions use.
template <class T>
struct MmIntegerStore : RowStore<T> {
  const MmCommand &mm;
  const std::vector<int64_t> &addends;
  MmIntegerStore(const MmCommand &mm, const std::vector<int64_t> &addends)
      : mm(mm), addends(addends) {}
  void store(uint32_t row, uint32_t column, T *values,
             uint32_t count) const override {
    eachResultPiece(
        mm.resultView, row, column, count,
        [&](uint8_t *to, uint32_t at, uint32_t part) {
          for (uint32_t i = 0; i < part; ++i) {
            uint32_t j = column + at + i;
            int64_t addend =
                addends.empty() ? 0 : addends[size_t(row) * mm.columns + j];
            int64_t value =
                finishInteger(mm, uint64_t(values[at + i]), addend, j);
            storeIntegers(to + size_t(i) * mm.resultView.bytes, 0,
                          mm.result.precision, &value, 1);
          }
        });
  }
};

MatrixSource leftOf(const MmCommand &mm) {
  return {mm.leftIsConstant ? nullptr : &mm.leftView, mm.leftBits, mm.left,
          false};
}

void multiplyFloatMatrices(Workers &workers, const MmCommand &mm,
                           const MatrixShape &shape) {
  FloatMatrices product;
  product.shape = shape;
  product.left = leftOf(mm);
  product.right = {&mm.rightView, 0, mm.right, false};
  product.bias.assign(mm.columns, numeric::floatFromBits(mm.biasBits));
  if (!mm.biasIsConstant)
    for (uint32_t j = 0; j < mm.columns; ++j)
      product.bias[j] = loadAs<float>(matrixAt(mm.biasView, 0, j));
  for (uint32_t i = 0; i < mm.rows && mm.adds; ++i)
    for (uint32_t j = 0; j < mm.columns; ++j)
      product.old.push_back(loadAs<float>(matrixAt(mm.resultView, i, j)));
  multiplyFloats(workers, product, MmFloatStore(mm));
}

} // namespace

Status matMul(Machine &machine, const Decoded &c) {
  MmCommand mm;
  WEFT_TRY(readMm(machine, c, mm));
  MatrixShape shape = {mm.rows, mm.columns, mm.depth, mm.transposed, false};
  Workers &workers = machine.workers();
  if (mm.left.isFloat()) {
    multiplyFloatMatrices(workers, mm, shape);
    return Status::ok();
  }
  std::vector<int64_t> addends;
  WEFT_TRY(readAddends(machine, c.get(Field::res0_addr), mm, addends));
  MatrixSource left = leftOf(mm), right = {&mm.rightView, 0, mm.right, false};
  if (mm.left.bytes() == 1 && mm.right.bytes() == 1)
    multiplyBytes(workers, {shape, left, right, {}, {}},
                  MmIntegerStore<int32_t>(mm, addends));
  else
    multiplyWide(workers, {shape, left, right},
                 MmIntegerStore<uint64_t>(mm, addends));
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
                       {1, machine.lanes().count, 1, mm.columns},
                       Strides4{0, 0, 0, 1}, mm.zeroView));
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

struct Mm2FloatStore : RowStore<float> {
  const Mm2Command &mm;
  explicit Mm2FloatStore(const Mm2Command &mm) : mm(mm) {}
  void store(uint32_t row, uint32_t column, float *values,
             uint32_t count) const override {
    storeSums(mm.resultView.at(0, row, 0, column), mm.resultView.bytes,
              mm.result.precision, values, count);
  }
};

struct Mm2IntegerStore : RowStore<int32_t> {
  const Mm2Command &mm;
  explicit Mm2IntegerStore(const Mm2Command &mm) : mm(mm) {}
  void store(uint32_t row, uint32_t column, int32_t *values,
             uint32_t count) const override {
    for (uint32_t j = 0; j < count; ++j) {
      uint8_t *to = mm.resultView.at(0, row, 0, column + j);
      uint32_t old = mm.adds ? loadAs<uint32_t>(to) : 0;
      storeAs(to, old + uint32_t(values[j])); // wraps
    }
  }
};

Status multiplyHalves(Machine &machine, const Decoded &c, const Mm2Command &mm,
                      FloatMatrices &product) {
  if (mm.adds && mm.result.precision != Precision::Fp32) {
    WEFT_TRY(
        readWideAddends(machine, c.get(Field::res0_addr), mm, product.old));
  } else if (mm.adds) {
    product.old.resize(size_t(mm.rows) * mm.columns);
    for (uint32_t i = 0; i < mm.rows; ++i)
      loadFloats(mm.resultView.at(0, i), mm.resultView.bytes,
                 mm.result.precision, product.old.data() + i * mm.columns,
                 mm.columns);
  }
  multiplyFloats(machine.workers(), product, Mm2FloatStore(mm));
  return Status::ok();
}

/// Zero points belong to operand 1. They are read in the lane of the opd1 row
/// that they belong to, so the vendor keeps a copy of the row in every lane; tt
/// has one number per row of opd1.
void readZeroPoints(const Mm2Command &mm, ByteMatrices &product) {
  bool swapped = mm.func == isa::mm::TT;
  auto number = [&](const uint8_t *at) {
    return int16_t(integerAt(at, mm.right));
  };
  if (mm.zeroIsConstant) {
    int16_t zero = number(reinterpret_cast<const uint8_t *>(&mm.zeroBits));
    if (zero && swapped)
      product.leftZeros.assign(mm.rows, zero);
    else if (zero)
      product.rightZeros.assign(size_t(mm.depth) * mm.columns, zero);
    return;
  }
  for (uint32_t i = 0; i < mm.rows && swapped; ++i)
    product.leftZeros.push_back(number(mm.zeroView.at(0, i)));
  for (uint32_t k = 0; k < mm.depth && !swapped; ++k)
    for (uint32_t j = 0; j < mm.columns; ++j) {
      uint32_t lane = mm.func == isa::mm::NN ? k : j;
      product.rightZeros.push_back(
          number(mm.zeroView.at(0, mm.zeroView.lanes.lane(lane), 0, j)));
    }
}

} // namespace

Status matMul2(Machine &machine, const Decoded &c) {
  Mm2Command mm;
  WEFT_TRY(readMm2(machine, c, mm));
  // tt computes opd1 (rows x depth) times opd0 (depth x columns), and opd0 is
  // stored as it is multiplied.
  MatrixSource opd0 = {mm.leftIsConstant ? nullptr : &mm.leftView, mm.leftBits,
                       mm.kind, true},
               opd1 = {mm.rightIsConstant ? nullptr : &mm.rightView,
                       mm.rightBits, mm.right, true};
  bool swapped = mm.func == isa::mm::TT;
  MatrixShape shape = {mm.rows, mm.columns, mm.depth, false,
                       mm.func == isa::mm::NT};
  const MatrixSource &left = swapped ? opd1 : opd0,
                     &right = swapped ? opd0 : opd1;
  if (mm.kind.isFloat()) {
    FloatMatrices product = {shape, left, right, {}, {}};
    return multiplyHalves(machine, c, mm, product);
  }
  ByteMatrices product = {shape, left, right, {}, {}};
  readZeroPoints(mm, product);
  multiplyBytes(machine.workers(), product, Mm2IntegerStore(mm));
  return Status::ok();
}

} // namespace weft::emulator::tiu
