//===- Binary.cpp - emission of the Binary family -------------------------===//

#include "codegen/emit/Emit.h"

// tpu.binary has a recipe.
void weft::emit::registerBinary(EmitTable &) {}
