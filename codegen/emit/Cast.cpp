//===- Cast.cpp - emission of the Cast family -----------------------------===//

#include "codegen/emit/Emit.h"

// tpu.cast has a recipe.
void weft::emit::registerCast(EmitTable &) {}
