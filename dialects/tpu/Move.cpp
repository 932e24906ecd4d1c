//===- Move.cpp - tpu ops of the Move family ---===//

#include "dialects/tpu/Move.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerMove
#define WEFT_OPS "dialects/tpu/Move.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult ReshapeOp::verify() {
  auto input = getInput().getType(), output = getOutput().getType();
  if (input.getNumElements() != output.getNumElements() ||
      input.getElementType() != output.getElementType()) // (C1)
    return emitOpError(
        "input and output must have as many elements and one element type");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getInput().getType() == getOutput().getType()
             ? OpFoldResult(getInput())
             : OpFoldResult();
}

bool PermuteOp::widens() {
  return elementOf(getInput()) != elementOf(getOutput());
}

LogicalResult PermuteOp::verify() {
  auto input = getInput().getType(), output = getOutput().getType();
  auto order = getOrder();
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  int64_t axes[] = {0, 1, 2, 3};
  if (ArrayRef<int64_t>(sorted) != ArrayRef<int64_t>(axes)) // (C1)
    return emitOpError("order must be a permutation of 0, 1, 2, 3");
  for (int i = 0; i < 4; ++i)
    if (output.getDimSize(i) != input.getDimSize(order[i])) // (C2)
      return emitOpError("axis ") << i << " of the result must have size "
                                  << input.getDimSize(order[i]);
  Type from = input.getElementType(), to = output.getElementType();
  bool isWidening = (from.isF16() || from.isBF16()) && to.isF32();
  if (from != to && !isWidening) // (C3)
    return emitOpError("input and output must have one element type, or the "
                       "input one of 16 bits and the output f32");
  if (isWidening && llvm::is_sorted(order)) // (C4)
    return emitOpError("turns nothing; a cast widens what stays where it is");
  return success();
}

LogicalResult SliceOp::verify() {
  auto input = getInput().getType(), output = getOutput().getType();
  auto offsets = getOffsets(), steps = getSteps();
  if (offsets.size() != 4 || steps.size() != 4) // (C1)
    return emitOpError("needs 4 offsets and 4 steps");
  for (int i = 0; i < 4; ++i) {
    if (offsets[i] < 0 || steps[i] < 1) // (C1)
      return emitOpError("offsets must be non-negative and steps positive");
    if (offsets[i] + (output.getDimSize(i) - 1) * steps[i] >=
        input.getDimSize(i)) // (C2)
      return emitOpError("axis ") << i << " reads past the input's "
                                  << input.getDimSize(i) << " elements";
  }
  if (input.getElementType() != output.getElementType()) // (C3)
    return emitOpError("input and output must have one element type");
  return success();
}

LogicalResult ConcatOp::verify() {
  auto output = getOutput().getType();
  int64_t axis = static_cast<int64_t>(getAxis()), total = 0;
  for (Value input : getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    total += type.getDimSize(axis);
    for (int i = 0; i < 4; ++i)
      if (i != axis && type.getDimSize(i) != output.getDimSize(i)) // (C2)
        return emitOpError("axis ")
               << i << " must have size " << output.getDimSize(i)
               << " in every input";
    if (type.getElementType() != output.getElementType()) // (C3)
      return emitOpError("inputs and output must have one element type");
  }
  if (total != output.getDimSize(axis)) // (C2)
    return emitOpError("sizes along axis ")
           << axis << " add up to " << total << ", the result has "
           << output.getDimSize(axis);
  return success();
}

SmallVector<int64_t> weft::tpu::rowMajorSteps(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 1);
  for (int64_t axis = int64_t(shape.size()) - 2; axis >= 0; --axis)
    steps[axis] = steps[axis + 1] * shape[axis + 1];
  return steps;
}

Dims weft::tpu::denseSteps(const Dims &dims) {
  SmallVector<int64_t> steps = rowMajorSteps(dims);
  return {steps[0], steps[1], steps[2], steps[3]};
}

SmallVector<int64_t, 4> weft::tpu::orderOfBoth(PermuteOp first,
                                               PermuteOp second) {
  SmallVector<int64_t, 4> order;
  for (int64_t axis : second.getOrder())
    order.push_back(first.getOrder()[axis]);
  return order;
}

Dims weft::tpu::loadSteps(PermuteOp turn) {
  Dims dense = denseSteps(dimsOf(turn.getInput())), steps;
  for (unsigned axis = 0; axis < 4; ++axis)
    steps[axis] = dense[turn.getOrder()[axis]];
  return steps;
}

Dims weft::tpu::storeSteps(PermuteOp turn) {
  Dims dense = denseSteps(dimsOf(turn.getOutput())), steps;
  for (unsigned axis = 0; axis < 4; ++axis)
    steps[turn.getOrder()[axis]] = dense[axis];
  return steps;
}

SmallVector<BandPart> weft::tpu::bandPartsOf(BandsAttr bands, int64_t channels,
                                             const Box &piece, bool onlyOwn) {
  SmallVector<BandPart> parts;
  for (int64_t band = 0; band < bands.getCount(); ++band) {
    auto cut = [](Box &box, unsigned axis, int64_t begin, int64_t end) {
      begin = std::max(begin, box.offset[axis]);
      box.size[axis] = std::min(end, box.end(axis)) - begin;
      box.offset[axis] = begin;
    };
    int64_t first = bands.imageRow(band, 0);
    BandPart part{piece, {}};
    cut(part.inBands, kAxisC, band * channels, (band + 1) * channels);
    cut(part.inBands, kAxisH, -first, bands.getHeight() - first);
    if (onlyOwn)
      cut(part.inBands, kAxisH, bands.getAbove(),
          bands.getAbove() + bands.getRows());
    if (part.inBands.empty())
      continue;
    part.inImage = part.inBands;
    part.inImage.offset[kAxisC] -= band * channels;
    part.inImage.offset[kAxisH] += first;
    parts.push_back(part);
  }
  return parts;
}

SmallVector<RowPhasesPart> weft::tpu::partsOf(RowPhasesOp op,
                                              const Box &piece) {
  Dims image = dimsOf(op.getInput());
  int64_t phases = dimsOf(op.getOutput())[kAxisC] / image[kAxisC];
  SmallVector<RowPhasesPart> parts;
  for (int64_t c = piece.offset[kAxisC] / phases;
       c * phases < piece.end(kAxisC); ++c) {
    RowPhasesPart part{piece, {}};
    int64_t begin = std::max(piece.offset[kAxisC], c * phases);
    part.inPhases.offset[kAxisC] = begin;
    part.inPhases.size[kAxisC] =
        std::min(piece.end(kAxisC), (c + 1) * phases) - begin;
    part.inRows = part.inPhases;
    part.inRows.offset[kAxisC] = c * image[kAxisH] + begin - c * phases;
    parts.push_back(part);
  }
  return parts;
}

Dims weft::tpu::rowPhaseSteps(RowPhasesOp op) {
  Dims image = denseSteps(dimsOf(op.getInput()));
  return {image[kAxisN], image[kAxisH], image[kAxisH] * int64_t(op.getStep()),
          1};
}

StridedCopy weft::tpu::copyOf(PieceAttr piece) {
  StridedCopy copy{piece.getFromOffset(), piece.getToOffset(), {}};
  for (auto [size, from, to] :
       llvm::zip(piece.getSizes(), piece.getFrom(), piece.getTo()))
    copy.axes.push_back({size, from, to});
  return copy;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static SmallVector<OperandCopy> copiesOfConcat(ConcatOp op) {
  SmallVector<int64_t> to = rowMajorSteps(shapeOf(op.getOutput()));
  SmallVector<OperandCopy> copies;
  int64_t offset = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> part = shapeOf(operand.get());
    SmallVector<int64_t> from = rowMajorSteps(part);
    StridedCopy copy{0, offset, {}};
    for (unsigned axis = 0; axis < 4; ++axis)
      copy.axes.push_back({part[axis], from[axis], to[axis]});
    copies.push_back({operand.getOperandNumber(), copy});
    offset += part[op.getAxis()] * to[op.getAxis()];
  }
  return copies;
}

static StridedCopy copyOfSlice(SliceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  SmallVector<int64_t> from = rowMajorSteps(shapeOf(op.getInput())),
                       to = rowMajorSteps(shape);
  StridedCopy copy;
  for (unsigned axis = 0; axis < 4; ++axis) {
    copy.source += op.getOffsets()[axis] * from[axis];
    copy.axes.push_back(
        {shape[axis], from[axis] * op.getSteps()[axis], to[axis]});
  }
  return copy;
}

static StridedCopy copyOfPermute(PermuteOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  Dims from = loadSteps(op);
  SmallVector<int64_t> to = rowMajorSteps(shape);
  StridedCopy copy;
  for (unsigned axis = 0; axis < 4; ++axis)
    copy.axes.push_back({shape[axis], from[axis], to[axis]});
  return copy;
}

/// A copy for all, with an axis for the phases.
static StridedCopy copyOfRowPhases(RowPhasesOp op) {
  Dims image = dimsOf(op.getInput()), result = dimsOf(op.getOutput()),
       from = denseSteps(image), to = denseSteps(result);
  int64_t phases = result[kAxisC] / image[kAxisC], step = op.getStep();
  return {0,
          0,
          {{image[kAxisN], from[kAxisN], to[kAxisN]},
           {image[kAxisC], from[kAxisC], phases * to[kAxisC]},
           {phases, from[kAxisH], to[kAxisC]},
           {result[kAxisH], step * from[kAxisH], to[kAxisH]},
           {image[kAxisW], 1, 1}}};
}

/// Between an image and its bands, a copy a band.
static SmallVector<OperandCopy> copiesOfBands(BandsAttr bands, Value image,
                                              Value inBands, bool toBands) {
  Dims imageSteps = denseSteps(dimsOf(image)),
       bandSteps = denseSteps(dimsOf(inBands));
  SmallVector<OperandCopy> copies;
  for (const BandPart &part :
       bandPartsOf(bands, dimsOf(image)[kAxisC], Box::whole(dimsOf(inBands)),
                   /*onlyOwn=*/!toBands)) {
    int64_t ofImage = elementOffset(imageSteps, part.inImage),
            ofBands = elementOffset(bandSteps, part.inBands);
    StridedCopy copy{
        toBands ? ofImage : ofBands, toBands ? ofBands : ofImage, {}};
    for (unsigned axis = 0; axis < 4; ++axis)
      copy.axes.push_back({part.inImage.size[axis],
                           (toBands ? imageSteps : bandSteps)[axis],
                           (toBands ? bandSteps : imageSteps)[axis]});
    copies.push_back({0, std::move(copy)});
  }
  return copies;
}

SmallVector<OperandCopy> weft::tpu::copiesOf(Operation *op) {
  if (auto bands = dyn_cast<ToBandsOp>(op))
    return copiesOfBands(bands.getBands(), bands.getInput(), bands.getOutput(),
                         /*toBands=*/true);
  if (auto bands = dyn_cast<FromBandsOp>(op))
    return copiesOfBands(bands.getBands(), bands.getOutput(), bands.getInput(),
                         /*toBands=*/false);
  if (auto concat = dyn_cast<ConcatOp>(op))
    return copiesOfConcat(concat);
  if (auto slice = dyn_cast<SliceOp>(op))
    return {{0, copyOfSlice(slice)}};
  if (auto permute = dyn_cast<PermuteOp>(op))
    return {{0, copyOfPermute(permute)}};
  if (auto phases = dyn_cast<RowPhasesOp>(op))
    return {{0, copyOfRowPhases(phases)}};
  SmallVector<OperandCopy> copies;
  if (auto arrange = dyn_cast<ArrangeOp>(op))
    for (auto piece : arrange.getPieces().getAsRange<PieceAttr>())
      copies.push_back({unsigned(piece.getOperand()), copyOf(piece)});
  return copies;
}

/// True if all indices `offset + sum i_k * steps[k]` lie in [0, elements).
static bool liesInside(int64_t offset, ArrayRef<int64_t> sizes,
                       ArrayRef<int64_t> steps, int64_t elements) {
  int64_t low = offset, high = offset, span;
  for (auto [size, step] : llvm::zip(sizes, steps)) {
    if (llvm::MulOverflow(size - 1, step, span) ||
        llvm::AddOverflow(span < 0 ? low : high, span, span < 0 ? low : high))
      return false;
  }
  return low >= 0 && high < elements;
}

/// Whether `fill` is a number of `bits` < 64 bits, with a sign or without.
static bool holdsBits(int64_t fill, int64_t bits) {
  int64_t end = int64_t(1) << bits;
  return fill >= -end / 2 && fill < end;
}

LogicalResult PadOp::verify() {
  auto pads = getPads();
  constexpr int64_t kMost = int64_t(1) << 31;
  if (pads.size() != 4 || llvm::any_of(pads, [&](int64_t pad) {
        return pad < 0 || pad >= kMost;
      })) // (C1)
    return emitOpError("pads must be 4 numbers from 0 to 2^31 - 1");
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  if (from[kAxisH] == 0 || from[kAxisW] == 0) // (C1)
    return emitOpError("the input must have pixels");
  from[kAxisH] += pads[0] + pads[2];
  from[kAxisW] += pads[1] + pads[3];
  if (from != to) // (C2)
    return emitOpError("pads give ") << from[kAxisH] << " x " << from[kAxisW]
                                     << " pixels, the result must have as many "
                                        "and the input's n and c";
  Type element = elementOf(getInput());
  if (element != elementOf(getOutput()) ||
      !llvm::is_contained({8, 16, 32}, elementBits(element))) // (C3)
    return emitOpError("input and output must have one element type of 8, 16 "
                       "or 32 bits");
  if (int64_t fill = getFill(); !holdsBits(fill, elementBits(element))) // (C4)
    return emitOpError("fill is ")
           << fill << ", which an element of " << elementBits(element)
           << " bits does not hold";
  return success();
}

/// `image` and its bands, of either op.
static LogicalResult verifyBands(Operation *op, BandsAttr bands, Value image,
                                 Value inBands) {
  Dims whole = dimsOf(image), cut = dimsOf(inBands);
  if (whole[kAxisN] != 1 || cut[kAxisN] != 1 ||
      whole[kAxisH] != bands.getHeight()) // (C1)
    return op->emitOpError("the image must be one of ")
           << bands.getHeight() << " rows";
  if (cut[kAxisC] != whole[kAxisC] * bands.getCount() ||
      cut[kAxisW] != whole[kAxisW] ||
      cut[kAxisH] < bands.getAbove() + bands.getRows()) // (C2)
    return op->emitOpError("the bands must have ")
           << whole[kAxisC] * bands.getCount() << " channels, " << whole[kAxisW]
           << " columns and at least " << bands.getAbove() + bands.getRows()
           << " rows";
  if (elementOf(image) != elementOf(inBands)) // (C3)
    return op->emitOpError("input and output must have one element type");
  return success();
}

LogicalResult ToBandsOp::verify() {
  return verifyBands(*this, getBands(), getInput(), getOutput());
}

LogicalResult FromBandsOp::verify() {
  if (getBands().getCount() * getBands().getRows() <
      getBands().getHeight()) // (C4)
    return emitOpError("the bands lack the last of ")
           << getBands().getHeight() << " rows";
  return verifyBands(*this, getBands(), getOutput(), getInput());
}

LogicalResult RowPhasesOp::verify() {
  Dims image = dimsOf(getInput()), result = dimsOf(getOutput());
  if (result[kAxisN] != image[kAxisN] || result[kAxisW] != image[kAxisW] ||
      result[kAxisC] % image[kAxisC] != 0) // (C1)
    return emitOpError("the result must have n and w of the input, and a "
                       "multiple of its ")
           << image[kAxisC] << " channels";
  int64_t step = getStep(), last = 0, phases = result[kAxisC] / image[kAxisC];
  if (step < 1 || llvm::MulOverflow(step, result[kAxisH] - 1, last) ||
      last > image[kAxisH] - phases) // (C2)
    return emitOpError("step must be at least 1, and ")
           << result[kAxisH] << " rows of " << phases << " channels, " << step
           << " apart, must lie in an input of " << image[kAxisH] << " rows";
  if (elementOf(getInput()) != elementOf(getOutput())) // (C3)
    return emitOpError("input and output must have one element type");
  return success();
}

LogicalResult ClearRowsOp::verify() {
  Dims dims = dimsOf(getInput());
  if (dims[kAxisN] != 1 || dims[kAxisC] % getBands().getCount() != 0) // (C1)
    return emitOpError("the operand must be one image in ")
           << getBands().getCount() << " bands of equally many channels";
  if (int64_t(getTop()) < 0 || int64_t(getBottom()) < 0) // (C2)
    return emitOpError("top and bottom must not be negative");
  return success();
}

LogicalResult RepeatChannelOp::verify() {
  if (getInput().getType().getShape() !=
      ArrayRef<int64_t>(reducedShape(getOutput(), kAxisC))) // (C1)
    return emitOpError("input must have one channel and else the shape of the "
                       "result");
  if (elementOf(getInput()) != elementOf(getOutput())) // (C2)
    return emitOpError("input and output must have one element type");
  return success();
}

LogicalResult JoinRoundsOp::verify() {
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  if (from[kAxisN] * from[kAxisH] * from[kAxisW] != 1 ||
      to[kAxisN] * to[kAxisH] != 1) // (C1)
    return emitOpError("takes one element a channel and gives one row");
  if (to[kAxisC] * to[kAxisW] > from[kAxisC]) // (C2)
    return emitOpError("the input lacks channels: ")
           << from[kAxisC] << " for " << to[kAxisC] << " rows of "
           << to[kAxisW];
  if (elementOf(getInput()) != elementOf(getOutput())) // (C3)
    return emitOpError("input and output must have one element type");
  return success();
}

SmallVector<Box> ClearRowsOp::clearedBoxes(const Box &piece) {
  BandsAttr bands = getBands();
  int64_t channels = dimsOf(getInput())[kAxisC] / bands.getCount();
  SmallVector<Box> boxes;
  for (int64_t band = 0; band < bands.getCount(); ++band)
    for (auto [begin, end] :
         {std::pair(-int64_t(getTop()), int64_t(0)),
          std::pair(bands.getHeight(),
                    bands.getHeight() + int64_t(getBottom()))}) {
      int64_t first = bands.imageRow(band, 0);
      Box box = piece;
      box.offset[kAxisC] = std::max(piece.offset[kAxisC], band * channels);
      box.size[kAxisC] = std::min(piece.end(kAxisC), (band + 1) * channels) -
                         box.offset[kAxisC];
      box.offset[kAxisH] = std::max(piece.offset[kAxisH], begin - first);
      box.size[kAxisH] =
          std::min(piece.end(kAxisH), end - first) - box.offset[kAxisH];
      if (!box.empty())
        boxes.push_back(box);
    }
  return boxes;
}

LogicalResult ArrangeOp::verify() {
  auto output = getOutput().getType();
  for (Value input : getInputs())
    if (elementOf(input) != output.getElementType()) // (C1)
      return emitOpError("inputs and output must have one element type");
  int64_t bits = elementBits(output.getElementType());
  if (std::optional<int64_t> fill = getFill();
      fill && bits < 64 && !holdsBits(*fill, bits)) // (C4)
    return emitOpError("fill is ") << *fill << ", which an element of " << bits
                                   << " bits does not hold";
  for (auto [i, attr] : llvm::enumerate(getPieces())) { // (C2)
    auto piece = cast<PieceAttr>(attr);
    if (piece.getOperand() >= int64_t(getInputs().size()))
      return emitOpError("piece ")
             << i << " names operand " << piece.getOperand() << ", there are "
             << getInputs().size();
    auto input =
        cast<RankedTensorType>(getInputs()[piece.getOperand()].getType());
    if (!liesInside(piece.getFromOffset(), piece.getSizes(), piece.getFrom(),
                    input.getNumElements()))
      return emitOpError("piece ") << i << " leaves its operand, which has "
                                   << input.getNumElements() << " elements";
    if (!liesInside(piece.getToOffset(), piece.getSizes(), piece.getTo(),
                    output.getNumElements()))
      return emitOpError("piece ") << i << " leaves the result, which has "
                                   << output.getNumElements() << " elements";
  }
  return success();
}

int64_t weft::tpu::pieceOffset(Value whole, unsigned axis, int64_t begin) {
  Dims dims = dimsOf(whole);
  int64_t step = elementBits(elementOf(whole));
  for (unsigned inner = axis + 1; inner < 4; ++inner)
    step *= dims[inner];
  for (unsigned outer = 0; outer < axis; ++outer)
    if (dims[outer] != 1)
      return -1;
  return step % 8 == 0 ? begin * step / 8 : -1;
}

int64_t weft::tpu::sliceOffset(SliceOp slice) {
  Dims from = dimsOf(slice.getInput()), to = dimsOf(slice.getOutput());
  int64_t cut = -1;
  for (unsigned axis = 0; axis < 4; ++axis) {
    if (from[axis] == to[axis] && slice.getSteps()[axis] == 1)
      continue;
    if (cut >= 0 || (slice.getSteps()[axis] != 1 && to[axis] != 1))
      return -1;
    cut = axis;
  }
  return cut < 0 ? 0
                 : pieceOffset(slice.getInput(), cut, slice.getOffsets()[cut]);
}
