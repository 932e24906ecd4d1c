//===- Host.cpp - host ops to host programs -------------------------------===//

#include "dialects/ppl/Host.h"
#include "codegen/encode/ProgramBuilder.h"
#include "dialects/Evaluate.h"
#include "dialects/ppl/Net.h"

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
namespace ppl = weft::ppl;

/// True if DRAM holds all that ONNX's type says, but for 64 bits.
static bool isWhole(ppl::IoAttr io) {
  Type onnx = io.getOnnx().getElementType();
  Type stored = io.getStored().getElementType();
  return onnx == stored || !llvm::isa<FloatType>(onnx) ||
         (onnx.isF64() && stored.isF32());
}

/// The number of the input or output of the net that lies at `address` and is
/// of the ONNX type of `value`; std::nullopt if there is none.
static std::optional<uint32_t> findIo(ArrayAttr ios, uint64_t address,
                                      Value value) {
  for (auto [index, io] : llvm::enumerate(ios.getAsRange<ppl::IoAttr>()))
    if (io.getAddress() == address && io.getOnnx() == value.getType() &&
        isWhole(io))
      return uint32_t(index);
  return std::nullopt;
}

static host::ResultType typeOf(Value value) {
  return *hostResultType(value.getType()); // the verifier has seen it
}

static FailureOr<host::Place> placeOf(Value tensor, Operation *user,
                                      ProgramBuilder &builder) {
  FailureOr<Placed> placed = builder.place(tensor, user);
  if (failed(placed))
    return failure();
  // Elements of ppl carry their sign; those of a host type need none for i8.
  Type element = placed->type.getElementType();
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.isSigned())
    element = IntegerType::get(element.getContext(), integer.getWidth());
  auto type = hostElementType(element);
  if (!type)
    return user->emitError()
           << "moves elements of type " << element << " between chip and host";
  return host::Place{placed->address, *type, placed->type.getNumElements()};
}

static LogicalResult encodeLoad(ppl::HostLoadOp op, ProgramBuilder &builder) {
  FailureOr<host::Place> place = placeOf(op.getSrc(), op, builder);
  if (failed(place))
    return failure();
  auto net = op->getParentOfType<ppl::NetOp>();
  host::ValueId id = builder.defineHostValue(op.getValue());
  // An input comes from the user as it is, without a loss on the way.
  if (auto input = findIo(net.getInputs(), place->address, op.getValue()))
    return builder.appendHostStep(host::InputStep{id, *input});
  host::ResultType type = typeOf(op.getValue());
  return builder.appendHostStep(
      host::LoadStep{id, *place, type.type, type.shape});
}

/// Whether commands, or steps of the host, read what lies at `place`.
static bool isRead(const host::Place &place, ppl::NetOp net) {
  WalkResult found = net.walk([&](ppl::GlobalOp tensor) {
    uint64_t address = uint64_t(tensor.getAddress());
    bool isThere =
        address >= place.address &&
        address < place.address + std::max(place.bytes(), uint64_t(1));
    bool hasReader = llvm::any_of(tensor->getUsers(), [](Operation *user) {
      return !llvm::isa<ppl::HostStoreOp>(user);
    });
    return isThere && hasReader ? WalkResult::interrupt()
                                : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static LogicalResult encodeStore(ppl::HostStoreOp op, ProgramBuilder &builder) {
  FailureOr<host::Place> place = placeOf(op.getDst(), op, builder);
  if (failed(place))
    return failure();
  auto net = op->getParentOfType<ppl::NetOp>();
  host::ValueId id = builder.hostValue(op.getValue());
  auto output = findIo(net.getOutputs(), place->address, op.getValue());
  if (output && failed(builder.appendHostStep(host::OutputStep{id, *output})))
    return failure();
  // The user has it already; numbers of 64 bits may not fit the machine's.
  if (output && !isRead(*place, net))
    return success();
  return builder.appendHostStep(host::StoreStep{id, *place});
}

static LogicalResult encodeCall(ppl::HostCallOp op, ProgramBuilder &builder) {
  host::CallStep step;
  step.kernel = op.getKernel().str();
  step.node = nodeNameOf(op.getLoc());
  step.reason = op.getReason().str();
  FailureOr<host::Attributes> attributes =
      hostAttributes(op.getParameters(), op.getLoc());
  if (failed(attributes))
    return failure();
  step.attributes = std::move(*attributes);
  for (std::optional<unsigned> slot : hostOperandSlots(op))
    step.operands.push_back(slot ? builder.hostValue(op.getInputs()[*slot])
                                 : host::kAbsent);
  for (Value output : op.getOutputs()) {
    step.results.push_back(builder.defineHostValue(output));
    step.types.push_back(typeOf(output));
  }
  return builder.appendHostStep(std::move(step));
}

static LogicalResult encodeConstant(ppl::HostConstantOp op,
                                    ProgramBuilder &builder) {
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(op.getValue(), op.getLoc());
  if (failed(tensor))
    return failure();
  return builder.appendHostStep(host::ConstantStep{
      builder.defineHostValue(op.getOutput()), std::move(*tensor)});
}

FailureOr<bool> codegen::encodeHost(Operation *op, ProgramBuilder &builder) {
  if (auto load = dyn_cast<ppl::HostLoadOp>(op))
    return done(encodeLoad(load, builder));
  if (auto store = dyn_cast<ppl::HostStoreOp>(op))
    return done(encodeStore(store, builder));
  if (auto call = dyn_cast<ppl::HostCallOp>(op))
    return done(encodeCall(call, builder));
  if (auto constant = dyn_cast<ppl::HostConstantOp>(op))
    return done(encodeConstant(constant, builder));
  return false;
}
