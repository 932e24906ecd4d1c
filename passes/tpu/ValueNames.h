//===- ValueNames.h - which op gives the value of a name --------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_VALUENAMES_H
#define WEFT_PASSES_TPU_VALUENAMES_H

#include "dialects/tpu/recipe/Recipe.h"

namespace weft::tpu {

inline bool isNamed(mlir::Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](mlir::NamedAttribute name) {
    return name.getName() != kRecipeAttr;
  });
}

/// The ONNX value that an op stands for is another one now.
inline void dropName(mlir::Operation *op) {
  for (mlir::NamedAttribute name : llvm::to_vector(op->getDiscardableAttrs()))
    if (name.getName() != kRecipeAttr)
      op->removeDiscardableAttr(name.getName());
}

inline void takeName(mlir::Operation *op, mlir::Operation *from) {
  dropName(op);
  for (mlir::NamedAttribute name : from->getDiscardableAttrs())
    if (name.getName() != kRecipeAttr)
      op->setDiscardableAttr(name.getName(), name.getValue());
}

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_VALUENAMES_H
