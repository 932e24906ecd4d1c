//===- Function.cpp - the functions of PPL as ops ------------------------===//

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Memory.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ExtensibleDialect.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

// Slot of each operand, in order.
static constexpr StringLiteral kSlots = "slots";

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type weft::ppl::elementTypeOf(catalog::DataType type, MLIRContext *context) {
  using catalog::DataType;
  switch (type) {
  case DataType::Fp32:
    return Float32Type::get(context);
  case DataType::Fp16:
    return Float16Type::get(context);
  case DataType::Bf16:
    return BFloat16Type::get(context);
  case DataType::Fp8e5m2:
    return Float8E5M2Type::get(context);
  case DataType::Fp8e4m3:
    return Float8E4M3FNType::get(context);
  case DataType::Fp20:
    return Fp20Type::get(context);
  case DataType::Tf32:
    return FloatTF32Type::get(context);
  case DataType::Fp4:
    return {};
  default:
    return IntegerType::get(context, catalog::bitsOf(type),
                            catalog::isSigned(type) ? IntegerType::Signed
                                                    : IntegerType::Unsigned);
  }
}

std::optional<catalog::DataType> weft::ppl::dataTypeOf(Type type) {
  for (int64_t code = 1; auto known = catalog::dataTypeOf(code); ++code)
    if (elementTypeOf(*known, type.getContext()) == type)
      return known;
  return std::nullopt;
}

catalog::AlignMode weft::ppl::alignModeOf(Layout layout) {
  switch (layout) {
  case Layout::Aligned:
    return catalog::AlignMode::Aligned;
  case Layout::Compact:
    return catalog::AlignMode::Compact;
  case Layout::LineAligned:
    return catalog::AlignMode::RowAligned;
  case Layout::Continuous:
    return catalog::AlignMode::Continuous;
  case Layout::Channel:
  case Layout::Strided:
    return catalog::AlignMode::Free;
  }
  llvm_unreachable("covered switch");
}

std::optional<Layout> weft::ppl::layoutOf(catalog::AlignMode mode,
                                          Memory memory) {
  bool isLocal = memory == Memory::Local;
  switch (mode) {
  case catalog::AlignMode::Continuous:
    return isLocal ? std::nullopt : std::optional(Layout::Continuous);
  case catalog::AlignMode::Aligned:
    return isLocal ? std::optional(Layout::Aligned) : std::nullopt;
  case catalog::AlignMode::Compact:
    return isLocal ? std::optional(Layout::Compact) : std::nullopt;
  case catalog::AlignMode::RowAligned:
    return isLocal ? std::optional(Layout::LineAligned) : std::nullopt;
  case catalog::AlignMode::Free:
    return std::nullopt;
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Sets lane and address from the op that makes the tensor.
static void locate(Value tensor, const Chip &chip,
                   std::optional<uint64_t> rootAddress, catalog::Tensor &out) {
  Operation *op = tensor.getDefiningOp();
  if (auto local = dyn_cast_or_null<LocalOp>(op)) {
    out.lane = unsigned(local.getLane());
    if (local.getIndices().empty())
      out.address = local.getAddress();
  } else if (auto global = dyn_cast_or_null<GlobalOp>(op)) {
    if (global.getIndices().empty())
      out.address = global.getAddress();
  } else if (auto fixed = dyn_cast_or_null<StaticOp>(op)) {
    out.address = fixed.getAddress();
  } else if (auto view = dyn_cast_or_null<ViewOp>(op)) {
    catalog::Tensor source = describe(view.getSource(), chip, rootAddress);
    ArrayRef<int64_t> offset = view.getOffset();
    int64_t row = offset[1];
    if (source.memory == catalog::Memory::Local) {
      row = (source.lane + offset[1]) / chip.lanes;
      out.lane = unsigned((source.lane + offset[1]) % chip.lanes);
    }
    int64_t elements = offset[0] * source.strides[0] + row * source.strides[1] +
                       offset[2] * source.strides[2] +
                       offset[3] * source.strides[3];
    if (source.address)
      out.address = *source.address +
                    uint64_t(elements) * catalog::bitsOf(source.type) / 8 +
                    view.getBytes();
    return;
  }
  if (!out.address)
    out.address = rootAddress;
}

catalog::Tensor weft::ppl::describe(Value tensor, const Chip &chip,
                                    std::optional<uint64_t> rootAddress) {
  auto type = cast<TensorViewType>(tensor.getType());
  catalog::Tensor out;
  out.type =
      dataTypeOf(type.getElementType()).value_or(catalog::DataType::Int8);
  out.memory = catalog::Memory(unsigned(type.getMemory()));
  out.layout = alignModeOf(type.getLayout());
  llvm::copy(type.getShape(), out.shape.begin());
  locate(tensor, chip, rootAddress, out);
  Strides s = stridesOf(type, out.lane, chip);
  out.strides = {s.n, s.c, s.h, s.w};
  return out;
}

//===----------------------------------------------------------------------===//
// FunctionOp
//===----------------------------------------------------------------------===//

static StringRef nameWithoutDialect(OperationName name) {
  StringRef text = name.getStringRef();
  return text.consume_front("ppl.") ? text : StringRef();
}

FunctionOp::FunctionOp(Operation *op) : op(op) {
  StringRef name = op ? nameWithoutDialect(op->getName()) : StringRef();
  if (!name.empty())
    theFunction = catalog::find({name.data(), name.size()});
}

Value FunctionOp::tensor(StringRef slot) const {
  auto slots = op->getAttrOfType<DenseI32ArrayAttr>(kSlots);
  int index = theFunction->slotIndex({slot.data(), slot.size()});
  if (!slots || index < 0)
    return {};
  for (auto [position, value] :
       llvm::zip(slots.asArrayRef(), op->getOperands()))
    if (position == index)
      return value;
  return {};
}

Attribute FunctionOp::number(StringRef slot) const { return op->getAttr(slot); }

static catalog::Argument argumentOf(Attribute number) {
  catalog::Argument argument;
  using Kind = catalog::Argument::Kind;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(number)) {
    argument.kind = Kind::Integer;
    argument.integer = integer.getValue().getSExtValue();
  } else if (auto real = dyn_cast_or_null<FloatAttr>(number)) {
    argument.kind = Kind::Float;
    argument.real = real.getValueAsDouble();
  } else if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(number)) {
    argument.kind = Kind::Integers;
    argument.integers.assign(array.asArrayRef().begin(),
                             array.asArrayRef().end());
  }
  return argument;
}

catalog::Call FunctionOp::call(const Chip &chip) const {
  catalog::Call call;
  call.operation = theFunction;
  call.chip = &chip;
  for (const catalog::Slot &slot : theFunction->slots) {
    StringRef name(slot.name.data(), slot.name.size());
    if (Value value = tensor(name)) {
      catalog::Argument argument;
      argument.kind = catalog::Argument::Kind::Tensor;
      argument.tensor = describe(value, chip);
      call.arguments.push_back(std::move(argument));
    } else {
      call.arguments.push_back(argumentOf(number(name)));
    }
  }
  return call;
}

Operation *weft::ppl::createFunction(OpBuilder &builder, Location loc,
                                     const catalog::Operation &function,
                                     ArrayRef<FunctionArgument> arguments) {
  OperationState state(loc, "ppl." + std::string(function.name));
  SmallVector<int32_t> slots;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const catalog::Slot &slot = function.slots[index];
    if (argument.tensor) {
      slots.push_back(int32_t(index));
      state.addOperands(argument.tensor);
    } else if (argument.number) {
      state.addAttribute({slot.name.data(), slot.name.size()}, argument.number);
    }
  }
  state.addAttribute(kSlots, builder.getDenseI32ArrayAttr(slots));
  return builder.create(state);
}

//===----------------------------------------------------------------------===//
// Syntax and checks
//===----------------------------------------------------------------------===//

static LogicalResult verifyFunction(Operation *op) {
  FunctionOp function(op);
  auto slots = op->getAttrOfType<DenseI32ArrayAttr>(kSlots);
  bool fits = slots && slots.size() == int64_t(op->getNumOperands());
  for (int32_t slot : slots ? slots.asArrayRef() : ArrayRef<int32_t>())
    fits &= slot >= 0 && size_t(slot) < function.function().slots.size();
  if (!fits)
    return op->emitOpError() << "'slots' must name one slot an operand";
  for (Type type : op->getOperandTypes())
    if (!mlir::isa<TensorViewType>(type))
      return op->emitOpError() << "operand is " << type << ", must be a tensor";
  for (NamedAttribute attr : op->getAttrs())
    if (attr.getName() != kSlots &&
        function.function().slotIndex(attr.getName().strref()) < 0)
      return op->emitOpError() << "has no slot '" << attr.getName() << "'";
  std::string problem = catalog::problemOf(function.call(chipOf(op)));
  if (!problem.empty())
    return op->emitOpError() << problem;
  return success();
}

static ParseResult parseFunction(OpAsmParser &parser, OperationState &state) {
  StringRef name = nameWithoutDialect(state.name);
  const catalog::Operation *function =
      catalog::find({name.data(), name.size()});
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<int32_t> slots;
  auto parseOne = [&]() -> ParseResult {
    StringRef slot;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&slot) || parser.parseEqual())
      return failure();
    int index = function->slotIndex({slot.data(), slot.size()});
    if (index < 0)
      return parser.emitError(loc)
             << "'" << name << "' has no slot '" << slot << "'";
    if (llvm::is_contained(slots, index) || state.attributes.get(slot))
      return parser.emitError(loc) << "slot '" << slot << "' is given twice";
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (isOperand.has_value()) {
      slots.push_back(index);
      operands.push_back(operand);
      return *isOperand;
    }
    Attribute number;
    if (parser.parseAttribute(number))
      return failure();
    state.addAttribute(slot, number);
    return success();
  };
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(parseOne) ||
      parser.parseOptionalColonTypeList(types) ||
      parser.resolveOperands(operands, types, loc, state.operands))
    return failure();
  state.addAttribute(kSlots,
                     DenseI32ArrayAttr::get(parser.getContext(), slots));
  return success();
}

static void printFunction(Operation *op, OpAsmPrinter &printer, StringRef) {
  FunctionOp function(op);
  printer << op->getName().getStringRef() << " "; // dynamic ops print their own
  bool isFirst = true;
  for (const catalog::Slot &slot : function.function().slots) {
    StringRef name(slot.name.data(), slot.name.size());
    Value tensor = function.tensor(name);
    Attribute number = function.number(name);
    if (!tensor && !number)
      continue;
    printer << (isFirst ? "" : ", ") << name << " = ";
    isFirst = false;
    if (tensor)
      printer << tensor;
    else
      printer << number;
  }
  if (op->getNumOperands())
    printer << " : " << op->getOperandTypes();
}

void PplDialect::registerFunctions() {
  for (const catalog::Operation &function : catalog::operations())
    registerDynamicOp(DynamicOpDefinition::get(
        StringRef(function.name.data(), function.name.size()), this,
        verifyFunction, [](Operation *) { return success(); }, parseFunction,
        printFunction));
}
