//===- Broadcast.cpp - 4-D views of element-wise operations ---------------===//

#include "passes/quantize/Broadcast.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Move.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// `shape` with leading axes of size 1 up to `rank`.
static SmallVector<int64_t> padded(ArrayRef<int64_t> shape, size_t rank) {
  SmallVector<int64_t> result(rank - shape.size(), 1);
  result.append(shape.begin(), shape.end());
  return result;
}

/// Merges neighbouring axes along which every operand is whole, or every one
/// repeats, alike; axes of size 1 vanish.
static void collapse(BroadcastViews &views, ArrayRef<int64_t> result,
                     ArrayRef<SmallVector<int64_t>> operands) {
  views.operands.resize(operands.size());
  std::vector<bool> previous;
  for (auto [axis, size] : llvm::enumerate(result)) {
    if (size == 1)
      continue;
    std::vector<bool> repeats;
    for (ArrayRef<int64_t> operand : operands)
      repeats.push_back(operand[axis] == 1);
    bool merges = !views.collapsed.empty() && repeats == previous;
    if (!merges) {
      views.collapsed.push_back(1);
      for (SmallVector<int64_t> &operand : views.operands)
        operand.push_back(1);
    }
    views.collapsed.back() *= size;
    for (auto [number, operand] : llvm::enumerate(operands))
      views.operands[number].back() *= operand[axis];
    previous = std::move(repeats);
  }
}

/// A tensor of up to four axes with the last but one in c, so that the
/// innermost one is w.
static SmallVector<int64_t, 4> inFourAxes(ArrayRef<int64_t> shape) {
  switch (shape.size()) {
  case 0:
    return {1, 1, 1, 1};
  case 1:
    return {1, 1, 1, shape[0]};
  case 2:
    return {1, shape[0], 1, shape[1]};
  case 3:
    return {shape[0], shape[1], 1, shape[2]};
  default:
    return {shape[0], shape[1], shape[2], shape[3]};
  }
}

BroadcastViews
weft::quantize::broadcastViews(ArrayRef<int64_t> result,
                               ArrayRef<ArrayRef<int64_t>> operands) {
  BroadcastViews views;
  SmallVector<SmallVector<int64_t>, 3> whole;
  for (ArrayRef<int64_t> operand : operands)
    whole.push_back(padded(operand, result.size()));
  if (result.size() <= 4) {
    views.result = foldShape(result);
    views.collapsed.assign(views.result.begin(), views.result.end());
    for (ArrayRef<int64_t> operand : whole) {
      SmallVector<int64_t, 4> folded = foldShape(operand);
      views.operands.emplace_back(folded.begin(), folded.end());
    }
    return views;
  }
  collapse(views, result, whole);
  bool repeats = llvm::any_of(views.operands, [&](ArrayRef<int64_t> operand) {
    return operand != ArrayRef<int64_t>(views.collapsed);
  });
  if (!repeats || views.collapsed.size() > 4) {
    views.result = foldShape(result);
    if (repeats)
      return views;
    views.collapsed.assign(views.result.begin(), views.result.end());
    for (SmallVector<int64_t> &operand : views.operands)
      operand = views.collapsed;
    return views;
  }
  views.result = inFourAxes(views.collapsed);
  for (SmallVector<int64_t> &operand : views.operands) {
    SmallVector<int64_t, 4> folded = inFourAxes(operand);
    operand.assign(folded.begin(), folded.end());
  }
  views.collapsed.assign(views.result.begin(), views.result.end());
  return views;
}

/// `values` of shape `shape` repeated along `axis`, of size 1, `count` times.
template <typename T>
static std::vector<T> repeated(const std::vector<T> &values,
                               ArrayRef<int64_t> shape, size_t axis,
                               int64_t count) {
  int64_t inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
  std::vector<T> result;
  result.reserve(values.size() * count);
  for (size_t at = 0; at < values.size(); at += inner)
    for (int64_t i = 0; i < count; ++i)
      result.insert(result.end(), values.begin() + at,
                    values.begin() + at + inner);
  return result;
}

/// An axis of size 1 to be repeated `count` times.
struct RepeatedAxis {
  size_t axis;
  int64_t count;
};

/// The constant `topValue` of shape `shape`, repeated along `axes`, in the view
/// `view`.
static Answer<Value> repeatedConstant(Value topValue, Type element,
                                      SmallVector<int64_t> shape,
                                      ArrayRef<RepeatedAxis> axes,
                                      ArrayRef<int64_t> view, Operation *user,
                                      Lowering &lowering) {
  std::optional<std::vector<int64_t>> integers = lowering.integersOf(topValue);
  std::optional<FloatConstant> floats = lowering.constantOf(topValue);
  if (!integers && !floats)
    return emitError(user->getLoc())
           << "the constant '" << valueName(topValue) << "' has no bytes";
  for (auto [axis, count] : axes) {
    if (integers)
      integers = repeated(*integers, shape, axis, count);
    else
      floats->values =
          FloatValues(repeated(floats->values.vector(), shape, axis, count));
    shape[axis] *= count;
  }
  if (integers)
    return lowering.integerWeight(user->getLoc(), view, element, *integers);
  return lowering.floatWeight(user->getLoc(), view, element, floats->values);
}

Answer<Value> weft::quantize::broadcastOperand(const BroadcastViews &views,
                                               unsigned number, Value topValue,
                                               Type element, Operation *user,
                                               Lowering &lowering,
                                               bool repeatsChannels) {
  SmallVector<int64_t> shape = views.operands[number];
  bool fourAxes =
      views.collapsed.size() == 4 &&
      ArrayRef<int64_t>(views.collapsed) == ArrayRef<int64_t>(views.result);
  SmallVector<RepeatedAxis> axes;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != views.collapsed[axis] &&
        (!fourAxes || (axis == 1 && !repeatsChannels)))
      axes.push_back({axis, views.collapsed[axis]});
  SmallVector<int64_t, 4> view(views.result);
  if (fourAxes) {
    view.assign(shape.begin(), shape.end());
    if (!repeatsChannels)
      view[1] = views.result[1];
  }
  if (!lowering.firstForm(topValue) && !axes.empty())
    return repeatedConstant(topValue, element, shape, axes, view, user,
                            lowering);
  if (axes.empty()) {
    Answer<Value> value = lowering.value(topValue, element, view, user);
    if (!value || !fourAxes || !repeatsChannels ||
        !lowering.choices.hasMatrixUnit || shape[1] == views.collapsed[1] ||
        !topValue.hasOneUse() || !value->getDefiningOp() ||
        llvm::isa<tpu::WeightOp>(value->getDefiningOp()))
      return value;
    // Computed for this alone, so perhaps in one group with it.
    view[1] = views.result[1];
    return Value(lowering.builder.create<tpu::RepeatChannelOp>(
        user->getLoc(), lowering.tensor(view, element), *value));
  }
  Answer<Value> value = lowering.inOwnView(topValue, element, user);
  if (!value)
    return value.no();
  // The source stands still on the axes to repeat.
  SmallVector<int64_t> from = tpu::rowMajorSteps(shape), sizes = shape;
  for (auto [axis, count] : axes) {
    from[axis] = 0;
    sizes[axis] = count;
  }
  OpBuilder &b = lowering.builder;
  auto piece = tpu::PieceAttr::get(b.getContext(), 0, 0, 0, sizes, from,
                                   tpu::rowMajorSteps(sizes));
  return Value(b.create<tpu::ArrangeOp>(user->getLoc(),
                                        lowering.tensor(view, element), *value,
                                        b.getArrayAttr(piece), IntegerAttr()));
}
