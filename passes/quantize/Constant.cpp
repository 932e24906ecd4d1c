//===- Constant.cpp - constants to tpu ------------------------------------===//

#include "dialects/top/Constant.h"

#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Constants become weights where they are used, each in the type and shape
/// wanted there.
void weft::quantize::registerConstantLowering(LoweringTable &table) {
  table.addFolded<top::ConstantOp>();
}
