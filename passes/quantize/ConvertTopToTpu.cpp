//===- ConvertTopToTpu.cpp - top to tpu: the driver of the families -------===//

#include "dialects/ConstantBlobs.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Exact.h"
#include "dialects/top/Floats.h"
#include "dialects/top/Host.h"
#include "dialects/top/Symbols.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Tpu.h"
#include "passes/quantize/CodeProducts.h"
#include "passes/quantize/HostPlacement.h"
#include "passes/quantize/IntegerRanges.h"
#include "passes/quantize/LoadBound.h"
#include "passes/quantize/Machine.h"
#include "passes/quantize/Passes.h"
#include "passes/quantize/TableLocation.h"
#include "passes/quantize/ValueRanges.h"
#include "passes/quantize/WideProducts.h"
#include "runtime/chips/Targets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

namespace weft::quantize {
#define GEN_PASS_DEF_CONVERTTOPTOTPU
#include "passes/quantize/Passes.h.inc"
} // namespace weft::quantize

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// Tensors of floats, integers and bools, of any rank and without empty axis.
static Answer<> checkType(Operation &op, Value value) {
  Type type = value.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return Refusal(&op,
                   inWords("the size of value '", valueName(value), "', ", type,
                           ", depends on data"),
                   "");
  if (tensor.getNumElements() == 0)
    return Refusal(
        &op, inWords("value '", valueName(value), "' has no elements"), "");
  return Yes();
}

/// A double constant must be a number of f32, in which it will be computed.
static Answer<> checkRange(Operation &op, top::ConstantOp constant) {
  std::optional<std::vector<char>> raw =
      tpu::constantBytes(constant.getValue());
  for (size_t at = 0; raw && at + 8 <= raw->size(); at += 8) {
    double value;
    std::memcpy(&value, raw->data() + at, sizeof value);
    if (std::isfinite(value) && std::isinf(static_cast<float>(value)))
      return Refusal(&op,
                     inWords("the constant ", value,
                             " is beyond the range of f32, in which doubles "
                             "are computed"),
                     "");
  }
  return Yes();
}

/// What `op` reads and gives is of types and numbers that the chip computes
/// with.
static Answer<> checkTypes(Operation &op) {
  for (Value operand : op.getOperands())
    if (auto constant = operand.getDefiningOp<top::ConstantOp>();
        constant && constant.getValue().getElementType().isF64())
      if (Answer<> fits = checkRange(op, constant); !fits)
        return fits;
  SmallVector<Value> values(op.getOperands());
  llvm::append_range(values, op.getResults());
  for (Value value : values)
    if (!value.getDefiningOp<top::ConstantOp>())
      if (Answer<> fits = checkType(op, value); !fits)
        return fits;
  return Yes();
}

/// Says once that doubles are computed as floats.
static void remarkDoubles(func::FuncOp func) {
  auto isDouble = [](Value value) { return elementOf(value).isF64(); };
  auto remark = [&](StringRef name) {
    emitRemark(func.getLoc())
        << "value '" << name
        << "' is of type f64; the chip computes it as f32, with 24 bits";
  };
  for (BlockArgument argument : func.getArguments())
    if (isDouble(argument))
      return remark(valueName(argument));
  for (Operation &op : func.getBody().front())
    if (!llvm::isa<top::ConstantOp>(op) &&
        llvm::any_of(op.getResults(), isDouble))
      return remark(valueName(op.getResult(0)));
}

/// Says which values of the model f16 cannot hold.
static void remarkBeyondHalf(func::FuncOp func, const WideSteps &steps) {
  if (steps.beyondHalf.empty())
    return;
  const CalibrationEntry &first = *steps.beyondHalf.front();
  InFlightDiagnostic remark = emitRemark(func.getLoc());
  remark << "value '" << first.name << "' reaches "
         << std::max(std::fabs(first.min), std::fabs(first.max))
         << ", beyond f16 (65504)";
  if (size_t others = steps.beyondHalf.size() - 1)
    remark << ", as do " << others << " more";
  remark << "; what reads or gives it is computed in f32";
}

/// Says once which values of the model f16 cannot hold; or without a table that
/// numbers may leave it unseen, of programs of 16-bit floats alone.
static void remarkRanges(func::FuncOp func, const WideSteps &steps,
                         const CalibrationTable &table, Precision program) {
  remarkBeyondHalf(func, steps);
  if (steps.unknownGrowth && table.entries().empty() &&
      program != Precision::I8)
    emitRemark(func.getLoc())
        << "value '" << valueName(steps.unknownGrowth)
        << "' is a power or product of values whose ranges are not known; "
           "where they leave f16 (65504), results are wrong: --calibration "
           "TABLE keeps wide values in f32, --precision bf16 has their range";
}

/// How many weights may have one scale: halves of it divide what commands take
/// at a time. 0: those of a channel.
static bool isGroupSize(int64_t size) {
  return size == 0 || (size >= 16 && size <= 1024 && llvm::isPowerOf2_64(size));
}

/// Errors are reported up to so many.
static constexpr int kMostErrors = 20;

/// `tpu.io` of an input or output: its ONNX name and type.
static DictionaryAttr ioAttr(OpBuilder &b, StringAttr name, Type onnxType) {
  return b.getDictionaryAttr(
      {b.getNamedAttr("name", name ? name : b.getStringAttr("?")),
       b.getNamedAttr("type", TypeAttr::get(onnxType))});
}

/// Multiplications of a product, 0 of other ops.
static double multiplicationsOf(Operation &op) {
  if (!llvm::isa<tpu::ConvOp, tpu::MatMulOp, tpu::LinearOp, tpu::CodedLinearOp,
                 tpu::RowMatMulOp>(op))
    return 0;
  auto result = double(tpu::product(tpu::dimsOf(op.getResult(0))));
  if (auto conv = dyn_cast<tpu::ConvOp>(op)) {
    tpu::Dims filter = tpu::dimsOf(conv.getFilter());
    return result * double(filter[1] * filter[2] * filter[3]);
  }
  tpu::Dims left = tpu::dimsOf(op.getOperand(0));
  auto coded = dyn_cast<tpu::CodedLinearOp>(op);
  bool isInChannels = coded && !coded.getRowsInLanes();
  return result * double(left[isInChannels ? tpu::kAxisC : tpu::kAxisW]);
}

static bool isOfFloats(Operation &product) {
  return llvm::isa<FloatType>(tpu::elementOf(product.getOperand(0)));
}

/// The part of all multiplications of products that are of floats.
static double floatShareOf(func::FuncOp func) {
  double all = 0, floats = 0;
  for (Operation &op : func.getBody().front())
    if (double count = multiplicationsOf(op); count > 0) {
      all += count;
      if (isOfFloats(op))
        floats += count;
    }
  return all > 0 ? floats / all : 0;
}

/// Says which products are floats although the user wants none.
static void remarkFloats(func::FuncOp func) {
  constexpr size_t kMostNames = 3;
  llvm::SetVector<StringRef> nodes;
  for (Operation &op : func.getBody().front())
    if (multiplicationsOf(op) > 0 && isOfFloats(op))
      nodes.insert(nodeOf(op.getLoc()));
  if (nodes.empty())
    return;
  InFlightDiagnostic remark = emitRemark(func.getLoc());
  remark << "--no-float leaves products of " << nodes.size()
         << (nodes.size() == 1 ? " node" : " nodes") << " floats (";
  for (size_t i = 0; i < std::min(kMostNames, nodes.size()); ++i)
    remark << (i ? ", '" : "'") << nodes[i] << "'";
  if (nodes.size() > kMostNames)
    remark << " and " << nodes.size() - kMostNames << " more";
  remark << "): both of their sides are computed, they multiply what is "
            "inside of a node, as the state of an LSTM, and has no range, or "
            "what 16 bits do not hold, or the precision table asks for it";
}

namespace {
/// Lowers the body of one function into a new block that takes the place of the
/// old one.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp func, const Choices &choices,
                   const Machine &machine, const CalibrationTable *table,
                   OpPrecisions opPrecisions, WideSteps wideSteps)
      : func(func), fresh(new Block()), integers(func.getBody().front()),
        builder(func.getContext()), machine(machine),
        lowering(builder, *fresh, choices, table, std::move(opPrecisions),
                 std::move(wideSteps)) {
    lowering.loadBound = findLoadBound(func, lowering.chip());
#define WEFT_FAMILY(name) register##name##Lowering(functions);
#include "OpFamilies.inc"
#undef WEFT_FAMILY
    functions.add<top::CustomOp>(planCustom);
    functions.add<top::HostOp>(planLibraryKernel);
  }

  LogicalResult run() {
    Block *old = &func.getBody().front();
    func.getBody().push_back(fresh);
    lowering.noteQuantizations(*old);
    LogicalResult result = lowerArguments(*old, *fresh);
    if (succeeded(result))
      result = lowerBody(*old);
    if (succeeded(result)) {
      eraseUnused(*fresh);
      replaceSignature(*old, *fresh);
    } else {
      lowering.discard();
      dropBlock(fresh);
    }
    return result;
  }

  /// After run(). The ops are gone.
  const llvm::DenseSet<Operation *> &codedProducts() const {
    return lowering.codedProducts;
  }

private:
  static void dropBlock(Block *block) {
    block->dropAllReferences();
    block->erase();
  }

  /// Chains of ops may give more than their caller took; a layer group cannot
  /// place what nobody reads.
  static void eraseUnused(Block &block) {
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  LogicalResult lowerArguments(Block &old, Block &fresh) {
    for (BlockArgument argument : old.getArguments()) {
      if (!tpu::isHostTensor(argument.getType()))
        return unsupported(func.getLoc())
               << "input '" << valueName(argument) << "' has type "
               << argument.getType() << "; give its sizes with --shape";
      FailureOr<Type> element = inputElement(argument);
      if (failed(element))
        return failure();
      SmallVector<int64_t, 4> shape = inputShape(argument);
      lowering.define(argument,
                      fresh.addArgument(lowering.tensor(shape, *element),
                                        argument.getLoc()));
    }
    lowering.accept();
    return success();
  }

  /// Where DRAM holds an input: its 4-D view or, if there is none, one row. An
  /// empty input has one element, which nobody reads.
  SmallVector<int64_t, 4> inputShape(BlockArgument argument) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getNumElements() == 0)
      return {1, 1, 1, 1};
    std::optional<SmallVector<int64_t, 4>> folded = foldShape(type.getShape());
    if (folded)
      return *folded;
    return {1, 1, 1, type.getNumElements()};
  }

  /// The type in which an input is stored: as close to ONNX's as a bmodel has,
  /// or with `quantizedIo` 8 bits if only 8-bit products read it, else the
  /// compute type.
  FailureOr<Type> inputElement(BlockArgument argument) {
    Type stored = storedElement(elementOf(argument));
    if (!lowering.choices.quantizedIo || llvm::isa<IntegerType>(stored))
      return stored;
    if (lowering.isInt8() && lowering.isWantedQuantizedOnly(argument) &&
        llvm::none_of(argument.getUsers(), [](Operation *user) {
          return llvm::isa<func::ReturnOp>(user);
        }))
      return lowering.quantTypeOf(argument, func);
    return lowering.computeType();
  }

  /// All ops; a failing one does not hide the complaints about others, but
  /// about what reads its results.
  LogicalResult lowerBody(Block &old) {
    BlobReleaser releaser(old, top::ConstantOp::getOperationName());
    llvm::DenseSet<Value> failing;
    for (Operation &op : old.without_terminator()) {
      if (errors == kMostErrors)
        break;
      bool readsFailing = llvm::any_of(op.getOperands(), [&](Value operand) {
        return failing.contains(operand);
      });
      auto last = fresh->empty() ? fresh->end() : std::prev(fresh->end());
      if (!readsFailing && (lowering.isTaken(&op) || succeeded(place(op)))) {
        // What has been taken over is not needed twice, but a weight may share
        // the bytes of the constant.
        for (Operation &step : llvm::make_range(
                 last == fresh->end() ? fresh->begin() : std::next(last),
                 fresh->end()))
          releaser.keep(&step);
        releaser.done(&op);
        continue;
      }
      failing.insert(op.result_begin(), op.result_end());
    }
    return errors ? failure() : lowerResults(old);
  }

  /// Decides where `op` is computed and appends what computes it: on the
  /// machine if that can, else on the host.
  LogicalResult place(Operation &op) {
    if (Answer<> answer = ask(op); !answer)
      return placeOnHost(op, answer.no());
    lowering.accept();
    lowering.noteWide(&op);
    return success();
  }

  LogicalResult placeOnHost(Operation &op, No no) {
    lowering.discard();
    if (!no.refusal) { // reported
      ++errors;
      return failure();
    }
    bool canHelp = hasHostKernel(&op);
    if (!canHelp || lowering.choices.noHost) {
      ++errors;
      no.refusal->emit(
          canHelp ? "the host can compute it, convert without --no-host" : "");
    }
    if (!canHelp)
      return failure();
    // In a program without the host too, so that what reads it is asked.
    planOnHost(&op, *no.refusal, lowering);
    integers.noteOnHost(&op);
    return acceptOrReport(op.getLoc());
  }

  /// The question: is there a plan for `op`, and does the machine take all of
  /// its steps? If so the plan is on the sheet of `lowering`.
  Answer<> ask(Operation &op) {
    if (std::optional<Refusal> refusal = integers.refusal(&op))
      return *refusal;
    if (Answer<> answer = plan(op); !answer)
      return answer;
    if (std::optional<Refusal> refusal = machineRefusal(op.getLoc()))
      return *refusal;
    return Yes();
  }

  /// The first step that the machine does not take, as a refusal at `location`.
  std::optional<Refusal> machineRefusal(Location location) {
    for (Operation &step : lowering.plan())
      if (std::optional<Refusal> refusal = machine.refusalOf(&step)) {
        refusal->location = location;
        return refusal;
      }
    return std::nullopt;
  }

  /// For a plan that nothing else can take the place of.
  LogicalResult acceptOrReport(Location location) {
    if (std::optional<Refusal> refusal = machineRefusal(location)) {
      ++errors;
      lowering.discard();
      return refusal->emit();
    }
    lowering.accept();
    return success();
  }

  Answer<> plan(Operation &op) {
    if (auto host = dyn_cast<top::HostOp>(op);
        host && !(machine.hasKernels() && hasLibraryKernel(host)))
      return refusalOfHostOp(host, lowering.choices.noHost);
    const LoweringTable::Function *function = functions.find(&op);
    if (!function) {
      return Refusal(
          &op,
          inWords("operation '", op.getName().getStringRef(), "' on the chip"),
          "");
    }
    if (!llvm::isa<top::ConstantOp>(op))
      if (Answer<> fits = checkTypes(op); !fits)
        return fits;
    Precision precision = lowering.precisionOf(&op);
    lowering.multipliesCodes = precision == Precision::I8;
    lowering.isLikeHalf = op.hasAttr(top::kFloatsAttr);
    lowering.weightBits = precision == Precision::W8   ? 8
                          : precision == Precision::W4 ? 4
                                                       : 0;
    lowering.isExact = op.hasAttr(top::kExactAttr) ||
                       precision == Precision::F32 ||
                       lowering.wideSteps.all.contains(&op);
    Answer<> answer = (*function)(&op, lowering);
    lowering.isExact = false;
    return answer;
  }

  LogicalResult lowerResults(Block &old) {
    auto ret = cast<func::ReturnOp>(old.getTerminator());
    SmallVector<Value> results;
    for (Value operand : ret.getOperands()) {
      Type element = storedElement(elementOf(operand));
      if (lowering.choices.quantizedIo && !llvm::isa<IntegerType>(element))
        element = outputElement(operand);
      Answer<Value> result = output(operand, element, ret);
      if (!result) {
        if (std::optional<Refusal> refusal = result.no().refusal)
          refusal->emit();
        return failure();
      }
      results.push_back(withOwnRoom(*result, ret.getLoc()));
      if (failed(acceptOrReport(operand.getLoc())))
        return failure();
    }
    builder.create<func::ReturnOp>(ret.getLoc(), results);
    lowering.accept();
    return success();
  }

  /// The same for an output: 8 bits if a product gives it so, else the compute
  /// type.
  Type outputElement(Value operand) {
    if (lowering.isOnHost(operand))
      return storedElement(elementOf(operand));
    Value form = lowering.firstForm(operand);
    return form && tpu::isQuantized(form) ? tpu::elementOf(form)
                                          : lowering.computeType();
  }

  /// Outputs lie side by side in DRAM. One whose bytes are those of an input, a
  /// weight or another output (under another name or shape) becomes a copy.
  Value withOwnRoom(Value result, Location location) {
    Value root = result;
    while (auto reshape = root.getDefiningOp<tpu::ReshapeOp>())
      root = reshape.getInput();
    bool isOwn = root.getDefiningOp() && !root.getDefiningOp<tpu::WeightOp>();
    if (isOwn && outputRoots.insert(root).second)
      return result;
    return builder.create<tpu::SliceOp>(location, result.getType(), result,
                                        ArrayRef<int64_t>{0, 0, 0, 0},
                                        ArrayRef<int64_t>{1, 1, 1, 1});
  }

  Answer<Value> output(Value operand, Type element, func::ReturnOp ret) {
    if (lowering.isOnHost(operand))
      return hostOutput(operand, element);
    // An output without elements has room for one, which nobody reads.
    if (cast<RankedTensorType>(operand.getType()).getNumElements() == 0) {
      auto type = lowering.tensor({1, 1, 1, 1}, element);
      std::vector<char> zero(tpu::elementBytes(element), 0);
      return Value(builder.create<tpu::WeightOp>(operand.getLoc(),
                                                 tpu::weightAttr(type, zero)));
    }
    return lowering.value(operand, element, ret);
  }

  /// The host gives an output itself; the chip's memory has room for it at its
  /// largest, one element if that is none.
  Value hostOutput(Value operand, Type element) {
    std::optional<SmallVector<int64_t>> shape =
        largestShape(cast<RankedTensorType>(operand.getType()));
    int64_t elements = 1;
    for (int64_t size : *shape)
      elements *= size;
    auto type =
        lowering.tensor({1, 1, 1, std::max<int64_t>(elements, 1)}, element);
    return builder.create<tpu::FromHostOp>(operand.getLoc(), type,
                                           lowering.onHost(operand));
  }

  void replaceSignature(Block &old, Block &fresh) {
    auto ret = cast<func::ReturnOp>(fresh.getTerminator());
    for (BlockArgument argument : old.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto name = func.getArgAttrOfType<StringAttr>(i, top::kNameAttr);
      func.removeArgAttr(i, top::kSymbolsAttr);
      func.removeArgAttr(i, top::kStringsAttr);
      func.removeArgAttr(i, top::kNameAttr);
      func.setArgAttr(i, tpu::kIoAttr,
                      ioAttr(builder, name, argument.getType()));
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      auto name = func.getResultAttrOfType<StringAttr>(i, top::kNameAttr);
      func.removeResultAttr(i,
                            StringAttr::get(func.getContext(), top::kNameAttr));
      func.setResultAttr(i, tpu::kIoAttr,
                         ioAttr(builder, name, func.getResultTypes()[i]));
    }
    func.setType(builder.getFunctionType(fresh.getArgumentTypes(),
                                         ret.getOperandTypes()));
    dropBlock(&old);
  }

  func::FuncOp func;
  Block *fresh;
  IntegerRanges integers;
  OpBuilder builder;
  const Machine &machine;
  Lowering lowering;
  LoweringTable functions;
  int errors = 0;
  llvm::DenseSet<Value> outputRoots; ///< outputs that keep their place
};

/// Refuses a table of another model. A program of floats would not miss it, one
/// of codes only name a value that the table lacks.
LogicalResult checkIsOfModel(func::FuncOp func, const CalibrationTable &table) {
  ValueRanges ranges(&table);
  auto isKnown = [&](Value value) {
    return ranges.calibrated(value) != nullptr;
  };
  Block &block = func.getBody().front();
  if (table.entries().empty() || llvm::any_of(block.getArguments(), isKnown) ||
      llvm::any_of(block.without_terminator(), [&](Operation &op) {
        return llvm::any_of(op.getResults(), isKnown);
      }))
    return success();
  return emitError(func.getLoc())
         << table.title()
         << " has no value of this model, it is another model's; calibrate "
            "this model";
}

struct ConvertTopToTpu
    : public quantize::impl::ConvertTopToTpuBase<ConvertTopToTpu> {
  using ConvertTopToTpuBase::ConvertTopToTpuBase;

  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

  /// What the table says; other convolutions of an int8 program as
  /// isFloatAmongCodes() does, and what the caller has found to take fewer
  /// cycles as floats.
  FailureOr<NamedOps> readPrecisions(func::FuncOp func, Precision program) {
    FailureOr<NamedOps> named = NamedOps();
    if (!precisionTable.empty()) {
      llvm::Expected<PrecisionTable> read =
          PrecisionTable::read(precisionTable);
      if (!read)
        return emitError(tableLocation(&getContext(), precisionTable))
               << llvm::toString(read.takeError());
      named = read->resolve(func, program);
    }
    if (succeeded(named) && program == Precision::I8 && !noFloat)
      for (auto conv : func.getBody().front().getOps<top::ConvOp>())
        if (isFloatAmongCodes(conv))
          named->precisions.try_emplace(conv, Precision::F16);
    if (succeeded(named) && program == Precision::I8)
      for (Operation &op : func.getBody().front())
        if (op.hasAttr(top::kFloatsAttr))
          named->precisions.try_emplace(&op, Precision::F16);
    return named;
  }

  LogicalResult convert(ModuleOp module) {
    std::optional<Precision> wanted = symbolizePrecision(precision);
    if (!wanted)
      return emitError(module.getLoc())
             << "precision is '" << precision
             << "', must be f32, f16, bf16, int8, w8f16 or "
                "w4f16";
    if (asymmetric != "auto" && asymmetric != "off")
      return emitError(module.getLoc())
             << "asymmetric is '" << asymmetric << "', must be auto or off";
    if (!chips::find(chip))
      return emitError(module.getLoc())
             << "unknown chip '" << chip
             << "'; known: " << chips::joinedTargets();
    auto func = module.lookupSymbol<func::FuncOp>("main");
    if (!func || !func.getBody().hasOneBlock())
      return emitError(module.getLoc())
             << "the module has no function @main with one block";
    CalibrationTable table;
    if (*wanted == Precision::I8 && calibration.empty())
      return emitError(module.getLoc())
             << "precision int8 needs a calibration table; make one with "
                "weft calibrate";
    if (!calibration.empty()) {
      llvm::Expected<CalibrationTable> read =
          CalibrationTable::read(calibration);
      if (!read)
        return emitError(tableLocation(&getContext(), calibration))
               << llvm::toString(read.takeError());
      table = std::move(*read);
      if (failed(checkIsOfModel(func, table)))
        return failure();
    }
    const Chip *known = chips::find(chip);
    Choices choices{*wanted,
                    quantizedIo,
                    noHost,
                    wideWeights,
                    mostWideProducts(func, {wideWeights, wideProducts,
                                            wideTotal, int64_t(known->lanes)}),
                    mostWideDepthwise(func, wideTotal,
                                      /*isInt8=*/*wanted == Precision::I8),
                    known};
    std::optional<Machine> asked = Machine::find(machine, *choices.chip);
    if (!asked)
      return emitError(module.getLoc()) << "unknown machine '" << machine
                                        << "'; leave it out for the chip";
    if (!isGroupSize(groupSize))
      return emitError(module.getLoc())
             << "group-size is " << groupSize.getValue()
             << ", must be a power of two from 16 to 1024, or 0 for one scale "
                "a channel";
    choices.groupSize = groupSize;
    choices.hasMatrixUnit = asked->hasMatrixUnit();
    choices.hasZeroPoints = asked->hasZeroPoints();
    if (!asked->roundsNarrowSums())
      choices.wideDepthwise = std::numeric_limits<int64_t>::max();
    choices.calibratesZeroPoints =
        choices.hasZeroPoints && asymmetric == "auto";
    remarkDoubles(func);
    FailureOr<NamedOps> named = readPrecisions(func, *wanted);
    if (failed(named))
      return failure();
    WideSteps wideSteps;
    if (*wanted != Precision::F32)
      wideSteps = findWideSteps(func, table,
                                /*hasRange=*/*wanted == Precision::BF16,
                                /*isInt8=*/*wanted == Precision::I8);
    remarkRanges(func, wideSteps, table, *wanted);
    warnOfIdleEntries(func.getLoc(), *named, {*wanted, noFloat, wideSteps.all});
    FunctionLowering lowering(func, choices, *asked, &table, named->precisions,
                              std::move(wideSteps));
    if (failed(lowering.run()))
      return failure();
    warnOfUncodedEntries(func.getLoc(), *named, lowering.codedProducts());
    if (noFloat && *wanted == Precision::I8)
      remarkFloats(func);
    describe(module, func);
    return success();
  }

  /// What the program is, at the module.
  void describe(ModuleOp module, func::FuncOp func) {
    OpBuilder builder(module.getContext());
    module->setAttr(tpu::kChipAttr, builder.getStringAttr(chip));
    module->setAttr(tpu::kPrecisionAttr, builder.getStringAttr(precision));
    module->setAttr(tpu::kFloatShareAttr,
                    builder.getF64FloatAttr(floatShareOf(func)));
  }
};
} // namespace
