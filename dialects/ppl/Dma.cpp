//===- Dma.cpp - GDMA commands -------------------------------------------===//

#include "dialects/ppl/Dma.h"
#include "dialects/ppl/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

void PplDialect::registerDma() {
  addOperations<
#define GET_OP_LIST
#include "dialects/ppl/Dma.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/ppl/Dma.cpp.inc"

// (C3) (C4): one side of a copy.
static LogicalResult verifySide(Operation *op, StringRef name,
                                TensorViewType type, bool isDst) {
  if (type.isStatic())
    return op->emitOpError()
           << name << " is in static memory, which DMA copies do not reach";
  if (type.getLayout() == Layout::Channel)
    return op->emitOpError()
           << name << " has the channel layout, which is for TIU sources only";
  const Chip &chip = chipOf(op);
  for (int64_t size : type.getShape())
    if (failed(expectRange(op, "size", size, 1, chip.maxShape)))
      return failure();
  Strides s = stridesOf(type, 0, chip);
  int64_t bytes = s.w * elementBytesOf(type);
  if (bytes < 1 || bytes > int64_t(chip.maxDmaStepBytes))
    return op->emitOpError() << "stride of " << name << " along w is " << bytes
                             << " bytes, must be 1 to " << chip.maxDmaStepBytes;
  int64_t strides[] = {s.n, s.c, s.h, s.w};
  for (auto [size, stride] : llvm::zip(type.getShape(), strides))
    if (isDst && stride == 0 && size > 1)
      return op->emitOpError()
             << name << " has stride 0 on an axis of size " << size;
  return success();
}

static LogicalResult verifyCopy(Operation *op, TensorViewType dst,
                                TensorViewType src, Transpose transpose,
                                bool mayReshape) {
  if (failed(verifySide(op, "dst", dst, true)) ||
      failed(verifySide(op, "src", src, false)))
    return failure();
  if (elementBytesOf(dst) != elementBytesOf(src)) // (C1)
    return op->emitOpError()
           << "element sizes differ: dst has " << dst.getElementType()
           << ", src has " << src.getElementType();
  SmallVector<int64_t> want(src.getShape()); // (C2)
  if (transpose == Transpose::NC)
    std::swap(want[0], want[1]);
  if (transpose == Transpose::CW)
    std::swap(want[1], want[3]);
  if (mayReshape && transpose == Transpose::None) {
    if (dst.getNumElements() != src.getNumElements())
      return op->emitOpError() << "dst has " << dst.getNumElements()
                               << " elements, src has " << src.getNumElements();
  } else if (failed(expectShape(op, "dst", dst, want))) {
    return failure();
  }
  if (transpose == Transpose::CW) // (C5)
    for (auto [name, type] : {std::pair("dst", dst), std::pair("src", src)})
      if (failed(expectLayout(op, name, type,
                              {Layout::Aligned, Layout::Continuous})))
        return failure();
  return success();
}

LogicalResult DmaLoadOp::verify() {
  return verifyCopy(*this, getDst().getType(), getSrc().getType(),
                    getTranspose(), false);
}
LogicalResult DmaStoreOp::verify() {
  return verifyCopy(*this, getDst().getType(), getSrc().getType(),
                    getTranspose(), false);
}
LogicalResult DmaMoveOp::verify() {
  return verifyCopy(*this, getDst().getType(), getSrc().getType(),
                    getTranspose(), true);
}

LogicalResult DmaFillOp::verify() {
  TensorViewType dst = getDst().getType();
  if (mlir::isa<FloatType>(getValue().getType()) != dst.isFloat()) // (C2)
    return emitOpError() << "value is " << getValue().getType()
                         << " for elements of " << dst.getElementType()
                         << ", must be f32 for floats and i32 for integers";
  return verifySide(*this, "dst", dst, true);
}

LogicalResult DmaBroadcastOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (failed(verifySide(*this, "src", src, false)))
    return failure();
  if (elementBytesOf(dst) != elementBytesOf(src)) // (C1)
    return emitOpError() << "element sizes differ: dst has "
                         << dst.getElementType() << ", src has "
                         << src.getElementType();
  if (failed(expectShape(*this, "src", src,
                         {dst.getN(), 1, dst.getH(), dst.getW()})))
    return failure();
  if (failed(expectRange(*this, "channels of dst", dst.getC(), 1,
                         chipOf(*this).lanes))) // (C2)
    return failure();
  if (failed(expectLayout(*this, "dst", dst, {Layout::Aligned}))) // (C3)
    return failure();
  return expectLayout(*this, "src", src, {Layout::Aligned, Layout::Continuous});
}

/// (C1) to (C5) of the two copies of rows; `listed` is the side whose rows the
/// list counts.
static LogicalResult verifyRows(Operation *op, TensorViewType dst,
                                TensorViewType rows, TensorViewType index,
                                StringRef listedName, TensorViewType listed) {
  const Chip &chip = chipOf(op);
  if (elementBytesOf(dst) != elementBytesOf(rows) ||
      elementBytesOf(index) != 4 || index.isFloat()) // (C1)
    return op->emitOpError()
           << "copies rows of " << rows.getElementType() << " to "
           << dst.getElementType() << " by indices of "
           << index.getElementType()
           << "; rows must have one size of elements, indices 32-bit integers";
  for (auto [name, type] : {std::pair("dst", dst), std::pair("rows", rows),
                            std::pair("index", index)}) {
    if (type.isStatic() || type.getLayout() == Layout::Channel ||
        stridesOf(type, 0, chip).w != 1) // (C5)
      return op->emitOpError() << name
                               << " is in static memory, has the channel "
                                  "layout or a stride other than 1 along w";
    if (failed(expectRange(op, "batches", type.getN(), 1, 1)) || // (C2)
        failed(expectRange(op, "channels", type.getC(), 1, chip.maxShape)) ||
        failed(expectRange(op, "columns", type.getW(), 1, chip.maxShape)))
      return failure();
    if (type.getC() != dst.getC() && type.getC() != 1) // (C3)
      return op->emitOpError()
             << name << " has " << type.getC() << " channels, must have the "
             << dst.getC() << " of dst, or 1";
  }
  if (std::max(rows.getC(), index.getC()) != dst.getC()) // (C3)
    return op->emitOpError() << "dst has " << dst.getC()
                             << " channels, rows and index have only 1";
  if (rows.getW() != dst.getW() || index.getW() != 1) // (C2) (C4)
    return op->emitOpError() << "rows have " << rows.getW() << " columns, dst "
                             << dst.getW() << " and index " << index.getW()
                             << "; rows and dst must have equally many, index "
                                "1";
  if (index.getH() != listed.getH()) // (C6)
    return op->emitOpError()
           << "index has " << index.getH() << " rows, " << listedName << " "
           << listed.getH() << "; they must be equal";
  return success();
}

LogicalResult DmaGatherOp::verify() {
  TensorViewType dst = getDst().getType();
  if (mlir::isa<FloatType>(getValue().getType()) != dst.isFloat()) // (C6)
    return emitOpError() << "value is " << getValue().getType()
                         << " for elements of " << dst.getElementType()
                         << ", must be f32 for floats and i32 for integers";
  return verifyRows(*this, dst, getRows().getType(), getIndex().getType(),
                    "dst", dst);
}

LogicalResult DmaScatterOp::verify() {
  TensorViewType rows = getRows().getType();
  return verifyRows(*this, getDst().getType(), rows, getIndex().getType(),
                    "rows", rows);
}
