//===- Ppl.h - the ppl dialect and its types ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_PPL_H
#define WEFT_DIALECTS_PPL_PPL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/ppl/PplEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/ppl/PplTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/ppl/PplAttrs.h.inc"

#include "dialects/ppl/PplDialect.h.inc"

#endif // WEFT_DIALECTS_PPL_PPL_H
