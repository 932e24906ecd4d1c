#include "runtime/device/StageChoice.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <set>

namespace weft::rt {

using numeric::shapeText;

int64_t batchSize(const StageSpec &stage) {
  for (const TensorSpec &tensor : stage.inputs)
    if (tensor.batchAxis >= 0)
      return tensor.shape[tensor.batchAxis];
  return 0;
}

std::vector<int64_t> shapeFor(const TensorSpec &tensor, int64_t entries) {
  std::vector<int64_t> shape = tensor.shape;
  if (tensor.batchAxis >= 0 && entries != 0)
    shape[tensor.batchAxis] = entries;
  return shape;
}

/// Whether `tensor` takes `shape`; `entries` becomes the size along the batch
/// axis, which all inputs must agree on (0: none has said yet).
static bool holds(const TensorSpec &tensor, const std::vector<int64_t> &shape,
                  int64_t &entries) {
  if (tensor.batchAxis < 0 || shape.size() != tensor.shape.size())
    return shape == tensor.shape;
  int64_t given = shape[tensor.batchAxis];
  if (given < 1 || given > tensor.shape[tensor.batchAxis] ||
      shape != shapeFor(tensor, given) || (entries != 0 && entries != given))
    return false;
  entries = given;
  return true;
}

static bool holdsAll(const StageSpec &stage,
                     const std::vector<std::vector<int64_t>> &shapes,
                     int64_t &entries) {
  for (size_t i = 0; i < shapes.size(); ++i)
    if (!holds(stage.inputs[i], shapes[i], entries))
      return false;
  return true;
}

/// Sizes of one axis: "3", "1..8", "64..640:64" or "1|2|4".
static std::string sizesText(const std::set<int64_t> &sizes, bool isBatch) {
  std::string first = std::to_string(*sizes.begin());
  std::string last = std::to_string(*sizes.rbegin());
  if (isBatch)
    return last == "1" ? "1" : "1.." + last;
  if (sizes.size() > 2) {
    int64_t step = *std::next(sizes.begin()) - *sizes.begin();
    bool isEven =
        *sizes.rbegin() - *sizes.begin() == step * (int64_t(sizes.size()) - 1);
    for (auto at = std::next(sizes.begin()); at != sizes.end(); ++at)
      isEven &= *at - *std::prev(at) == step;
    if (isEven)
      return "(" + first + ".." + last +
             (step == 1 ? "" : ":" + std::to_string(step)) + ")";
  }
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "|") + std::to_string(size);
  return sizes.size() == 1 ? text : "(" + text + ")";
}

/// allowedShapes(), of strings with or without their bytes.
static std::string sizesOf(const NetSpec &net, size_t index, bool showsBytes) {
  const TensorSpec &first = net.stages[0].inputs[index];
  size_t rank = first.shape.size() - (first.isText && !showsBytes);
  std::string text, names;
  bool isNamed = false;
  for (size_t axis = 0; axis < rank; ++axis) {
    std::set<int64_t> sizes;
    bool isBatch = true;
    for (const StageSpec &stage : net.stages) {
      const TensorSpec &tensor = stage.inputs[index];
      if (axis < tensor.shape.size())
        sizes.insert(tensor.shape[axis]);
      isBatch &= tensor.batchAxis == int(axis);
    }
    std::string symbol =
        axis < first.symbols.size() ? first.symbols[axis] : std::string();
    std::string size = sizesText(sizes, isBatch);
    isNamed |= !symbol.empty();
    text += (axis ? "x" : "") + size;
    names += (axis ? "x" : "") + (symbol.empty() ? size : symbol);
  }
  if (rank == 0)
    return shapeText({});
  return isNamed ? text + " (" + names + ")" : text;
}

std::string allowedShapes(const NetSpec &net, size_t index) {
  return sizesOf(net, index, /*showsBytes=*/true);
}

/// Whether `shape` ends with the bytes that a stage has of strings.
static bool hasBytes(const NetSpec &net, size_t index,
                     const std::vector<int64_t> &shape) {
  return net.stages[0].inputs[index].isText && !shape.empty() &&
         std::any_of(net.stages.begin(), net.stages.end(),
                     [&](const StageSpec &stage) {
                       return stage.inputs[index].shape.back() == shape.back();
                     });
}

static Status misshapen(const NetSpec &net,
                        const std::vector<std::vector<int64_t>> &shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    bool fits = std::any_of(net.stages.begin(), net.stages.end(),
                            [&](const StageSpec &stage) {
                              int64_t entries = 0;
                              return holds(stage.inputs[i], shapes[i], entries);
                            });
    if (fits)
      continue;
    // The bytes of strings are no size that people give.
    bool showsBytes = !hasBytes(net, i, shapes[i]);
    std::vector<int64_t> shape = shapes[i];
    if (!showsBytes)
      shape.pop_back();
    return fail(Code::ShapeMismatch,
                "input " + quoteName(net.stages[0].inputs[i].name) + " is " +
                    shapeText(shape) + ", net " + quoteName(net.name) +
                    " expects " + sizesOf(net, i, showsBytes));
  }
  std::string text;
  for (size_t i = 0; i < shapes.size(); ++i)
    text += (i ? ", " : "") + quoteName(net.stages[0].inputs[i].name) + " " +
            shapeText(shapes[i]);
  return fail(Code::ShapeMismatch,
              "no stage of net " + quoteName(net.name) +
                  " takes inputs of these shapes together: " + text);
}

Result<StageChoice>
chooseStage(const NetSpec &net,
            const std::vector<std::vector<int64_t>> &shapes) {
  assert(shapes.size() == net.stages[0].inputs.size());
  bool found = false;
  StageChoice choice;
  for (size_t i = 0; i < net.stages.size(); ++i) {
    const StageSpec &stage = net.stages[i];
    int64_t entries = 0;
    if (!holdsAll(stage, shapes, entries))
      continue;
    int64_t size = batchSize(stage);
    if (entries == size) {
      choice = {i, 0};
      return choice;
    }
    // Only the batch can differ between the stages that hold the inputs.
    if (!found || size < batchSize(net.stages[choice.stage]))
      choice = {i, entries};
    found = true;
  }
  if (!found)
    return misshapen(net, shapes);
  return choice;
}

namespace {
/// A tensor as rows: `rows` times an axis of `size` entries of `bytes` bytes.
struct Rows {
  size_t rows = 1, size = 1, bytes = 0;

  Rows(const TensorSpec &tensor, size_t elementBytes) : bytes(elementBytes) {
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      size_t dim = size_t(tensor.shape[axis]);
      (int(axis) < tensor.batchAxis    ? rows
       : int(axis) == tensor.batchAxis ? size
                                       : bytes) *= dim;
    }
  }
};
} // namespace

void padBatch(const TensorSpec &tensor, size_t elementBytes, int64_t entries,
              const uint8_t *given, uint8_t *full) {
  Rows layout(tensor, elementBytes);
  size_t kept = size_t(entries) * layout.bytes;
  size_t all = layout.size * layout.bytes;
  for (size_t row = 0; row < layout.rows; ++row) {
    std::memcpy(full + row * all, given + row * kept, kept);
    std::memset(full + row * all + kept, 0, all - kept);
  }
}

void cropBatch(const TensorSpec &tensor, int64_t entries, const uint8_t *full,
               uint8_t *cropped) {
  Rows layout(tensor, numeric::elementBytes(tensor.type));
  size_t kept = size_t(entries) * layout.bytes;
  size_t all = layout.size * layout.bytes;
  for (size_t row = 0; row < layout.rows; ++row)
    std::memcpy(cropped + row * kept, full + row * all, kept);
}

} // namespace weft::rt
