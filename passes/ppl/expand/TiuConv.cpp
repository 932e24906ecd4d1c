//===- TiuConv.cpp - functions of PPL as commands -------------------===//

#include "passes/ppl/Expansion.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

ArrayRef<ExpandRow> weft::ppl::tiuConvExpansions() { return {}; }
