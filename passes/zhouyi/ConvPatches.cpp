//===- ConvPatches.cpp - windows of images as a matrix --------------------===//

#include "passes/zhouyi/ConvPatches.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

ConvShape::ConvShape(tpu::ConvOp op) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape(),
                    filter = op.getFilter().getType().getShape(),
                    output = op.getOutput().getType().getShape();
  groups = op.getGroup();
  images = output[0];
  out = output[1];
  outPerGroup = out / groups;
  inPerGroup = filter[1];
  inHeight = input[2];
  inWidth = input[3];
  outHeight = output[2];
  outWidth = output[3];
  kernelHeight = filter[2];
  kernelWidth = filter[3];
  for (int i = 0; i < 2; ++i) {
    strides[i] = op.getStrides()[i];
    pads[i] = op.getPads()[i];
    dilations[i] = op.getDilations()[i];
  }
}

ConvPatches::ConvPatches(tpu::ConvOp op, int64_t perWord)
    : shape(op), perWord(perWord) {
  // With lanes of channels a group of one or two channels would waste them.
  lanesAreChannels =
      shape.pixels() < kWordLanes && shape.outPerGroup > shape.pixels();
  // Many channels are copied by loops, which want whole words; few one by one.
  perTap = shape.inPerGroup < perWord
               ? shape.inPerGroup
               : llvm::alignTo(shape.inPerGroup, perWord);
  words = llvm::divideCeil(perTap * shape.taps(), perWord);
  columns = llvm::alignTo(shape.pixels(), kWordLanes);
}

namespace {
/// The results along one axis whose tap lies inside the input.
struct Covered {
  int64_t first = 0, count = 0;
  Covered(int64_t outputs, int64_t inputs, int64_t stride, int64_t pad,
          int64_t shift) {
    while (first < outputs && first * stride + shift < pad)
      ++first;
    int64_t end = first;
    while (end < outputs && end * stride + shift - pad < inputs)
      ++end;
    count = end - first;
  }
};
} // namespace

void ConvPatches::fill(Code &code) const {
  int64_t used = shape.inPerGroup * shape.taps();
  bool isWhole = used == words * perWord;
  for (int64_t ky = 0; ky < shape.kernelHeight; ++ky)
    isWhole =
        isWhole && Covered(shape.outHeight, shape.inHeight, shape.strides[0],
                           shape.pads[0], ky * shape.dilations[0])
                           .count == shape.outHeight;
  for (int64_t kx = 0; kx < shape.kernelWidth; ++kx)
    isWhole =
        isWhole && Covered(shape.outWidth, shape.inWidth, shape.strides[1],
                           shape.pads[1], kx * shape.dilations[1])
                           .count == shape.outWidth;
  if (isWhole)
    return;
  Type element = elementOf(pointer);
  Type plain = llvm::isa<IntegerType>(element)
                   ? element
                   : code.integer(element.getIntOrFloatBitWidth(), false);
  fillDense(code, code.pointerTo(pointer, plain),
            bytes(element) / (element.getIntOrFloatBitWidth() / 8), filler);
}

void ConvPatches::gather(Code &code, Value image, Value group) const {
  int64_t plane = shape.inHeight * shape.inWidth;
  int64_t ofGroup = shape.inPerGroup * plane;
  Value base =
      code.offset(source, {{image, shape.groups * ofGroup}, {group, ofGroup}});
  for (int64_t ky = 0; ky < shape.kernelHeight; ++ky)
    for (int64_t kx = 0; kx < shape.kernelWidth; ++kx)
      gatherTap(code, base, ky, kx);
}

void ConvPatches::gatherTap(Code &code, Value base, int64_t ky,
                            int64_t kx) const {
  int64_t plane = shape.inHeight * shape.inWidth;
  if (lanesAreChannels)
    return copy(code, base, 0, shape.inPerGroup, plane, 1, ky, kx);
  if (shape.inPerGroup < perWord) {
    for (int64_t channel = 0; channel < shape.inPerGroup; ++channel)
      copy(code, base, channel, {}, {}, {}, ky, kx);
    return;
  }
  int64_t whole = shape.inPerGroup / perWord, rest = shape.inPerGroup % perWord;
  copy(code, base, 0, {whole, perWord}, {perWord * plane, plane},
       {wordStep(), 1}, ky, kx);
  if (rest)
    copy(code, base, whole * perWord, rest, plane, 1, ky, kx);
}

/// Copies what one tap sees of the channels from `channel` on: the axes
/// `counts` of channels, then rows and columns of results.
void ConvPatches::copy(Code &code, Value base, int64_t channel,
                       ArrayRef<int64_t> counts, ArrayRef<int64_t> from,
                       ArrayRef<int64_t> to, int64_t ky, int64_t kx) const {
  int64_t row = ky * shape.dilations[0], column = kx * shape.dilations[1];
  Covered rows(shape.outHeight, shape.inHeight, shape.strides[0], shape.pads[0],
               row),
      cols(shape.outWidth, shape.inWidth, shape.strides[1], shape.pads[1],
           column);
  if (rows.count <= 0 || cols.count <= 0)
    return;
  int64_t k = place(ky * shape.kernelWidth + kx, channel);
  int64_t pixelStep = lanesAreChannels ? words * perWord : perWord;
  int64_t word = lanesAreChannels ? k : k / perWord * wordStep() + k % perWord;
  SmallVector<int64_t, 4> sizes(counts);
  Stream input{base, SmallVector<int64_t, 6>(from)},
      matrix{pointer, SmallVector<int64_t, 6>(to)};
  sizes.append({rows.count, cols.count});
  input.strides.append({shape.strides[0] * shape.inWidth, shape.strides[1]});
  matrix.strides.append({shape.outWidth * pixelStep, pixelStep});
  int64_t firstRow = rows.first * shape.strides[0] + row - shape.pads[0];
  int64_t firstColumn = cols.first * shape.strides[1] + column - shape.pads[1];
  input.offset = channel * shape.inHeight * shape.inWidth +
                 firstRow * shape.inWidth + firstColumn;
  matrix.offset = word + (rows.first * shape.outWidth + cols.first) * pixelStep;
  overElements(code, sizes, {input}, matrix, kByteLanes,
               [](ArrayRef<Value> values) { return values[0]; });
}
