//===- MachineRefusal.h - what the machine cannot compute -------*- C++ -*-===//

#ifndef WEFT_PASSES_ZHOUYI_MACHINEREFUSAL_H
#define WEFT_PASSES_ZHOUYI_MACHINEREFUSAL_H

#include "dialects/Refusal.h"

namespace weft::zhouyi {

/// Why the functions of the machine cannot compute the tpu op `op`, or
/// std::nullopt if they can: then --convert-tpu-to-zhouyi does not fail for it.
/// `op` need not be part of a graph, but stands behind what it reads. Ops that
/// the host computes are not asked about: no other place could take them.
std::optional<Refusal> refusalOf(mlir::Operation *op);

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_MACHINEREFUSAL_H
