//===- Constant.cpp - emission of the Constant family ---------------------===//

#include "codegen/emit/Emit.h"

// Weights make no command: the ops that use them pack them (Conv, Scale, Lut)
// or read them from DRAM as tensors.
void weft::emit::registerConstant(EmitTable &) {}
