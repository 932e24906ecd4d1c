//===- TpuSupport.cpp - which ops the lowering takes ----------------------===//

#include "passes/quantize/TpuSupport.h"

#include "passes/quantize/Lowering.h"

using namespace weft;
using namespace weft::quantize;

TpuSupport weft::quantize::tpuSupport(llvm::StringRef family,
                                      llvm::StringRef kind) {
  LoweringTable table;
#define WEFT_FAMILY(name)                                                      \
  if (family == #name)                                                         \
    register##name##Lowering(table);
#include "OpFamilies.inc"
#undef WEFT_FAMILY
  return table.supportOf(kind);
}
