//===- Host.cpp - top ops of the Host family ------------------------------===//

#include "dialects/top/Host.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

void TopDialect::registerHost() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Host.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Host.cpp.inc"

LogicalResult HostOp::verify() {
  if (!host::hasKernel(getKernel())) // (C1)
    return emitOpError() << "names the kernel '" << getKernel()
                         << "'; there is no such host kernel";
  int64_t last = -1, slots = getInputs().size();
  if (std::optional<ArrayRef<int64_t>> absent = getAbsent()) {
    slots += absent->size();
    for (int64_t slot : *absent) { // (C2)
      if (slot <= last || slot >= slots)
        return emitOpError() << "has absent operands [" << *absent << "] of "
                             << slots << "; they must ascend in that range";
      last = slot;
    }
  }
  if (getOutputs().empty())
    return emitOpError() << "has no result; it needs one";
  return success();
}
