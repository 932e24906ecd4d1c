//===- ModuleChip.h - the chip a module is bound to -------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_MODULECHIP_H
#define WEFT_DIALECTS_TPU_MODULECHIP_H

#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Targets.h"

namespace weft::tpu {

/// The nearest op around `op`, or itself, that names a chip; null if none does.
inline mlir::Operation *chipScopeOf(mlir::Operation *op) {
  while (op && !op->getAttrOfType<mlir::StringAttr>(kChipAttr))
    op = op->getParentOp();
  return op;
}

/// The chip that is named around `op`; null if there is none or it is unknown.
inline const Chip *findChipOf(mlir::Operation *op) {
  mlir::Operation *scope = chipScopeOf(op);
  if (!scope)
    return nullptr;
  auto name = scope->getAttrOfType<mlir::StringAttr>(kChipAttr);
  return chips::find({name.data(), name.size()});
}

/// The same with an error instead of silence.
inline const Chip *chipOf(mlir::Operation *op) {
  if (const Chip *chip = findChipOf(op))
    return chip;
  if (mlir::Operation *scope = chipScopeOf(op))
    scope->emitError("unknown chip '")
        << scope->getAttrOfType<mlir::StringAttr>(kChipAttr).getValue()
        << "' in tpu.chip; known: " << chips::joinedTargets();
  else
    op->emitError("module has no tpu.chip attribute; convert to tpu first");
  return nullptr;
}

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_MODULECHIP_H
