//===- Group.h - layer groups, tilings and placements -----------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_GROUP_H
#define WEFT_DIALECTS_TPU_GROUP_H

#include "dialects/tpu/Tpu.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/tpu/GroupAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/tpu/Group.h.inc"

#endif // WEFT_DIALECTS_TPU_GROUP_H
