//===- Memory.cpp - what moves work on ------------------------------------===//

#include "dialects/ascend/Memory.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ascend;

#define WEFT_REGISTER AscendDialect::registerMemory
#define WEFT_OPS "dialects/ascend/Memory.cpp.inc"
#include "dialects/OpDefinitions.inc"

Place ascend::placeOf(Value memory) {
  Place place{memory, 0};
  while (auto view = place.root.getDefiningOp<ViewOp>()) {
    place.address += int64_t(view.getOffset());
    place.root = view.getSource();
  }
  return place;
}

Value ascend::viewAt(OpBuilder &builder, Location loc, Place place,
                     int64_t elements, Type element) {
  bool inL1 = isInL1(cast<MemRefType>(place.root.getType()));
  return builder.create<ViewOp>(loc, memoryType(elements, element, inL1),
                                place.root, place.address);
}

//===----------------------------------------------------------------------===//
// ascend.view
//===----------------------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  // (C1)
  MemRefType source = memoryOf(getSource().getType()),
             view = memoryOf(getView().getType());
  for (auto [type, memory] :
       {std::pair(getSource().getType(), source), {getView().getType(), view}})
    if (!memory)
      return emitOpError() << "has " << type << ", must have " << memoryWords();
  if (isInL1(source) != isInL1(view))
    return emitOpError() << "leads from memory " << source.getMemorySpace()
                         << " to " << view.getMemorySpace()
                         << ", must stay in one";
  // (C2)
  int64_t offset = getOffsetAttr().getInt(), bytes = bytesOf(view),
          room = bytesOf(source);
  if (offset < 0)
    return emitOpError() << "starts at byte " << offset
                         << ", must be 0 or more";
  if (offset > room || bytes > room - offset)
    return emitOpError() << "has " << bytes << " bytes at byte " << offset
                         << ", its source has " << room;
  return success();
}

OpFoldResult ViewOp::fold(FoldAdaptor) {
  bool isWhole = getOffset() == 0 && getSource().getType() == getType();
  return isWhole ? OpFoldResult(getSource()) : OpFoldResult();
}

/// A view of a view is one of what that views.
LogicalResult ViewOp::canonicalize(ViewOp op, PatternRewriter &rewriter) {
  auto inner = op.getSource().getDefiningOp<ViewOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ViewOp>(op, op.getType(), inner.getSource(),
                                      inner.getOffset() + op.getOffset());
  return success();
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

LogicalResult ClearOp::verify() {
  MemRefType target = memoryOf(getTarget().getType()); // (C1)
  if (!target)
    return emitOpError() << "has " << getTarget().getType() << ", must have "
                         << memoryWords();
  if (!isInL1(target))
    return emitOpError() << "fills memory " << target.getMemorySpace()
                         << ", must fill \"l1\"";
  return success();
}

LogicalResult TileOp::verify() {
  // (C1)
  if (getOrigin().size() != getSizes().size())
    return emitOpError() << "has an origin of " << getOrigin().size()
                         << " axes and sizes of " << getSizes().size()
                         << ", must have one number an axis";
  for (auto [name, value] : {std::pair("bytes", getBytesAttr().getInt()),
                             {"cycles", getCyclesAttr().getInt()}})
    if (value < 0)
      return emitOpError() << "has " << name << " " << value
                           << ", must be 0 or more";
  return success();
}
