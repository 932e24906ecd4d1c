//===- ConvertTpuToPpl.cpp - --convert-tpu-to-ppl -------------------------===//

#include "codegen/emit/Emit.h"
#include "codegen/emit/GlobalCopy.h"
#include "codegen/emit/GroupEmitter.h"
#include "codegen/emit/HostEmitter.h"
#include "codegen/emit/Passes.h"
#include "codegen/emit/Weight.h"
#include "dialects/ConstantBlobs.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "runtime/chips/Alignment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"

namespace weft::emit {
#define GEN_PASS_DEF_CONVERTTPUTOPPL
#include "codegen/emit/Passes.h.inc"
} // namespace weft::emit

using namespace mlir;
using namespace weft;
using namespace weft::emit;

static int64_t addressOf(Operation *op) {
  auto address = op->getAttrOfType<IntegerAttr>(tpu::kAddressAttr);
  return address ? address.getInt() : -1;
}

namespace {
/// Turns `@main` of a placed tpu module into a `ppl.net`.
class NetBuilder {
public:
  NetBuilder(func::FuncOp func, const Chip &chip, bool numbersSteps)
      : func(func), chip(chip), numbersSteps(numbersSteps),
        builder(func.getContext()) {
    addGather(table);
    addMatMul(table);
    addMove(table);
  }

  LogicalResult build();

private:
  LogicalResult emitBody();
  LogicalResult emitGlobal(Operation &op);
  LogicalResult emitCustom(tpu::CustomOp custom);
  LogicalResult placeWeight(tpu::WeightOp weight);
  FailureOr<Attribute> describe(Attribute io, Value value, int64_t address);
  LogicalResult finish(func::ReturnOp terminator);
  Value globalTensor(Value value);
  void extend(Value value, int64_t address);
  bool isPlacedInside(Operation &op) const;
  LogicalResult emitSlices(tpu::SliceOp first);
  void observeSlice(tpu::SliceOp slice, Value result);
  void numberStep(Operation &source, Operation *last);

  func::FuncOp func;
  const Chip &chip;
  const bool numbersSteps;
  OpBuilder builder;
  GlobalEmitTable table;
  ppl::NetOp net;
  DenseMap<Value, int64_t> addresses;
  int64_t weightEnd = 0;
  int64_t steps = 0; ///< that have local tensors
  int64_t contextBegin = std::numeric_limits<int64_t>::max(), contextEnd = 0;
};
} // namespace

/// A DRAM activation lies at `address`: the activation area must hold it.
void NetBuilder::extend(Value value, int64_t address) {
  addresses[value] = address;
  contextBegin = std::min(contextBegin, address);
  contextEnd = std::max(contextEnd, address + tpu::tensorBytes(value));
}

Value NetBuilder::globalTensor(Value value) {
  auto type = ppl::TensorViewType::get(
      tpu::dimsOf(value), machineType(tpu::elementOf(value)),
      ppl::Memory::Global, ppl::Layout::Continuous);
  return builder.create<ppl::GlobalOp>(value.getLoc(), type,
                                       addresses.lookup(value));
}

/// #ppl.io of an argument or result from its `tpu.io` dictionary.
FailureOr<Attribute> NetBuilder::describe(Attribute io, Value value,
                                          int64_t address) {
  auto dictionary = llvm::dyn_cast_or_null<DictionaryAttr>(io);
  auto name = dictionary ? dictionary.getAs<StringAttr>("name") : StringAttr();
  auto type = dictionary ? dictionary.getAs<TypeAttr>("type") : TypeAttr();
  if (!name || !type || !llvm::isa<RankedTensorType>(type.getValue()))
    return func.emitError(
        "argument or result lacks a tpu.io with name and type");
  Type element = tpu::elementOf(value);
  auto scale = static_cast<float>(tpu::scaleOf(element));
  auto stored = RankedTensorType::get(
      llvm::cast<RankedTensorType>(value.getType()).getShape(),
      machineType(element));
  return Attribute(ppl::IoAttr::get(
      func.getContext(), name, llvm::cast<RankedTensorType>(type.getValue()),
      stored, address, builder.getF32FloatAttr(scale),
      tpu::zeroPointOf(element)));
}

/// A weight that is read from DRAM in its logical layout.
LogicalResult NetBuilder::placeWeight(tpu::WeightOp weight) {
  int64_t address = addressOf(weight);
  std::optional<PackedBytes> bytes = tpu::constantBytes(weight.getValue());
  if (address < 0 || !bytes)
    return weight.emitError("weight has no address or no bytes");
  addresses[weight.getResult()] = address;
  weightEnd = std::max(weightEnd, addWeight(builder, weight.getLoc(), address,
                                            std::move(*bytes)));
  return success();
}

/// Whether a slice has no bytes of its own.
bool NetBuilder::isPlacedInside(Operation &op) const {
  int64_t whole = addresses.lookup(op.getOperand(0)), part = addressOf(&op);
  return part >= whole && part < whole + tpu::tensorBytes(op.getOperand(0));
}

LogicalResult NetBuilder::emitGlobal(Operation &op) {
  int64_t address = addressOf(&op);
  if (address < 0 || op.getNumResults() != 1)
    return op.emitError("has no DRAM address; run tpu-place-global first");
  extend(op.getResult(0), address);
  if (llvm::isa<tpu::ReshapeOp>(
          op)) // the same bytes; placed on top of its operand
    return success();
  auto it = table.find(op.getName().getStringRef().str());
  if (it == table.end())
    return op.emitError("unsupported: this operator in this form; see weft ops "
                        "for what is supported");
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(globalTensor(operand));
  Value result = globalTensor(op.getResult(0));
  if (failed(it->second(&op, builder, operands, result)))
    return failure();
  observe(builder, chip, op, result,
          tpu::Box::whole(tpu::dimsOf(op.getResult(0))), nullptr, Value());
  return success();
}

/// The slice of the same tensor that stands right behind or before `slice`.
static tpu::SliceOp neighbour(tpu::SliceOp slice, bool behind) {
  Operation *op = behind ? slice->getNextNode() : slice->getPrevNode();
  auto other = llvm::dyn_cast_or_null<tpu::SliceOp>(op);
  return other && other.getInput() == slice.getInput() ? other : tpu::SliceOp();
}

/// The slices of one tensor that follow each other, all at once: nothing that
/// one of them writes can lie where a later one reads, because the tensor lives
/// to the last.
LogicalResult NetBuilder::emitSlices(tpu::SliceOp first) {
  SmallVector<Operation *> ops;
  SmallVector<CopyPiece> pieces;
  SmallVector<Value> results;
  Value source = globalTensor(first.getInput());
  for (tpu::SliceOp slice = first; slice;
       slice = neighbour(slice, /*behind=*/true)) {
    if (addressOf(slice) < 0)
      return slice.emitError("has no DRAM address; run tpu-place-global first");
    extend(slice.getOutput(), addressOf(slice));
    Value result = globalTensor(slice.getOutput());
    if (isPlacedInside(*slice)) {
      observeSlice(slice, result);
      continue;
    }
    ops.push_back(slice);
    results.push_back(result);
    pieces.push_back(slicePiece(slice, source));
  }
  if (failed(emitSplit(ops, builder, pieces, results)))
    return failure();
  for (auto [op, result] : llvm::zip(ops, results))
    observeSlice(llvm::cast<tpu::SliceOp>(op), result);
  return success();
}

/// Not if no command has written it: a slice that lies in an input of the net
/// or in what the host has stored.
void NetBuilder::observeSlice(tpu::SliceOp slice, Value result) {
  Value maker = slice.getInput();
  while (isPlacedInside(*slice)) {
    Operation *op = maker.getDefiningOp();
    if (!op || llvm::isa<tpu::FromHostOp, tpu::WeightOp>(op))
      return;
    if (!llvm::isa<tpu::ReshapeOp, tpu::SliceOp>(op))
      break;
    maker = op->getOperand(0);
  }
  observe(builder, chip, *slice, result,
          tpu::Box::whole(tpu::dimsOf(slice.getOutput())), nullptr, Value());
}

/// The place of a kernel that the driver records.
LogicalResult NetBuilder::emitCustom(tpu::CustomOp custom) {
  if (!custom.getAddresses())
    return custom.emitError(
        "has no DRAM addresses; run tpu-place-global first");
  for (auto [output, address] :
       llvm::zip(custom.getOutputs(), *custom.getAddresses()))
    extend(output, address);
  SmallVector<Value> outputs, inputs;
  for (Value output : custom.getOutputs())
    outputs.push_back(globalTensor(output));
  for (Value input : custom.getInputs())
    inputs.push_back(globalTensor(input));
  builder.create<ppl::CustomOp>(
      custom.getLoc(), custom.getDomainAttr(), custom.getNameAttr(),
      custom.getOpsetAttr(), outputs, inputs, custom.getParametersAttr(),
      custom.getInputTypesAttr(), custom.getOutputTypesAttr(),
      custom.getAbsentAttr());
  if (outputs.size() == 1) // several have no name each
    observe(builder, chip, *custom, outputs.front(),
            tpu::Box::whole(tpu::dimsOf(custom.getOutputs().front())), nullptr,
            Value());
  return success();
}

/// Gives the local tensors behind `last`, of `source`, the number of the step
/// that they are of. Groups that keep values are one.
void NetBuilder::numberStep(Operation &source, Operation *last) {
  if (!numbersSteps)
    return;
  auto group = llvm::dyn_cast<tpu::GroupOp>(source);
  if (group && group.getKept() && !group.getKept()->empty())
    --steps;
  Block &body = net.getBody().front();
  IntegerAttr step = builder.getI64IntegerAttr(steps);
  bool isStep = false;
  for (Operation &op : llvm::make_range(
           last ? std::next(last->getIterator()) : body.begin(), body.end()))
    op.walk([&](ppl::LocalOp local) {
      local->setAttr(ppl::kStepAttr, step);
      isStep = true;
    });
  steps += isStep;
}

LogicalResult NetBuilder::emitBody() {
  HostEmitter hostEmitter(builder);
  auto inDram = [this](Value value) { return globalTensor(value); };
  BlobReleaser releaser(func.getBody().front(),
                        tpu::WeightOp::getOperationName());
  for (Operation &op : func.getBody().front().without_terminator()) {
    Block &body = net.getBody().front();
    Operation *last = body.empty() ? nullptr : &body.back();
    auto numbered = llvm::make_scope_exit([&] { numberStep(op, last); });
    if (auto store = llvm::dyn_cast<tpu::FromHostOp>(op)) {
      if (addressOf(store) < 0)
        return op.emitError("has no DRAM address; run tpu-place-global first");
      extend(store.getOutput(), addressOf(store));
    }
    if (hostEmitter.emit(op, inDram))
      continue;
    if (auto weight = llvm::dyn_cast<tpu::WeightOp>(op)) {
      if (failed(placeWeight(weight)))
        return failure();
    } else if (auto group = llvm::dyn_cast<tpu::GroupOp>(op)) {
      if (!group.getAddresses() ||
          group.getAddresses()->size() != group.getOutputs().size())
        return group.emitError(
            "has no DRAM addresses; run tpu-place-global first");
      for (auto [output, address] :
           llvm::zip(group.getOutputs(), *group.getAddresses()))
        if (group.stores(cast<OpResult>(output).getResultNumber()))
          extend(output, address);
      GroupEmitter emitter(builder, chip, group, addresses, releaser);
      if (failed(emitter.emit()))
        return failure();
      weightEnd = std::max(weightEnd, emitter.weightEnd());
    } else if (auto custom = llvm::dyn_cast<tpu::CustomOp>(op)) {
      if (failed(emitCustom(custom)))
        return failure();
    } else if (auto slice = llvm::dyn_cast<tpu::SliceOp>(op)) {
      if (!neighbour(slice, /*behind=*/false) && failed(emitSlices(slice)))
        return failure();
    } else if (failed(emitGlobal(op))) {
      return failure();
    }
    releaser.done(&op);
  }
  return success();
}

/// Fills in the memory map once everything has its place.
LogicalResult NetBuilder::finish(func::ReturnOp terminator) {
  SmallVector<Attribute> inputs, outputs;
  for (BlockArgument argument : func.getArguments()) {
    auto io = describe(func.getArgAttr(argument.getArgNumber(), tpu::kIoAttr),
                       argument, addresses.lookup(argument));
    if (failed(io))
      return failure();
    inputs.push_back(*io);
  }
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    if (!addresses.count(value))
      return terminator.emitError("unsupported: output ")
             << i << " is a constant";
    auto io = describe(func.getResultAttr(i, tpu::kIoAttr), value,
                       addresses.lookup(value));
    if (failed(io))
      return failure();
    outputs.push_back(*io);
  }
  net.setWeightsAddress(chip.weightBase);
  net.setWeightsBytes(
      std::max<int64_t>(0, weightEnd - static_cast<int64_t>(chip.weightBase)));
  net.setContextAddress(contextBegin);
  net.setContextBytes(alignUp<int64_t>(contextEnd - contextBegin, kPageBytes));
  net.setInputsAttr(builder.getArrayAttr(inputs));
  net.setOutputsAttr(builder.getArrayAttr(outputs));
  return success();
}

LogicalResult NetBuilder::build() {
  for (BlockArgument argument : func.getArguments()) {
    auto address = func.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                      tpu::kAddressAttr);
    if (!address)
      return func.emitError(
          "argument has no DRAM address; run tpu-place-global first");
    extend(argument, address.getInt());
  }
  builder.setInsertionPoint(func);
  StringRef chipName(chip.targetName.data(), chip.targetName.size());
  net = builder.create<ppl::NetOp>(
      func.getLoc(), func.getName(), chipName, chip.weightBase, 0, 0, 0,
      ArrayRef<Attribute>(), ArrayRef<Attribute>());
  if (net.getBody().empty())
    net.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&net.getBody().front());
  if (failed(emitBody()) || failed(finish(llvm::cast<func::ReturnOp>(
                                func.getBody().front().getTerminator())))) {
    net.erase();
    return failure();
  }
  if (Attribute decisions = func->getAttr(tpu::kDecisionsAttr))
    net->setAttr(tpu::kDecisionsAttr, decisions);
  func.erase();
  return success();
}

namespace {
struct ConvertTpuToPpl : emit::impl::ConvertTpuToPplBase<ConvertTpuToPpl> {
  using ConvertTpuToPplBase::ConvertTpuToPplBase;
  void runOnOperation() override {
    const Chip *chip = tpu::chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp func : functions)
      if (failed(tpu::checkGraph(func, *chip)) ||
          failed(NetBuilder(func, *chip, numberSteps).build()))
        return signalPassFailure();
  }
};
} // namespace
