//===- Memory.h - pointers, loads and stores ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_ZHOUYI_MEMORY_H
#define WEFT_DIALECTS_ZHOUYI_MEMORY_H

#include "dialects/zhouyi/Zhouyi.h"

#define GET_OP_CLASSES
#include "dialects/zhouyi/Memory.h.inc"

#endif // WEFT_DIALECTS_ZHOUYI_MEMORY_H
