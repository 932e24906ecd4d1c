//===- RawCommand.cpp - commands written field by field ------------------===//

#include "codegen/encode/ProgramBuilder.h"
#include "dialects/ppl/Command.h"

using namespace mlir;
using namespace weft::codegen;
namespace isa = weft::isa;
namespace ppl = weft::ppl;

/// Sets the field `name` or its halves `name`_l32 and `name`_h8.
static LogicalResult bindAddress(Command &command, StringRef name,
                                 uint64_t address) {
  if (auto field = isa::fieldByName({name.data(), name.size()})) {
    command.set(*field, address);
    return success(!command.failed);
  }
  auto low = isa::fieldByName((name + "_l32").str()),
       high = isa::fieldByName((name + "_h8").str());
  if (!low || !high)
    return command.op->emitError()
           << "'" << name << "' is no address field of the instruction table";
  command.set(*low, address & 0xffffffff).set(*high, address >> 32);
  return success(!command.failed);
}

static LogicalResult bindTensor(Command &command, ProgramBuilder &builder,
                                StringRef name, Value value, int32_t access) {
  FailureOr<Placed> placed = builder.place(value, command.op);
  if (failed(placed))
    return failure();
  bool isTiu = command.engine() == isa::Engine::Tiu;
  FailureOr<uint64_t> address =
      isTiu ? builder.tiuAddress(*placed, command.op)
            : FailureOr<uint64_t>(builder.gdmaAddress(placed->tensor()));
  if (failed(address) || failed(bindAddress(command, name, *address)))
    return failure();
  uint64_t bytes = placed->type.isGlobal()
                       ? uint64_t(placed->type.getNumElements()) *
                             ppl::elementBytesOf(placed->type)
                       : 0;
  if (access & 1) {
    command.reads(*placed);
    command.dramReadBytes += bytes;
  }
  if (access & 2) {
    command.writes(*placed);
    command.dramWriteBytes += bytes;
  }
  return success();
}

static LogicalResult encodeRaw(ppl::CommandOp op, ProgramBuilder &builder) {
  Command command =
      op.getEngine() == ppl::Engine::Tiu
          ? Command::tiu(op, builder.chip, isa::TiuType(op.getType()),
                         op.getFunc())
          : Command::gdma(op, builder.chip, isa::GdmaType(op.getType()),
                          op.getFunc());
  for (NamedAttribute field : op.getFields()) {
    StringRef name = field.getName();
    auto known = isa::fieldByName({name.data(), name.size()});
    auto value = dyn_cast<IntegerAttr>(field.getValue());
    if (!known || !value) // (C3)
      return op.emitError() << "'" << name << "' is "
                            << (known ? "not an integer"
                                      : "no field of the instruction table");
    command.set(*known, value.getValue().getZExtValue());
  }
  for (auto [name, tensor, access] :
       llvm::zip(op.getBindings().getAsValueRange<StringAttr>(),
                 op.getTensors(), op.getAccess()))
    if (failed(bindTensor(command, builder, name, tensor, access)))
      return failure();
  return builder.append(std::move(command));
}

FailureOr<bool> weft::codegen::encodeRawCommand(Operation *op,
                                                ProgramBuilder &builder) {
  if (auto command = dyn_cast<ppl::CommandOp>(op))
    return done(encodeRaw(command, builder));
  return false;
}
