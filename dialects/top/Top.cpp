//===- Top.cpp - the top dialect -----------------------------------------===//

#include "dialects/top/Top.h"

using namespace weft::top;

#include "dialects/top/TopDialect.cpp.inc"

void TopDialect::initialize() {
#define WEFT_FAMILY(name) register##name();
#include "OpFamilies.inc"
#undef WEFT_FAMILY
}
