//===- ModuleChip.h - the chip a module is bound to -------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_MODULECHIP_H
#define WEFT_DIALECTS_TPU_MODULECHIP_H

#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Targets.h"

namespace weft::tpu {

/// The chip of the nearest enclosing `tpu.chip` attribute; emits an error and
/// gives null if there is none or it is unknown.
inline const Chip *chipOf(mlir::Operation *op) {
  for (mlir::Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto name = scope->getAttrOfType<mlir::StringAttr>(kChipAttr)) {
      if (const Chip *chip = chips::find({name.data(), name.size()}))
        return chip;
      scope->emitError("unknown chip '")
          << name.getValue()
          << "' in tpu.chip; known: " << chips::joinedTargets();
      return nullptr;
    }
  op->emitError("module has no tpu.chip attribute; convert to tpu first");
  return nullptr;
}

/// The same without a word: null if the chip is not known.
inline const Chip *findChipOf(mlir::Operation *op) {
  for (mlir::Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto name = scope->getAttrOfType<mlir::StringAttr>(kChipAttr))
      return chips::find({name.data(), name.size()});
  return nullptr;
}

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_MODULECHIP_H
