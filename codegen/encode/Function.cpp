//===- Function.cpp - functions of PPL -----------------------------------===//

#include "dialects/ppl/Function.h"
#include "codegen/encode/ProgramBuilder.h"
#include "runtime/ppl/Commands.h"

using namespace mlir;
using namespace weft::codegen;
namespace catalog = weft::catalog;
namespace ppl = weft::ppl;
namespace rt = weft::rt;

/// The call with the address of every tensor in this iteration.
static FailureOr<catalog::Call> placedCall(const ppl::FunctionOp &function,
                                           ProgramBuilder &builder) {
  catalog::Call call = function.encodedCall(builder.chip);
  for (auto [slot, argument] :
       llvm::zip(function.function().slots, call.arguments)) {
    if (!argument.isTensor())
      continue;
    FailureOr<Placed> placed =
        builder.place(function.tensor({slot.name.data(), slot.name.size()}),
                      function.operation());
    if (failed(placed))
      return failure();
    argument.tensor = placed->tensor();
  }
  return call;
}

static LogicalResult appendStep(Operation *op, const catalog::CommandStep &step,
                                ProgramBuilder &builder) {
  if (!step.command)
    return builder.copy(op, step.accesses[0].tensor, step.accesses[1].tensor);
  Command command(op, *step.command);
  for (const catalog::OperandAccess &access : step.accesses) {
    bool isGlobal = access.tensor.memory == catalog::Memory::Global;
    uint64_t bytes = isGlobal ? uint64_t(access.tensor.elements()) *
                                    catalog::bytesOf(access.tensor.type)
                              : 0;
    if (access.reads) {
      command.reads(access.tensor);
      command.dramReadBytes += bytes;
    }
    if (access.writes) {
      command.writes(access.tensor);
      command.dramWriteBytes += bytes;
    }
  }
  return builder.append(std::move(command));
}

static LogicalResult encodeCall(const ppl::FunctionOp &function,
                                ProgramBuilder &builder) {
  Operation *op = function.operation();
  FailureOr<catalog::Call> call = placedCall(function, builder);
  if (failed(call))
    return failure();
  std::vector<uint64_t> scratch;
  if (auto addresses =
          op->getAttrOfType<DenseI64ArrayAttr>(ppl::kScratchAddresses))
    scratch.assign(addresses.asArrayRef().begin(),
                   addresses.asArrayRef().end());
  rt::Result<catalog::CommandList> list = catalog::commandsOf(*call, &scratch);
  if (!list)
    return ppl::reportRefusal(op, list.status());
  if (list->scratch.size() != scratch.size())
    return op->emitError() << "needs " << list->scratch.size()
                           << " scratch buffers, has the addresses of "
                           << scratch.size() << "; run ppl-allocate first";
  for (const catalog::CommandStep &step : list->steps)
    if (failed(appendStep(op, step, builder)))
      return failure();
  return success();
}

FailureOr<bool> weft::codegen::encodeFunction(Operation *op,
                                              ProgramBuilder &builder) {
  ppl::FunctionOp function(op);
  if (!function)
    return false;
  return done(encodeCall(function, builder));
}
