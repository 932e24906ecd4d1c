//===- Reduce.cpp - emission of the Reduce family -------------------------===//

#include "dialects/tpu/Reduce.h"

#include "codegen/emit/Lines.h"
#include "codegen/emit/RawBytes.h"
#include "dialects/ppl/Memory.h"

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
  static constexpr StringLiteral floats[] = {"tiu.fadd", "tiu.fmul", "tiu.fmax",
                                             "tiu.fmin"},
                                 integers[] = {"tiu.add", "tiu.mul", "tiu.max",
                                               "tiu.min"};
  auto index = static_cast<unsigned>(kind);
  emitter.binary(typeOf(dst).isFloat() ? floats[index] : integers[index], dst,
                 lhs, rhs);
}

void weft::emit::emitTree(OpEmitter &emitter, ReduceKind kind, Value dst,
                          Value src, Value half, unsigned axis) {
  int64_t size = typeOf(src).getShape()[axis];
  if (size == 1)
    return emitter.copy(dst, src);
  // Element i meets element i + ceil(size / 2); of an odd number the middle one
  // waits.
  for (Value rest = src; size > 1; rest = half) {
    int64_t pairs = size / 2, left = size - pairs;
    Value target = left == 1 ? dst : pieceAlong(emitter, half, axis, 0, pairs);
    emitCombine(emitter, kind, target,
                pieceAlong(emitter, rest, axis, 0, pairs),
                pieceAlong(emitter, rest, axis, left, pairs));
    if (left > pairs && rest == src)
      emitter.copy(pieceAlong(emitter, half, axis, pairs, 1),
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
  unsigned axis = op.getAxis();
  Value input = emitter.operand(0), result = emitter.result();
  Type element = typeOf(input).getElementType();
  bool isFloat = typeOf(input).isFloat();
  Value hits = emitter.scratch(0, element), half = emitter.scratch(1, element),
        extreme = emitter.scratch(2, element);
  Value codes =
      repeatedRow(emitter, emitter.constant(0, element), typeOf(input).getC());
  emitTree(emitter, op.getKind(), extreme, input, half, axis);
  emitter.binary("tiu.eq", hits, input, extreme, Named{"true_val", 1});
  emitCombine(emitter, ReduceKind::Prod, hits, hits, codes);
  emitTree(emitter, ReduceKind::Max, extreme, hits, half, axis);
  int64_t size = typeOf(input).getShape()[axis];
  Argument codesOf = extreme,
           count = isFloat ? Argument(asFloat(op.getLast() ? 1 : size))
                           : Argument(op.getLast() ? 1 : size);
  if (!op.getLast())
    std::swap(codesOf, count);
  if (!isFloat) {
    emitter.binary("tiu.sub", result, codesOf, count);
    return success();
  }
  emitter.binary("tiu.fsub", extreme, codesOf, count);
  emitter.cast(result, extreme);
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
      emitter.copy(place, before);
    else
      emitCombine(emitter, op.getKind(), place,
                  pieceAlong(emitter, source, axis, to, count), before);
  }
  Value edge = pieceAlong(emitter, target, axis, border, reach);
  int64_t neutral = op.getKind() == ReduceKind::Prod;
  if (!shifts)
    emitter.copy(edge, pieceAlong(emitter, source, axis, border, reach));
  else
    emitter.copy(edge, neutral);
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
    emitter.copy(result, source);
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
