//===- ConvertTpuToZhouyi.cpp - tpu graphs to programs of vectors ---------===//

#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/Move.h"
#include "dialects/zhouyi/Program.h"
#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/MachineRefusal.h"
#include "passes/zhouyi/Passes.h"
#include "runtime/chips/Chips.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

namespace weft::zhouyi {
#define GEN_PASS_DEF_CONVERTTPUTOZHOUYI
#include "passes/zhouyi/Passes.h.inc"
} // namespace weft::zhouyi

namespace {
/// Emits the body of one function.
class GraphEmitter {
public:
  GraphEmitter(func::FuncOp func, OpBuilder &builder, Block *body)
      : func(func), emitter(builder, body) {}

  LogicalResult run() {
    if (failed(makeInputs()) || failed(makeOutputs()))
      return failure();
    Block &graph = func.getBody().front();
    for (auto conv : graph.getOps<tpu::ConvOp>())
      if (std::optional<IntegerConv> integers = integerConvOf(conv))
        emitter.integerConvs[conv] = std::move(*integers);
    findNeeded(graph);
    bool isWhole = true;
    llvm::DenseSet<Value> refused;
    for (Operation &op : graph.without_terminator()) {
      if (!needed.contains(&op))
        continue;
      bool readsRefused = llvm::any_of(
          op.getOperands(), [&](Value v) { return refused.contains(v); });
      if (!readsRefused && succeeded(emit(op)))
        continue;
      // Every refusal is reported, and what follows from none. What reads the
      // results is tried all the same, so that one attempt finds them all.
      isWhole = false;
      for (Value result : op.getResults())
        if (readsRefused || !hasRoom(result))
          refused.insert(result);
        else if (!emitter.pointer(result))
          emitter.result(result);
    }
    if (!isWhole)
      return failure();
    finishOutputs();
    if (emitter.code.failed())
      return failure(); // reported by the builder
    return success();
  }

private:
  /// Whether the program can have a buffer for `value`.
  bool hasRoom(Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    Type element = emitter.stored(value);
    bool isNumber = element.isF16() || element.isBF16() || element.isF32() ||
                    (llvm::isa<IntegerType>(element) &&
                     element.getIntOrFloatBitWidth() >= 8);
    return isNumber && type.hasStaticShape() && type.getNumElements() > 0;
  }

  /// `tpu.io`: the ONNX name and type.
  FailureOr<std::pair<StringRef, RankedTensorType>>
  interfaceOf(DictionaryAttr attributes, Value value) {
    auto io = attributes ? attributes.getAs<DictionaryAttr>(tpu::kIoAttr)
                         : DictionaryAttr();
    auto name = io ? io.getAs<StringAttr>("name") : StringAttr();
    auto type = io ? io.getAs<TypeAttr>("type") : TypeAttr();
    auto onnx =
        type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    if (!name || !onnx)
      return emitError(func.getLoc())
             << "the graph does not say the names and types of its inputs and "
                "outputs; run --convert-top-to-tpu first";
    auto own = cast<RankedTensorType>(value.getType());
    if (!onnx.hasStaticShape() || onnx.getNumElements() != own.getNumElements())
      return unsupported(func.getLoc())
             << "'" << name.getValue() << "' of type " << onnx
             << " as an input or output; its size must be known and not 0";
    emitter.uniqueName(name.getValue()); // no other buffer is called so
    return std::pair(name.getValue(), onnx);
  }

  double scaleOf(Value value) const {
    return tpu::isQuantized(value) ? tpu::scaleOf(tpu::elementOf(value)) : 1.0;
  }

  LogicalResult makeInputs() {
    for (BlockArgument argument : func.getArguments()) {
      auto io =
          interfaceOf(func.getArgAttrDict(argument.getArgNumber()), argument);
      if (failed(io))
        return failure();
      inputNames.insert(io->first);
      auto stored = RankedTensorType::get(io->second.getShape(),
                                          emitter.stored(argument));
      emitter.place(argument, emitter.code.atHead([&](zhouyi::Builder &b) {
        return b.input(io->first, emitter.seenAs(io->second, argument), stored,
                       1.0 / scaleOf(argument)); // real to stored
      }));
    }
    return success();
  }

  /// Each output is computed in its place if an op makes it and no other output
  /// has the same bytes.
  LogicalResult makeOutputs() {
    auto ret = cast<func::ReturnOp>(func.getBody().front().getTerminator());
    for (OpOperand &operand : ret->getOpOperands()) {
      Value value = operand.get();
      auto io = interfaceOf(func.getResultAttrDict(operand.getOperandNumber()),
                            value);
      if (failed(io))
        return failure();
      if (inputNames.contains(io->first))
        return unsupported(func.getLoc())
               << "'" << io->first
               << "' is an input and an output; a program has a buffer for "
                  "each, give the output a name of its own (Identity)";
      auto stored =
          RankedTensorType::get(io->second.getShape(), emitter.stored(value));
      Value pointer = emitter.code.atHead([&](zhouyi::Builder &b) {
        return b.output(io->first, emitter.seenAs(io->second, value), stored,
                        scaleOf(value));
      });
      outputs.push_back({value, pointer, false});
      Value root = value;
      while (auto reshape = root.getDefiningOp<tpu::ReshapeOp>())
        root = reshape.getInput();
      if (root.getDefiningOp() && !root.getDefiningOp<tpu::WeightOp>() &&
          !emitter.isReserved(root)) {
        emitter.reserve(root, pointer);
        outputs.back().isInPlace = true;
      }
    }
    return success();
  }

  /// The ops whose results something reads. A convolution of integers does not
  /// read the floats that it is written with.
  void findNeeded(Block &graph) {
    llvm::DenseSet<Value> read;
    auto ret = graph.getTerminator();
    read.insert(ret->operand_begin(), ret->operand_end());
    for (Operation &op : llvm::reverse(graph.without_terminator())) {
      bool isRead = llvm::any_of(
          op.getResults(), [&](Value value) { return read.contains(value); });
      if (!isRead)
        continue;
      needed.insert(&op);
      auto integers = emitter.integerConvs.find(&op);
      for (Value operand : op.getOperands())
        if (integers == emitter.integerConvs.end() ||
            operand != op.getOperand(0))
          read.insert(operand);
      if (integers != emitter.integerConvs.end())
        read.insert(integers->second.source);
    }
  }

  /// The conversion to tpu has asked for each op; a graph written by hand comes
  /// here first.
  LogicalResult emit(Operation &op) {
    if (std::optional<Refusal> refusal = refusalOf(&op))
      return refusal->emit();
    emitter.code.at(op.getLoc());
    return emitTable().find(&op)->emit(&op, emitter);
  }

  void finishOutputs() {
    for (const Output &output : outputs)
      if (!output.isInPlace)
        copyDense(
            emitter.code, emitter.pointer(output.value), output.pointer,
            cast<RankedTensorType>(output.value.getType()).getNumElements());
  }

  struct Output {
    Value value, pointer;
    bool isInPlace;
  };

  func::FuncOp func;
  Emitter emitter;
  llvm::DenseSet<Operation *> needed;
  SmallVector<Output> outputs;
  llvm::StringSet<> inputNames;
};

/// Says that f16 was asked for and nothing is computed in it: the conversion
/// takes f32 for small products and for functions of many steps.
void remarkUnusedHalf(ModuleOp module, func::FuncOp func) {
  auto precision = module->getAttrOfType<StringAttr>(tpu::kPrecisionAttr);
  if (!precision || precision.getValue() != "f16")
    return;
  auto isHalf = [](Value value) { return tpu::elementOf(value).isF16(); };
  for (Operation &op : func.getBody().front())
    if (llvm::any_of(op.getResults(), isHalf))
      return;
  emitRemark(func.getLoc())
      << "nothing is computed in f16: products with few weights and functions "
         "of many steps are computed in f32, so this is the program of f32";
}

struct ConvertTpuToZhouyi
    : public zhouyi::impl::ConvertTpuToZhouyiBase<ConvertTpuToZhouyi> {
  using ConvertTpuToZhouyiBase::ConvertTpuToZhouyiBase;

  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

  LogicalResult convert(ModuleOp module) {
    const Chip *machine = target.empty() ? chips::vectorTargets[0]
                                         : chips::findVectorTarget(target);
    if (!machine)
      return emitError(module.getLoc()) << "target is '" << target.getValue()
                                        << "', must be a vector machine: "
                                        << chips::vectorTargets[0]->targetName;
    auto func = module.lookupSymbol<func::FuncOp>("main");
    if (!func)
      return emitError(module.getLoc()) << "there is no @main to convert";
    if (failed(tpu::checkGraph(func, *chips::all[0])))
      return failure();
    remarkUnusedHalf(module, func);
    OpBuilder builder(func);
    func.setSymName("main.tpu");
    auto program =
        builder.create<ProgramOp>(func.getLoc(), "main", machine->targetName);
    Block *body = &program.getBody().front();
    builder.setInsertionPointToEnd(body);
    if (failed(GraphEmitter(func, builder, body).run()))
      return failure();
    func.erase();
    return success();
  }
};
} // namespace
