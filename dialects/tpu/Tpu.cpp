//===- Tpu.cpp - the tpu dialect -----------------------------------------===//

#include "dialects/tpu/Tpu.h"

using namespace weft::tpu;

#include "dialects/tpu/TpuDialect.cpp.inc"

void TpuDialect::initialize() {
#define WEFT_FAMILY(name) register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
}
