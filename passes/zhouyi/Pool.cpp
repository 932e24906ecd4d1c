//===- Pool.cpp - the Pool family on vectors ------------------------------===//

#include "dialects/tpu/Pool.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/Requantize.h"
#include "passes/zhouyi/TwoSum.h"

#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

namespace {
/// The windows of one op over planes without padding.
class Windows {
public:
  Windows(tpu::PoolOp op, Emitter &emitter)
      : op(op), emitter(emitter), code(emitter.code) {
    ArrayRef<int64_t> in = op.getInput().getType().getShape();
    planes = in[0] * in[1];
    height = in[2];
    width = in[3];
    source = emitter.pointer(op.getInput());
    pad();
  }

  /// result = body(read), where read(ky, kx) is a cell of every window.
  void emit(int64_t lanes, llvm::function_ref<Value(Read, int64_t)> body) {
    ArrayRef<int64_t> out = op.getOutput().getType().getShape();
    SmallVector<int64_t> shape{planes, out[2], out[3]};
    Stream cells{
        source,
        {height * width, op.getStrides()[0] * width, op.getStrides()[1]}};
    overPlaces(code, shape, cells, dense(emitter.result(op.getOutput()), shape),
               lanes, body);
  }

  /// Combines all cells of the windows, row by row.
  SmallVector<Value>
  over(Read read, ArrayRef<Value> start,
       llvm::function_ref<SmallVector<Value>(Value, ArrayRef<Value>)> combine) {
    return code.loop(
        op.getKernel()[0], start, [&](Value ky, ArrayRef<Value> outer) {
          return code.loop(op.getKernel()[1], outer,
                           [&](Value kx, ArrayRef<Value> carried) {
                             Value cell = read(0, {{ky, width}, {kx, 1}}, 0);
                             return combine(cell, carried);
                           });
        });
  }

private:
  /// A copy with the padding: what no maximum is, or 0. The window that reaches
  /// farthest decides its size.
  void pad() {
    ArrayRef<int64_t> out = op.getOutput().getType().getShape(),
                      pads = op.getPads(), strides = op.getStrides(),
                      kernel = op.getKernel();
    int64_t tall = std::max(pads[0] + height,
                            (out[2] - 1) * strides[0] + kernel[0]),
            wide = std::max(pads[1] + width,
                            (out[3] - 1) * strides[1] + kernel[1]);
    if (tall == height && wide == width)
      return;
    Type element = elementOf(source);
    unsigned bits = element.getIntOrFloatBitWidth();
    Value copy = emitter.scratch(element, planes * tall * wide, "padded");
    Type plain =
        llvm::isa<IntegerType>(element) ? element : code.integer(bits, false);
    fillDense(code, code.pointerTo(copy, plain), planes * tall * wide,
              paddingBits(element));
    Stream to{copy, {tall * wide, wide, 1}, pads[0] * wide + pads[1]};
    overElements(code, {planes, height, width},
                 {dense(source, {planes, height, width})}, to, kByteLanes,
                 [](ArrayRef<Value> values) { return values[0]; });
    source = copy;
    height = tall;
    width = wide;
  }

  int64_t paddingBits(Type element) {
    if (op.getKind() == tpu::PoolKind::Avg)
      return 0;
    if (auto integer = dyn_cast<IntegerType>(element))
      return integer.isUnsigned() ? 0
                                  : -(int64_t(1) << (integer.getWidth() - 1));
    return element.isF16() ? 0xfc00 : int64_t(0xff800000); // -infinity
  }

  tpu::PoolOp op;
  Emitter &emitter;
  Code &code;
  Value source;
  int64_t planes, height, width;
};
} // namespace

static void emitMaximum(tpu::PoolOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Type element = emitter.stored(op.getInput());
  Windows windows(op, emitter);
  double least = -std::numeric_limits<double>::infinity();
  if (tpu::isQuantized(op.getInput()))
    least = double(tpu::rangeOf(tpu::elementOf(op.getInput())).low);
  windows.emit(kByteLanes, [&](Read read, int64_t lanes) {
    Value start = code.number(element, lanes, least);
    return windows.over(read, start, [&](Value cell, ArrayRef<Value> most) {
      return SmallVector<Value>{code.max(most[0], cell)};
    })[0];
  });
}

/// The exact sum of the cells, then a shift.
static void emitIntegerMean(tpu::PoolOp op, Emitter &emitter) {
  Code &code = emitter.code;
  tpu::IntegerRange range = tpu::rangeOf(tpu::elementOf(op.getOutput()));
  int64_t bound = op.getKernel()[0] * op.getKernel()[1] * 255;
  Requantizer scale(emitter, int32_t(*op.getMultiplier()),
                    int32_t(*op.getRshift()), bound, false);
  Requantizer::Parameters p = scale.read(code, {}, 0, false);
  Windows windows(op, emitter);
  windows.emit(kWordLanes, [&](Read read, int64_t) {
    Value sum =
        windows.over(read, code.integerNumber(code.s32(), kWordLanes, 0),
                     [&](Value cell, ArrayRef<Value> sum) {
                       return SmallVector<Value>{
                           code.vadd(sum[0], code.cast(cell, code.s32()))};
                     })[0];
    Value value = Requantizer::requantize(code, sum, p);
    return code.cast(code.clip(value, range.low, range.high),
                     emitter.stored(op.getOutput()));
  });
}

/// The definition sums in double; two f32 hold as much as that of the sums of
/// f16, and nearly as much else.
static void emitFloatMean(tpu::PoolOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Type element = tpu::elementOf(op.getOutput());
  double factor =
      tpu::roundTo(element, 1.0 / (op.getKernel()[0] * op.getKernel()[1]));
  Windows windows(op, emitter);
  windows.emit(kWordLanes, [&](Read read, int64_t) {
    TwoSum zero = TwoSum::zero(code, kWordLanes);
    SmallVector<Value> sum = windows.over(
        read, {zero.high, zero.low}, [&](Value cell, ArrayRef<Value> sum) {
          TwoSum next =
              TwoSum{sum[0], sum[1]}.plus(code, code.cast(cell, code.f32()));
          return SmallVector<Value>{next.high, next.low};
        });
    return code.cast(TwoSum{sum[0], sum[1]}.times(code, factor), element);
  });
}

static LogicalResult emitPool(tpu::PoolOp op, Emitter &emitter) {
  if (op.getKind() == tpu::PoolKind::Max)
    emitMaximum(op, emitter);
  else if (tpu::isQuantized(op.getInput()))
    emitIntegerMean(op, emitter);
  else
    emitFloatMean(op, emitter);
  return success();
}

void zhouyi::addPool(EmitTable &table) { table.add<tpu::PoolOp>(emitPool); }
