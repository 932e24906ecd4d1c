//===- Host.cpp - emission of the Host family -----------------------------===//

#include "codegen/emit/HostEmitter.h"

#include "dialects/ppl/Host.h"
#include "dialects/tpu/Host.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

bool HostEmitter::emit(Operation &op, function_ref<Value(Value)> globalTensor) {
  Location loc = op.getLoc();
  if (auto load = dyn_cast<tpu::ToHostOp>(op)) {
    values[load.getOutput()] = builder.create<ppl::HostLoadOp>(
        loc, load.getOutput().getType(), globalTensor(load.getInput()));
  } else if (auto store = dyn_cast<tpu::FromHostOp>(op)) {
    builder.create<ppl::HostStoreOp>(loc, globalTensor(store.getOutput()),
                                     values.lookup(store.getInput()));
  } else if (auto constant = dyn_cast<tpu::HostConstantOp>(op)) {
    values[constant.getOutput()] = builder.create<ppl::HostConstantOp>(
        loc, constant.getValue().getType(), constant.getValue());
  } else if (auto host = dyn_cast<tpu::HostOp>(op)) {
    SmallVector<Value> inputs;
    for (Value input : host.getInputs())
      inputs.push_back(values.lookup(input));
    auto call = builder.create<ppl::HostCallOp>(
        loc, host.getResultTypes(), host.getKernelAttr(), inputs,
        host.getParametersAttr(), host.getReasonAttr(), host.getAbsentAttr());
    for (auto [from, to] : llvm::zip(host.getOutputs(), call.getOutputs()))
      values[from] = to;
  } else {
    return false;
  }
  return true;
}
