//===- Encode.cpp - ppl programs to command buffers ----------------------===//

#include "codegen/encode/Encode.h"
#include "codegen/encode/ProgramBuilder.h"
#include "runtime/chips/Targets.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft::codegen;
namespace ppl = weft::ppl;

static LogicalResult encodeBlock(Block &block, ProgramBuilder &builder);

static LogicalResult encodeFor(scf::ForOp loop, ProgramBuilder &builder) {
  if (loop.getNumResults())
    return loop.emitError() << "a loop of a ppl program has no results; "
                               "tensors are written in place";
  FailureOr<int64_t> low = builder.evaluate(loop.getLowerBound(), loop);
  FailureOr<int64_t> high = builder.evaluate(loop.getUpperBound(), loop);
  FailureOr<int64_t> step = builder.evaluate(loop.getStep(), loop);
  if (failed(low) || failed(high) || failed(step))
    return failure();
  if (*step <= 0)
    return loop.emitError()
           << "step of the loop is " << *step << ", must be positive";
  for (int64_t i = *low; i < *high; i += *step) {
    builder.setIndex(loop.getInductionVar(), i);
    if (failed(encodeBlock(*loop.getBody(), builder)))
      return failure();
  }
  return success();
}

static LogicalResult encodeIf(scf::IfOp branch, ProgramBuilder &builder) {
  if (branch.getNumResults())
    return branch.emitError() << "a branch of a ppl program has no results";
  FailureOr<int64_t> condition =
      builder.evaluate(branch.getCondition(), branch);
  if (failed(condition))
    return failure();
  Block *taken = *condition ? branch.thenBlock() : branch.elseBlock();
  return taken ? encodeBlock(*taken, builder) : success();
}

static LogicalResult encodeOp(Operation *op, ProgramBuilder &builder) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return encodeFor(loop, builder);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return encodeIf(branch, builder);
  if (auto observed = dyn_cast<ppl::ObserveOp>(op))
    return builder.observe(observed);
  if (mlir::isa<ppl::WeightOp, scf::YieldOp>(op) ||
      mlir::isa<arith::ArithDialect>(op->getDialect()))
    return success(); // weights are packed, arith is evaluated where it is used
  if (mlir::isa<ppl::LocalOp, ppl::GlobalOp, ppl::StaticOp, ppl::ViewOp>(op))
    return success(); // placed where they are used
  for (auto *encode : {encodeFunction, encodeHost}) {
    FailureOr<bool> done = encode(op, builder);
    if (failed(done))
      return failure();
    if (*done)
      return success();
  }
  return op->emitError() << "'" << op->getName()
                         << "' has no commands; a ppl program holds ppl ops, "
                         << "scf.for, scf.if and constants";
}

static LogicalResult encodeBlock(Block &block, ProgramBuilder &builder) {
  for (Operation &op : block)
    if (failed(encodeOp(&op, builder)))
      return failure();
  return success();
}

FailureOr<EncodedProgram>
weft::codegen::encodeProgram(ppl::NetOp net, Transfers transfers, Order order) {
  const weft::Chip &chip = ppl::chipOf(net);
  if (!chip.hasCommands())
    return mlir::emitError(net.getLoc())
           << "Weft makes no commands for " << std::string(chip.targetName)
           << "; it does for " << weft::chips::joinedTargets();
  ProgramBuilder builder(chip);
  builder.transfers = transfers;
  builder.order = order;
  if (failed(encodeBlock(net.getBody().front(), builder)))
    return failure();
  return builder.finish();
}
