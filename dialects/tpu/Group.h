//===- Group.h - layer groups, tilings and placements -----------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_GROUP_H
#define WEFT_DIALECTS_TPU_GROUP_H

#include "dialects/tpu/Attributes.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Group.h.inc"

#endif // WEFT_DIALECTS_TPU_GROUP_H
