//===- Sequences.cpp - sequences and optionals ----------------------------===//
//
// A sequence is known by its tensors while the model is imported, an optional
// by whether it has a value; nothing of them is left in the bmodel.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Importer.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// The constant integer in operand `i`, `fallback` if it is left out; in
/// [-size, last], counted from the front.
static FailureOr<int64_t> position(StructureNode &s, unsigned i, int64_t size,
                                   int64_t last, int64_t fallback) {
  if (s.operand(i).isUnknown())
    return fallback;
  FailureOr<Value> value = s.tensor(i);
  if (failed(value))
    return failure();
  std::optional<SmallVector<int64_t>> constant = constantIntsOf(*value);
  if (!constant || constant->size() != 1) {
    s.n.unsupported() << "the position ('" << s.n.node.inputs[i]
                      << "') is computed from the model's inputs; it must be "
                         "constant, bind it with --bind";
    return failure();
  }
  int64_t at = constant->front();
  if (at >= -size && at <= last)
    return at < 0 ? at + size : at;
  s.n.error() << "the position is " << at << ", must be " << -size << " to "
              << last << " for a sequence of " << size << " tensors";
  return failure();
}

static LogicalResult importSequenceEmpty(StructureNode &s) {
  return s.setOutput(Entity::sequence({}));
}

static LogicalResult importSequenceConstruct(StructureNode &s) {
  std::vector<Value> items;
  for (unsigned i = 0; i < s.operands.size(); ++i) {
    FailureOr<Value> item = s.tensor(i);
    if (failed(item))
      return failure();
    items.push_back(*item);
  }
  return s.setOutput(Entity::sequence(std::move(items)));
}

static LogicalResult importSequenceAt(StructureNode &s) {
  auto items = s.sequence(0);
  if (failed(items))
    return failure();
  int64_t size = items->size();
  FailureOr<int64_t> at = position(s, 1, size, size - 1, 0);
  return failed(at) ? failure() : s.setOutput((*items)[*at]);
}

static LogicalResult importSequenceInsert(StructureNode &s) {
  auto items = s.sequence(0);
  FailureOr<Value> item = s.tensor(1);
  if (failed(items) || failed(item))
    return failure();
  int64_t size = items->size();
  FailureOr<int64_t> at = position(s, 2, size, size, size);
  if (failed(at))
    return failure();
  items->insert(items->begin() + *at, *item);
  return s.setOutput(Entity::sequence(std::move(*items)));
}

static LogicalResult importSequenceErase(StructureNode &s) {
  auto items = s.sequence(0);
  if (failed(items))
    return failure();
  int64_t size = items->size();
  FailureOr<int64_t> at = position(s, 1, size, size - 1, size - 1);
  if (failed(at))
    return failure();
  if (items->empty())
    return s.n.error() << "the sequence is empty; nothing can be erased";
  items->erase(items->begin() + *at);
  return s.setOutput(Entity::sequence(std::move(*items)));
}

static LogicalResult importSequenceLength(StructureNode &s) {
  auto items = s.sequence(0);
  if (failed(items))
    return failure();
  return s.setOutput(s.n.intConstant(int64_t(items->size()), {}));
}

static LogicalResult importConcatFromSequence(StructureNode &s) {
  auto items = s.sequence(0);
  FailureOr<int64_t> axis = s.n.intAttribute("axis", 0);
  FailureOr<bool> newAxis = s.n.flagAttribute("new_axis", false);
  if (failed(items) || failed(axis) || failed(newAxis))
    return failure();
  if (items->empty())
    return s.n.error() << "the sequence is empty; it must have a tensor";
  Compose c(s.n);
  int64_t rank = c.shapeOf(items->front()).size();
  FailureOr<int64_t> at = s.n.normalizeAxis(*axis, rank + *newAxis);
  if (failed(at))
    return failure();
  SmallVector<Value> parts;
  for (Value item : *items) {
    SmallVector<int64_t> shape(c.shapeOf(item));
    if (*newAxis && int64_t(shape.size()) == rank)
      shape.insert(shape.begin() + *at, 1);
    parts.push_back(c.reshape(item, shape));
  }
  Value result = c.concat(parts, *at);
  return result ? s.setOutput(result) : failure();
}

/// The sizes of the parts of SplitToSequence; `keeps` whether parts of size 1
/// keep the axis.
static FailureOr<SmallVector<int64_t>> partSizes(StructureNode &s, int64_t size,
                                                 bool &keeps) {
  FailureOr<bool> keepDims = s.n.flagAttribute("keepdims", true);
  if (failed(keepDims))
    return failure();
  if (s.operand(1).isUnknown()) {
    keeps = *keepDims;
    if (failed(s.n.checkParts(size, "parts")))
      return failure();
    return SmallVector<int64_t>(size, 1);
  }
  keeps = true;
  FailureOr<SmallVector<int64_t>> given = s.n.constantInts(1, "the split");
  if (failed(given))
    return failure();
  SmallVector<int64_t> sizes = *given;
  bool isScalar = s.n.typeOf(s.operand(1).value).getRank() == 0;
  if (isScalar && sizes.front() > 0) {
    int64_t part = sizes.front();
    if (failed(s.n.checkParts(size / part, "parts")))
      return failure();
    sizes.assign(size / part, part);
    if (size % part)
      sizes.push_back(size % part);
  }
  int64_t total = 0;
  bool negative = false;
  for (int64_t part : sizes) {
    total += part;
    negative |= part < (isScalar ? 1 : 0);
  }
  if (!negative && total == size)
    return sizes;
  s.n.error() << "the split adds up to " << total << ", the axis has " << size
              << " elements; sizes must be >= 0 and add up to it";
  return failure();
}

static LogicalResult importSplitToSequence(StructureNode &s) {
  FailureOr<Value> input = s.tensor(0);
  FailureOr<int64_t> axis = s.n.intAttribute("axis", 0);
  if (failed(input) || failed(axis))
    return failure();
  Compose c(s.n);
  SmallVector<int64_t> shape(c.shapeOf(*input));
  FailureOr<int64_t> at = s.n.normalizeAxis(*axis, shape.size());
  if (failed(at))
    return failure();
  bool keeps = true;
  auto sizes = partSizes(s, shape[*at], keeps);
  if (failed(sizes))
    return failure();
  std::vector<Value> items;
  int64_t start = 0;
  for (int64_t size : *sizes) {
    Value part = c.sliceAxis(*input, *at, start, size);
    if (!keeps) {
      SmallVector<int64_t> without(shape);
      without.erase(without.begin() + *at);
      part = c.reshape(part, without);
    }
    if (!part)
      return failure();
    items.push_back(part);
    start += size;
  }
  return s.setOutput(Entity::sequence(std::move(items)));
}

/// SequenceMap-17..: the body on each tensor of the first sequence.
static LogicalResult importSequenceMap(StructureNode &s) {
  FailureOr<const Graph *> body = s.graph("body");
  auto items = s.sequence(0);
  if (failed(body) || failed(items))
    return failure();
  std::vector<std::vector<Value>> results((*body)->outputs.size());
  for (size_t i = 0; i < items->size(); ++i) {
    std::vector<Entity> inputs = {(*items)[i]};
    for (unsigned k = 1; k < s.operands.size(); ++k) {
      const Entity &other = s.operands[k];
      if (!other.isSequence()) {
        inputs.push_back(other);
      } else if (other.items.size() == items->size()) {
        inputs.push_back(other.items[i]);
      } else {
        return s.n.error() << "input " << k << " is " << describe(other)
                           << "; it must have " << items->size()
                           << " tensors, as the first";
      }
    }
    auto outputs = s.importGraph(**body, inputs, "body/" + std::to_string(i));
    if (failed(outputs))
      return failure();
    for (size_t k = 0; k < outputs->size(); ++k) {
      if (!(*outputs)[k].isTensor())
        return s.n.error() << "output " << k
                           << " of the body is a sequence or optional; it must "
                              "be a tensor";
      results[k].push_back((*outputs)[k].value);
    }
  }
  for (std::vector<Value> &list : results)
    (void)s.setOutput(Entity::sequence(std::move(list)));
  return success();
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static bool hasValue(const Entity &optional) {
  return !optional.isUnknown() && !optional.isNothing();
}

static LogicalResult importOptional(StructureNode &s) {
  Entity value = s.operand(0);
  return s.setOutput(value.isUnknown() ? Entity::nothing() : value);
}

static LogicalResult importOptionalGetElement(StructureNode &s) {
  Entity value = s.operand(0);
  if (hasValue(value))
    return s.setOutput(value);
  return s.n.error() << "the optional has no value; test it with "
                        "OptionalHasElement before";
}

static LogicalResult importOptionalHasElement(StructureNode &s) {
  Entity value = s.operand(0);
  return s.setOutput(s.n.scalar(hasValue(value), s.n.builder.getI1Type()));
}

static OpRow structureRow(StringRef name, int64_t first,
                          StructureFunction function, StringRef limits = "") {
  OpRow row{name, first, kLastOpset, nullptr, limits};
  row.structure = function;
  return row;
}

void weft::onnx::registerSequencesRows(OpRegistry &registry) {
  constexpr StringRef kConstant = "constant positions and sizes";
  registry.add(
      "Sequences",
      {
          structureRow("SequenceEmpty", 11, importSequenceEmpty),
          structureRow("SequenceConstruct", 11, importSequenceConstruct),
          structureRow("SequenceAt", 11, importSequenceAt, kConstant),
          structureRow("SequenceInsert", 11, importSequenceInsert, kConstant),
          structureRow("SequenceErase", 11, importSequenceErase, kConstant),
          structureRow("SequenceLength", 11, importSequenceLength),
          structureRow("ConcatFromSequence", 11, importConcatFromSequence),
          structureRow("SplitToSequence", 11, importSplitToSequence, kConstant),
          structureRow("SequenceMap", 17, importSequenceMap),
          structureRow("Optional", 15, importOptional),
          structureRow("OptionalGetElement", 15, importOptionalGetElement),
          structureRow("OptionalHasElement", 15, importOptionalHasElement),
      });
}
