//===- CodedProduct.cpp - f16 products by codes of their weights ----------===//

#include "passes/quantize/CodedProduct.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/quantize/LineView.h"
#include "passes/quantize/WeightCodes.h"
#include "runtime/chips/Chip.h"
#include "runtime/numeric/Float16.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// A 1x1 convolution of all channels: rows times a matrix.
static bool isMatrixProduct(const Product &p) {
  auto areAll = [](ArrayRef<int64_t> numbers, int64_t wanted) {
    return llvm::all_of(numbers, [=](int64_t n) { return n == wanted; });
  };
  return p.group == 1 && p.filter.shape[2] * p.filter.shape[3] == 1 &&
         areAll(p.strides, 1) && areAll(p.pads, 0);
}

/// The codes of a product that may have some.
static std::optional<WeightCodes> codesOf(const Product &p,
                                          Lowering &lowering) {
  int64_t inner = p.filter.shape[1];
  if (!isMatrixProduct(p) || !lowering.loadBound.contains(p.op) ||
      !lowering.choices.hasMatrixUnit || inner % tpu::kCodedInnerUnit != 0 ||
      inner > int64_t(lowering.chip().maxShape))
    return std::nullopt;
  std::optional<WeightCodes> codes = ownCodes(p.filter);
  if (!codes && lowering.weightBits > 0)
    codes =
        nearestCodes(p.filter, lowering.weightBits, lowering.choices.groupSize);
  return codes;
}

namespace {
/// Makes a product, or the products of some of its columns.
class CodedProduct {
public:
  CodedProduct(const Product &p, const WeightCodes &codes, Type element,
               Value input, Lowering &lowering)
      : p(p), codes(codes), element(element), input(input), lowering(lowering),
        chip(lowering.chip()) {}

  /// Null if it does not pay.
  Value make();

private:
  template <typename T>
  Value weight(const std::vector<T> &values, int64_t first, int64_t count,
               Type type, bool isRow = false);
  tpu::CodedLinearOp makeColumns(int64_t first, int64_t count);
  void erase(tpu::CodedLinearOp op);
  bool fits(tpu::CodedLinearOp op) const;
  bool isFaster(tpu::CodedLinearOp op, int64_t moreCycles) const;
  int64_t columns() const { return p.filter.shape[0]; }

  const Product &p;
  const WeightCodes &codes;
  Type element;
  Value input;
  Lowering &lowering;
  const Chip &chip;
};
} // namespace

/// Columns `first` to `first` + `count` of values with as many for each, or a
/// row of one each.
template <typename T>
Value CodedProduct::weight(const std::vector<T> &values, int64_t first,
                           int64_t count, Type type, bool isRow) {
  int64_t each = static_cast<int64_t>(values.size()) / columns();
  SmallVector<int64_t, 4> shape{count, each, 1, 1};
  if (isRow)
    shape = {1, count, 1, 1};
  auto begin = values.begin() + first * each;
  return lowering.builder.create<tpu::WeightOp>(
      p.location, tpu::weightAttr(lowering.tensor(shape, type),
                                  std::vector<T>(begin, begin + count * each)));
}

tpu::CodedLinearOp CodedProduct::makeColumns(int64_t first, int64_t count) {
  OpBuilder &b = lowering.builder;
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  bool hasZeros = !codes.zeros.empty();
  std::vector<uint16_t> halves;
  for (float scale : codes.scales)
    halves.push_back(numeric::floatToHalf(scale));
  Value values = weight(codes.codes, first, count,
                        hasZeros ? byte : Type(b.getI8Type())),
        scales = weight(halves, first, count, b.getF16Type()), zeros, bias;
  if (hasZeros)
    zeros = weight(codes.zeros, first, count, byte);
  if (!p.bias.empty())
    bias = weight(p.bias, first, count, b.getF32Type(), /*isRow=*/true);
  SmallVector<int64_t, 4> shape =
      p.hasRowsInLanes ? p.rowsInLanes(count) : p.outputShape;
  return b.create<tpu::CodedLinearOp>(
      p.location, lowering.tensor(shape, element), input, values, scales, zeros,
      bias, b.getI64IntegerAttr(codes.bits),
      p.hasRowsInLanes ? b.getUnitAttr() : UnitAttr(),
      p.relu ? b.getUnitAttr() : UnitAttr());
}

void CodedProduct::erase(tpu::CodedLinearOp op) {
  SmallVector<Value, 4> weights(llvm::drop_begin(op.getOperands()));
  op.erase();
  for (Value weight : weights)
    weight.getDefiningOp()->erase();
}

/// Whether local memory has room for the smallest piece, with as much again of
/// what flows through it.
bool CodedProduct::fits(tpu::CodedLinearOp op) const {
  tpu::Box small = tpu::Box::whole(tpu::dimsOf(op.getOutput()));
  for (unsigned axis : {tpu::kAxisN, tpu::kAxisH, tpu::kAxisW})
    if (!op.getRowsInLanes() || axis != tpu::kAxisW)
      small.size[axis] = 1;
  small.size[tpu::kAxisC] =
      std::min<int64_t>(small.size[tpu::kAxisC], chip.lanes);
  int64_t bytes = 0;
  for (const tpu::LocalBuffer &buffer : tpu::localBuffersOf(op, chip, small))
    bytes += tpu::bytesPerLane(chip, buffer.tensor);
  for (const tpu::Box &box : {small, op.inputNeed(0, small).box})
    bytes += 2 * tpu::bytesPerLane(chip, {box.size, 32});
  return bytes <= int64_t(chip.laneBytes);
}

/// Whether codes, and `moreCycles` of transfers for their sake, take less time
/// than numbers of 16 bits: loads and computation at a time, whatever takes
/// longer.
bool CodedProduct::isFaster(tpu::CodedLinearOp op, int64_t moreCycles) const {
  tpu::Box piece = tpu::Box::whole(tpu::dimsOf(op.getOutput()));
  for (int64_t &size : piece.size)
    size = std::min<int64_t>(size, chip.maxShape);
  auto cyclesOf = [&](StringRef name, int64_t more) -> std::optional<int64_t> {
    for (const tpu::Alternative *way : tpu::alternativesOf(op))
      if (way->name == name)
        if (auto cycles = tpu::cautiousCyclesOf(op, chip, piece, way))
          return std::max(*cycles,
                          tpu::constantCyclesOf(op, chip, piece, way) + more);
    return std::nullopt;
  };
  std::optional<int64_t> codes = cyclesOf("codes", moreCycles),
                         numbers = cyclesOf("numbers", 0);
  return codes && numbers && *codes < *numbers;
}

Value CodedProduct::make() {
  int64_t count = columns(), lanes = chip.lanes;
  tpu::CodedLinearOp op = makeColumns(0, count);
  while (!fits(op)) {
    erase(op);
    if (!p.needsCodes || count <= lanes)
      return {};
    count = llvm::divideCeil(llvm::divideCeil(count, 2), lanes) * lanes;
    op = makeColumns(0, count);
  }
  // Parts are stored beside each other.
  int64_t rows = p.turnedRows, bytes = tpu::elementBytes(element);
  int64_t joins =
      count < columns() ? roundTripCycles(2 * rows * count * bytes, chip) : 0;
  if (!isFaster(op, joins)) {
    erase(op);
    return {};
  }
  if (count == columns())
    return op;
  SmallVector<Value> parts{op};
  for (int64_t first = count; first < columns(); first += count)
    parts.push_back(makeColumns(first, std::min(count, columns() - first)));
  return lowering.builder.create<tpu::ConcatOp>(
      p.location, lowering.tensor(p.rowsInLanes(columns()), element), parts,
      tpu::kAxisW);
}

Value weft::quantize::codedProduct(const Product &product, Type element,
                                   Value input, Lowering &lowering) {
  std::optional<WeightCodes> codes = codesOf(product, lowering);
  return codes ? CodedProduct(product, *codes, element, input, lowering).make()
               : Value();
}
