//===- Reduce.cpp - emission of the Reduce family -------------------------===//

#include "dialects/tpu/Reduce.h"

#include "codegen/emit/Lines.h"
#include "codegen/emit/RawBytes.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/TiuArith.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::ReduceKind;

static ppl::TensorViewType typeOf(Value tensor) {
  return llvm::cast<ppl::TensorViewType>(tensor.getType());
}

Value weft::emit::pieceAlong(OpEmitter &emitter, Value tensor, unsigned axis,
                             int64_t begin, int64_t count) {
  ppl::TensorViewType type = typeOf(tensor);
  if (begin == 0 && count == type.getShape()[axis])
    return tensor;
  ppl::Strides strides = ppl::stridesOf(type, /*lane=*/0, emitter.chip);
  SmallVector<int64_t, 4> shape(type.getShape()), offset(4, 0);
  shape[axis] = count;
  offset[axis] = begin;
  auto piece = ppl::TensorViewType::get(
      shape, type.getElementType(), ppl::Memory::Local,
      ArrayRef<int64_t>{strides.n, strides.c, strides.h, strides.w});
  return emitter.builder.create<ppl::ViewOp>(emitter.loc(), piece, tensor,
                                             offset, 0);
}

void weft::emit::emitCombine(OpEmitter &emitter, ReduceKind kind, Value dst,
                             Value lhs, Value rhs) {
  static constexpr ppl::FloatKind floats[] = {
      ppl::FloatKind::Add, ppl::FloatKind::Mul, ppl::FloatKind::Max,
      ppl::FloatKind::Min};
  static constexpr ppl::IntKind integers[] = {
      ppl::IntKind::Add, ppl::IntKind::Mul, ppl::IntKind::Max,
      ppl::IntKind::Min};
  unsigned index = static_cast<unsigned>(kind);
  if (typeOf(dst).isFloat())
    emitFloatOp(emitter, floats[index], dst, lhs, rhs);
  else
    emitter.builder.create<ppl::IntOp>(emitter.loc(), integers[index], dst, lhs,
                                       rhs);
}

void weft::emit::emitTree(OpEmitter &emitter, ReduceKind kind, Value dst,
                          Value src, Value half, unsigned axis) {
  int64_t size = typeOf(src).getShape()[axis];
  if (size == 1)
    return emitCopy(emitter, dst, src);
  // Element i meets element i + ceil(size / 2); of an odd number the middle one
  // waits.
  for (Value rest = src; size > 1; rest = half) {
    int64_t pairs = size / 2, left = size - pairs;
    Value target = left == 1 ? dst : pieceAlong(emitter, half, axis, 0, pairs);
    emitCombine(emitter, kind, target,
                pieceAlong(emitter, rest, axis, 0, pairs),
                pieceAlong(emitter, rest, axis, left, pairs));
    if (left > pairs && rest == src)
      emitCopy(emitter, pieceAlong(emitter, half, axis, pairs, 1),
               pieceAlong(emitter, src, axis, pairs, 1));
    size = left;
  }
}

static LogicalResult emitReduce(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::ReduceOp>(operation);
  Value result = emitter.result();
  emitTree(emitter, op.getKind(), result, emitter.operand(0),
           emitter.scratch(0, typeOf(result).getElementType()), op.getAxis());
  return success();
}

static LogicalResult packCodes(Operation *operation, const Chip &,
                               std::vector<PackedBytes> &out) {
  auto op = llvm::cast<tpu::ArgReduceOp>(operation);
  FailureOr<PackedBytes> bytes = weightBytes(op, op.getCodes());
  if (failed(bytes))
    return failure();
  out.push_back(*bytes);
  return success();
}

/// `row`, which has one channel in every lane, for `channels` channels.
static Value repeatedRow(OpEmitter &emitter, Value row, int64_t channels) {
  ppl::TensorViewType type = typeOf(row);
  SmallVector<int64_t, 4> shape(type.getShape());
  shape[tpu::kAxisC] = channels;
  ppl::Strides strides = ppl::stridesOf(type, /*lane=*/0, emitter.chip);
  auto view = ppl::TensorViewType::get(
      shape, type.getElementType(), ppl::Memory::Local,
      ArrayRef<int64_t>{strides.n, 0, strides.h, strides.w});
  return emitter.builder.create<ppl::ViewOp>(emitter.loc(), view, row,
                                             ArrayRef<int64_t>{0, 0, 0, 0}, 0);
}

static LogicalResult emitArgReduce(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::ArgReduceOp>(operation);
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc();
  unsigned axis = op.getAxis();
  Value input = emitter.operand(0), result = emitter.result();
  Type element = typeOf(input).getElementType();
  bool isFloat = typeOf(input).isFloat();
  Value hits = emitter.scratch(0, element), half = emitter.scratch(1, element),
        extreme = emitter.scratch(2, element);
  Value codes =
      repeatedRow(emitter, emitter.constant(0, element), typeOf(input).getC());
  emitTree(emitter, op.getKind(), extreme, input, half, axis);
  Value one = isFloat ? emitter.f32(1) : emitter.i32(1);
  builder.create<ppl::CompareOp>(loc, ppl::Relation::Equal, hits, input,
                                 extreme, one);
  emitCombine(emitter, ReduceKind::Prod, hits, hits, codes);
  emitTree(emitter, ReduceKind::Max, extreme, hits, half, axis);
  double size = typeOf(input).getShape()[axis];
  if (!isFloat) {
    Value count = emitter.i32(op.getLast() ? 1 : int64_t(size));
    Value lhs = op.getLast() ? extreme : count,
          rhs = op.getLast() ? count : extreme;
    builder.create<ppl::IntOp>(loc, ppl::IntKind::Sub, result, lhs, rhs);
    return success();
  }
  if (op.getLast())
    emitFloatOp(emitter, ppl::FloatKind::Sub, extreme, extreme, emitter.f32(1));
  else
    emitFloatOp(emitter, ppl::FloatKind::Sub, extreme, emitter.f32(size),
                extreme);
  builder.create<ppl::CastOp>(loc, result, extreme, ppl::Rounding::HalfToEven);
  return success();
}

/// What `emitCumulative` does in one step: target[i] = source[i] <kind>
/// source[i - distance]; the first `distance` elements stay. With distance 0
/// the elements move one place up and the first becomes the neutral one.
static void emitStep(OpEmitter &emitter, tpu::CumulativeOp op, Value target,
                     Value source, int64_t distance) {
  unsigned axis = op.getAxis();
  bool reverse = op.getReverse();
  int64_t size = typeOf(source).getShape()[axis];
  bool shifts = distance == 0;
  int64_t reach = shifts ? 1 : distance, count = size - reach;
  // Walking up or down: where the results and what lies before them start.
  int64_t to = reverse ? 0 : reach, from = reverse ? reach : 0,
          border = reverse ? count : 0;
  if (count > 0) {
    Value place = pieceAlong(emitter, target, axis, to, count),
          before = pieceAlong(emitter, source, axis, from, count);
    if (shifts)
      emitCopy(emitter, place, before);
    else
      emitCombine(emitter, op.getKind(), place,
                  pieceAlong(emitter, source, axis, to, count), before);
  }
  Value edge = pieceAlong(emitter, target, axis, border, reach);
  int64_t neutral = op.getKind() == ReduceKind::Prod;
  if (!shifts)
    emitCopy(emitter, edge, pieceAlong(emitter, source, axis, border, reach));
  else if (typeOf(target).isFloat())
    emitCopy(emitter, edge, emitter.f32(neutral));
  else
    emitCopy(emitter, edge, emitter.i32(neutral));
}

static LogicalResult emitCumulative(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::CumulativeOp>(operation);
  Value source = emitter.operand(0), result = emitter.result();
  int64_t size = typeOf(source).getShape()[op.getAxis()];
  SmallVector<int64_t> distances;
  if (op.getExclusive())
    distances.push_back(0);
  for (int64_t distance = 1; distance < size; distance *= 2)
    distances.push_back(distance);
  if (distances.empty())
    emitCopy(emitter, result, source);
  // Two places take turns so that the last step fills the result.
  Value other = emitter.scratch(0, typeOf(result).getElementType());
  for (auto [i, distance] : llvm::enumerate(distances)) {
    Value target = (distances.size() - i) % 2 ? result : other;
    emitStep(emitter, op, target, source, distance);
    source = target;
  }
  return success();
}

void weft::emit::registerReduce(EmitTable &table) {
  table.local["tpu.reduce"] = emitReduce;
  table.local["tpu.arg_reduce"] = emitArgReduce;
  table.pack["tpu.arg_reduce"] = packCodes;
  table.local["tpu.cumulative"] = emitCumulative;
}
