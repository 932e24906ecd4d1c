//===- Program.h - a program and its buffers ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_ZHOUYI_PROGRAM_H
#define WEFT_DIALECTS_ZHOUYI_PROGRAM_H

#include "dialects/zhouyi/Zhouyi.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/zhouyi/ZhouyiEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/zhouyi/Program.h.inc"

#endif // WEFT_DIALECTS_ZHOUYI_PROGRAM_H
