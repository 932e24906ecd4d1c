//===- Host.cpp - what the processor of the host does ---------------------===//

#include "dialects/ppl/Host.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

#define WEFT_REGISTER PplDialect::registerHost
#define WEFT_OPS "dialects/ppl/Host.cpp.inc"
#include "dialects/OpDefinitions.inc"

/// What load and store share.
static LogicalResult verifyTransfer(Operation *op, TensorViewType memory,
                                    RankedTensorType value) {
  int64_t elements = *numeric::elementCount(hostResultType(value)->largest);
  if (memory.getLayout() != Layout::Continuous ||
      memory.getNumElements() != std::max<int64_t>(elements, 1)) // (C1)
    return op->emitOpError()
           << "between " << memory << " and " << value
           << "; the tensor in DRAM must be continuous and have as many "
              "elements";
  return success();
}

LogicalResult HostLoadOp::verify() {
  if (!getValue().getType().hasStaticShape()) // (C1)
    return emitOpError() << "gives " << getValue().getType()
                         << "; the shape must be static";
  return verifyTransfer(*this, getSrc().getType(), getValue().getType());
}

LogicalResult HostStoreOp::verify() {
  return verifyTransfer(*this, getDst().getType(), getValue().getType());
}

LogicalResult HostCallOp::verify() {
  return verifyHostCall(*this, getKernel(), getInputs().size(),
                        getAbsent()); // (C1), (C2)
}
