//===- ConvertTopToTpu.cpp - top to tpu: the driver of the families -------===//

#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Symbols.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Tpu.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/Passes.h"
#include "runtime/chips/Targets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

namespace weft::quantize {
#define GEN_PASS_DEF_CONVERTTOPTOTPU
#include "passes/quantize/Passes.h.inc"
} // namespace weft::quantize

/// The name of an element type as the manual spells it.
static std::string typeWord(Type element) {
  if (element.isInteger(1))
    return "bool";
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text.compare(0, 2, "ui") == 0 ? text.substr(1) : text;
}

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// True for an integer or bool input that only casts to floats read, and an
/// integer output that is cast from a float: the machine has these casts, and
/// computes with floats between them. (A bool would be x != 0, no cast.)
static bool isCastAtInterface(Value value) {
  if (auto cast = value.getDefiningOp<top::CastOp>())
    return llvm::isa<FloatType>(elementOf(cast.getInput())) &&
           !elementOf(value).isInteger(1) &&
           llvm::all_of(value.getUsers(), llvm::IsaPred<func::ReturnOp>);
  return llvm::isa<BlockArgument>(value) &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           return llvm::isa<top::CastOp>(user) &&
                  llvm::isa<FloatType>(elementOf(user->getResult(0)));
         });
}

/// Tensors of floats, or of integers at the interface, of rank 0 to 4 and no
/// empty axis.
static LogicalResult checkType(Location location, Value value, StringRef name) {
  Type type = value.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return emitError(location) << "value '" << name << "' has type " << type
                               << ", must be a tensor of static shape";
  Type element = tensor.getElementType();
  if (!llvm::isa<FloatType>(element) && !isCastAtInterface(value))
    return emitError(location)
           << "unsupported: element type " << typeWord(element) << " of value '"
           << name
           << "'; f32, f16 and bf16 run on the chip, integers only as inputs "
              "that are cast to floats and outputs cast from floats";
  if (tensor.getRank() > 4)
    return emitError(location)
           << "unsupported: value '" << name << "' has rank "
           << tensor.getRank() << "; at most 4 axes are supported";
  if (tensor.getNumElements() == 0)
    return emitError(location)
           << "unsupported: value '" << name << "' has no elements";
  return success();
}

/// A double constant must be a number of f32, in which it will be computed.
static LogicalResult checkRange(Operation &op, top::ConstantOp constant) {
  std::optional<std::vector<char>> raw =
      tpu::constantBytes(constant.getValue());
  for (size_t at = 0; raw && at + 8 <= raw->size(); at += 8) {
    double value;
    std::memcpy(&value, raw->data() + at, sizeof value);
    if (std::isfinite(value) && std::isinf(static_cast<float>(value)))
      return emitError(op.getLoc())
             << "unsupported: the constant " << value
             << " is beyond the range of f32, in which doubles are computed";
  }
  return success();
}

/// Constants among the operands of `op` are numbers the chip computes with.
static LogicalResult checkConstants(Operation &op) {
  for (Value operand : op.getOperands()) {
    auto constant = operand.getDefiningOp<top::ConstantOp>();
    if (!constant)
      continue;
    Type element = constant.getValue().getElementType();
    bool isOutput = op.hasTrait<OpTrait::IsTerminator>();
    if (!llvm::isa<FloatType>(element))
      return emitError(isOutput ? constant.getLoc() : op.getLoc())
             << "unsupported: a constant of element type " << typeWord(element)
             << (isOutput ? " as output" : " as operand")
             << "; f32, f16 and bf16 run on the chip";
    if (element.isF64() && failed(checkRange(op, constant)))
      return failure();
  }
  return success();
}

/// Every value that the lowering will touch, up to 20 complaints at once; what
/// only follows from a value complained about is left out.
static LogicalResult checkTypes(func::FuncOp func) {
  int errors = 0;
  llvm::DenseSet<Value> bad;
  auto check = [&](Location location, Value value) {
    if (succeeded(checkType(location, value, valueName(value))))
      return;
    bad.insert(value);
    ++errors;
  };
  for (BlockArgument argument : func.getArguments())
    check(func.getLoc(), argument);
  for (Operation &op : func.getBody().front()) {
    if (errors >= 20)
      break;
    if (llvm::isa<top::ConstantOp>(op))
      continue;
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return bad.contains(operand); })) {
      bad.insert(op.result_begin(), op.result_end());
      continue;
    }
    errors += failed(checkConstants(op));
    for (Value result : op.getResults())
      check(op.getLoc(), result);
  }
  return failure(errors > 0);
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

/// `tpu.io` of an input or output: its ONNX name and type.
static DictionaryAttr ioAttr(OpBuilder &b, StringAttr name, Type onnxType) {
  return b.getDictionaryAttr(
      {b.getNamedAttr("name", name ? name : b.getStringAttr("?")),
       b.getNamedAttr("type", TypeAttr::get(onnxType))});
}

namespace {
/// Lowers the body of one function into a new block that takes the place of the
/// old one.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp func, const Choices &choices,
                   const CalibrationTable *table)
      : func(func), builder(func.getContext()),
        lowering(builder, choices, table) {
#define WEFT_FAMILY(name) register##name##Lowering(functions);
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  }

  LogicalResult run() {
    Block *old = &func.getBody().front();
    Block *fresh = new Block();
    func.getBody().push_back(fresh);
    builder.setInsertionPointToStart(fresh);
    LogicalResult result = lowerArguments(*old, *fresh);
    if (succeeded(result))
      result = lowerBody(*old);
    if (succeeded(result))
      replaceSignature(*old, *fresh);
    else
      dropBlock(fresh);
    return result;
  }

private:
  static void dropBlock(Block *block) {
    block->dropAllReferences();
    block->erase();
  }

  LogicalResult lowerArguments(Block &old, Block &fresh) {
    for (BlockArgument argument : old.getArguments()) {
      FailureOr<Type> element = inputElement(argument);
      if (failed(element))
        return failure();
      lowering.define(argument,
                      fresh.addArgument(
                          lowering.tensor(lowering.shapeOf(argument), *element),
                          argument.getLoc()));
    }
    return success();
  }

  /// The type in which an input is stored: as close to ONNX's as a bmodel has,
  /// or with `quantizedIo` 8 bits
  /// if only 8-bit products read it, else the compute type.
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

  /// All ops; a failing one does not hide the next complaint about an unknown
  /// op.
  LogicalResult lowerBody(Block &old) {
    for (Operation &op : old.without_terminator()) {
      const LoweringTable::Function *function = functions.find(&op);
      if (!function)
        return unsupported(&op)
               << "operation '" << op.getName() << "' on the chip";
      if (!lowering.isTaken(&op) && failed((*function)(&op, lowering)))
        return failure();
    }
    auto ret = cast<func::ReturnOp>(old.getTerminator());
    SmallVector<Value> results;
    for (Value operand : ret.getOperands()) {
      Type element = storedElement(elementOf(operand));
      if (lowering.choices.quantizedIo && !llvm::isa<IntegerType>(element))
        element = outputElement(operand);
      FailureOr<Value> result = output(operand, element, ret.getLoc());
      if (failed(result))
        return failure();
      results.push_back(withOwnRoom(*result, ret.getLoc()));
    }
    builder.create<func::ReturnOp>(ret.getLoc(), results);
    return success();
  }

  /// The same for an output: 8 bits if a product gives it so, else the compute
  /// type.
  Type outputElement(Value operand) {
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

  FailureOr<Value> output(Value operand, Type element, Location location) {
    if (std::optional<FloatConstant> constant = lowering.constantOf(operand))
      return lowering.floatWeight(location, lowering.shapeOf(operand), element,
                                  constant->values);
    return lowering.inFloat(operand, element);
  }

  void replaceSignature(Block &old, Block &fresh) {
    auto ret = cast<func::ReturnOp>(fresh.getTerminator());
    for (BlockArgument argument : old.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto name = func.getArgAttrOfType<StringAttr>(i, top::kNameAttr);
      func.removeArgAttr(i, top::kSymbolsAttr);
      func.removeArgAttr(i, top::kNameAttr);
      func.setArgAttr(i, "tpu.io", ioAttr(builder, name, argument.getType()));
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      auto name = func.getResultAttrOfType<StringAttr>(i, top::kNameAttr);
      func.removeResultAttr(i,
                            StringAttr::get(func.getContext(), top::kNameAttr));
      func.setResultAttr(i, "tpu.io",
                         ioAttr(builder, name, func.getResultTypes()[i]));
    }
    func.setType(builder.getFunctionType(fresh.getArgumentTypes(),
                                         ret.getOperandTypes()));
    dropBlock(&old);
  }

  func::FuncOp func;
  OpBuilder builder;
  Lowering lowering;
  LoweringTable functions;
  llvm::DenseSet<Value> outputRoots; ///< outputs that keep their place
};

struct ConvertTopToTpu
    : public quantize::impl::ConvertTopToTpuBase<ConvertTopToTpu> {
  using ConvertTopToTpuBase::ConvertTopToTpuBase;

  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

  LogicalResult convert(ModuleOp module) {
    std::optional<Precision> wanted = symbolizePrecision(precision);
    if (!wanted)
      return emitError(module.getLoc()) << "precision is '" << precision
                                        << "', must be f32, f16, bf16 or int8";
    if (!chips::find(chip))
      return emitError(module.getLoc())
             << "unknown chip '" << chip
             << "'; known: " << chips::joinedTargets();
    auto func = module.lookupSymbol<func::FuncOp>("main");
    if (!func || !func.getBody().hasOneBlock())
      return emitError(module.getLoc())
             << "the module has no function @main with one block";
    CalibrationTable table;
    if (*wanted == Precision::I8) {
      if (calibration.empty())
        return emitError(module.getLoc())
               << "precision int8 needs a calibration table; make one with "
                  "weft calibrate";
      llvm::Expected<CalibrationTable> read =
          CalibrationTable::read(calibration);
      if (!read)
        return emitError(module.getLoc()) << llvm::toString(read.takeError());
      table = std::move(*read);
    }
    Choices choices{*wanted, quantizedIo, wideWeights, wideProducts};
    if (failed(checkTypes(func)))
      return failure();
    remarkDoubles(func);
    if (failed(FunctionLowering(func, choices, &table).run()))
      return failure();
    OpBuilder builder(module.getContext());
    module->setAttr("tpu.chip", builder.getStringAttr(chip));
    module->setAttr("tpu.precision", builder.getStringAttr(precision));
    return success();
  }
};
} // namespace
