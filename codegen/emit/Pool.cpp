//===- Pool.cpp - emission of the Pool family -----------------------------===//

#include "codegen/emit/Emit.h"

// tpu.pool has a recipe.
void weft::emit::registerPool(EmitTable &) {}
