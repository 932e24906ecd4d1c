//===- Vector.h - vectors beside the functions ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_ZHOUYI_VECTOR_H
#define WEFT_DIALECTS_ZHOUYI_VECTOR_H

#include "dialects/zhouyi/Zhouyi.h"

#include "mlir/IR/BuiltinAttributes.h"

#define GET_OP_CLASSES
#include "dialects/zhouyi/Vector.h.inc"

#endif // WEFT_DIALECTS_ZHOUYI_VECTOR_H
