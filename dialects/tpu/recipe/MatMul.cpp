//===- MatMul.cpp - recipes of the MatMul family --------------------------===//

#include "dialects/tpu/MatMul.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "dialects/tpu/recipe/Bounds.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "runtime/chips/Chip.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/MatrixTranspose.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

bool LinearOp::isPackedOperand(unsigned operand) { return operand > 0; }

// A piece of the columns would read a part of each row of the filter, which
// the matrix unit cannot.
Box LinearOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), kAxisW);
}

InputNeed LinearOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), kAxisW), {}};
}

/// The filter (N, K) as the unit reads it: a row for each k.
static ConstantBytes turnedFilter(LinearOp op) {
  return [op]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<WeightBytes> raw = weightView(op, op.getFilter());
    if (failed(raw))
      return failure();
    Dims filter = dimsOf(op.getFilter());
    std::vector<char> turned(raw->bytes.size());
    int64_t bytes = elementBits(elementOf(op.getFilter())) / 8;
    if (!numeric::transposeMatrix(raw->bytes.data(), turned.data(), filter[0],
                                  filter[1], bytes))
      return failure();
    return turned;
  };
}

/// Scratch for the rows of `tile`, of the operand `rows`, one after the other
/// without gaps, as filters lie. None where they lie so already: one round over
/// the lanes takes all rows of the op, whatever the slice has, or each row ends
/// with a row of EUs.
static Tile addCompactRows(RecipeBuilder &r, Value rows, const Tile &tile) {
  bool hasGaps =
      dimsOf(rows)[kAxisC] > int64_t(r.chip.lanes) &&
      tile.shape[kAxisW] * int64_t(sizeof(float)) % int64_t(r.chip.euBytes) !=
          0;
  if (!hasGaps)
    return {};
  Dims dims = {1, tile.shape[kAxisC], 1, tile.shape[kAxisW]};
  return r.scratch("left", dims, DataType::Fp32, LocalLayout::Compact);
}

/// A convolution with `columns` filters of a window of one pixel; the bias may
/// be none.
static void multiplyByCube(RecipeBuilder &r, const Tile &dst, const Tile &src,
                           const Tile &filters, int64_t columns,
                           const Tile &bias) {
  int64_t one[] = {1, 1}, none[] = {0, 0, 0, 0};
  r.call("tiu.fconv", {{"dst", dst},
                       {"src", src},
                       {"weight", filters},
                       {"bias", bias},
                       {"has_bias", bool(bias)},
                       {"oc", columns},
                       {"k_shape", ArrayRef<int64_t>(one)},
                       {"stride", ArrayRef<int64_t>(one)},
                       {"dilation", ArrayRef<int64_t>(one)},
                       {"pad", ArrayRef<int64_t>(none)}});
}

/// f32, of which the matrix unit has no products: the cube takes the rows of
/// `left` as filters of a window of one pixel, those of `right`, one for each
/// number of a row, as channels of an image.
static void multiplyFloats(RecipeBuilder &r, const Tile &dst, Tile left,
                           const Tile &right, const Tile &filters) {
  if (filters) {
    r.copy(filters, left);
    left = filters;
  }
  int64_t rows = left.shape[kAxisC], inner = left.shape[kAxisW];
  left.layout = catalog::AlignMode::Compact; // the same places
  multiplyByCube(r, dst, right, r.as(left, DataType::Fp32, {1, rows, inner, 1}),
                 rows,
                 /*bias=*/{});
}

static void buildLinear(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<LinearOp>(operation);
  Tile result = r.result(), input = r.operand(0);
  int64_t rows = result.shape[kAxisC], columns = result.shape[kAxisW];
  Tile filter =
      r.matrix("filter", {1, input.shape[kAxisW], 1, columns},
               machineTypeOf(elementOf(op.getFilter())), turnedFilter(op));
  auto row = [&](llvm::StringRef name, ConstantBytes bytes) {
    return r.rowForEach(
        r.table(name, columns, DataType::Fp32, std::move(bytes)), rows);
  };
  bool scaled = isQuantized(op.getInput());
  bool isWide = result.type == DataType::Fp32 || (!scaled && !op.getBias());
  Tile wide = isWide ? result : r.scratch("wide", result.shape, DataType::Fp32);
  bool relu = op.getRelu() && !isQuantized(op.getOutput());
  // Two tiles take turns so that the last command fills `wide`.
  int left = (scaled ? 2 : 0) + (op.getBias() ? 1 : 0) + (relu ? 1 : 0);
  Tile other = left > 0 ? r.apart("other", wide) : wide;
  auto current = [&]() -> const Tile & { return left % 2 ? other : wide; };
  auto source = [&] {
    Tile filled = current();
    --left;
    return filled;
  };
  auto step = [&](llvm::StringRef function, const RecipeArgument &operand) {
    Tile from = source();
    r.binary(function, current(), from, operand);
  };
  bool isFloat = input.type == DataType::Fp32;
  Tile filters = isFloat ? addCompactRows(r, op.getInput(), input) : Tile();
  // A matrix is one image.
  auto multiply = [&](llvm::StringRef function, llvm::StringRef slot,
                      const Tile &dst) {
    for (int64_t n = 0; n < result.shape[kAxisN]; ++n) {
      Tile image = r.part(dst, kAxisN, n, 1),
           left = r.part(input, kAxisN, n, 1);
      if (isFloat)
        multiplyFloats(r, image, left, filter, filters);
      else
        r.call(function, {{slot, image}, {"left", left}, {"right", filter}});
    }
  };
  if (scaled) {
    Tile sum = r.as(current(), DataType::Int32);
    multiply("tiu.mm2_nn", "rst", sum);
    --left;
    r.cast(current(), sum);
    step("tiu.fmul", row("scale", [op]() mutable {
           return bytesOf<float>(*op.getScales());
         }));
  } else {
    multiply("tiu.fmm2_nn", "dst", current());
  }
  if (op.getBias())
    step("tiu.fadd", row("bias", r.weight(2)));
  if (relu) {
    Tile from = source();
    atLeast(r, current(), from, 0.0);
  }
  if (!isWide)
    r.cast(result, wide);
}

ArrayRef<Alternative> LinearOp::recipes() {
  static const Alternative list[] = {{"matrix", buildLinear}};
  return list;
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

bool CodedLinearOp::isPackedOperand(unsigned operand) { return operand > 0; }

// The cube does, the matrix unit does not.
bool CodedLinearOp::readsStrided(unsigned operand) {
  return operand == 0 && !getRowsInLanes();
}

Box CodedLinearOp::computedBox(const Box &wanted) {
  return getRowsInLanes() ? withWholeAxis(wanted, getOutput(), kAxisW) : wanted;
}

InputNeed CodedLinearOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), getRowsInLanes() ? kAxisW : kAxisC),
          {}};
}

/// Codes as DRAM holds them. Of two in a byte the lower bits are of the first
/// half of a group, so that a command unpacks neighbours.
static ConstantBytes packedCodes(CodedLinearOp op) {
  return [op]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<WeightBytes> raw = weightView(op, op.getCodes());
    if (failed(raw))
      return failure();
    ArrayRef<char> codes = raw->bytes;
    if (op.getBits() == 8)
      return std::vector<char>(codes.begin(), codes.end());
    size_t half = op.inner() / op.groups() / 2;
    std::vector<char> packed(codes.size() / 2);
    PagesBehind read(codes);
    for (size_t i = 0; i < packed.size(); ++i) {
      size_t low = i / half * 2 * half + i % half;
      read.reach(low);
      packed[i] = static_cast<char>((codes[low] & 15) |
                                    uint8_t(codes[low + half]) << 4);
    }
    return packed;
  };
}

namespace {
/// Makes the filter, N columns in lanes and K numbers in each, of its codes.
class FilterOfCodes {
public:
  FilterOfCodes(CodedLinearOp op, RecipeBuilder &r, int64_t columns);
  /// Adds the calls.
  void make();

  Tile filter; ///< 1 x columns x groups x numbers of a group, f16

private:
  Tile constant(StringRef name, const Dims &dims, DataType type,
                ConstantBytes bytes);
  Tile columnsOf(const Tile &tile, int64_t first, int64_t count) const;
  Tile unpacked(const Tile &bytes, int64_t part);
  void make(int64_t first, int64_t count, int64_t part);

  CodedLinearOp op;
  RecipeBuilder &r;
  int64_t columns;
  int64_t parts; ///< codes in a byte
  int64_t block; ///< columns that are made at a time
  Tile codes, scales, zeros;
  Tile shifted, nibbles, steps, numbers; ///< of a block
};
} // namespace

/// Every piece takes all rows, or those of its channels.
Tile FilterOfCodes::constant(StringRef name, const Dims &dims, DataType type,
                             ConstantBytes bytes) {
  return op.getRowsInLanes()
             ? r.matrix(name, dims, type, std::move(bytes),
                        LocalLayout::Compact)
             : r.perChannel(name, dims, type, LocalLayout::Compact,
                            std::move(bytes), /*hasShortRows=*/true);
}

FilterOfCodes::FilterOfCodes(CodedLinearOp op, RecipeBuilder &r,
                             int64_t columns)
    : op(op), r(r), columns(columns),
      parts(8 / static_cast<int64_t>(op.getBits())) {
  int64_t groups = op.groups(), size = op.inner() / groups,
          lanes = r.chip.lanes;
  bool hasZeros = static_cast<bool>(op.getZeroPoints());
  DataType type = hasZeros ? DataType::Uint8 : DataType::Int8;
  Dims each{1, columns, groups, 1};
  codes = constant("codes", {1, columns, groups, size / parts}, type,
                   packedCodes(op));
  scales = constant("scales", each, DataType::Fp16, r.weight(2));
  if (hasZeros)
    zeros = constant("zero points", each, DataType::Uint8, r.weight(3));
  filter = r.scratch("filter", {1, columns, groups, size}, DataType::Fp16,
                     LocalLayout::Compact);
  // Of what lies between, a bank at a time.
  int64_t bankBytes = r.chip.laneBytes / r.chip.banks,
          numberBytes = op.inner() / parts * 2;
  block =
      std::min(columns, std::max<int64_t>(1, bankBytes / numberBytes) * lanes);
  Dims dims{1, block, groups, size / parts};
  auto scratch = [&](StringRef name, DataType type) {
    return r.scratch(name, dims, type, LocalLayout::Compact);
  };
  if (parts > 1 && !hasZeros)
    shifted = scratch("shifted", type);
  if (parts > 1)
    nibbles = scratch("nibbles", type);
  if (hasZeros)
    steps = scratch("steps", parts > 1 ? DataType::Int8 : DataType::Int16);
  numbers = scratch("numbers", DataType::Fp16);
}

/// `count` columns of a tile from a round over the lanes on.
Tile FilterOfCodes::columnsOf(const Tile &tile, int64_t first,
                              int64_t count) const {
  Dims shape = tile.shape;
  shape[kAxisC] = count;
  Tile part = r.as(tile, tile.type, shape);
  part.byte = tile.byte + first / int64_t(r.chip.lanes) * tile.strides[kAxisC] *
                              catalog::bytesOf(tile.type);
  return part;
}

/// The lower (part 0) or higher four bits of bytes, as numbers of 8 bits.
Tile FilterOfCodes::unpacked(const Tile &bytes, int64_t part) {
  if (parts == 1)
    return bytes;
  Tile target = r.as(nibbles, nibbles.type, bytes.shape);
  auto shift = [&](const Tile &dst, const Tile &src, int64_t amount) {
    r.call(zeros ? "tiu.logical_shift" : "tiu.shift",
           {{"dst", dst},
            {"src", src},
            {"shift", amount},
            {"round_mode", int64_t(numeric::Rounding::Floor)}});
  };
  if (part == 1) {
    shift(target, bytes, -4);
  } else if (zeros) {
    r.binary("tiu.bitwise_and", target, bytes, 15);
  } else { // the sign comes back with the shift
    Tile high = r.as(shifted, shifted.type, bytes.shape);
    shift(high, bytes, 4);
    shift(target, high, -4);
  }
  return target;
}

void FilterOfCodes::make(int64_t first, int64_t count, int64_t part) {
  Tile code = unpacked(columnsOf(codes, first, count), part),
       number = r.as(numbers, numbers.type, code.shape);
  auto ofGroups = [&](const Tile &tile) {
    return r.repeated(columnsOf(tile, first, count), number);
  };
  if (zeros) {
    Tile step = r.as(steps, steps.type, code.shape);
    r.binary("tiu.sub", step, code, ofGroups(zeros));
    code = step;
  }
  r.cast(number, code);
  int64_t size = code.shape[kAxisW];
  r.binary("tiu.fmul",
           r.part(columnsOf(filter, first, count), kAxisW, part * size, size),
           number, ofGroups(scales));
}

void FilterOfCodes::make() {
  for (int64_t first = 0; first < columns; first += block)
    for (int64_t part = 0; part < parts; ++part)
      make(first, std::min(block, columns - first), part);
}

/// A bias and a relu come with the product of the matrix unit.
static void multiplyRows(CodedLinearOp op, RecipeBuilder &r, Tile filter) {
  Tile result = r.result(), input = r.operand(0);
  filter.layout = catalog::AlignMode::Aligned; // the same places
  filter = r.as(filter, filter.type, {1, op.columns(), 1, op.inner()});
  bool isWide = result.type == DataType::Fp32 || !op.getBias();
  Tile wide = isWide ? result : r.scratch("wide", result.shape, DataType::Fp32);
  for (int64_t n = 0; n < result.shape[kAxisN]; ++n)
    r.call("tiu.fmm2_nt", {{"dst", r.part(wide, kAxisN, n, 1)},
                           {"left", r.part(input, kAxisN, n, 1)},
                           {"right", filter}});
  if (op.getBias()) {
    Tile row = r.table("bias", op.columns(), DataType::Fp32,
                       r.weight(op->getNumOperands() - 1));
    r.binary("tiu.fadd", wide, wide, r.rowForEach(row, result.shape[kAxisC]));
  }
  if (op.getRelu())
    atLeast(r, wide, wide, 0.0);
  if (!isWide)
    r.cast(result, wide);
}

static void multiplyPixels(CodedLinearOp op, RecipeBuilder &r,
                           const Tile &filter) {
  Tile result = r.result(), bias;
  int64_t columns = result.shape[kAxisC],
          pack = catalog::channelPack(filter.type, r.chip);
  if (op.getBias())
    bias =
        r.perChannel("bias", {1, columns, 1, 1}, DataType::Fp32,
                     LocalLayout::Compact, r.weight(op->getNumOperands() - 1),
                     /*hasShortRows=*/true);
  multiplyByCube(
      r, result, r.operand(0),
      r.as(filter, filter.type, {1, columns, op.inner() / pack, pack}), columns,
      bias);
  if (op.getRelu())
    atLeast(r, result, result, 0.0);
}

static int64_t columnsOfPiece(CodedLinearOp op, const RecipeBuilder &r) {
  return op.getRowsInLanes() ? op.columns() : r.box.size[kAxisC];
}

static void multiply(CodedLinearOp op, RecipeBuilder &r, const Tile &filter) {
  if (op.getRowsInLanes())
    multiplyRows(op, r, filter);
  else
    multiplyPixels(op, r, filter);
}

static void buildFromCodes(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<CodedLinearOp>(operation);
  FilterOfCodes codes(op, r, columnsOfPiece(op, r));
  codes.make();
  multiply(op, r, codes.filter);
}

/// The numbers that the codes stand for, as f16.
static ConstantBytes numbersOfCodes(CodedLinearOp op) {
  return [op]() mutable -> FailureOr<std::vector<char>> {
    FailureOr<WeightBytes> codes = weightView(op, op.getCodes()),
                           scales = weightView(op, op.getScales());
    FailureOr<WeightBytes> zeros =
        op.getZeroPoints() ? weightView(op, op.getZeroPoints()) : WeightBytes();
    if (failed(codes) || failed(scales) || failed(zeros))
      return failure();
    int64_t size = op.inner() / op.groups(), unused = 8 - op.getBits();
    std::vector<char> filter(codes->bytes.size() * sizeof(uint16_t));
    for (size_t i = 0; i < codes->bytes.size(); ++i) {
      auto bits = static_cast<uint8_t>(uint8_t(codes->bytes[i]) << unused);
      int code =
          op.getZeroPoints()
              ? (bits >> unused) - static_cast<uint8_t>(zeros->bytes[i / size])
              : static_cast<int8_t>(bits) >> unused;
      uint16_t scale;
      std::memcpy(&scale, scales->bytes.data() + i / size * sizeof scale,
                  sizeof scale);
      uint16_t number = numeric::floatToHalf(static_cast<float>(code) *
                                             numeric::halfToFloat(scale));
      std::memcpy(filter.data() + i * sizeof number, &number, sizeof number);
    }
    return filter;
  };
}

/// DRAM holds the numbers: no work for the bytes.
static void buildFromNumbers(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<CodedLinearOp>(operation);
  Dims dims{1, columnsOfPiece(op, r), op.groups(), op.inner() / op.groups()};
  multiply(op, r,
           op.getRowsInLanes()
               ? r.matrix("filter", dims, DataType::Fp16, numbersOfCodes(op),
                          LocalLayout::Compact)
               : r.perChannel("filter", dims, DataType::Fp16,
                              LocalLayout::Compact, numbersOfCodes(op),
                              /*hasShortRows=*/true));
}

ArrayRef<Alternative> CodedLinearOp::recipes() {
  static const Alternative list[] = {{"codes", buildFromCodes},
                                     {"numbers", buildFromNumbers}};
  return list;
}

Box RowMatMulOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), kAxisW);
}

// Some rows of the result need these of the left matrix and all of the right.
InputNeed RowMatMulOp::inputNeed(unsigned operand, const Box &result) {
  Value matrix = getOperand(operand);
  Box need = withWholeAxis(result, matrix, kAxisW);
  if (dimsOf(matrix)[kAxisN] == 1)
    need = withWholeAxis(need, matrix, kAxisN);
  return {operand == 1 ? withWholeAxis(need, matrix, kAxisC) : need, {}};
}

/// The unit reads and writes matrices without gaps between rows: those of one
/// of several heads are copied. All slices have the same scratch, and copy,
/// also those of one head.
static void buildRowMatMul(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<RowMatMulOp>(operation);
  Tile result = r.result(), left = r.operand(0), right = r.operand(1);
  llvm::StringRef function = op.getTransposed() ? "tiu.fmm2_nt" : "tiu.fmm2_nn";
  int64_t images = result.shape[kAxisN], heads = result.shape[kAxisH];
  bool isFloat = result.type == DataType::Fp32,
       hasHeads = dimsOf(op.getOutput())[kAxisH] > 1;
  Tile filters =
      isFloat && !hasHeads ? addCompactRows(r, op.getLhs(), left) : Tile();
  auto multiply = [&](const Tile &dst, const Tile &lhs, const Tile &rhs) {
    if (isFloat)
      multiplyFloats(r, dst, lhs, rhs, filters);
    else
      r.call(function, {{"dst", dst}, {"left", lhs}, {"right", rhs}});
  };
  auto image = [&](const Tile &all, int64_t n) {
    return r.part(all, kAxisN, all.shape[kAxisN] == 1 ? 0 : n, 1);
  };
  if (!hasHeads) {
    for (int64_t n = 0; n < images; ++n)
      multiply(image(result, n), image(left, n), image(right, n));
    return;
  }
  auto matrix = [&](llvm::StringRef name, const Tile &all, LocalLayout layout) {
    Dims dims = {1, all.shape[kAxisC], 1, all.shape[kAxisW]};
    return r.scratch(name, dims, all.type, layout);
  };
  Tile oneLeft = matrix("left", left,
                        isFloat ? LocalLayout::Compact : LocalLayout::Aligned),
       oneRight = matrix("right", right, LocalLayout::Aligned),
       product = matrix("product", result, LocalLayout::Aligned);
  for (int64_t i = 0; i < images * heads; ++i) {
    int64_t n = i % images;
    auto head = [&](const Tile &all) {
      return r.part(image(all, n), kAxisH, i / images, 1);
    };
    for (auto [one, all] : {std::pair(&oneLeft, &left), {&oneRight, &right}})
      if (n == 0 || all->shape[kAxisN] > 1)
        r.copy(*one, head(*all));
    multiply(product, oneLeft, oneRight);
    r.copy(head(result), product);
  }
}

ArrayRef<Alternative> RowMatMulOp::recipes() {
  static const Alternative list[] = {{"matrix", buildRowMatMul}};
  return list;
}
