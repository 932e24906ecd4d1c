//===- Host.cpp - host operations to tpu ----------------------------------===//

#include "passes/quantize/Lowering.h"

using namespace weft;
using namespace weft::quantize;

// The driver places what no family lowers on the host, top.host among it.
void weft::quantize::registerHostLowering(LoweringTable &) {}
