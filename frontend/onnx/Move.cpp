//===- Move.cpp - ONNX rows of the Move family ----------------------------===//

#include "dialects/top/Move.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"
#include <cstring>
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
    start = std::clamp<int64_t>(start, step > 0 ? 0 : 0,
                                std::max<int64_t>(high, 0));
    end = std::clamp<int64_t>(end, low, std::max<int64_t>(high, low));
    int64_t span = step > 0 ? end - start : start - end;
    int64_t stride = step > 0 ? step : -step;
    int64_t count = span > 0 && size > 0 ? (span + stride - 1) / stride : 0;
    starts[axis] = count ? start : 0;
    steps[axis] = count ? step : 1;
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

static LogicalResult importSlice(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
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
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  if (failed(input) || failed(attribute))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, shape.size());
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

/// Gather of a constant, byte by byte.
static LogicalResult gatherConstant(NodeImporter &n, Value input, int64_t axis,
                                    ArrayRef<int64_t> indices,
                                    ArrayRef<int64_t> resultShape) {
  RankedTensorType type = n.typeOf(input);
  std::optional<std::vector<char>> bytes = constantBytesOf(input);
  assert(bytes && "the caller has seen a constant");
  Tensor result;
  result.name = n.node.outputs.front();
  result.type = onnxTypeOf(type.getElementType());
  result.dims.assign(resultShape.begin(), resultShape.end());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t outer = *countElements(shape.take_front(axis));
  int64_t inner = *countElements(shape.drop_front(axis + 1)) *
                  int64_t(dataTypeBytes(result.type));
  auto gathered =
      std::make_shared<std::vector<char>>(outer * inner * indices.size() + 1);
  char *out = gathered->data();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t index : indices) {
      std::memcpy(out, bytes->data() + (o * shape[axis] + index) * inner,
                  inner);
      out += inner;
    }
  result.bytes = {gathered->data(), gathered->size() - 1};
  result.owner = gathered;
  return n.setOutput(
      0, n.constant(constantAttribute(result, n.builder.getContext())));
}

/// Gather-1..13 by constant indices: of a constant, or of indices that follow
/// each other at equal distance (a slice).
static LogicalResult importGather(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), indexOperand = n.operand(1);
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  if (failed(input) || failed(indexOperand) || failed(attribute))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, shape.size());
  if (failed(axis))
    return failure();
  auto indices = constantIntsOf(*indexOperand);
  if (!indices)
    return n.unsupported() << "Gather by indices that are not constant; fold "
                              "the model or use Slice";
  for (int64_t &index : *indices) {
    if (index < -shape[*axis] || index >= shape[*axis])
      return n.error() << "index " << index << " is outside of axis " << *axis
                       << ", which has the size " << shape[*axis];
    index += index < 0 ? shape[*axis] : 0;
  }
  SmallVector<int64_t> resultShape(shape.take_front(*axis));
  llvm::append_range(resultShape, n.typeOf(*indexOperand).getShape());
  llvm::append_range(resultShape, shape.drop_front(*axis + 1));
  if (!countElements(resultShape))
    return n.error() << "the result has the shape " << formatShape(resultShape)
                     << "; there may be at most " << kMaxElements
                     << " elements";
  if (constantBytesOf(*input))
    return gatherConstant(n, *input, *axis, *indices, resultShape);
  size_t count = indices->size();
  int64_t step = count > 1 ? (*indices)[1] - (*indices)[0] : 1;
  bool regular = count > 0 && step != 0;
  for (size_t i = 1; i < count; ++i)
    regular &= (*indices)[i] - (*indices)[i - 1] == step;
  if (!regular)
    return n.unsupported() << "Gather by indices that do not follow each other "
                              "at equal distance; use Slice and Concat";
  SliceRange range(shape);
  range.starts[*axis] = indices->front();
  range.steps[*axis] = step;
  range.sizes[*axis] = count;
  FailureOr<Value> part = slice(n, *input, range);
  if (failed(part))
    return failure();
  return n.setOutput(n.reshape(*part, resultShape));
}

void weft::onnx::registerMoveRows(OpRegistry &registry) {
  registry.add(
      "Move",
      {
          {"Concat", 4, kLastOpset, importConcat},
          {"Flatten", 1, kLastOpset, importFlatten},
          {"Gather", 1, kLastOpset, importGather,
           "constant indices; of a constant or at equal distance"},
          {"Reshape", 5, kLastOpset, importReshape, "constant shape"},
          {"Slice", 1, kLastOpset, importSlice, "constant ranges"},
          {"Split", 2, kLastOpset, importSplit, "constant sizes"},
          {"Squeeze", 1, kLastOpset, importSqueeze, "constant axes"},
          {"Transpose", 1, kLastOpset, importTranspose},
          {"Unsqueeze", 1, kLastOpset, importUnsqueeze, "constant axes"},
      });
}
