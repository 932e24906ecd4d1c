//===- FunctionOps.cpp - the functions of a set as ops -------------------===//

#include "dialects/catalog/FunctionOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weft;
using catalog::FunctionArgument;
using catalog::FunctionDialect;
using catalog::FunctionOp;

// Slot of each operand, in order.
static constexpr StringLiteral kSlots = "slots";

static StringRef text(std::string_view view) {
  return {view.data(), view.size()};
}
static std::string_view view(StringRef text) {
  return {text.data(), text.size()};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type catalog::mlirTypeOf(DataType type, MLIRContext *context) {
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
  case DataType::Tf32:
    return FloatTF32Type::get(context);
  case DataType::Fp20:
  case DataType::Fp4:
    return {};
  default:
    return IntegerType::get(context, bitsOf(type),
                            isSigned(type) ? IntegerType::Signed
                                           : IntegerType::Unsigned);
  }
}

std::optional<catalog::DataType> catalog::dataTypeOf(Type type) {
  for (int64_t code = 1; auto known = dataTypeOf(code); ++code)
    if (mlirTypeOf(*known, type.getContext()) == type)
      return known;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// FunctionDialect
//===----------------------------------------------------------------------===//

const FunctionDialect *FunctionDialect::of(mlir::Operation *op) {
  Dialect *dialect = op ? op->getDialect() : nullptr;
  return dialect ? dialect->getRegisteredInterface<FunctionDialect>() : nullptr;
}

Type FunctionDialect::typeOf(const catalog::VectorType &) const {
  llvm_unreachable("a dialect with results says what their types are");
}

LogicalResult FunctionDialect::fold(const FunctionOp &, ArrayRef<Attribute>,
                                    SmallVectorImpl<OpFoldResult> &) const {
  return failure();
}

void FunctionDialect::addCanonicalizationPatterns(const Operation &,
                                                  RewritePatternSet &) const {}

//===----------------------------------------------------------------------===//
// FunctionOp
//===----------------------------------------------------------------------===//

/// The function that an op of a dialect is called after.
static const catalog::Operation *functionOf(OperationName name,
                                            const FunctionDialect &dialect) {
  return catalog::find(view(name.stripDialect()), dialect.language());
}

FunctionOp::FunctionOp(mlir::Operation *op) : op(op) {
  theDialect = FunctionDialect::of(op);
  if (theDialect)
    theFunction = functionOf(op->getName(), *theDialect);
}

std::optional<unsigned> FunctionOp::operandIndex(StringRef slot) const {
  auto slots = op->getAttrOfType<DenseI32ArrayAttr>(kSlots);
  int index = theFunction->slotIndex(view(slot));
  if (!slots || index < 0)
    return std::nullopt;
  for (auto [position, given] : llvm::enumerate(slots.asArrayRef()))
    if (given == index && position < op->getNumOperands())
      return unsigned(position);
  return std::nullopt;
}

Value FunctionOp::value(StringRef slot) const {
  std::optional<unsigned> index = operandIndex(slot);
  return index ? op->getOperand(*index) : Value();
}

Attribute FunctionOp::attribute(StringRef slot) const {
  return op->getAttr(slot);
}

SmallVector<FunctionArgument> FunctionOp::arguments() const {
  SmallVector<FunctionArgument> list;
  for (const Slot &slot : theFunction->slots)
    list.push_back(argument(text(slot.name)));
  return list;
}

catalog::Call FunctionOp::call(const Chip &chip) const {
  return callOf(*theDialect, *theFunction, arguments(), chip);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The number of a word among the slot's; one that is not there gets the number
/// behind the last, which problemOf refuses, and keeps its text for the
/// message.
static catalog::Argument choiceOf(StringRef word, const catalog::Slot &slot) {
  catalog::Argument argument;
  argument.kind = catalog::Argument::Kind::Integer;
  argument.integer = int64_t(slot.choices.size());
  for (auto [index, choice] : llvm::enumerate(slot.choices))
    if (text(choice) == word)
      argument.integer = int64_t(index);
  argument.text = word.str();
  return argument;
}

static catalog::Argument argumentOf(Attribute given,
                                    const catalog::Slot &slot) {
  catalog::Argument argument;
  using Kind = catalog::Argument::Kind;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(given)) {
    bool isBool = integer.getType().isSignlessInteger(1);
    argument.kind = Kind::Integer;
    argument.integer = isBool ? int64_t(integer.getValue().getBoolValue())
                              : integer.getValue().getSExtValue();
  } else if (auto real = dyn_cast_or_null<FloatAttr>(given)) {
    argument.kind = Kind::Float;
    argument.real = real.getValueAsDouble();
  } else if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(given)) {
    argument.kind = Kind::Integers;
    argument.integers.assign(array.asArrayRef().begin(),
                             array.asArrayRef().end());
  } else if (auto word = dyn_cast_or_null<StringAttr>(given)) {
    if (slot.kind == catalog::SlotKind::Choice)
      return choiceOf(word.getValue(), slot);
    argument.kind = Kind::Mask;
    argument.text = word.str();
    argument.vector.lanes = 0; // see zhouyi::maskProblem
  } else if (auto lanes = dyn_cast_or_null<DenseBoolArrayAttr>(given)) {
    argument.kind = Kind::Mask;
    argument.vector.lanes = unsigned(lanes.size());
    for (bool lane : lanes.asArrayRef())
      argument.lanes.push_back(lane);
    if (argument.lanes.empty()) // without lanes it would be no known mask
      argument.lanes.push_back(0);
  }
  return argument;
}

/// Whether argumentOf reads an attribute.
static bool isArgument(Attribute given) {
  if (auto integer = dyn_cast<IntegerAttr>(given))
    return integer.getValue().getBitWidth() <= 64;
  return mlir::isa<FloatAttr, DenseI64ArrayAttr, StringAttr,
                   DenseBoolArrayAttr>(given);
}

catalog::Call catalog::callOf(const FunctionDialect &dialect,
                              const Operation &function,
                              ArrayRef<FunctionArgument> arguments,
                              const Chip &chip) {
  Call call;
  call.operation = &function;
  call.chip = &chip;
  for (auto [argument, slot] : llvm::zip(arguments, function.slots))
    call.arguments.push_back(
        argument.value ? dialect.argumentOf(argument.value, slot, chip)
                       : ::argumentOf(argument.attribute, slot));
  call.arguments.resize(function.slots.size());
  return call;
}

mlir::Operation *catalog::createFunction(OpBuilder &builder, Location loc,
                                         const Operation &function,
                                         ArrayRef<FunctionArgument> arguments,
                                         Type result) {
  OperationState state(
      loc,
      (text(spelling(function.language)) + "." + text(function.name)).str());
  SmallVector<int32_t> slots;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    const Slot &slot = function.slots[index];
    if (argument.value) {
      slots.push_back(int32_t(index));
      state.addOperands(argument.value);
    } else if (argument.attribute) {
      state.addAttribute(text(slot.name), argument.attribute);
    }
  }
  state.addAttribute(kSlots, builder.getDenseI32ArrayAttr(slots));
  if (result)
    state.addTypes(result);
  return builder.create(state);
}

mlir::Operation *catalog::createCheckedFunction(
    OpBuilder &builder, Location loc, const FunctionDialect &dialect,
    const Operation &function, ArrayRef<FunctionArgument> arguments,
    const Chip &chip) {
  Call call = callOf(dialect, function, arguments, chip);
  if (std::string problem = problemOf(call); !problem.empty()) {
    emitError(loc) << text(function.name) << ": " << problem;
    return nullptr;
  }
  Type result =
      function.result ? dialect.typeOf(function.result(call)) : Type();
  return createFunction(builder, loc, function, arguments, result);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Attributes with the name of a dialect are no slots.
static bool isDiscardable(NamedAttribute attr) {
  return attr.getName().getValue().contains('.');
}

/// What makes the parts of an op a call at all, whatever the function.
static LogicalResult verifyShape(const FunctionOp &function) {
  mlir::Operation *op = function.operation();
  const catalog::Operation &row = function.function();
  auto slots = op->getAttrOfType<DenseI32ArrayAttr>(kSlots);
  bool fits = slots && slots.size() == int64_t(op->getNumOperands());
  for (int32_t slot : slots ? slots.asArrayRef() : ArrayRef<int32_t>())
    fits &= slot >= 0 && size_t(slot) < row.slots.size();
  if (!fits)
    return op->emitOpError() << "'slots' must name one slot an operand";
  for (Type type : op->getOperandTypes())
    if (!function.dialect().isArgument(type))
      return op->emitOpError() << "operand is " << type << ", must be "
                               << function.dialect().argumentWords();
  for (NamedAttribute attr : op->getAttrs()) {
    if (attr.getName() == kSlots || isDiscardable(attr))
      continue;
    if (row.slotIndex(view(attr.getName())) < 0)
      return op->emitOpError()
             << "has no slot '" << attr.getName().getValue() << "'";
    if (!isArgument(attr.getValue()))
      return op->emitOpError()
             << attr.getName().getValue() << " is " << attr.getValue()
             << ", must be a value, a number of 64 bits or less, a text, or an "
                "array of i64 or i1";
  }
  return success();
}

static LogicalResult verifyFunction(mlir::Operation *op) {
  FunctionOp function(op);
  if (failed(verifyShape(function)))
    return failure();
  catalog::Call call = function.call();
  if (std::string problem = catalog::problemOf(call); !problem.empty())
    return op->emitOpError() << problem;
  const catalog::Operation &row = function.function();
  if (op->getNumResults() != unsigned(bool(row.result)))
    return op->emitOpError() << "has " << op->getNumResults()
                             << " results, must have " << bool(row.result);
  if (!row.result)
    return success();
  Type wanted = function.dialect().typeOf(row.result(call));
  if (op->getResult(0).getType() != wanted)
    return op->emitOpError() << "result is " << op->getResult(0).getType()
                             << ", must be " << wanted;
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// A number without a type: an i64, or an f64 if it is written with a point or
/// in hex. MLIR would take the colon of the types behind it for its own.
static OptionalParseResult parseBareNumber(OpAsmParser &parser,
                                           Attribute &number) {
  const char *next = parser.getCurrentLocation().getPointer();
  next += *next == '-';
  if (!llvm::isDigit(*next))
    return std::nullopt;
  bool isFloat = next[0] == '0' && next[1] == 'x';
  while (llvm::isDigit(*next))
    ++next;
  isFloat |= *next == '.';
  if (isFloat) {
    double value = 0;
    if (parser.parseFloat(value))
      return failure();
    number = parser.getBuilder().getF64FloatAttr(value);
    return success();
  }
  int64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  number = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static ParseResult parseSlotAttribute(OpAsmParser &parser,
                                      const FunctionDialect &dialect,
                                      Attribute &attribute) {
  if (!dialect.typesNumbers()) {
    OptionalParseResult isNumber = parseBareNumber(parser, attribute);
    if (isNumber.has_value())
      return *isNumber;
    std::string word; // an attribute would take the colon, too
    if (succeeded(parser.parseOptionalString(&word))) {
      attribute = parser.getBuilder().getStringAttr(word);
      return success();
    }
  }
  return parser.parseAttribute(attribute);
}

namespace {
/// The words `slot = argument` of one op, as they are read.
struct FunctionText {
  OpAsmParser &parser;
  OperationState &state;
  const FunctionDialect &dialect;
  const catalog::Operation &function;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<int32_t> slots;

  ParseResult parseOne();
};
} // namespace

ParseResult FunctionText::parseOne() {
  StringRef slot;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&slot) || parser.parseEqual())
    return failure();
  int index = function.slotIndex(view(slot));
  if (index < 0)
    return parser.emitError(loc)
           << "'" << text(function.name) << "' has no slot '" << slot << "'";
  if (llvm::is_contained(slots, index) || state.attributes.get(slot))
    return parser.emitError(loc) << "slot '" << slot << "' is given twice";
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    slots.push_back(index);
    operands.push_back(operand);
    return *isOperand;
  }
  Attribute attribute;
  if (parseSlotAttribute(parser, dialect, attribute))
    return failure();
  state.addAttribute(slot, attribute);
  return success();
}

static ParseResult parseFunction(OpAsmParser &parser, OperationState &state) {
  const auto &dialect =
      *state.name.getDialect()->getRegisteredInterface<FunctionDialect>();
  FunctionText words{parser, state, dialect, *functionOf(state.name, dialect),
                     {},     {}};
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList([&] { return words.parseOne(); }) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseOptionalColonTypeList(types) ||
      parser.resolveOperands(words.operands, types, loc, state.operands) ||
      parser.parseOptionalArrowTypeList(state.types))
    return failure();
  state.addAttribute(kSlots,
                     DenseI32ArrayAttr::get(parser.getContext(), words.slots));
  return success();
}

static void printSlotAttribute(OpAsmPrinter &printer,
                               const FunctionDialect &dialect,
                               Attribute attribute) {
  if (!dialect.typesNumbers()) {
    auto integer = dyn_cast<IntegerAttr>(attribute);
    if (integer && integer.getType().isSignlessInteger(64)) {
      printer << integer.getInt();
      return;
    }
    auto real = dyn_cast<FloatAttr>(attribute);
    if (real && real.getType().isF64()) {
      printer.printFloat(real.getValue());
      return;
    }
  }
  printer << attribute;
}

static void printFunction(mlir::Operation *op, OpAsmPrinter &printer,
                          StringRef) {
  FunctionOp function(op);
  printer << op->getName().getStringRef() << " "; // dynamic ops print their own
  bool isFirst = true;
  for (const catalog::Slot &slot : function.function().slots) {
    FunctionArgument argument = function.argument(text(slot.name));
    if (!argument.value && !argument.attribute)
      continue;
    printer << (isFirst ? "" : ", ") << text(slot.name) << " = ";
    isFirst = false;
    if (argument.value)
      printer << argument.value;
    else
      printSlotAttribute(printer, function.dialect(), argument.attribute);
  }
  SmallVector<NamedAttribute> discardable;
  llvm::copy_if(op->getAttrs(), std::back_inserter(discardable), isDiscardable);
  printer.printOptionalAttrDict(discardable);
  if (op->getNumOperands())
    printer << " : " << op->getOperandTypes();
  printer.printOptionalArrowTypeList(op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static LogicalResult foldFunction(mlir::Operation *op,
                                  ArrayRef<Attribute> operands,
                                  SmallVectorImpl<OpFoldResult> &results) {
  FunctionOp function(op);
  return function.dialect().fold(function, operands, results);
}

void catalog::registerFunctions(ExtensibleDialect &dialect) {
  const auto *hosted = dialect.getRegisteredInterface<FunctionDialect>();
  for (const Operation &function : operations(hosted->language()))
    dialect.registerDynamicOp(DynamicOpDefinition::get(
        text(function.name), &dialect, verifyFunction,
        [](mlir::Operation *) { return success(); }, parseFunction,
        printFunction, foldFunction,
        [hosted, &function](RewritePatternSet &patterns, MLIRContext *) {
          hosted->addCanonicalizationPatterns(function, patterns);
        },
        [](const OperationName &, NamedAttrList &) {}));
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

namespace {
struct FunctionEffects
    : MemoryEffectOpInterface::FallbackModel<FunctionEffects> {
  void
  getEffects(mlir::Operation *op,
             SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
                 &effects) const {
    FunctionOp function(op);
    if (!function)
      return;
    for (const catalog::Slot &slot : function.function().slots) {
      if (slot.kind != catalog::SlotKind::Pointer &&
          slot.kind != catalog::SlotKind::Tensor &&
          slot.kind != catalog::SlotKind::TensorOrScalar)
        continue;
      if (slot.access != catalog::Access::Write)
        effects.emplace_back(MemoryEffects::Read::get());
      if (slot.access != catalog::Access::Read)
        effects.emplace_back(MemoryEffects::Write::get());
    }
  }
};
} // namespace

void *catalog::functionEffects(TypeID interface, OperationName name) {
  if (interface != TypeID::get<MemoryEffectOpInterface>())
    return nullptr;
  const auto *hosted =
      name.getDialect()->getRegisteredInterface<FunctionDialect>();
  if (!hosted || !functionOf(name, *hosted))
    return nullptr;
  static FunctionEffects effects;
  return static_cast<MemoryEffectOpInterface::Concept *>(&effects);
}
