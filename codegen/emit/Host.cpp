//===- Host.cpp - emission of the Host family -----------------------------===//

#include "codegen/emit/Emit.h"

void weft::emit::registerHost(EmitTable &) {}
