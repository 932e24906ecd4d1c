//===- BatchAxis.cpp - is a graph independent along its batch? ------------===//

#include "passes/top/BatchAxis.h"
#include "dialects/top/Top.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace weft;
using namespace weft::top;

/// "may mix": no axis of the result holds the batch.
constexpr int kMixed = -2;

static ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

static std::optional<int64_t> intOf(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? std::optional(attribute.getInt()) : std::nullopt;
}

static ArrayRef<int64_t> intsOf(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return attribute ? attribute.asArrayRef() : ArrayRef<int64_t>();
}

namespace {
/// One op: its operands' axes, -1 where they do not depend on the batch.
struct Case {
  Operation *op;
  SmallVector<int> axes;

  int first() const { return axes.empty() ? -1 : axes.front(); }
  ArrayRef<int64_t> input(unsigned i = 0) const {
    return shapeOf(op->getOperand(i));
  }
  ArrayRef<int64_t> output() const { return shapeOf(op->getResult(0)); }
  /// Operands after the first are weights.
  bool onlyFirst() const {
    return llvm::all_of(llvm::drop_begin(axes), [](int a) { return a < 0; });
  }
};
} // namespace

/// Numpy broadcasting: every operand has the batch at the same axis of the
/// result, or one size for all there.
static int broadcastAxis(const Case &c) {
  int rank = c.output().size(), found = -1;
  for (auto [i, axis] : llvm::enumerate(c.axes))
    if (axis >= 0) {
      int aligned = axis + rank - int(c.input(i).size());
      if (found >= 0 && aligned != found)
        return kMixed;
      found = aligned;
    }
  for (auto [i, axis] : llvm::enumerate(c.axes)) {
    int own = found - rank + int(c.input(i).size());
    if (axis < 0 && own >= 0 && c.input(i)[own] != 1)
      return kMixed;
  }
  return found;
}

/// Windows slide over the spatial axes, channels are summed.
static int windowAxis(const Case &c) {
  return c.onlyFirst() && c.first() == 0 ? 0 : kMixed;
}

/// Rows of the left operand, columns of the right one, or a batch of matrices.
static int matmulAxis(const Case &c) {
  int left = c.axes[0], right = c.axes[1];
  int leftRank = c.input(0).size(), rightRank = c.input(1).size();
  int rank = c.output().size();
  if (leftRank < 2 || rightRank < 2)
    return kMixed;
  if (right < 0 && left == leftRank - 2)
    return rank - 2;
  if (left < 0 && right == rightRank - 1)
    return rank - 1;
  if (left >= leftRank - 2 || right >= rightRank - 2)
    return kMixed;
  return broadcastAxis(c);
}

static int softmaxAxis(const Case &c) {
  std::optional<int64_t> axis = intOf(c.op, "axis");
  return axis && *axis != c.first() ? c.first() : kMixed;
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

/// The batch stays an axis of its own with as many rows before it.
static int reshapeAxis(const Case &c) {
  int64_t before = product(c.input().take_front(c.first()));
  int64_t size = c.input()[c.first()];
  for (size_t axis = 0; axis < c.output().size(); ++axis)
    if (c.output()[axis] == size &&
        product(c.output().take_front(axis)) == before)
      return int(axis);
  return kMixed;
}

static int transposeAxis(const Case &c) {
  for (auto [axis, from] : llvm::enumerate(intsOf(c.op, "perm")))
    if (from == c.first())
      return int(axis);
  return kMixed;
}

/// The whole batch, in order.
static int sliceAxis(const Case &c) {
  ArrayRef<int64_t> starts = intsOf(c.op, "starts");
  ArrayRef<int64_t> steps = intsOf(c.op, "steps");
  size_t axis = c.first();
  bool whole = axis < starts.size() && axis < steps.size() &&
               starts[axis] == 0 && steps[axis] == 1 &&
               c.output()[axis] == c.input()[axis];
  return whole ? int(axis) : kMixed;
}

static int concatAxis(const Case &c) {
  std::optional<int64_t> axis = intOf(c.op, "axis");
  bool same = llvm::all_equal(c.axes);
  return axis && same && *axis != c.first() ? c.first() : kMixed;
}

/// Reductions over other axes, which stay as ones or go.
static int reduceAxis(const Case &c) {
  ArrayRef<int64_t> axes = intsOf(c.op, "axes");
  if (!c.onlyFirst() || llvm::is_contained(axes, int64_t(c.first())) ||
      axes.empty())
    return kMixed;
  if (c.output().size() == c.input().size())
    return c.first();
  return c.first() -
         llvm::count_if(axes, [&](int64_t axis) { return axis < c.first(); });
}

using Rule = int (*)(const Case &);

static const llvm::StringMap<Rule> &rules() {
  static const llvm::StringMap<Rule> table = {
      {"top.unary", broadcastAxis},     {"top.binary", broadcastAxis},
      {"top.cast", broadcastAxis},      {"top.select", broadcastAxis},
      {"top.conv", windowAxis},         {"top.pool", windowAxis},
      {"top.batch_norm", windowAxis},   {"top.matmul", matmulAxis},
      {"top.softmax", softmaxAxis},     {"top.reshape", reshapeAxis},
      {"top.transpose", transposeAxis}, {"top.slice", sliceAxis},
      {"top.concat", concatAxis},       {"top.reduce", reduceAxis},
  };
  return table;
}

static std::string nameOf(Operation *op) {
  std::string text = "an operation";
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    text = "node '" + name.getName().str() + "'";
  return text + " (" + op->getName().getStringRef().str() + ")";
}

std::optional<BatchAxes> top::findBatchAxes(func::FuncOp main,
                                            const std::vector<bool> &isBatched,
                                            std::string &obstacle) {
  llvm::DenseMap<Value, int> axisOf;
  BatchAxes axes;
  auto set = [&](Value value, int axis) {
    axisOf[value] = axis;
    axes.push_back(axis);
  };
  for (BlockArgument argument : main.getArguments())
    set(argument, isBatched[argument.getArgNumber()] ? 0 : -1);
  for (Operation &op : main.getBody().front().without_terminator()) {
    Case c{&op, {}};
    for (Value operand : op.getOperands())
      c.axes.push_back(axisOf.lookup(operand));
    int axis = -1;
    if (llvm::any_of(c.axes, [](int a) { return a >= 0; })) {
      auto rule = rules().find(op.getName().getStringRef());
      axis = rule == rules().end() || op.getNumResults() != 1 ? kMixed
                                                              : rule->second(c);
    }
    if (axis == kMixed) {
      obstacle = nameOf(&op) + " may mix the entries of the batch";
      return std::nullopt;
    }
    for (Value result : op.getResults())
      set(result, axis);
  }
  for (Value result : main.getBody().front().getTerminator()->getOperands())
    if (axisOf.lookup(result) < 0) {
      obstacle = "an output does not depend on the batch";
      return std::nullopt;
    }
  return axes;
}

std::vector<int> top::resultAxes(func::FuncOp main, const BatchAxes &axes) {
  llvm::DenseMap<Value, int> axisOf;
  size_t next = 0;
  for (BlockArgument argument : main.getArguments())
    axisOf[argument] = axes[next++];
  for (Operation &op : main.getBody().front().without_terminator())
    for (Value result : op.getResults())
      axisOf[result] = axes[next++];
  std::vector<int> results;
  for (Value result : main.getBody().front().getTerminator()->getOperands())
    results.push_back(axisOf.lookup(result));
  return results;
}

namespace {
class GraphHash {
public:
  void add(StringRef text) {
    number = llvm::xxh3_64bits(text) ^ (number * 0x9E3779B97F4A7C15u + 1);
  }
  void add(int64_t value) {
    add(StringRef(reinterpret_cast<const char *>(&value), sizeof value));
  }
  void add(Attribute attribute) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
      add(StringRef(dense.getRawData().data(), dense.getRawData().size()));
      return add(int64_t(dense.isSplat()));
    }
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        add(StringRef(blob->getData().data(), blob->getData().size()));
      return;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    attribute.print(stream);
    add(StringRef(text));
  }
  /// False if the size along `axis` is not the batch.
  bool add(Type type, int axis, int64_t batch) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return false;
    add(TypeAttr::get(tensor.getElementType()));
    add(tensor.getRank());
    for (auto [i, size] : llvm::enumerate(tensor.getShape())) {
      if (int(i) == axis && size != batch)
        return false;
      add(int(i) == axis ? int64_t(-1) : size);
    }
    return true;
  }
  uint64_t value() const { return number; }

private:
  uint64_t number = 0;
};
} // namespace

std::optional<uint64_t> top::graphDigest(func::FuncOp main,
                                         const BatchAxes &axes, int64_t batch) {
  GraphHash hash;
  llvm::DenseMap<Value, int64_t> numbers;
  size_t next = 0;
  auto define = [&](Value value) {
    numbers[value] = next;
    return next < axes.size() && hash.add(value.getType(), axes[next++], batch);
  };
  for (BlockArgument argument : main.getArguments())
    if (!define(argument))
      return std::nullopt;
  for (Operation &op : main.getBody().front()) {
    hash.add(op.getName().getStringRef());
    for (Value operand : op.getOperands())
      hash.add(numbers.lookup(operand));
    for (NamedAttribute attribute : op.getAttrs())
      if (attribute.getName() != kValueAttr) {
        hash.add(attribute.getName().getValue());
        hash.add(attribute.getValue());
      }
    for (Value result : op.getResults())
      if (!define(result))
        return std::nullopt;
  }
  return next == axes.size() ? std::optional(hash.value()) : std::nullopt;
}
