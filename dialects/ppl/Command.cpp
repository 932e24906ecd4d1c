//===- Command.cpp - one command, field by field -------------------------===//

#include "dialects/ppl/Command.h"
#include "dialects/ppl/Function.h"
#include "runtime/isa/CommandBuilder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

#define WEFT_REGISTER PplDialect::registerCommand
#define WEFT_OPS "dialects/ppl/Command.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult CommandOp::verify() {
  if (getBindings().size() != getTensors().size() ||
      getAccess().size() != getTensors().size()) // (C2)
    return emitOpError() << "there are " << getBindings().size()
                         << " bindings and " << getAccess().size()
                         << " accesses for " << getTensors().size()
                         << " tensors";
  auto engine =
      getEngine() == Engine::Tiu ? isa::Engine::Tiu : isa::Engine::Gdma;
  const Chip &chip = chipOf(*this);
  if (!chip.hasCommands()) // (C1)
    return emitOpError() << "Weft makes no commands for "
                         << StringRef(chip.targetName.data(),
                                      chip.targetName.size());
  auto made = isa::CommandBuilder::make(*chip.instructions, engine, getType(),
                                        getFunc());
  if (!made) // (C1)
    return emitOpError() << made.status().message();
  return success();
}

LogicalResult RoundOp::verify() {
  if ((*this)->getParentOfType<RoundOp>()) // (C1)
    return emitOpError() << "lies in another round; pipeline the inner loop "
                            "only";
  for (Operation &op : getBody().front()) // (C2)
    if (!FunctionOp(&op) && !mlir::isa<BarrierOp>(op))
      return emitOpError() << "holds '" << op.getName()
                           << "', must hold functions of PPL only";
  return success();
}
