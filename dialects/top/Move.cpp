//===- Move.cpp - top ops of the Move family
//--------------------------------===//

#include "dialects/top/Move.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerMove
#define WEFT_OPS "dialects/top/Move.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  if (input.getElementType() != output.getElementType()) // (C1)
    return emitOpError() << "changes elements of type "
                         << input.getElementType() << " into "
                         << output.getElementType() << "; use a cast";
  if (input.getNumElements() != output.getNumElements()) // (C2)
    return emitOpError() << "shape " << shapeText(input.getShape()) << " has "
                         << input.getNumElements() << " elements but "
                         << shapeText(output.getShape()) << " has "
                         << output.getNumElements()
                         << "; both must have the same number";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  // A splat or a dense value changes its type only; resources are left to the
  // pass.
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput()))
    return dense.reshape(getType());
  // reshape(reshape(x)) = reshape(x), unless only the inner one says which
  // ONNX value these elements are: calibration and comparison ask for it.
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    Operation *source = inner.getInput().getDefiningOp();
    if (inner->hasAttr(kValueAttr) && source && !source->hasAttr(kValueAttr))
      return {};
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

FailureOr<RankedTensorType>
TransposeOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> perm = adaptor.getPerm();
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  bool valid = input && int64_t(perm.size()) == input.getRank();
  for (size_t i = 0; valid && i < sorted.size(); ++i)
    valid = sorted[i] == int64_t(i);
  if (!valid) // (C1)
    return emitOptionalError(location, "perm [", perm, "] for ",
                             adaptor.getInput().getType(),
                             "; it must hold every axis of the input once");
  SmallVector<int64_t> shape;
  for (int64_t axis : perm)
    shape.push_back(input.getDimSize(axis));
  return RankedTensorType::get(shape, input.getElementType());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> perm = getPerm();
  if (llvm::is_sorted(perm))
    return getInput();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getInput()))
    return splat.reshape(getType());
  return {};
}

LogicalResult SliceOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  ArrayRef<int64_t> starts = getStarts(), steps = getSteps();
  size_t rank = input.getRank();
  if (output.getRank() != int64_t(rank) ||
      output.getElementType() != input.getElementType() ||
      starts.size() != rank || steps.size() != rank) // (C1)
    return emitOpError() << "of " << input << " into " << output << " with "
                         << starts.size() << " starts and " << steps.size()
                         << " steps; all must have the rank of the input, and "
                            "one element type";
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t size = input.getDimSize(axis), count = output.getDimSize(axis);
    int64_t start = starts[axis], step = steps[axis];
    if (step == 0) // (C2)
      return emitOpError() << "steps[" << axis << "] is 0; it must not be";
    if (count == 0)
      continue;
    int64_t span, last;
    bool inside = start >= 0 && start < size &&
                  !llvm::MulOverflow(count - 1, step, span) &&
                  !llvm::AddOverflow(start, span, last) && last >= 0 &&
                  last < size;
    if (!inside) // (C3)
      return emitOpError() << "takes " << count << " values from index "
                           << start << " with step " << step << " on axis "
                           << axis << "; they must lie inside its size "
                           << size;
  }
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  bool whole = getInput().getType() == getType() &&
               llvm::all_of(getSteps(), [](int64_t step) { return step == 1; });
  if (whole)
    return getInput();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getInput()))
    return splat.resizeSplat(getType());
  return {};
}

FailureOr<RankedTensorType>
ConcatOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty()) // (C1)
    return emitOptionalError(location,
                             "concatenation needs at least one input");
  auto first = dyn_cast<RankedTensorType>(inputs.front().getType());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (!first || axis < 0 || axis >= first.getRank()) // (C2)
    return emitOptionalError(location, "concatenation along axis ", axis,
                             " of ", inputs.front().getType(),
                             "; the axis must be in 0 .. rank-1");
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : inputs.drop_front()) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    bool fits = type && type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType();
    for (int64_t i = 0; fits && i < first.getRank(); ++i)
      fits = i == axis || type.getDimSize(i) == first.getDimSize(i);
    if (!fits) // (C1), (C3)
      return emitOptionalError(
          location, "concatenation along axis ", axis, " of ", first, " and ",
          input.getType(),
          "; element type, rank and the sizes of all other axes must be equal");
    shape[axis] += type.getDimSize(axis);
  }
  return RankedTensorType::get(shape, first.getElementType());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  // What has nothing along the axis adds nothing.
  int64_t axis = getAxisAttr().getInt();
  SmallVector<Value> kept;
  for (Value input : getInputs())
    if (cast<RankedTensorType>(input.getType()).getDimSize(axis) != 0)
      kept.push_back(input);
  if (kept.empty() || kept.size() == getInputs().size())
    return {};
  getInputsMutable().assign(kept);
  return getResult();
}

LogicalResult ExpandOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  if (input.getElementType() != output.getElementType()) // (C1)
    return emitOpError() << "changes elements of type "
                         << input.getElementType() << " into "
                         << output.getElementType() << "; use a cast";
  if (broadcastShapes(input.getShape(), output.getShape()) !=
      SmallVector<int64_t>(output.getShape())) // (C2)
    return emitOpError() << "shape " << shapeText(input.getShape())
                         << " cannot be repeated to "
                         << shapeText(output.getShape())
                         << "; axes must be equal or 1";
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getInput());
  // A splat is one element here, but bytes of the program later on.
  constexpr int64_t kLargestSplat = 1 << 24;
  if (!splat || !getType().hasStaticShape() ||
      getType().getNumElements() > kLargestSplat)
    return {};
  return splat.resizeSplat(getType());
}

/// (C3) of PadOp.
static bool hasRightValue(PadOp::Adaptor adaptor, RankedTensorType input) {
  bool isConstant = adaptor.getMode() == "constant";
  if (!adaptor.getValue() || !isConstant)
    return !adaptor.getValue() && !isConstant;
  auto value = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  return value && value.getNumElements() == 1 &&
         value.getElementType() == input.getElementType();
}

FailureOr<RankedTensorType>
PadOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> begins = adaptor.getBegins(), ends = adaptor.getEnds();
  auto isNegative = [](int64_t pad) { return pad < 0; };
  if (!input || int64_t(begins.size()) != input.getRank() ||
      ends.size() != begins.size() || llvm::any_of(begins, isNegative) ||
      llvm::any_of(ends, isNegative)) // (C1)
    return emitOptionalError(location, "pads [", begins, "] and [", ends,
                             "] for ", adaptor.getInput().getType(),
                             "; there must be one >= 0 for each side of each "
                             "axis");
  StringRef mode = adaptor.getMode();
  if (!llvm::is_contained({"constant", "edge", "reflect", "wrap"},
                          mode)) // (C2)
    return emitOptionalError(location, "mode is '", mode,
                             "', must be constant, edge, reflect or wrap");
  if (!hasRightValue(adaptor, input)) // (C3)
    return emitOptionalError(location, "mode ", mode,
                             adaptor.getValue() ? " with" : " without",
                             " a value; constant needs one element of the "
                             "input's type, the others none");
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(input.getShape())) {
    if (size == 0 && begins[axis] + ends[axis] > 0 && mode != "constant")
      return emitOptionalError(
          location, "axis ", axis,
          " is empty, there is no value to pad it with"); // (C4)
    int64_t padded;
    if (llvm::AddOverflow(size, begins[axis], padded) ||
        llvm::AddOverflow(padded, ends[axis], padded))
      return emitOptionalError(location, "pads of axis ", axis,
                               " are too large");
    shape.push_back(padded);
  }
  return input.clone(shape);
}
