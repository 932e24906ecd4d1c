//===- Host.cpp - calls of the host in vector programs -------------------===//

#include "codegen/zhouyi/Encoder.h"
#include "dialects/Evaluate.h"
#include "dialects/Refusal.h"

using namespace mlir;
using namespace weft;
using namespace weft::codegen;

FailureOr<host::Place> Encoder::placeOf(Value pointer, int64_t elements,
                                        Operation *user) {
  FailureOr<zhouyi::Address> address = addressOf(pointer, user);
  if (failed(address))
    return failure();
  if (!address->terms.empty())
    return unsupported(user->getLoc()) << "the host reads or writes at an "
                                          "address that a loop moves";
  Type element = cast<zhouyi::PtrType>(pointer.getType()).getElementType();
  host::Place place;
  place.address =
      program.buffers[address->buffer].address + uint64_t(address->offset);
  place.type = *storedTypeOf(element); // every type of a pointer has one
  place.elements = elements;
  return place;
}

LogicalResult Encoder::encode(zhouyi::HostCallOp op) {
  host::Program steps;
  host::CallStep call;
  call.kernel = op.getKernel().str();
  call.node = nodeNameOf(op.getLoc());
  call.reason = op.getReason().str();
  FailureOr<host::Attributes> attributes =
      hostAttributes(op.getParameters(), op.getLoc());
  if (failed(attributes))
    return failure();
  call.attributes = std::move(*attributes);
  std::vector<host::ValueId> loaded;
  for (auto [pointer, type] : llvm::zip(
           op.getInputs(), op.getInputTypes().getAsValueRange<TypeAttr>())) {
    auto tensor = cast<RankedTensorType>(type);
    FailureOr<host::Place> place =
        placeOf(pointer, tensor.getNumElements(), op);
    if (failed(place))
      return failure();
    host::ResultType result = *hostResultType(tensor); // verified
    loaded.push_back(nextHostValue);
    steps.steps.push_back(
        host::LoadStep{nextHostValue++, *place, result.type, result.shape});
  }
  for (std::optional<unsigned> slot : operandSlots(
           op.getInputs().size(), op.getAbsent().value_or(ArrayRef<int64_t>())))
    call.operands.push_back(slot ? loaded[*slot] : host::kAbsent);
  std::vector<host::Step> stores;
  for (auto [pointer, type] : llvm::zip(
           op.getOutputs(), op.getOutputTypes().getAsValueRange<TypeAttr>())) {
    auto tensor = cast<RankedTensorType>(type);
    FailureOr<host::Place> place =
        placeOf(pointer, tensor.getNumElements(), op);
    if (failed(place))
      return failure();
    call.results.push_back(nextHostValue);
    call.types.push_back(*hostResultType(tensor));
    stores.push_back(host::StoreStep{nextHostValue++, *place});
  }
  steps.steps.push_back(std::move(call));
  llvm::move(stores, std::back_inserter(steps.steps));
  append(op.getLoc(), zhouyi::HostStep{std::move(steps)});
  return success();
}
