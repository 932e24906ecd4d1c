//===- MatMul.cpp - emission of the MatMul family -------------------------===//

#include "codegen/emit/Emit.h"

// Products with a constant arrive as 1x1 convolutions; a product of two
// activations has no emission yet and is refused by the conversion with a
// message that names it.
void weft::emit::registerMatMul(EmitTable &) {}
