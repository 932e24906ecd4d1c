//===- HostRemarks.cpp - what the user is told of the host ----------------===//

#include "tools/driver/HostRemarks.h"

#include "dialects/ppl/Host.h"
#include "dialects/zhouyi/Program.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace weft;

void driver::remarkHostCalls(Operation *program,
                             llvm::ArrayRef<host::CallTraffic> traffic,
                             std::set<std::string> &told) {
  std::set<std::string> before = told;
  program->walk([&](Operation *op) {
    if (!llvm::isa<ppl::HostCallOp, zhouyi::HostCallOp>(op) || traffic.empty())
      return;
    const host::CallTraffic &one = traffic.front();
    traffic = traffic.drop_front();
    if (before.count(one.call->node))
      return;
    told.insert(one.call->node);
    emitRemark(op->getLoc())
        << "stays on the host: " << one.call->reason << "; "
        << one.fromChipBytes << " bytes come from the chip, " << one.toChipBytes
        << " go to it";
  });
}
