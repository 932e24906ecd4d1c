//===- HostRemarks.h - what the user is told of the host --------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_HOSTREMARKS_H
#define WEFT_TOOLS_DRIVER_HOSTREMARKS_H

#include "mlir/IR/Operation.h"
#include "runtime/host/Program.h"

#include <set>
#include <string>

namespace weft::driver {

/// A remark for each host operation below `program`, a `ppl.net` or a
/// `zhouyi.program`: why it is there, the bytes that cross and about how
/// long it takes. `programs` are those of the host, as they run. Nothing is
/// said of the nodes that `told` holds; the others are added: of a file for
/// many shapes, each is told once.
void remarkHostCalls(mlir::Operation *program,
                     const std::vector<const host::Program *> &programs,
                     std::set<std::string> &told);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_HOSTREMARKS_H
