//===- Move.cpp - ONNX rows of the Move family ----------------------------===//

#include "dialects/top/Move.h"

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/DataDependent.h"
#include "frontend/onnx/OpRows.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

//===----------------------------------------------------------------------===//
// Reshape and its relatives
//===----------------------------------------------------------------------===//

/// Reshape-5..25: 0 copies a size (unless `allowzero`), -1 takes the rest.
static LogicalResult importReshape(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<SmallVector<int64_t>> target = n.constantInts(1, "the shape");
  FailureOr<bool> allowZero = n.flagAttribute("allowzero", false);
  if (failed(input) || failed(target) || failed(allowZero))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  SmallVector<int64_t> result = *target;
  std::optional<size_t> open;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 0 && !*allowZero) {
      if (i >= shape.size())
        return n.error() << "the shape copies size " << i
                         << " of the input, which has rank " << shape.size();
      result[i] = shape[i];
    } else if (result[i] == -1) {
      if (open)
        return n.error() << "the shape has -1 twice, at " << *open << " and "
                         << i << "; it may have it once";
      open = i;
      result[i] = 1;
    } else if (result[i] < 0) {
      return n.error() << "the shape has the size " << result[i] << " at " << i
                       << ", must be >= -1";
    }
  }
  int64_t elements = n.typeOf(*input).getNumElements();
  std::optional<int64_t> known = countElements(result);
  if (open && known && *known > 0 && elements % *known == 0)
    result[*open] = elements / *known;
  if (!known || countElements(result) != elements)
    return n.error() << "the input has the shape " << formatShape(shape) << " ("
                     << elements << " elements), which does not fit "
                     << formatShape(*target);
  return n.setOutput(n.reshape(*input, result));
}

/// Flatten-1..25: to a matrix that is split at `axis`.
static LogicalResult importFlatten(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> attribute = n.intAttribute("axis", 1);
  if (failed(input) || failed(attribute))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> axis =
      n.normalizeAxis(*attribute, shape.size(), /*endAllowed=*/true);
  if (failed(axis))
    return failure();
  return n.setOutput(
      n.reshape(*input, {*countElements(shape.take_front(*axis)),
                         *countElements(shape.drop_front(*axis))}));
}

/// Axes of Squeeze and Unsqueeze: an attribute before 13, then an operand.
static FailureOr<SmallVector<int64_t>> readAxes(NodeImporter &n) {
  if (n.opset < 13)
    return n.intsAttribute("axes", -1, 0);
  return n.constantInts(1, "axes");
}

/// Squeeze-1..25: without axes every size of 1 goes.
static LogicalResult importSqueeze(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  bool given =
      n.opset < 13 ? n.hasAttribute("axes") : n.optionalOperand(1) != nullptr;
  SmallVector<int64_t> axes;
  if (given) {
    FailureOr<SmallVector<int64_t>> listed = readAxes(n);
    if (failed(listed))
      return failure();
    FailureOr<SmallVector<int64_t>> normal =
        n.normalizeAxes(*listed, shape.size());
    if (failed(normal))
      return failure();
    axes = *normal;
  }
  SmallVector<int64_t> result;
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i) {
    bool drop = given ? llvm::is_contained(axes, i) : shape[i] == 1;
    if (drop && shape[i] != 1)
      return n.error() << "axis " << i << " has the size " << shape[i]
                       << ", must be 1 to be squeezed";
    if (!drop)
      result.push_back(shape[i]);
  }
  return n.setOutput(n.reshape(*input, result));
}

/// Unsqueeze-1..25: axes count in the result.
static LogicalResult importUnsqueeze(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<SmallVector<int64_t>> listed = readAxes(n);
  if (failed(input) || failed(listed))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  int64_t rank = shape.size() + listed->size();
  FailureOr<SmallVector<int64_t>> axes = n.normalizeAxes(*listed, rank);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> result;
  size_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    result.push_back(llvm::is_contained(*axes, i) ? 1 : shape[next++]);
  return n.setOutput(n.reshape(*input, result));
}

/// Transpose-1..25: without `perm` the axes are reversed.
static LogicalResult importTranspose(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  int64_t rank = n.typeOf(*input).getRank();
  FailureOr<SmallVector<int64_t>> perm = n.intsAttribute("perm", rank, 0);
  if (failed(perm))
    return failure();
  if (!n.hasAttribute("perm")) {
    std::iota(perm->begin(), perm->end(), 0);
    std::reverse(perm->begin(), perm->end());
  }
  return n.setOutput(
      n.create<top::TransposeOp>(*input, ArrayRef<int64_t>(*perm)));
}

/// Concat-4..13.
static LogicalResult importConcat(NodeImporter &n) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < n.numOperands(); ++i) {
    FailureOr<Value> input = n.operand(i);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
  }
  if (inputs.empty())
    return n.error() << "Concat has no inputs";
  if (!n.hasAttribute("axis"))
    return n.error() << "axis is missing";
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  if (failed(attribute))
    return failure();
  FailureOr<int64_t> axis =
      n.normalizeAxis(*attribute, n.typeOf(inputs.front()).getRank());
  if (failed(axis))
    return failure();
  // Empty ones add nothing.
  RankedTensorType first = n.typeOf(inputs.front());
  llvm::erase_if(inputs, [&](Value input) {
    SmallVector<int64_t> shape(n.typeOf(input).getShape());
    if (int64_t(shape.size()) != first.getRank() || shape[*axis] != 0 ||
        input == inputs.front())
      return false;
    shape[*axis] = first.getDimSize(*axis);
    return n.typeOf(input).clone(shape) == first;
  });
  if (inputs.size() > 1 && first.getDimSize(*axis) == 0)
    inputs.erase(inputs.begin());
  return n.setOutput(n.create<top::ConcatOp>(ValueRange(inputs), *axis));
}

//===----------------------------------------------------------------------===//
// Slice and its relatives
//===----------------------------------------------------------------------===//

namespace {
/// A slice over all axes of a tensor; starts as the whole of it.
struct SliceRange {
  SmallVector<int64_t> starts, steps, sizes;

  explicit SliceRange(ArrayRef<int64_t> shape)
      : starts(shape.size(), 0), steps(shape.size(), 1), sizes(shape) {}

  /// Narrows one axis as ONNX Slice-13 says: negative values count from the
  /// end, then everything is clamped into the axis.
  void narrow(int64_t axis, int64_t start, int64_t end, int64_t step) {
    int64_t size = sizes[axis];
    // A longer step than the axis has the same meaning, and cannot overflow.
    step = std::clamp<int64_t>(step, -kMaxElements, kMaxElements);
    start += start < 0 ? size : 0;
    end += end < 0 ? size : 0;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    start = std::clamp<int64_t>(start, 0, std::max<int64_t>(high, 0));
    end = std::clamp<int64_t>(end, low, std::max<int64_t>(high, low));
    int64_t span = step > 0 ? end - start : start - end;
    int64_t stride = step > 0 ? step : -step;
    int64_t count = span > 0 && size > 0 ? (span + stride - 1) / stride : 0;
    starts[axis] = count ? start : 0;
    steps[axis] = count > 1 ? step : 1; // that of one element is never taken
    sizes[axis] = count;
  }
};
} // namespace

static FailureOr<Value> slice(NodeImporter &n, Value input,
                              const SliceRange &range) {
  RankedTensorType type = n.typeOf(input);
  return n.createTyped<top::SliceOp>(type.clone(range.sizes), input,
                                     range.starts, range.steps);
}

namespace {
/// The lists that a Slice node gives, one entry a sliced axis.
struct SliceLists {
  SmallVector<int64_t> starts, ends, axes, steps;
};
} // namespace

/// Slice-1 has attributes, Slice-10 operands (and steps).
static FailureOr<SliceLists> readSliceLists(NodeImporter &n) {
  SliceLists lists;
  auto read = [&](SmallVector<int64_t> &list, unsigned i, StringRef name,
                  bool required) -> LogicalResult {
    bool given =
        n.opset < 10 ? n.hasAttribute(name) : n.optionalOperand(i) != nullptr;
    if (!given && !required)
      return success();
    if (!given)
      return n.error() << name << " is missing";
    FailureOr<SmallVector<int64_t>> values =
        n.opset < 10 ? n.intsAttribute(name, -1, 0) : n.constantInts(i, name);
    if (failed(values))
      return failure();
    list = *values;
    return success();
  };
  if (failed(read(lists.starts, 1, "starts", true)) ||
      failed(read(lists.ends, 2, "ends", true)) ||
      failed(read(lists.axes, 3, "axes", false)) ||
      failed(read(lists.steps, 4, "steps", false)))
    return failure();
  size_t count = lists.starts.size();
  if (lists.axes.empty() && count) {
    lists.axes.resize(count);
    std::iota(lists.axes.begin(), lists.axes.end(), 0);
  }
  if (lists.steps.empty())
    lists.steps.assign(count, 1);
  if (lists.ends.size() != count || lists.axes.size() != count ||
      lists.steps.size() != count) {
    n.error() << "starts, ends, axes and steps have " << count << ", "
              << lists.ends.size() << ", " << lists.axes.size() << " and "
              << lists.steps.size() << " values; they must have equally many";
    return failure();
  }
  return lists;
}

/// Operand `i` of a Slice, or the attribute that stands for it.
static FailureOr<Value> sliceList(NodeImporter &n, unsigned i, StringRef name,
                                  int64_t count, int64_t fallback) {
  if (Value given = n.opset < 10 ? Value() : n.optionalOperand(i))
    return given;
  if (failed(n.checkTable(count)))
    return failure();
  SmallVector<int64_t> list(count, fallback);
  if (fallback < 0) // the axes: all of them
    std::iota(list.begin(), list.end(), 0);
  if (n.opset < 10 && n.hasAttribute(name)) {
    auto values = n.intsAttribute(name, -1, 0);
    if (failed(values))
      return failure();
    list = *values;
  }
  return n.intConstant(list, list.size());
}

/// How many values the slice of one axis has at most.
static int64_t mostOfSlice(int64_t size, std::optional<int64_t> start,
                           std::optional<int64_t> end, int64_t step) {
  if (!start || !end || (*start < 0) != (*end < 0))
    return size;
  int64_t first = step > 0 ? *start : *end, last = step > 0 ? *end : *start,
          span;
  if (llvm::SubOverflow(last, first, span))
    return size;
  // Backwards, ONNX takes the first value for a start in front of it.
  if (step < 0 && *start < 0)
    span = std::max<int64_t>(span, 1);
  int64_t left =
      step > 0 && first > 0 ? std::max<int64_t>(size - first, 0) : size;
  return std::clamp<int64_t>(span, 0, left);
}

/// A slice whose size depends on data: of its input, or of where it begins or
/// ends.
static LogicalResult sliceOfData(NodeImporter &n, Value input) {
  auto starts = sliceList(n, 1, "starts", 0, 0),
       ends = sliceList(n, 2, "ends", 0, 0);
  if (failed(starts) || failed(ends))
    return failure();
  RankedTensorType type = n.typeOf(input), listed = n.typeOf(*starts);
  if (!listed.hasStaticShape() || listed.getRank() > 1)
    return n.unsupported() << "starts are " << formatShape(listed.getShape())
                           << "; they must be a list of known length";
  int64_t count = listed.getNumElements();
  auto axes = sliceList(n, 3, "axes", count, -1),
       steps = sliceList(n, 4, "steps", count, 1);
  if (failed(axes) || failed(steps))
    return failure();
  auto from = constantIntsOf(*starts), to = constantIntsOf(*ends),
       along = constantIntsOf(*axes), by = constantIntsOf(*steps);
  if (!along || !by)
    return n.unsupported() << "axes or steps are computed from the model's "
                              "inputs; they must be constant";
  if (int64_t(along->size()) != count || int64_t(by->size()) != count ||
      (to && int64_t(to->size()) != count))
    return n.error() << "starts, ends, axes and steps have " << count
                     << " and other numbers of values; they must have equally "
                        "many";
  SmallVector<int64_t> shape(type.getShape()), largest(*largestShape(type));
  for (int64_t i = 0; i < count; ++i) {
    FailureOr<int64_t> axis = n.normalizeAxis((*along)[i], shape.size());
    if (failed(axis))
      return failure();
    (*along)[i] = *axis;
    std::optional<int64_t> start, end;
    if (from)
      start = (*from)[i];
    if (to)
      end = (*to)[i];
    if ((*by)[i] == 0)
      return n.error() << "steps[" << i << "] is 0, must not be";
    if (!ShapedType::isDynamic(shape[*axis]) && start && end) {
      SliceRange range(shape);
      range.narrow(*axis, *start, *end, (*by)[i]);
      shape[*axis] = largest[*axis] = range.sizes[*axis];
      continue;
    }
    largest[*axis] = mostOfSlice(largest[*axis], start, end, (*by)[i]);
    shape[*axis] = host::kUnknownSize;
  }
  for (int64_t &size : shape)
    size = ShapedType::isDynamic(size) ? host::kUnknownSize : size;
  Value order = n.intConstant(*along, {count});
  auto made =
      n.createHost("slice_range", {input, *starts, *ends, order, *steps},
                   boundedType(shape, largest, type.getElementType()), {});
  return failed(made) ? failure() : n.setOutput(0, made->front());
}

static LogicalResult importSlice(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  auto isComputed = [&](unsigned i) {
    Value list = n.opset < 10 ? Value() : n.optionalOperand(i);
    return list && !constantIntsOf(list);
  };
  if (succeeded(input) &&
      (isDataDependent(*input) || isComputed(1) || isComputed(2)))
    return sliceOfData(n, *input);
  FailureOr<SliceLists> lists = readSliceLists(n);
  if (failed(input) || failed(lists))
    return failure();
  SliceRange range(n.typeOf(*input).getShape());
  llvm::SmallDenseSet<int64_t> seen;
  for (size_t i = 0; i < lists->axes.size(); ++i) {
    FailureOr<int64_t> axis =
        n.normalizeAxis(lists->axes[i], range.sizes.size());
    if (failed(axis))
      return failure();
    if (lists->steps[i] == 0)
      return n.error() << "steps[" << i << "] is 0, must not be";
    if (!seen.insert(*axis).second)
      return n.error() << "axis " << *axis << " is named twice in axes";
    range.narrow(*axis, lists->starts[i], lists->ends[i], lists->steps[i]);
  }
  return n.setOutput(slice(n, *input, range));
}

/// Sizes of the parts of Split: an attribute before 13, then an operand;
/// without them equal parts (from 18 on `num_outputs`, the last part may be
/// smaller).
static FailureOr<SmallVector<int64_t>> splitSizes(NodeImporter &n,
                                                  int64_t size) {
  int64_t parts = n.node.outputs.size();
  if (n.opset < 13 && n.hasAttribute("split"))
    return n.intsAttribute("split", parts, 0, 0);
  if (n.opset >= 13 && n.optionalOperand(1))
    return n.constantInts(1, "split");
  FailureOr<int64_t> named = n.intAttribute("num_outputs", parts, 1);
  if (failed(named))
    return failure();
  if (*named != parts || parts == 0 || (n.opset < 18 && size % parts)) {
    n.error() << "the axis has the size " << size << " and there are " << parts
              << " outputs; it must divide evenly";
    return failure();
  }
  int64_t part = (size + parts - 1) / parts;
  SmallVector<int64_t> sizes(parts, part);
  sizes.back() = size - part * (parts - 1);
  return sizes;
}

/// Split-2..18.
static LogicalResult importSplit(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> axis = n.axisAttribute(0, shape.size());
  if (failed(axis))
    return failure();
  FailureOr<SmallVector<int64_t>> sizes = splitSizes(n, shape[*axis]);
  if (failed(sizes))
    return failure();
  if (sizes->size() != n.node.outputs.size())
    return n.error() << "split has " << sizes->size() << " sizes for "
                     << n.node.outputs.size() << " outputs";
  int64_t left = shape[*axis];
  for (int64_t size : *sizes) {
    if (size < 0 || size > left)
      return n.error() << "split has the sizes " << formatShape(*sizes)
                       << "; they must be >= 0 and add up to " << shape[*axis];
    left -= size;
  }
  if (left)
    return n.error() << "split has the sizes " << formatShape(*sizes)
                     << "; they must be >= 0 and add up to " << shape[*axis];
  int64_t start = 0;
  for (size_t i = 0; i < sizes->size(); ++i) {
    n.selectOutput(i);
    SliceRange range(shape);
    range.narrow(*axis, start, start + (*sizes)[i], 1);
    start += (*sizes)[i];
    if (!n.wantsOutput(i))
      continue;
    FailureOr<Value> part = slice(n, *input, range);
    if (failed(part))
      return failure();
    (void)n.setOutput(i, *part);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Expand, Tile, Pad
//===----------------------------------------------------------------------===//

/// Expand-8..13: numpy's broadcast of the input and the shape.
static LogicalResult importExpand(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<SmallVector<int64_t>> shape = n.constantInts(1, "the shape");
  if (failed(input) || failed(shape))
    return failure();
  ArrayRef<int64_t> own = n.typeOf(*input).getShape();
  auto result = top::broadcastShapes(own, *shape);
  if (!result)
    return n.error() << "the input has the shape " << formatShape(own)
                     << ", which cannot be repeated to " << formatShape(*shape)
                     << "; aligned at the last axis, sizes must be equal or 1";
  Compose c(n);
  return c.finish(c.expand(*input, *result));
}

/// The input `repeats` times along each axis: every axis gets one in front of
/// it, which is expanded.
static LogicalResult tile(NodeImporter &n, Value input,
                          ArrayRef<int64_t> repeats) {
  ArrayRef<int64_t> shape = n.typeOf(input).getShape();
  SmallVector<int64_t> split, repeated, result;
  for (auto [size, count] : llvm::zip(shape, repeats)) {
    if (count < 0)
      return n.error() << "repeats are " << formatShape(repeats)
                       << ", must be >= 0";
    llvm::append_values(split, int64_t(1), size);
    llvm::append_values(repeated, count, size);
    int64_t total;
    if (llvm::MulOverflow(count, size, total))
      return n.error() << "the result has more than " << kMaxElements
                       << " elements along one axis";
    result.push_back(total);
  }
  Compose c(n);
  return c.finish(
      c.reshape(c.expand(c.reshape(input, split), repeated), result));
}

/// Tile-6..13: one number an axis.
static LogicalResult importTile(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<SmallVector<int64_t>> repeats = n.constantInts(1, "repeats");
  if (failed(input) || failed(repeats))
    return failure();
  if (int64_t(repeats->size()) != n.typeOf(*input).getRank())
    return n.error() << "repeats has " << repeats->size()
                     << " values for a tensor of rank "
                     << n.typeOf(*input).getRank()
                     << "; there must be one for each axis";
  return tile(n, *input, *repeats);
}

/// Tile-1: one number for one axis.
static LogicalResult importTileAxis(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<double> count = n.constantNumber(1, "tiles"),
                    axisNumber = n.constantNumber(2, "axis");
  if (failed(input) || failed(count) || failed(axisNumber))
    return failure();
  int64_t rank = n.typeOf(*input).getRank();
  FailureOr<int64_t> axis = n.normalizeAxis(int64_t(*axisNumber), rank);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> repeats(rank, 1);
  repeats[*axis] = int64_t(*count);
  return tile(n, *input, repeats);
}

/// The pads of a Pad node as one list of begins and ends for all axes: an
/// attribute before 11, then an operand, from 18 on for some axes only.
static FailureOr<SmallVector<int64_t>> padsOf(NodeImporter &n, int64_t rank) {
  if (n.opset < 11)
    return n.intsAttribute(n.opset < 2 ? "paddings" : "pads", 2 * rank, 0);
  FailureOr<SmallVector<int64_t>> listed = n.constantInts(1, "pads");
  if (failed(listed))
    return failure();
  SmallVector<int64_t> axes(rank), pads(2 * rank, 0);
  std::iota(axes.begin(), axes.end(), 0);
  if (n.opset >= 18 && n.optionalOperand(3)) {
    FailureOr<SmallVector<int64_t>> given = n.constantInts(3, "axes");
    if (failed(given))
      return failure();
    axes.clear();
    for (int64_t axis : *given) {
      FailureOr<int64_t> normal = n.normalizeAxis(axis, rank);
      if (failed(normal))
        return failure();
      axes.push_back(*normal);
    }
  }
  size_t count = axes.size();
  if (listed->size() != 2 * count) {
    n.error() << "pads has " << listed->size() << " values for " << count
              << " axes; there must be two for each axis, all begins first";
    return failure();
  }
  for (size_t i = 0; i < count; ++i) {
    pads[axes[i]] = (*listed)[i];
    pads[rank + axes[i]] = (*listed)[count + i];
  }
  return pads;
}

/// What a Pad of mode constant puts around the input: an attribute before 11,
/// then an operand, which may be computed; 0 by default.
static FailureOr<Value> padValue(NodeImporter &n, Type element) {
  if (n.opset >= 11) {
    Value value = n.optionalOperand(2);
    if (!value)
      return n.scalar(0, element);
    if (n.typeOf(value).getNumElements() == 1 &&
        n.typeOf(value).getElementType() == element)
      return value;
    n.error() << "the padding value has the type " << n.typeOf(value)
              << ", must be one element of the type of the input";
    return failure();
  }
  FailureOr<double> value = n.floatAttribute("value", 0);
  if (failed(value))
    return failure();
  return n.scalar(*value, element);
}

/// Pad-1..25. Negative pads cut, before the others put values around.
static LogicalResult importPad(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<std::string> mode = n.wordAttribute(
      "mode", "constant", {"constant", "edge", "reflect", "wrap"});
  if (failed(input) || failed(mode))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  int64_t rank = type.getRank();
  FailureOr<SmallVector<int64_t>> pads = padsOf(n, rank);
  if (failed(pads))
    return failure();
  SmallVector<int64_t> starts(rank, 0), sizes(type.getShape()), ones(rank, 1),
      begins, ends;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t begin = (*pads)[axis], end = (*pads)[rank + axis];
    begins.push_back(std::max<int64_t>(begin, 0));
    ends.push_back(std::max<int64_t>(end, 0));
    int64_t cut = std::max<int64_t>(-begin, 0) + std::max<int64_t>(-end, 0);
    if (cut > sizes[axis] || begin < -kMaxElements || end < -kMaxElements)
      return n.error() << "pads cut " << cut << " values off axis " << axis
                       << ", which has the size " << sizes[axis];
    starts[axis] = sizes[axis] > cut ? std::max<int64_t>(-begin, 0) : 0;
    sizes[axis] -= cut;
  }
  Value value;
  if (*mode == "constant") {
    FailureOr<Value> given = padValue(n, type.getElementType());
    if (failed(given))
      return failure();
    value = *given;
  }
  Compose c(n);
  Value kept = c.slice(*input, starts, sizes, ones);
  if (!kept || (llvm::all_of(begins, [](int64_t pad) { return pad == 0; }) &&
                llvm::all_of(ends, [](int64_t pad) { return pad == 0; })))
    return c.finish(kept);
  return n.setOutput(
      n.create<top::PadOp>(kept, value, begins, ends, StringRef(*mode)));
}

void weft::onnx::registerMoveRows(OpRegistry &registry) {
  registry.add(
      "Move",
      {
          {"Concat", 4, kLastOpset, importConcat},
          {"Expand", 8, kLastOpset, importExpand, "constant shape"},
          {"Flatten", 1, kLastOpset, importFlatten},
          {"Pad", 1, kLastOpset, importPad, "constant pads"},
          {"Reshape", 5, kLastOpset, importReshape, "constant shape"},
          {"Slice", 1, kLastOpset, importSlice, "constant axes and steps"},
          {"Split", 2, kLastOpset, importSplit, "constant sizes"},
          {"Squeeze", 1, kLastOpset, importSqueeze, "constant axes"},
          {"Tile", 1, 5, importTileAxis, "constant repeats"},
          {"Tile", 6, kLastOpset, importTile, "constant repeats"},
          {"Transpose", 1, kLastOpset, importTranspose},
          {"Unsqueeze", 1, kLastOpset, importUnsqueeze, "constant axes"},
      });
}
