//===- Move.cpp - evaluation of the Move family ---------------------------===//

#include "dialects/tpu/Move.h"

#include "dialects/tpu/evaluate/Numbers.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Copies elements of `bytes` bytes: result element (n,c,h,w) comes from
/// `offset + n*strides[0] + ...` of `source`.
static void gather(const HostTensor &source, ArrayRef<int64_t> strides,
                   int64_t offset, ArrayRef<int64_t> shape,
                   HostTensor &result) {
  size_t bytes = numeric::elementBytes(result.type());
  uint8_t *to = result.bytes();
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t h = 0; h < shape[2]; ++h)
        for (int64_t w = 0; w < shape[3]; ++w, to += bytes) {
          int64_t index = offset + n * strides[0] + c * strides[1] +
                          h * strides[2] + w * strides[3];
          std::memcpy(to, source.bytes() + index * bytes, bytes);
        }
}

static SmallVector<int64_t, 4> rowMajorStrides(ArrayRef<int64_t> shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

/// The same elements as a tensor of `type`.
static LogicalResult copyElements(RankedTensorType type,
                                  const HostTensor &input, Results &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(type));
  std::memcpy(output.bytes(), input.bytes(), output.sizeBytes());
  return success();
}

LogicalResult ReshapeOp::evaluate(Operands operands, Results &results) {
  return copyElements(getOutput().getType(), *operands[0], results);
}

LogicalResult MoveLanesOp::evaluate(Operands operands, Results &results) {
  return copyElements(getOutput().getType(), *operands[0], results);
}

LogicalResult PermuteOp::evaluate(Operands operands, Results &results) {
  SmallVector<int64_t, 4> input =
                              rowMajorStrides(getInput().getType().getShape()),
                          strides;
  for (int64_t axis : getOrder())
    strides.push_back(input[axis]);
  ArrayRef<int64_t> shape = getOutput().getType().getShape();
  HostTensor turned =
      *makeHostTensor(RankedTensorType::get(shape, elementOf(getInput())));
  gather(*operands[0], strides, 0, shape, turned);
  if (!widens()) {
    results.push_back(std::move(turned));
    return success();
  }
  std::vector<double> numbers = loadDoubles(turned);
  storeFloats(getOutput(), std::vector<float>(numbers.begin(), numbers.end()),
              results);
  return success();
}

LogicalResult SliceOp::evaluate(Operands operands, Results &results) {
  SmallVector<int64_t, 4> strides =
      rowMajorStrides(getInput().getType().getShape());
  int64_t offset = 0;
  for (int axis = 0; axis < 4; ++axis) {
    offset += getOffsets()[axis] * strides[axis];
    strides[axis] *= getSteps()[axis];
  }
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  gather(*operands[0], strides, offset, getOutput().getType().getShape(),
         output);
  return success();
}

LogicalResult ConcatOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  ArrayRef<int64_t> shape = getOutput().getType().getShape();
  int64_t axis = getAxisAttr().getInt(), outer = 1;
  for (int64_t size : shape.take_front(axis))
    outer *= size;
  uint8_t *to = output.bytes();
  for (int64_t i = 0; i < outer; ++i)
    for (const HostTensor *input : operands) {
      size_t run = input->sizeBytes() / outer;
      std::memcpy(to, input->bytes() + i * run, run);
      to += run;
    }
  return success();
}

/// Copies element by element along the axes from `depth` on.
static void copyAxes(const HostTensor &source, HostTensor &result,
                     const StridedCopy &copy, size_t depth, int64_t from,
                     int64_t to) {
  size_t bytes = numeric::elementBytes(result.type());
  if (depth == copy.axes.size()) {
    std::memcpy(result.bytes() + to * bytes, source.bytes() + from * bytes,
                bytes);
    return;
  }
  const CopyAxis &axis = copy.axes[depth];
  for (int64_t i = 0; i < axis.size; ++i)
    copyAxes(source, result, copy, depth + 1, from + i * axis.from,
             to + i * axis.to);
}

LogicalResult PadOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  size_t bytes = numeric::elementBytes(output.type());
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  int64_t fill = getFill(), top = getPads()[0], left = getPads()[1];
  const uint8_t *source = operands[0]->bytes();
  uint8_t *next = output.bytes();
  for (int64_t plane = 0; plane < to[kAxisN] * to[kAxisC]; ++plane)
    for (int64_t h = -top; h < to[kAxisH] - top; ++h)
      for (int64_t w = -left; w < to[kAxisW] - left; ++w, next += bytes) {
        bool isInside =
            h >= 0 && h < from[kAxisH] && w >= 0 && w < from[kAxisW];
        int64_t index = (plane * from[kAxisH] + h) * from[kAxisW] + w;
        if (isInside)
          std::memcpy(next, source + index * bytes, bytes);
        else
          std::memcpy(next, &fill, bytes); // little endian
      }
  return success();
}

/// Copies what `op` copies within DRAM; the rest of the result is 0.
static LogicalResult evaluateCopies(Operation *op, Operands operands,
                                    Results &results) {
  HostTensor &output = results.emplace_back(
      *makeHostTensor(cast<RankedTensorType>(op->getResult(0).getType())));
  std::memset(output.bytes(), 0, output.sizeBytes());
  for (const OperandCopy &part : copiesOf(op))
    copyAxes(*operands[part.operand], output, part.copy, 0, part.copy.source,
             part.copy.result);
  return success();
}

LogicalResult ToBandsOp::evaluate(Operands operands, Results &results) {
  return evaluateCopies(*this, operands, results);
}

LogicalResult FromBandsOp::evaluate(Operands operands, Results &results) {
  return evaluateCopies(*this, operands, results);
}

LogicalResult RowPhasesOp::evaluate(Operands operands, Results &results) {
  return evaluateCopies(*this, operands, results);
}

LogicalResult ClearRowsOp::evaluate(Operands operands, Results &results) {
  (void)copyElements(getOutput().getType(), *operands[0], results);
  HostTensor &output = results.back();
  Dims dims = dimsOf(getOutput());
  int64_t bytes = elementBytes(elementOf(getOutput())),
          zero = zeroPointOf(elementOf(getOutput()));
  for (const Box &box : clearedBoxes(Box::whole(dims)))
    for (int64_t c = box.offset[kAxisC]; c < box.end(kAxisC); ++c)
      for (int64_t h = box.offset[kAxisH]; h < box.end(kAxisH); ++h)
        for (int64_t w = 0; w < dims[kAxisW]; ++w)
          std::memcpy(output.bytes() +
                          ((c * dims[kAxisH] + h) * dims[kAxisW] + w) * bytes,
                      &zero, bytes); // little endian
  return success();
}

LogicalResult RepeatChannelOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  Dims dims = dimsOf(getOutput());
  size_t plane = size_t(dims[kAxisH] * dims[kAxisW]) *
                 numeric::elementBytes(output.type());
  for (int64_t n = 0; n < dims[kAxisN]; ++n)
    for (int64_t c = 0; c < dims[kAxisC]; ++c)
      std::memcpy(output.bytes() + (n * dims[kAxisC] + c) * plane,
                  operands[0]->bytes() + n * plane, plane);
  return success();
}

LogicalResult JoinRoundsOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  size_t bytes = numeric::elementBytes(output.type());
  Dims dims = dimsOf(getOutput());
  int64_t rows = dims[kAxisC], columns = dims[kAxisW];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::memcpy(output.bytes() + (row * columns + column) * bytes,
                  operands[0]->bytes() + (column * rows + row) * bytes, bytes);
  return success();
}

LogicalResult ArrangeOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  size_t bytes = numeric::elementBytes(output.type());
  int64_t fill = getFill().value_or(0);
  for (int64_t i = 0, end = output.elements(); i < end; ++i)
    std::memcpy(output.bytes() + i * bytes, &fill, bytes); // little endian
  for (Attribute attr : getPieces()) {
    auto piece = cast<PieceAttr>(attr);
    StridedCopy copy = copyOf(piece);
    copyAxes(*operands[piece.getOperand()], output, copy, 0, copy.source,
             copy.result);
  }
  return success();
}
