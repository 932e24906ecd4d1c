//===- HostRemarks.cpp - what the user is told of the host ----------------===//

#include "tools/driver/HostRemarks.h"

#include "dialects/Evaluate.h"
#include "dialects/ppl/Host.h"
#include "dialects/ppl/Net.h"
#include "dialects/zhouyi/Program.h"
#include "runtime/host/Traffic.h"
#include "runtime/host/Work.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace weft;

/// Types of the inputs of a `ppl.net`; none of another program.
static std::vector<host::ResultType> inputTypes(Operation *program) {
  std::vector<host::ResultType> types;
  if (auto net = llvm::dyn_cast<ppl::NetOp>(program))
    for (ppl::IoAttr io : net.getInputs().getAsRange<ppl::IoAttr>()) {
      llvm::ArrayRef<int64_t> shape = io.getOnnx().getShape();
      auto element = hostElementType(io.getOnnx().getElementType());
      types.push_back(
          host::staticResult(element.value_or(host::ElementType::F32),
                             host::Shape(shape.begin(), shape.end())));
    }
  return types;
}

void driver::remarkHostCalls(Operation *program,
                             const std::vector<const host::Program *> &programs,
                             std::set<std::string> &told) {
  std::set<std::string> before = told;
  const std::vector<host::CallTraffic> traffic = host::trafficOf(programs);
  const std::vector<double> seconds =
      host::secondsOf(programs, inputTypes(program));
  size_t next = 0;
  program->walk([&](Operation *op) {
    if (!llvm::isa<ppl::HostCallOp, zhouyi::HostCallOp>(op) ||
        next == traffic.size())
      return;
    const host::CallTraffic &one = traffic[next];
    const double work = seconds[next++];
    if (before.count(one.call->node))
      return;
    told.insert(one.call->node);
    emitRemark(op->getLoc())
        << "stays on the host: " << one.call->reason << "; "
        << one.fromChipBytes << " bytes come from the chip, " << one.toChipBytes
        << " go to it; " << host::workText(work);
  });
}
