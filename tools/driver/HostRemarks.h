//===- HostRemarks.h - what the user is told of the host --------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_HOSTREMARKS_H
#define WEFT_TOOLS_DRIVER_HOSTREMARKS_H

#include "mlir/IR/Operation.h"
#include "runtime/host/Traffic.h"

#include <set>
#include <string>

namespace weft::driver {

/// A remark for each host operation below `program`, a `ppl.net` or a
/// `zhouyi.program`: why it is there and the bytes that cross. `traffic` is
/// that of its calls, in their order. Nothing is said of the nodes that `told`
/// holds; the others are added: of a file for many shapes, each is told once.
void remarkHostCalls(mlir::Operation *program,
                     llvm::ArrayRef<host::CallTraffic> traffic,
                     std::set<std::string> &told);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_HOSTREMARKS_H
