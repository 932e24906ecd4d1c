//===- Encode.cpp - zhouyi ops to programs of vector operations ----------===//

#include "codegen/zhouyi/Encode.h"
#include "codegen/zhouyi/Encoder.h"
#include "dialects/Evaluate.h"
#include "dialects/zhouyi/Constants.h"
#include "dialects/zhouyi/Vector.h"
#include "runtime/zhouyi/ProgramFile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
using zhouyi::Address;
using zhouyi::Buffer;
using zhouyi::Instruction;
using zhouyi::RegisterId;
using zhouyi::Term;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

zhouyi::NodeId Encoder::nodeOf(Location location) {
  std::string name = nodeNameOf(location);
  if (name.empty())
    return zhouyi::kNoNode;
  auto [entry, isNew] =
      nodes.try_emplace(name, zhouyi::NodeId(program.nodes.size()));
  if (isNew)
    program.nodes.push_back(name);
  return entry->second;
}

void Encoder::append(Location location, decltype(Instruction::what) what) {
  Instruction instruction;
  instruction.node = nodeOf(location);
  instruction.what = std::move(what);
  body->push_back(std::move(instruction));
  lines->push_back({location, {}});
}

Location Encoder::locationOf(ArrayRef<size_t> path, Location otherwise) const {
  if (path.empty() || path[0] < prologue.size())
    return otherwise;
  const SourceLine *line = &sourceLines[path[0] - prologue.size()];
  for (size_t index : path.drop_front())
    line = &line->inside[index];
  return line->location;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The host type of a stored element, whose sign ppl and zhouyi spell out.
std::optional<numeric::ElementType> codegen::storedTypeOf(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.isSigned())
    element = IntegerType::get(element.getContext(), integer.getWidth());
  return hostElementType(element);
}

static zhouyi::BufferRole roleOf(zhouyi::BufferKind kind) {
  switch (kind) {
  case zhouyi::BufferKind::Weight:
    return zhouyi::BufferRole::Weight;
  case zhouyi::BufferKind::Input:
    return zhouyi::BufferRole::Input;
  case zhouyi::BufferKind::Output:
    return zhouyi::BufferRole::Output;
  case zhouyi::BufferKind::Scratch:
    return zhouyi::BufferRole::Scratch;
  }
  llvm_unreachable("covered switch");
}

/// What the file says of the ONNX value in a buffer.
static FailureOr<rt::TensorSpec> valueOf(zhouyi::BufferOp op,
                                         uint64_t address) {
  auto onnx = cast<RankedTensorType>(*op.getOnnx());
  auto stored = cast<RankedTensorType>(*op.getStored());
  auto type = storedTypeOf(onnx.getElementType());
  auto storedType = storedTypeOf(stored.getElementType());
  if (!type || !storedType)
    return op.emitError() << "buffer '" << op.getName() << "' holds " << onnx
                          << ", which has no ONNX element type";
  rt::TensorSpec value;
  value.name = op.getValue().value_or(op.getName()).str();
  value.type = *type;
  value.storedType = *storedType;
  value.shape.assign(onnx.getShape().begin(), onnx.getShape().end());
  value.storedShape = value.shape;
  value.hasOnnxView = true;
  value.address = address;
  value.elements = onnx.getNumElements();
  value.storedBytes =
      uint64_t(value.elements) * numeric::elementBytes(*storedType);
  value.scale = op.getScale().convertToFloat();
  value.zeroPoint = int32_t(op.getZeroPoint());
  return value;
}

/// All bytes of a weight; what its contents do not fill is 0.
static FailureOr<std::vector<uint8_t>> contentsOf(zhouyi::BufferOp op) {
  ArrayRef<char> raw = op.contentBytes();
  auto type = cast<ShapedType>(op.getContents()->getType());
  size_t size =
      size_t(type.getNumElements()) * (type.getElementTypeBitWidth() / 8);
  size_t wanted =
      op.isSplat() && size ? type.getElementTypeBitWidth() / 8 : size;
  if (raw.size() != wanted)
    return op.emitError() << "the bytes of weight '" << op.getName()
                          << "' are gone";
  std::vector<uint8_t> bytes(op.getBytes());
  for (size_t at = 0; at < size && !raw.empty(); at += raw.size())
    llvm::copy(raw, bytes.begin() + ptrdiff_t(at));
  return bytes;
}

LogicalResult Encoder::addBuffer(zhouyi::BufferOp op) {
  Buffer buffer;
  buffer.role = roleOf(op.getKind());
  buffer.name = op.getName().str();
  buffer.address = nextAddress;
  buffer.bytes = op.getBytes();
  nextAddress =
      llvm::alignTo(nextAddress + buffer.bytes, zhouyi::kBufferAlignment);
  if (op.getContents()) {
    FailureOr<std::vector<uint8_t>> contents = contentsOf(op);
    if (failed(contents))
      return failure();
    buffer.contents = std::move(*contents);
  }
  if (op.getStored()) {
    FailureOr<rt::TensorSpec> value = valueOf(op, buffer.address);
    if (failed(value))
      return failure();
    buffer.value = std::move(*value);
  }
  if (auto strides = op.getStrides())
    buffer.strides.assign(strides->begin(), strides->end());
  buffers[op.getPointer()] = uint32_t(program.buffers.size());
  program.buffers.push_back(std::move(buffer));
  return success();
}

LogicalResult Encoder::addBuffers(zhouyi::ProgramOp op) {
  for (bool areWeights : {true, false})
    for (auto buffer : op.getBody().getOps<zhouyi::BufferOp>()) {
      bool isWeight = buffer.getKind() == zhouyi::BufferKind::Weight;
      bool isNeeded = !buffer.getPointer().use_empty() || buffer.getStored();
      if (isWeight == areWeights && isNeeded && failed(addBuffer(buffer)))
        return failure();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Indices and addresses
//===----------------------------------------------------------------------===//

/// to += value * factor; false beyond 64 bits.
static bool addProduct(int64_t value, int64_t factor, int64_t &to) {
  int64_t product = 0;
  return !llvm::MulOverflow(value, factor, product) &&
         !llvm::AddOverflow(to, product, to);
}

static bool addScaled(const IndexSum &from, int64_t factor, IndexSum &to) {
  bool fits = addProduct(from.constant, factor, to.constant);
  for (auto [loop, step] : from.steps)
    fits &= addProduct(step, factor, to.steps[loop]);
  return fits;
}

void Encoder::learnIndex(Operation &op) {
  APInt known;
  IndexSum sum;
  if (op.getNumResults() != 1)
    return;
  if (matchPattern(&op, m_ConstantInt(&known))) {
    if (known.getSignificantBits() > 64)
      return;
    sum.constant = known.getSExtValue();
    indices[op.getResult(0)] = sum;
    return;
  }
  if (op.getNumOperands() != 2)
    return;
  auto left = indices.find(op.getOperand(0));
  auto right = indices.find(op.getOperand(1));
  if (left == indices.end() || right == indices.end())
    return;
  bool fits = false;
  if (mlir::isa<arith::AddIOp>(op))
    fits = addScaled(left->second, 1, sum) && addScaled(right->second, 1, sum);
  else if (mlir::isa<arith::SubIOp>(op))
    fits = addScaled(left->second, 1, sum) && addScaled(right->second, -1, sum);
  else if (mlir::isa<arith::MulIOp>(op) && right->second.steps.empty())
    fits = addScaled(left->second, right->second.constant, sum);
  else if (mlir::isa<arith::MulIOp>(op) && left->second.steps.empty())
    fits = addScaled(right->second, left->second.constant, sum);
  if (fits)
    indices[op.getResult(0)] = sum;
}

LogicalResult Encoder::addIndex(Value index, int64_t factor, IndexSum &sum,
                                Operation *user) {
  auto known = indices.find(index);
  if (known == indices.end())
    return user->emitError()
           << "an index is no sum of loop indices times constants; only such "
              "can be steps of an address";
  if (!addScaled(known->second, factor, sum))
    return user->emitError() << "an index times its step is beyond 64 bits";
  return success();
}

/// The terms of a program, in the order of the loops.
static std::vector<Term> termsOf(const IndexSum &sum) {
  std::vector<Term> terms;
  for (auto [loop, step] : sum.steps)
    if (step != 0)
      terms.push_back({loop, step});
  return terms;
}

FailureOr<Address> Encoder::addressOf(Value pointer, Operation *user) {
  IndexSum sum; // in bytes
  for (;;) {
    if (auto again = pointer.getDefiningOp<zhouyi::ReinterpretOp>()) {
      pointer = again.getSource();
      continue;
    }
    auto offset = pointer.getDefiningOp<zhouyi::OffsetOp>();
    if (!offset)
      break;
    int64_t bytes = offset.getType().elementBytes();
    int64_t added = 0;
    if (llvm::MulOverflow(offset.getAddAttr().getInt(), bytes, added) ||
        llvm::AddOverflow(sum.constant, added, sum.constant))
      return offset.emitError() << "leaves every memory";
    for (auto [index, step] : llvm::zip(offset.getIndices(), offset.getSteps()))
      if (llvm::MulOverflow(step, bytes, added) ||
          failed(addIndex(index, added, sum, offset)))
        return failure();
    pointer = offset.getSource();
  }
  auto buffer = buffers.find(pointer);
  if (buffer == buffers.end())
    return user->emitError() << "has a pointer that is to no buffer of the "
                                "program";
  return Address{buffer->second, sum.constant, termsOf(sum)};
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

RegisterId Encoder::constant(const zhouyi::RegisterType &type,
                             std::vector<uint8_t> bytes) {
  size_t lane = type.bytes() / type.lanes;
  bool isSplat = llvm::equal(
      ArrayRef(bytes).drop_front(lane),
      ArrayRef(bytes).drop_back(lane)); // each lane is the one before
  if (isSplat)
    bytes.resize(lane);
  auto key = std::tuple(type.type, type.lanes, type.isMask, bytes);
  auto [entry, isNew] = constants.try_emplace(key, zhouyi::kNoRegister);
  if (isNew) {
    entry->second = registers.keep(type);
    Instruction filled;
    filled.what = zhouyi::Constant{entry->second, std::move(bytes)};
    prologue.push_back(std::move(filled));
  }
  return entry->second;
}

void Encoder::encode(zhouyi::ConstantOp op) {
  auto value = cast<DenseElementsAttr>(op.getValue());
  zhouyi::RegisterType type = registerTypeOf(op.getType());
  registers.bind(op.getResult(),
                 constant(type, type.isMask ? zhouyi::lanesOf(value)
                                            : zhouyi::bytesOf(value)));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Encoder::encode(zhouyi::LoadOp op) {
  FailureOr<Address> from = addressOf(op.getPointer(), op);
  if (failed(from))
    return failure();
  RegisterId mask = registers.of(op.getMask());
  append(op.getLoc(), zhouyi::Load{registers.define(op->getResult(0)), *from,
                                   op.getStrideAttr().getInt(), mask});
  return success();
}

LogicalResult Encoder::encode(zhouyi::StoreOp op) {
  FailureOr<Address> to = addressOf(op.getPointer(), op);
  if (failed(to))
    return failure();
  append(op.getLoc(), zhouyi::Store{registers.of(op.getValue()), *to,
                                    op.getStrideAttr().getInt(),
                                    registers.of(op.getMask())});
  return success();
}

LogicalResult Encoder::encode(zhouyi::TailMaskOp op) {
  IndexSum sum; // of index * step, which the limit is reduced by
  for (auto [index, step] : llvm::zip(op.getIndices(), op.getSteps()))
    if (failed(addIndex(index, step, sum, op)))
      return failure();
  int64_t limit = 0;
  if (llvm::SubOverflow(op.getLimitAttr().getInt(), sum.constant, limit))
    return op.emitError() << "limit minus its indices is beyond 64 bits";
  append(op.getLoc(), zhouyi::TailMask{registers.define(op->getResult(0)),
                                       limit, termsOf(sum)});
  return success();
}

FailureOr<zhouyi::Operand>
Encoder::operandOf(const zhouyi::FunctionOp &function,
                   const catalog::Slot &slot, const catalog::Call &call) {
  using catalog::Argument;
  StringRef name(slot.name.data(), slot.name.size());
  const Argument &argument = call[slot.name];
  if (Value value = function.value(name)) {
    if (argument.kind != Argument::Kind::Pointer)
      return zhouyi::Operand::ofRegister(registers.of(value));
    FailureOr<Address> address = addressOf(value, function.operation());
    if (failed(address))
      return failure();
    return zhouyi::Operand::ofAddress(std::move(*address));
  }
  switch (argument.kind) {
  case Argument::Kind::Integer:
    return zhouyi::Operand::ofInteger(argument.integer);
  case Argument::Kind::Float:
    return zhouyi::Operand::ofFloat(argument.real);
  case Argument::Kind::Mask: {
    zhouyi::RegisterType type;
    type.isMask = true;
    type.lanes = zhouyi::maskLanesOf(call);
    // The verifier has seen that it fits.
    return zhouyi::Operand::ofRegister(
        constant(type, *zhouyi::knownMask(argument, type.lanes)));
  }
  default:
    return zhouyi::Operand();
  }
}

LogicalResult Encoder::encode(zhouyi::FunctionOp function) {
  Operation *op = function.operation();
  catalog::Call call = function.call();
  zhouyi::Apply apply;
  apply.operation = std::string(function.function().name);
  for (const catalog::Slot &slot : function.function().slots) {
    FailureOr<zhouyi::Operand> operand = operandOf(function, slot, call);
    if (failed(operand))
      return failure();
    apply.operands.push_back(std::move(*operand));
  }
  while (apply.operands.back().kind == zhouyi::Operand::Kind::None)
    apply.operands.pop_back(); // slot 0 is never left out
  if (op->getNumResults())
    apply.result = registers.define(op->getResult(0));
  append(op->getLoc(), std::move(apply));
  return success();
}

LogicalResult Encoder::encode(scf::ForOp op) {
  APInt low, high, step;
  if (!matchPattern(op.getLowerBound(), m_ConstantInt(&low)) ||
      !matchPattern(op.getUpperBound(), m_ConstantInt(&high)) ||
      !matchPattern(op.getStep(), m_ConstantInt(&step)))
    return op.emitError() << "a loop has bounds that are no constants";
  int64_t first = low.getSExtValue(), by = step.getSExtValue();
  int64_t span = 0;
  if (by < 1 || llvm::SubOverflow(high.getSExtValue(), first, span))
    return op.emitError() << "a loop goes from " << first << " to "
                          << high.getSExtValue() << " in steps of " << by
                          << "; the step must be above 0";
  int64_t count = span <= 0 ? 0 : (span - 1) / by + 1;
  if (count > int64_t(UINT32_MAX))
    return op.emitError() << "a loop runs " << count
                          << " times, at most 4294967295 are possible";
  if (count == 0) {
    for (auto [result, initial] : llvm::zip(op.getResults(), op.getInitArgs()))
      registers.bind(result, registers.of(initial));
    return success();
  }
  if (auto copies = registers.enter(op); !copies.empty())
    append(op.getLoc(), zhouyi::Copy{std::move(copies)});
  zhouyi::Loop loop;
  loop.count = uint32_t(count);
  indices[op.getInductionVar()] = {first, {{depth++, by}}};
  std::vector<SourceLine> inside;
  std::vector<Instruction> *outer = std::exchange(body, &loop.body);
  std::vector<SourceLine> *outerLines = std::exchange(lines, &inside);
  LogicalResult encoded = encode(*op.getBody());
  if (succeeded(encoded))
    if (auto copies = registers.leave(op); !copies.empty())
      append(op.getLoc(), zhouyi::Copy{std::move(copies)});
  body = outer;
  lines = outerLines;
  --depth;
  append(op.getLoc(), std::move(loop));
  lines->back().inside = std::move(inside);
  return encoded;
}

LogicalResult Encoder::encode(Operation &op) {
  if (zhouyi::FunctionOp function{&op})
    return encode(function);
  if (auto load = dyn_cast<zhouyi::LoadOp>(op))
    return encode(load);
  if (auto store = dyn_cast<zhouyi::StoreOp>(op))
    return encode(store);
  if (auto mask = dyn_cast<zhouyi::TailMaskOp>(op))
    return encode(mask);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return encode(loop);
  if (auto call = dyn_cast<zhouyi::HostCallOp>(op))
    return encode(call);
  if (auto constant = dyn_cast<zhouyi::ConstantOp>(op)) {
    encode(constant);
    return success();
  }
  if (auto cast = dyn_cast<zhouyi::CastOp>(op)) {
    RegisterId source = registers.of(cast.getSource());
    append(op.getLoc(),
           zhouyi::Cast{registers.define(op.getResult(0)), source});
    return success();
  }
  if (auto bits = dyn_cast<zhouyi::ReinterpretOp>(op)) {
    if (!mlir::isa<mlir::VectorType>(bits.getType()))
      return success(); // addressOf looks through it
    RegisterId source = registers.of(bits.getSource());
    append(op.getLoc(),
           zhouyi::Reinterpret{registers.define(op.getResult(0)), source});
    return success();
  }
  bool isOfAddresses =
      mlir::isa<zhouyi::BufferOp, zhouyi::OffsetOp, scf::YieldOp>(op) ||
      (mlir::isa<arith::ArithDialect>(op.getDialect()) &&
       llvm::all_of(op.getResultTypes(),
                    [](Type type) { return type.isIntOrIndex(); }));
  if (isOfAddresses) {
    learnIndex(op);
    return success();
  }
  return op.emitError() << "'" << op.getName()
                        << "' cannot be part of a program; lower it first";
}

LogicalResult Encoder::encode(Block &block) {
  for (Operation &op : block) {
    if (failed(encode(op)))
      return failure();
    if (!mlir::isa<scf::YieldOp>(op)) // Registers::leave reads it
      registers.done(&op);
  }
  return success();
}

FailureOr<zhouyi::Program> codegen::encodeVectorProgram(zhouyi::ProgramOp op) {
  zhouyi::Program program;
  program.name = op.getSymName().str();
  program.target = op.getTarget().str();
  Encoder encoder(program, op);
  if (failed(encoder.run(op)))
    return failure();
  std::vector<size_t> fault;
  if (rt::Status status = zhouyi::verify(program, &fault); !status)
    return emitError(encoder.locationOf(fault, op.getLoc()))
           << status.message();
  return program;
}

LogicalResult Encoder::run(zhouyi::ProgramOp op) {
  if (failed(addBuffers(op)))
    return failure();
  std::vector<Instruction> instructions;
  body = &instructions;
  if (failed(encode(op.getBody().front())))
    return failure();
  program.body = prologue; // locationOf counts it
  llvm::move(instructions, std::back_inserter(program.body));
  return success();
}
