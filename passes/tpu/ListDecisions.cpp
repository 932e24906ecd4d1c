//===- ListDecisions.cpp - --tpu-list-decisions ---------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPULISTDECISIONS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// Who reads the bytes of a value, under its own shape or another.
struct DramReaders {
  llvm::SetVector<Operation *> steps;
  bool isOutput = false;          ///< of the net, or a part of one
  Operation *reshaping = nullptr; ///< to a shape that no group has
  StringAttr name;                ///< of the value under another shape
};

struct ListDecisions : weft::tpu::impl::TpuListDecisionsBase<ListDecisions> {
  void runOnOperation() override;

private:
  void collectAddresses();
  int64_t bytesWritten(Operation &op);
  void addStep(Operation &op);
  void addValue(Value value, Operation *maker, int64_t bytes);
  void findReaders(Value value, DramReaders &readers);
  CauseAttr borderOf(Operation *op) const;

  DenseMap<Value, int64_t> addresses; ///< of values in DRAM
  DenseMap<Operation *, int64_t> stepOf;
  SmallVector<StepAttr> steps;
  SmallVector<DramValueAttr> values;
};
} // namespace

/// The type of what lies in memory, integers with their sign.
static RankedTensorType storedTypeOf(Value value) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  bool isUnsigned = element.isUnsignedInteger() ||
                    (isQuantized(value) && !elementIsSigned(value));
  if (isQuantized(value) || element.isIntOrIndex())
    element = IntegerType::get(value.getContext(), elementBits(element),
                               isUnsigned ? IntegerType::Unsigned
                                          : IntegerType::Signed);
  return type.clone(element);
}

void ListDecisions::collectAddresses() {
  func::FuncOp func = getOperation();
  auto note = [&](Value value, Attribute address) {
    if (auto number = llvm::dyn_cast_or_null<IntegerAttr>(address))
      addresses[value] = number.getInt();
  };
  for (BlockArgument argument : func.getArguments())
    note(argument, func.getArgAttr(argument.getArgNumber(), kAddressAttr));
  for (Operation &op : func.getBody().front()) {
    std::optional<ArrayRef<int64_t>> list;
    if (auto group = llvm::dyn_cast<GroupOp>(op))
      list = group.getAddresses();
    else if (auto custom = llvm::dyn_cast<CustomOp>(op))
      list = custom.getAddresses();
    else if (op.getNumResults() == 1)
      note(op.getResult(0), op.getAttr(kAddressAttr));
    if (list)
      for (auto [result, address] : llvm::zip(op.getResults(), *list))
        addresses[result] = address;
  }
}

/// What commands write for the results of an op outside of groups: nothing
/// where an address does.
int64_t ListDecisions::bytesWritten(Operation &op) {
  if (llvm::isa<ReshapeOp>(op))
    return 0;
  auto placeOf = [&](Value value) { return addresses.lookup(value); };
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    int64_t inside = placeOf(slice.getOutput()) - placeOf(slice.getInput());
    bool isPart = inside >= 0 && inside < tensorBytes(slice.getInput());
    return isPart ? 0 : tensorBytes(slice.getOutput());
  }
  auto concat = llvm::dyn_cast<ConcatOp>(op);
  if (!concat)
    return tensorBytes(op.getResult(0));
  int64_t bytes = 0, begin = 0;
  for (Value input : concat.getInputs()) {
    int64_t offset = pieceOffset(concat.getOutput(), concat.getAxis(), begin);
    begin += dimsOf(input)[concat.getAxis()];
    if (offset < 0 || placeOf(input) != placeOf(concat.getOutput()) + offset)
      bytes += tensorBytes(input);
  }
  return bytes;
}

/// The ops of a group; `op` itself outside of one.
static SmallVector<Operation *> opsOfStep(Operation &op) {
  auto group = llvm::dyn_cast<GroupOp>(op);
  if (!group)
    return {&op};
  SmallVector<Operation *> ops;
  for (Operation &inner : group.getBody().front().without_terminator())
    if (!llvm::isa<WeightOp>(inner))
      ops.push_back(&inner);
  return ops;
}

namespace {
/// What no slices and no places spare a group.
struct LeastWork {
  int64_t computing = 0, constantBytes = 0, valueBytes = 0;
};
} // namespace

/// Slices compute and load at least what they share, and rows of EUs are filled
/// best at once. All zero for null, an op outside of groups.
static LeastWork leastWorkOf(GroupOp group, ArrayRef<Operation *> ops) {
  LeastWork least;
  const Chip *chip =
      group ? chipOf(group->getParentOfType<func::FuncOp>()) : nullptr;
  if (!chip)
    return least;
  DenseSet<Value> constants;
  for (Operation *op : ops) {
    // Transfers do turns, and bands at the border.
    if (asTileable(op) && !llvm::isa<ToBandsOp, FromBandsOp>(op))
      if (auto price = priceOf(op, *chip, Box::whole(dimsOf(op->getResult(0)))))
        least.computing += price->cycles;
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp<WeightOp>() && constants.insert(operand).second)
        least.constantBytes += tensorBytes(operand);
  }
  for (auto [number, input] : llvm::enumerate(group.getInputs()))
    least.valueBytes += group.keeps(number) ? 0 : tensorBytes(input);
  for (auto [number, output] : llvm::enumerate(group.getOutputs()))
    least.valueBytes += group.stores(number) ? tensorBytes(output) : 0;
  return least;
}

void ListDecisions::addStep(Operation &op) {
  SmallVector<Operation *> ops = opsOfStep(op);
  auto group = llvm::dyn_cast<GroupOp>(op);
  Tiling tiling = group ? group.tilingOrWhole() : Tiling();
  LocationAttr first = originOf(ops.empty() ? &op : ops.front()),
               last = originOf(ops.empty() ? &op : ops.back());
  auto cycles = op.getAttrOfType<IntegerAttr>(kCyclesAttr);
  LeastWork least = leastWorkOf(group, ops);
  stepOf[&op] = static_cast<int64_t>(steps.size());
  steps.push_back(StepAttr::get(
      &getContext(),
      StringAttr::get(&getContext(), op.getName().stripDialect()),
      group ? ops.size() : 0, first, last, tiling.counts, tiling.isStreamed,
      cycles ? cycles.getInt() : 0, least.computing, least.constantBytes,
      least.valueBytes, borderOf(&op)));
}

CauseAttr ListDecisions::borderOf(Operation *op) const {
  return op->getAttrOfType<CauseAttr>(kBorderAttr);
}

/// The name of the ONNX value that result `number` of `op` is; null if none.
static StringAttr valueName(Operation *op, unsigned number) {
  Attribute names = op->getAttr(kValueAttr);
  if (auto list = llvm::dyn_cast_or_null<ArrayAttr>(names))
    names = number < list.size() ? list[number] : Attribute();
  return llvm::dyn_cast_or_null<StringAttr>(names);
}

void ListDecisions::findReaders(Value value, DramReaders &readers) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto group = llvm::dyn_cast<GroupOp>(user);
    if (group && group.keeps(use.getOperandNumber()))
      continue; // reads it in local memory
    if (user->hasTrait<OpTrait::IsTerminator>()) {
      readers.isOutput = true;
    } else if (stepOf.count(user)) {
      readers.steps.insert(user);
    } else { // an address
      if (llvm::isa<ReshapeOp>(user) && !readers.name)
        readers.name = valueName(user, 0);
      if (llvm::isa<ReshapeOp>(user) && !asTileable(user))
        readers.reshaping = user;
      findReaders(user->getResult(0), readers);
    }
  }
}

/// An op that works on whole tensors because it has no other form.
static bool worksInDram(Operation *op) {
  return !llvm::isa<GroupOp>(op) && !asTileable(op);
}

void ListDecisions::addValue(Value value, Operation *step, int64_t bytes) {
  DramReaders readers;
  findReaders(value, readers);
  if (readers.steps.empty())
    return; // an output of the net and nothing else
  auto result = llvm::cast<OpResult>(value);
  if (auto group = llvm::dyn_cast<GroupOp>(step)) {
    Value yielded = group.getBody().front().getTerminator()->getOperand(
        result.getResultNumber());
    result = llvm::dyn_cast<OpResult>(yielded);
  }
  Operation *maker = result ? result.getOwner() : step;
  StringAttr name = valueName(maker, result ? result.getResultNumber() : 0);
  if (!name)
    name = readers.name ? readers.name : StringAttr::get(&getContext());
  SmallVector<int64_t> numbers;
  for (Operation *reader : readers.steps)
    numbers.push_back(stepOf.lookup(reader));
  llvm::sort(numbers);
  Operation *const *inDram = llvm::find_if(readers.steps, worksInDram);
  auto reason = rt::DramReason::Border;
  CauseAttr cause = borderOf(step);
  if (worksInDram(step)) {
    reason = rt::DramReason::Maker;
    cause = causeInDram(step);
  } else if (readers.isOutput) {
    reason = rt::DramReason::Output;
    cause = {};
  } else if (inDram != readers.steps.end() || readers.reshaping) {
    reason = rt::DramReason::Reader;
    // Such a reader would not be in a group under the old shape either.
    cause = causeInDram(inDram != readers.steps.end() ? *inDram
                                                      : readers.reshaping);
  } else if (numbers.front() > stepOf.lookup(step) + 1) {
    reason = rt::DramReason::Later;
  }
  values.push_back(DramValueAttr::get(&getContext(), name, storedTypeOf(value),
                                      bytes, stepOf.lookup(step),
                                      originOf(maker), numbers, reason, cause));
}

/// All choices, those about the whole function first.
static SmallVector<ChoiceAttr> choicesIn(func::FuncOp func) {
  SmallVector<ChoiceAttr> choices;
  func->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto list = op->getAttrOfType<ArrayAttr>(kChoicesAttr))
      llvm::append_range(choices, list.getAsRange<ChoiceAttr>());
  });
  return choices;
}

void ListDecisions::runOnOperation() {
  addresses.clear();
  stepOf.clear();
  steps.clear();
  values.clear();
  collectAddresses();
  llvm::MapVector<Operation *, int64_t> written;
  for (Operation &op : getOperation().getBody().front()) {
    if (llvm::isa<WeightOp, HostConstantOp>(op) ||
        op.hasTrait<OpTrait::IsTerminator>())
      continue;
    bool isWhole = llvm::isa<GroupOp, CustomOp>(op) || givesHostTensors(op);
    int64_t bytes = isWhole ? 0 : bytesWritten(op);
    if (!isWhole && bytes == 0)
      continue;
    written[&op] = bytes;
    addStep(op);
  }
  for (auto [op, bytes] : written)
    if (!givesHostTensors(*op))
      for (OpResult result : op->getResults()) {
        auto group = llvm::dyn_cast<GroupOp>(op);
        if (!group || group.stores(result.getResultNumber()))
          addValue(result, op, bytes ? bytes : tensorBytes(result));
      }
  getOperation()->setAttr(kDecisionsAttr,
                          DecisionsAttr::get(&getContext(), steps, values,
                                             choicesIn(getOperation())));
}
